"""Sequences in, sequences out, segments between: the paper's Sleep-Wake Networks (section 2.2)."""
