"""Models of held-out words that segtopic is compared with, from the unigram to LDA with a bigram.

All of them are ``Baseline``s: given observed words, a log probability for each scored word, over
the same vocabulary. Each is imported from its own module, because gensim and tomotopy are slow to
import, and most of what is evaluated needs neither.
"""
