"""Recorded speech: corpora and sound files in, features with their transcripts out."""
