"""All that was found, as one page of Markdown."""

import re
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import results

from segtopic.evaluate.bootstrap import bootstrap_interval
from speech.figures import errors_over_seeds, percent

PAGE = Path(__file__).parents[2] / "docs" / "results" / "speech.md"
KEPT = PAGE.with_suffix("")
_HEADER = (
    "cell",
    "seeds",
    "beam",
    "symbols wrong, %",
    "of each seed",
    "words wrong, %",
    "development symbols wrong, %",
    "epochs, processor seconds",
)
# What the figures say, in words; a person writes it.
READING = Path(__file__).parent / "reading.md"


def page() -> str:
    """From the files of results."""
    kept = {path.stem: results.read(path) for path in KEPT.glob("*.json")}
    differences = kept.pop("differences", {})
    cells: dict[str, list[results.Result]] = {}
    for name, found in sorted(kept.items(), key=lambda item: _in_order(item[0])):
        cells.setdefault(name.rpartition("-")[0], []).append(found)
    lines = [
        "# Speech",
        "",
        "Made by `python scripts/swan_speech.py table` from the files beside this page. "
        "Test parts: `an4` 130 recordings of ten speakers who are not in training; `fsdd` the "
        "official 300 recordings of single digits; `strings` 180 strings of 3 to 7 of them; "
        "`unseen` all 500 of a speaker who is not in training. 95 % bootstrap intervals over "
        "recordings; the errors of a recording are added over the seeds. `s` is the stride, `L` "
        "the longest segment.",
        "",
        *READING.read_text().splitlines(),
        "",
        *results.table(
            _HEADER, [row for name, seeds in cells.items() for row in _rows(name, seeds)]
        ),
        "",
        "## Differences",
        "",
        "Paired by recording, in points; below zero the first has fewer wrong. Each with its "
        "beam of ten, unless the name ends in another one.",
        "",
        *results.table(
            (
                "first",
                "second",
                "symbols wrong",
                "of each seed",
                "words wrong",
                "recordings wrong",
            ),
            [
                (
                    *names.split(" - "),
                    results.interval(found["symbols"], 2),
                    _each(found["by_seed"]),
                    results.interval(found.get("words"), 2),
                    results.interval(found.get("utterances"), 2),
                )
                for names, found in sorted(differences.items(), key=lambda item: _in_order(item[0]))
            ],
        ),
        "",
        "## Segments",
        "",
        "On the best paths of the test part, given what was said; empty ones are not counted, `_` "
        "is a space. The mean length is that of each seed, the counts are those of the first.",
        "",
        *results.table(
            ("cell", "mean length", "segments of 1, 2, ... symbols", "most frequent of several"),
            [
                (
                    name,
                    _each(each["segments"]["mean_length"] for each in seeds),
                    ", ".join(map(str, segments["by_length"])),
                    ", ".join(
                        f"`{text.replace(' ', '_')}` {count}"
                        for text, count in segments["frequent"][:10]
                    ),
                )
                for name, seeds in cells.items()
                if (segments := seeds[0].get("segments"))
            ],
        ),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _rows(name: str, seeds: list[results.Result]) -> list[tuple[str, ...]]:
    training = [each["training"] for each in seeds]
    spent = f"{training[0]['epochs']}, {mean(each['processor_seconds'] for each in training):.0f}"
    rows: list[tuple[str, ...]] = []
    for beam in ("1", "10"):
        test = [each[f"test, beam {beam}"] for each in seeds]
        symbols, words = (_over_seeds(test, what) for what in ("symbols", "words"))
        development = mean(each[f"dev, beam {beam}"]["symbols"]["mean"] for each in seeds)
        each_seed = _each(found["symbols"]["mean"] for found in test)
        rows.append(
            (name, str(len(seeds)), beam, symbols, each_seed, words, f"{development:.2f}", spent)
        )
    return rows


def _over_seeds(seeds: list[results.Result], what: str) -> str:
    if len(seeds) == 1:
        return results.interval(seeds[0].get(what), 2)
    errors = errors_over_seeds(seeds, what)
    return results.interval(percent(bootstrap_interval(errors)) if errors else None, 2)


def _each(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)


def _in_order(name: str) -> list[int | str]:
    """Strides as numbers: 4 before 12."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
