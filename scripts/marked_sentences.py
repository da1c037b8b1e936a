"""Sentences with their phrases, before and after there was a phrase grammar, chosen by a seed.

    segtopic train --config configs/ap.yaml --out runs/ap
    segtopic train --data acl --limit 3000 --n-topics 30 --epochs 8 --out runs/acl-3000
    python scripts/marked_sentences.py --run runs/ap --run runs/acl-3000

Ten sentences of each run's test documents, which it has not seen: the best segmentation, of which
phrases of several words are shown, and the marked phrases. Writes ``docs/results/sentences.md``.
It also prints how many phrases training and test documents have, both ways.
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from segtopic.runs import TrainedModel, load_run
from segtopic.segment import Marker, SegmentedDocument, Segmenter

PAGE = Path(__file__).parents[1] / "docs" / "results" / "sentences.md"
SHORTEST, LONGEST = 60, 300  # characters of a sentence
N_DOCUMENTS = 200
TITLE = """# Sentences, before and after

Ten sentences of test documents of each run, chosen by seed {seed} by
`python scripts/marked_sentences.py {runs}`. *Before*: segments of several words in the best
segmentation, which is all that could be shown without a grammar. *After*: marked phrases.

## Phrases of several words in a document

{n_documents} training and {n_documents} test documents of each run, drawn by the same seed.

| run | before: training, test, ratio | after: training, test, ratio |
|---|---|---|
"""


def brackets(document: SegmentedDocument, start: int, end: int) -> str:
    """A sentence in one line, its phrases of several words in brackets."""
    text, place = "", start
    for phrase in document.phrases:
        if len(phrase.words) > 1 and start <= phrase.start and phrase.end <= end:
            text += f"{document.text[place : phrase.start]}[{phrase.text}]"
            place = phrase.end
    return " ".join((text + document.text[place:end]).split())


def sentences(text: str) -> list[tuple[int, int]]:
    """First character of each sentence, and one after its last; roughly."""
    found = re.finditer(r"[A-Z][^.!?]*(?:\.(?! +[A-Z`]|$)[^.!?]*)*[.!?]", text)
    return [one.span() for one in found if SHORTEST <= len(one[0]) <= LONGEST]


def several(documents: Sequence[SegmentedDocument]) -> float:
    """Phrases of several words in a document, on average."""
    return float(np.mean([sum(len(p.words) > 1 for p in one.phrases) for one in documents]))


def counts(trained: TrainedModel, segmenter: Segmenter, random: np.random.Generator) -> str:
    """Cells of the table: before and after."""
    marker = Marker.of(trained, segmenter)
    found: dict[str, list[float]] = {"before": [], "after": []}
    for part in ("train", "test"):
        numbers = getattr(trained.corpus.split, part)
        numbers = random.permutation(numbers)[:N_DOCUMENTS].tolist()
        texts = list(trained.texts(numbers).values())
        found["before"].append(several(segmenter.segment(texts, trained_on=part == "train")))
        found["after"].append(several(marker.mark(texts, trained_on=part == "train")))
    cells = (f"{train:.1f}, {test:.1f}, {test / train:.2f}" for train, test in found.values())
    return " | ".join(cells)


def examples(
    trained: TrainedModel, segmenter: Segmenter, random: np.random.Generator, count: int
) -> str:
    """Lines of Markdown."""
    numbers = random.permutation(trained.corpus.test.n_documents)[: 3 * count]
    texts = trained.texts(trained.corpus.split.test[numbers].tolist())
    lines: list[str] = []
    for text in texts.values():
        places = sentences(text)
        if places and len(lines) < count:
            start, end = places[random.integers(len(places))]
            (before,) = segmenter.segment([text])
            (after,) = Marker.of(trained, segmenter).mark([text])
            shown = (brackets(one, start, end).replace("`", "'") for one in (before, after))
            lines.append("{}. Before: {}\n\n    After: {}\n".format(len(lines) + 1, *shown))
    return "\n".join(lines)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", action="append", required=True, help="folder of a run")
    parser.add_argument("--sentences", type=int, default=10, help="of each run")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    names = " ".join(f"--run {name}" for name in chosen.run)
    page = TITLE.format(seed=chosen.seed, runs=names, n_documents=N_DOCUMENTS)
    parts = ""
    for name in chosen.run:
        random = np.random.default_rng(chosen.seed)
        trained = load_run(name)
        segmenter = Segmenter.of(trained)
        page += f"| `{name}` | {counts(trained, segmenter, random)} |\n"
        parts += f"\n## `{name}`\n\n{examples(trained, segmenter, random, chosen.sentences)}"
    PAGE.write_text(page + parts, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
