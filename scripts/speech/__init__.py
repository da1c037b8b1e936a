"""Speech to characters and phonemes; the commands are in ``scripts/swan_speech.py``."""
