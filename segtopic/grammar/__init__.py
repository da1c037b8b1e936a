"""Which words begin, continue and end phrases, learned from raw text: texts in, phrases out.

The model of topics and segments knows words of its vocabulary, between stop words and marks. What
a reader would mark also depends on the words beside a phrase, and on how words look. This layer
learns that from the training texts without labels, in seconds, and gives the probability of every
phrase of a text, words that were never seen included.
"""

from segtopic.grammar.grammar import PhraseGrammar, PhraseReading, every_so_many

__all__ = ["PhraseGrammar", "PhraseReading", "every_so_many"]
