"""Topics as CSV, safe to open in a spreadsheet: a line for every phrase and word.

Text that a spreadsheet would take for a formula gets an apostrophe before it; numbers stay as they
are.
"""

import csv
import io
from collections.abc import Sequence

from segtopic.harmless import for_spreadsheet
from segtopic.topics.describe import Topic

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
