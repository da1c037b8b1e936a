"""Spelling to phonemes on g014b2b; the commands are in ``scripts/swan_g2p.py``."""
