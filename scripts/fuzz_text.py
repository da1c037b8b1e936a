"""Thousands of documents nobody would write, through every command: nothing crashes or is lost.

    python scripts/fuzz_text.py [--documents 10000] [--seed 0]

Real documents (the Lee corpus) are mutated, and others are drawn from everything that text can be:
halves of surrogate pairs, combining marks, emoji, control characters, NULs, marks that turn the
direction of writing, words of a million letters, only stop words, only unknown words, nothing at
all. They go as JSON lines through prepare, train (one epoch), segment (every format), topics and
report. Every document has to come out again: the same ids in the same order, the same text. The
last line is one JSON object.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path

from segtopic.cli import main as segtopic
from segtopic.corpus.named import named_corpus, require

SIGNS = [
    *("\ud800", "\udfff", "\udcff", "\x00", "\x01", "\x1b[31m", "\x7f", "\x85", "\x9b"),
    *("\u0301", "\u0301" * 50, "\u202e", "\u2066", "\u200f", "\u200d", "\u2028", "\ufeff"),
    *("\ufffe", "\U0010ffff", "\U0001f600", "\U0001f468\u200d\U0001f469", "ﬁ", "ß", "İ"),
    *("\n", "\r", "\r\n", "\t", "\v", "\f", "\xa0", "\u3000", "\xad", "_", "__", "-", "--"),
    *(
        "=1+1",
        "@x",
        "<script>",
        "</p>",
        "&lt;",
        "{{ 1 }}",
        "%s",
        "\\",
        '"',
        "'",
        "\u2019",
        "[",
        "]",
    ),
    *("漢字", "العربية", "हिन्दी", "ไทย", "…", "1e999", "٣", "½", "a.b.c", "c++", "http://x.y/?z"),
]
# Words of half a million letters, as many lines, and a span of many known words.
LONG = [("w", 500_000), ("\u0301", 500_000), ("é", 500_000), ("a\n", 500_000), ("x,", 500_000)]
LONG += [("ab ", 20_000)]
STOP_WORDS = ["the", "of", "and", "a", "is", "in", "it's", "The", "OF"]


def real_texts() -> list[str]:
    """Documents to start from."""
    path, _ = require(named_corpus("lee"))
    return path.read_text(encoding="utf-8").splitlines()


def fuzzed(n_documents: int, seed: int) -> Iterator[dict[str, object]]:
    """Rows with an id and a text."""
    chance = random.Random(seed)
    real = real_texts()
    kinds: list[Callable[[], str]] = [
        lambda: chance.choice(real),
        lambda: mutated(chance, chance.choice(real)),
        lambda: mutated(chance, chance.choice(real)[: chance.randrange(200)]),
        lambda: "".join(chance.choices(SIGNS, k=chance.randrange(40))),
        lambda: "".join(chr(chance.randrange(0x110000)) for _ in range(chance.randrange(60))),
        lambda: "".join(chr(chance.randrange(0x250)) for _ in range(chance.randrange(200))),
        lambda: " ".join(chance.choices(STOP_WORDS, k=chance.randrange(30))),
        lambda: " ".join(f"x{chance.randrange(10**12)}q" for _ in range(chance.randrange(30))),
        lambda: chance.choice(["", " ", "\n\n", "\t", ".", "...", "\u3000"]),
        lambda: chance.choice(real).replace(" ", chance.choice(SIGNS)),
        lambda: chance.choice(real).upper() + chance.choice(real)[::-1],
    ]
    for number in range(n_documents):
        text = chance.choices(kinds, weights=[4, 6, 4, 2, 1, 1, 1, 1, 1, 2, 1])[0]()
        if number % 1999 == 7:
            unit, times = chance.choice(LONG)
            text = unit * times
        name = f"{number}-{mutated(chance, 'name') if number % 3 else 'name'}"
        yield {"id": name, "text": text}


def mutated(chance: random.Random, text: str) -> str:
    """With signs put in, parts cut out and parts repeated."""
    for _ in range(chance.randrange(1, 12)):
        place = chance.randrange(len(text) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            text = text[:place] + text[place + chance.randrange(10) :]
        elif kind == 1:
            text = text[:place] + text[max(0, place - chance.randrange(30)) :]
        else:
            text = text[:place] + chance.choice(SIGNS) + text[place:]
    return text


def as_stored(text: str) -> str:
    """Halves of surrogate pairs cannot be stored; each becomes U+FFFD. JSON joins both halves."""
    text = json.loads(json.dumps(text))
    return "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in text)


class Fuzz:
    """The commands over one file of documents, in a folder of their own."""

    def __init__(self, folder: Path, n_documents: int, seed: int) -> None:
        self.folder = folder
        self.source, self.run = folder / "fuzzed.jsonl", folder / "run"
        rows = list(fuzzed(n_documents, seed))
        with self.source.open("w", encoding="ascii") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        # Text with NUL bytes is refused, and counted.
        self.expected = {
            as_stored(str(row["id"])): as_stored(str(row["text"]))
            for row in rows
            if "\0" not in str(row["text"])
        }
        self.n_refused = n_documents - len(self.expected)

    def all(self) -> dict[str, int]:
        """Run everything; returns what was counted."""
        prepared = self._json("prepare", self.source, "--on-bad-line", "skip")
        assert prepared["skipped_lines"] == self.n_refused
        assert prepared["documents_read"] == len(self.expected)
        kept = prepared["documents"] + prepared["dropped_empty"] + prepared["dropped_no_known_word"]
        assert kept == prepared["documents_read"], "a document is not accounted for"
        small = ("--n-topics", 5, "--hidden-size", 16, "--encoder-size", 16, "--epochs", 1)
        more = ("--out", self.run, "--on-bad-line", "skip", "--trainer.threads", 1)
        self._json("train", "--data", self.source, *small, *more)
        n_segments = self._check_lines()
        for form in ("text", "csv", "html", "gensim"):
            self._segment(form)
        self._check_gensim()
        self._json("topics", self.run)
        self._done("topics", self.run)
        self._done("report", self.run)
        assert (self.run / "report.html").stat().st_size < 5_000_000
        return {
            "documents": len(self.expected) + self.n_refused,
            "refused_for_nul": self.n_refused,
            "in_the_corpus": int(prepared["documents"]),
            "without_a_known_word": kept - int(prepared["documents"]),
            "segments": n_segments,
        }

    def _check_lines(self) -> int:
        """The JSON lines hold every document, in order, and their segments rebuild it."""
        n_segments = 0
        names = iter(self.expected)
        with self._segment("jsonl").open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                row = json.loads(line)
                name = next(names)
                assert row["id"] == name, f"{name!r} came out as {row['id']!r}"
                assert row["text"] == self.expected[name], f"the text of {name!r} has changed"
                place = 0
                for found in row["segments"]:
                    assert place <= found["start"] < found["end"] <= len(row["text"])
                    assert row["text"][found["start"] : found["end"]] == found["text"]
                    place = found["end"]
                n_segments += len(row["segments"])
        assert next(names, None) is None, "a document is missing"
        return n_segments

    def _check_gensim(self) -> None:
        with (self.folder / "out.gensim").open(encoding="utf-8", newline="\n") as lines:
            n_lines = sum(1 for _ in lines)
        assert n_lines == len(self.expected), f"{n_lines} lines of tokens"

    def _segment(self, form: str) -> Path:
        out = self.folder / f"out.{form}"
        options = ("--format", form, "--out", out, "--on-bad-line", "skip", "--no-refine")
        self._done("segment", self.run, self.source, *options)
        return out

    def _json(self, *arguments: object) -> dict[str, int]:
        return json.loads(self._done(*arguments, "--json"))

    def _done(self, *arguments: object) -> str:
        started = time.monotonic()
        path = self.folder / "stdout"
        with path.open("w", encoding="utf-8") as file, redirect_stdout(file):
            code = segtopic([str(argument) for argument in arguments])
        assert code == 0, f"segtopic {arguments[0]} ended with {code}"
        print(f"{arguments[0]}: {time.monotonic() - started:.1f} s", file=sys.stderr)
        return path.read_text(encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        figures = Fuzz(Path(folder), chosen.documents, chosen.seed).all()
    print(json.dumps({**figures, "lost": 0, "seconds": round(time.monotonic() - started, 1)}))


if __name__ == "__main__":
    main()
