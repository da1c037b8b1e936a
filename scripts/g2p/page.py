"""All that was found, as one page of Markdown."""

from collections.abc import Iterable
from pathlib import Path

import results

KEPT = Path(__file__).parents[2] / "docs" / "results" / "swan"
_HEADER = ("model", "decoding", "words wrong, %", "phonemes wrong, %", "epochs, the best")


def write_page() -> None:
    """From the files of results, ``docs/results/swan.md``."""
    kept = {path.stem: results.read(path) for path in sorted(KEPT.glob("*.json"))}
    lines = [
        "# Spelling to phonemes: g014b2b",
        "",
        "Made by `python scripts/swan_g2p.py table` from the files beside this page. Test words: "
        "12,000, none of them in training; 95 % bootstrap intervals over words.",
        "",
        *results.table(_HEADER, _rows(kept, ("swan", "rnnt", "ctc", "phonetisaurus"))),
        "",
        *(
            f"- {names}, paired: {results.interval(found, 2)} points of words wrong."
            for names, found in kept.get("differences", {}).items()
        ),
        "",
        *_small_table(kept),
        *_segments_table(kept),
        *_merging_table(kept),
    ]
    KEPT.with_suffix(".md").write_text("\n".join(lines).rstrip() + "\n")


def _small_table(kept: dict[str, results.Result]) -> list[str]:
    small = _rows(kept, [name for name in kept if name.startswith("small")])
    if not small:
        return []
    return [
        "## The paper's claims, on 20,000 words",
        "",
        "One layer of 128 units, twelve epochs, the same for all.",
        "",
        *results.table(_HEADER, small),
        "",
    ]


def _segments_table(kept: dict[str, results.Result]) -> list[str]:
    rows = [
        (
            name,
            ", ".join(f"{100 * share:.1f} %" for share in found["share_by_length"]),
            results.number(found, "mean_length_not_empty"),
            results.number(found, "best_path_share"),
        )
        for name, result in kept.items()
        if (found := result.get("segments"))
    ]
    header = (
        "model",
        "segments of 0, 1, 2, ... phonemes",
        "mean length if not empty",
        "share of the best path",
    )
    return ["## Segments", "", *results.table(header, rows), ""]


def _merging_table(kept: dict[str, results.Result]) -> list[str]:
    """What equal outputs there were among the candidates of searches that did not merge."""
    names = ("words_with_repeats", "repeats", "added")
    rows = [
        (name, label.removeprefix("merging, "), *(results.number(found, of, ".2f") for of in names))
        for name, result in kept.items()
        for label, found in result.items()
        if label.startswith("merging")
    ]
    if not rows:
        return []
    header = (
        "model",
        "search without merging",
        "words with equal outputs among the candidates, %",
        "candidates that repeat a better one, %",
        "what repeats add to the probability of the best, %",
    )
    return [
        "## What there is to merge",
        "",
        "On the 2,000 development words.",
        "",
        *results.table(header, rows),
        "",
    ]


def _rows(kept: dict[str, results.Result], names: Iterable[str]) -> list[tuple[str, ...]]:
    rows = []
    for name in names:
        training = kept.get(name, {}).get("training", {})
        spent = f"{training['epochs']}, {training['best_epoch']}" if training else ""
        rows += [
            (name, label, *(results.interval(found[of], 2) for of in ("words", "phonemes")), spent)
            for label, found in kept.get(name, {}).items()
            if "words" in found
        ]
    return rows
