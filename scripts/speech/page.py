"""All that was found, as one page of Markdown."""

from pathlib import Path

import results

KEPT = Path(__file__).parents[2] / "docs" / "results" / "speech"
_HEADER = (
    "cell",
    "decoding",
    "symbols wrong, %",
    "words wrong, %",
    "development symbols wrong, %",
    "epochs, processor seconds",
)
# What the figures say, in words; a person writes it.
READING = Path(__file__).parent / "reading.md"


def write_page() -> None:
    """From the files of results, ``docs/results/speech.md``."""
    kept = {path.stem: results.read(path) for path in sorted(KEPT.glob("*.json"))}
    differences = kept.pop("differences", {})
    lines = [
        "# Speech",
        "",
        "Made by `python scripts/swan_speech.py table` from the files beside this page. "
        "Test parts: `an4` 130 recordings of ten speakers who are not in training; `fsdd` the "
        "official 300 recordings of single digits; `strings` 180 strings of 3 to 7 of them; "
        "`unseen` all 500 of a speaker who is not in training. 95 % bootstrap intervals over "
        "recordings. `s` is the stride, `L` the longest segment, the last number the seed.",
        "",
        *READING.read_text().splitlines(),
        "",
        *results.table(
            _HEADER, [row for name, found in kept.items() for row in _rows(name, found)]
        ),
        "",
        "## Differences",
        "",
        "Paired by recording, in points; below zero the first has fewer wrong. Each with its "
        "widest beam, unless the name ends in one.",
        "",
        *results.table(
            ("first", "second", "symbols wrong", "words wrong", "seeds"),
            [
                (
                    *names.split(" - "),
                    results.interval(found["symbols"], 2),
                    results.interval(found.get("words"), 2),
                    str(found["seeds"]),
                )
                for names, found in differences.items()
            ],
        ),
        "",
        "## Segments",
        "",
        "On the best paths of the test part, given what was said; empty ones are not counted, `_` "
        "is a space.",
        "",
        *results.table(
            ("cell", "mean length", "segments of 1, 2, ... symbols", "most frequent of several"),
            [
                (
                    name,
                    f"{segments['mean_length']:.2f}",
                    ", ".join(map(str, segments["by_length"])),
                    ", ".join(
                        f"`{text.replace(' ', '_')}` {count}"
                        for text, count in segments["frequent"][:10]
                    ),
                )
                for name, found in kept.items()
                if (segments := found.get("segments"))
            ],
        ),
    ]
    KEPT.with_suffix(".md").write_text("\n".join(lines).rstrip() + "\n")


def _rows(name: str, found: results.Result) -> list[tuple[str, ...]]:
    training = found.get("training", {})
    spent = f"{training.get('epochs')}, {training.get('processor_seconds')}" if training else ""
    rows: list[tuple[str, ...]] = []
    for key, errors in found.items():
        part, _, beam = key.partition(", ")
        if part == "test":
            dev = found.get(f"dev, {beam}", {}).get("symbols")
            rows.append(
                (
                    name,
                    beam,
                    results.interval(errors["symbols"], 2),
                    results.interval(errors.get("words"), 2),
                    results.interval(dev, 2),
                    spent,
                )
            )
    return rows
