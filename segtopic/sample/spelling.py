"""Words and spans in, text out that is read as the same words and spans."""

from collections.abc import Iterator

from segtopic.corpus.documents import Documents
from segtopic.corpus.spans import SpanRules, TextEncoder
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.errors import RunError


class Spelling:
    """Writes documents by the rules of a corpus.

    >>> import numpy as np
    >>> from segtopic.config import TokenConfig
    >>> vocabulary = Vocabulary(("bank", "river"), np.array([1, 1]), np.array([1, 1]))
    >>> spelling = Spelling(vocabulary, SpanRules(TokenConfig(), frozenset({"the"})))
    >>> list(spelling.texts(Documents.from_lists([[[1, 0], [0]]])))
    ['river bank, bank.']
    """

    def __init__(self, vocabulary: Vocabulary, rules: SpanRules) -> None:
        self._words = vocabulary.words
        self._between, self._last = self._boundary(TextEncoder(vocabulary, rules), rules)

    def texts(self, documents: Documents) -> Iterator[str]:
        """The text of each document."""
        for spans in documents.to_lists():
            text = self._between.join(
                [" ".join([self._words[word] for word in span]) for span in spans]
            )
            yield text + self._last if spans else ""

    def _boundary(self, encoder: TextEncoder, rules: SpanRules) -> tuple[str, str]:
        """What stands between spans and after the last one."""
        candidates = [(", ", ".")]
        candidates += [(f" {word} ", "") for word in sorted(rules.stop_words)[:1]]
        candidates.append((" zzzzzz ", ""))  # that is no word of any vocabulary worth the name
        word = self._words[0]
        for between, last in candidates:
            if encoder.encode([word + between + word + last]).documents.n_spans == 2:
                return between, last
        if encoder.encode([f"{word} {word}"]).documents.n_spans == 1:
            return " ", ""  # nothing ends a span, so there is one in each document
        raise RunError("the words of the model cannot be written so that they are read again")
