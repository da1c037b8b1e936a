"""Training with Lightning: a corpus and a claimed folder in, a finished run out."""
