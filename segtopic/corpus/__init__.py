"""From any text to encoded documents: readers, tokens, spans, vocabulary, corpus, split.

>>> from segtopic.config import CorpusConfig
>>> corpus = corpus_from_texts(["The river bank.", "A bank of the river Rhine"])
>>> corpus.vocabulary.words, corpus.documents.to_lists()
(('bank', 'river', 'rhine'), [[[1, 0]], [[0], [1, 2]]])
"""

from segtopic.corpus.corpus import Corpus
from segtopic.corpus.documents import Documents
from segtopic.corpus.prepare import Prepared, corpus_from_texts, prepare_corpus
from segtopic.corpus.spans import EncodedTexts, SpanRules, TextEncoder
from segtopic.corpus.split import Split, split_documents
from segtopic.corpus.vocabulary import Vocabulary

__all__ = [
    "Corpus",
    "Documents",
    "EncodedTexts",
    "Prepared",
    "SpanRules",
    "Split",
    "TextEncoder",
    "Vocabulary",
    "corpus_from_texts",
    "prepare_corpus",
    "split_documents",
]
