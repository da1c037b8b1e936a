"""Topics for other programs: CSV that is safe to open in a spreadsheet, and what pyLDAvis wants.

In CSV every phrase and word has a line; text that a spreadsheet would take for a formula gets an
apostrophe before it, and numbers stay as they are.

pyLDAvis is not installed with segtopic (``pip install segtopic[pyldavis]``). Its input is plain
data, which can be written without it and read wherever it is:
``pyLDAvis.prepare(**json.load(open("topics.json")))``.
"""

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from segtopic.config import DEFAULT_DEFINITION, Definition
from segtopic.corpus.documents import Documents
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.errors import ConfigError
from segtopic.harmless import for_spreadsheet
from segtopic.model.topic_model import TopicModel
from segtopic.runs.view import TopicView
from segtopic.topics.definitions import DEFINITIONS
from segtopic.topics.describe import Topic
from segtopic.topics.shares import topic_shares


@torch.no_grad()
def ldavis_input(
    model: TopicModel,
    documents: Documents,
    vocabulary: Vocabulary,
    definition: Definition = DEFAULT_DEFINITION,
    view: TopicView | None = None,
) -> dict[str, Any]:
    """The arguments of ``pyLDAvis.prepare``, as lists.

    Words and documents without an occurrence in ``documents`` are left out: pyLDAvis divides by
    their counts.
    """
    documents = documents.select(np.flatnonzero(documents.words_per_document))
    counts = np.bincount(documents.words, minlength=len(vocabulary))
    seen = np.flatnonzero(counts)
    shares = topic_shares(model, documents).double()
    vectors = DEFINITIONS[definition](shares).to(model.topics.weight.dtype)
    if view is not None:
        vectors, shares = view.mixtures(shares).to(vectors.dtype) @ vectors, view.shares(shares)
    words = model.first_word_distribution(vectors)[:, seen].double()
    return {
        "topic_term_dists": (words / words.sum(1, keepdim=True)).tolist(),
        "doc_topic_dists": (shares / shares.sum(1, keepdim=True)).tolist(),
        "doc_lengths": documents.words_per_document.tolist(),
        "vocab": [vocabulary.words[word] for word in seen],
        "term_frequency": counts[seen].tolist(),
    }


def ldavis_page(prepared_input: dict[str, Any]) -> str:
    """The interactive page, with topics numbered as everywhere in segtopic."""
    try:
        import pyLDAvis
    except ImportError:
        raise ConfigError(
            "--pyldavis with an .html file needs pyLDAvis; install it with "
            "'pip install segtopic[pyldavis]', or give a .json file and read that elsewhere"
        ) from None
    arrays = {name: np.asarray(value) for name, value in prepared_input.items()}
    prepared = pyLDAvis.prepare(**arrays, sort_topics=False, start_index=0)
    page: str = pyLDAvis.prepared_data_to_html(prepared)
    return page


COLUMNS = (
    "topic", "label", "share", "kind", "place", "text", "probability", "lift", "count",
)  # fmt: skip


def topics_csv(topics: Sequence[Topic]) -> str:
    """The file's content."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(COLUMNS)
    for topic in topics:
        for kind, terms in (("phrase", topic.phrases), ("word", topic.words)):
            for place, term in enumerate(terms, start=1):
                head = (topic.number, for_spreadsheet(topic.label), topic.share, kind, place)
                figures = (term.probability, term.lift, term.count)
                writer.writerow((*head, for_spreadsheet(term.text), *figures))
    return content.getvalue()
