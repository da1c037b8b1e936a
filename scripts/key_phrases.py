"""Key phrases of unseen abstracts, judged by their titles: segtopic, a rule of one line, gensim.

    segtopic train --config configs/acl.yaml --limit 2000 --n-topics 30 --epochs 7 \\
        --out runs/acl-2000
    python scripts/key_phrases.py --run runs/acl-2000

Authors put the key phrases of a paper into its title. So the gold phrases of an abstract are the
longest runs of two to four words of the title, without stop words at their ends, that stand in the
abstract, too; abstracts without one are left out. A phrase is right if it is one of them, whatever
its case, hyphens and plural. The run has seen no title, and no abstract that it holds is judged.
The others learn from the same training abstracts and rank by the same rule: how often a phrase
stands in the abstract, times how rare its words are; spellings merged, no phrase inside another.
The longest run of the rule, and gensim's setting, are the best ones for the development abstracts.
Intervals of the differences are over test abstracts, drawn again 2,000 times.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice, product
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gensim.models.phrases import Phrases

from segtopic.config import TokenConfig
from segtopic.corpus.documents import IntArray
from segtopic.corpus.named import named_corpus, require
from segtopic.corpus.spans import SpanRules
from segtopic.corpus.tokenise import Token
from segtopic.files import text_digest
from segtopic.runs import load_run
from segtopic.segment import KeyPhraseFinder, SegmentedDocument
from segtopic.segment.key_phrases import key_phrases
from segtopic.segment.segmented import FloatArray
from segtopic.segment.variants import is_part_of, spelling_key

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "key_phrases.json"
DEV_BEGIN, TEST_BEGIN = 30_000, 40_000  # lines of the 57,212 abstracts
TOPS = (5, 10)
RULE_LENGTHS = (2, 3, 4)
PHRASES_GRID: tuple[dict[str, Any], ...] = tuple(
    {"scoring": scoring, "threshold": threshold, "min_count": min_count}
    for scoring, thresholds in (("default", (1.0, 10.0)), ("npmi", (0.2, 0.4)))
    for threshold, min_count in product(thresholds, (2, 5))
)
RULES = SpanRules.from_config(TokenConfig())
TOKENISER = RULES.tokeniser()

Key = tuple[str, ...]
Finder = Callable[[Sequence[str]], list[list[Key]]]


class Abstract(NamedTuple):
    """A text and the keys of its gold phrases."""

    text: str
    gold: frozenset[Key]


def abstracts(begin: int, count: int, known: set[bytes]) -> list[Abstract]:
    """So many abstracts with gold phrases, from a line on, none with one of these digests."""
    path, _ = require(named_corpus("acl"))
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = map(json.loads, islice(lines, begin, None))
        unseen = (row for row in rows if text_digest(row["text"]) not in known)
        found = (Abstract(row["text"], gold_of(row["title"], row["text"])) for row in unseen)
        return list(islice((one for one in found if one.gold), count))


def runs(text: str) -> Iterator[list[Token]]:
    """Stop-word-free runs of words."""
    tokens = TOKENISER.tokens(text)
    for is_run, run in groupby(tokens, lambda token: RULES.may_be_word(token.form)):
        if is_run:
            yield list(run)


def gold_of(title: str, text: str) -> frozenset[Key]:
    """The longest phrases of the title that stand in the text."""
    words = [token.form for token in TOKENISER.tokens(text)]
    standing = {
        spelling_key(" ".join(words[begin : begin + size]))
        for size in (2, 3, 4)
        for begin in range(len(words) - size + 1)
        if "" not in words[begin : begin + size]
    }
    tokens = [token.form for token in TOKENISER.tokens(title)]
    found: list[Key] = []
    for size in (4, 3, 2):
        for begin in range(len(tokens) - size + 1):
            forms = tokens[begin : begin + size]
            ends = RULES.may_be_word(forms[0]) and RULES.may_be_word(forms[-1])
            key = spelling_key(" ".join(forms)) if ends and "" not in forms else ()
            if key in standing and not any(is_part_of(key, longer) for longer in found):
                found.append(key)
    return frozenset(found)


class Rarity(dict[str, float]):
    """The inverse document frequency of every form of the training texts."""

    unseen = 0.0

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Rarity":
        counts: Counter[str] = Counter()
        n_texts = 0
        for text in texts:
            counts.update({token.form for token in TOKENISER.tokens(text)})
            n_texts += 1
        made = cls({form: log((1 + n_texts) / (1 + count)) for form, count in counts.items()})
        made.unseen = log(1 + n_texts)
        return made

    def __missing__(self, form: str) -> float:
        return self.unseen


def ranked(text: str, phrases: Iterable[list[Token]], rarity: Rarity) -> list[Key]:
    """Key phrases of a text whose phrases are given, all as sure."""
    tokens = [
        (token, number == len(own) - 1) for own in phrases for number, token in enumerate(own)
    ]
    document = SegmentedDocument(
        text=text,
        starts=np.array([token.start for token, _ in tokens], dtype=np.int64),
        ends=np.array([token.end for token, _ in tokens], dtype=np.int64),
        words=tuple(token.form for token, _ in tokens),
        segment_ends=np.array([last for _, last in tokens], dtype=bool),
        boundaries=np.array([last for _, last in tokens], dtype=np.float64),
        probabilities=np.ones(len(tokens)),
        topics=np.ones(1),
        marked=True,
    )
    return [spelling_key(phrase.text) for phrase in key_phrases(document, rarity, max(TOPS))]


def by_rule(longest: int, rarity: Rarity) -> Finder:
    """Stop-word-free runs of at most so many words."""
    return lambda texts: [
        ranked(text, (run for run in runs(text) if len(run) <= longest), rarity) for text in texts
    ]


def by_phrases(learned: Sequence[Any], rarity: Rarity) -> Finder:
    """Passes of gensim's ``Phrases`` over stop-word-free runs."""

    def joined(run: list[Token]) -> Iterator[list[Token]]:
        forms = [token.form for token in run]
        for phrases in learned:
            forms = phrases[forms]
        place = 0
        for form in forms:
            size = form.count("\t") + 1
            yield run[place : place + size]
            place += size

    return lambda texts: [
        ranked(text, (part for run in runs(text) for part in joined(run)), rarity) for text in texts
    ]


def learn_phrases(spans: list[list[str]], passes: int = 2, **setting: Any) -> list[Any]:
    """Pairs, then pairs of pairs."""
    learned = []
    for _ in range(passes):
        learned.append(Phrases(spans, delimiter="\t", **setting).freeze())
        spans = [learned[-1][span] for span in spans]
    return learned


class Counts(NamedTuple):
    """Of each abstract and each of ``TOPS``, ``(A, 2)``: right phrases, shown ones, gold ones."""

    right: IntArray
    shown: IntArray
    gold: IntArray

    @classmethod
    def of(cls, find: Finder, judged_on: Sequence[Abstract]) -> "Counts":
        found = find([abstract.text for abstract in judged_on])
        rows = [
            [(len(one.gold & set(keys[:top])), len(keys[:top]), len(one.gold)) for top in TOPS]
            for one, keys in zip(judged_on, found, strict=True)
        ]
        return cls(*np.array(rows).transpose(2, 0, 1))

    def f1(self, times: IntArray | None = None) -> FloatArray:
        """Of all abstracts together, each so many times: ``(2,)``."""
        weights = np.ones(len(self.right)) if times is None else times
        found: FloatArray = 2 * (weights @ self.right) / (weights @ (self.shown + self.gold))
        return found

    def figures(self) -> dict[str, float]:
        """Precision, recall and F1."""
        right, shown, gold = (part.sum(0) for part in self)
        figures = {}
        for number, top in enumerate(TOPS):
            figures[f"precision@{top}"] = right[number] / max(shown[number], 1)
            figures[f"recall@{top}"] = right[number] / gold[number]
            figures[f"f1@{top}"] = self.f1()[number]
        return {name: round(float(value), 4) for name, value in figures.items()}

    def ahead_of(self, other: "Counts") -> dict[str, list[float]]:
        """By how much its F1 is better, with the interval of 95 % over abstracts."""
        random = np.random.default_rng(0)
        n_abstracts = len(self.right)
        drawn = random.multinomial(n_abstracts, np.full(n_abstracts, 1 / n_abstracts), 2000)
        gains = np.array([self.f1(times) - other.f1(times) for times in drawn])
        low, high = np.quantile(gains, [0.025, 0.975], axis=0)
        mean = self.f1() - other.f1()
        rows = np.stack([mean, low, high], axis=1).round(4).tolist()
        return {f"f1@{top}": row for top, row in zip(TOPS, rows, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--run", default="runs/acl-2000", help="trained on the first abstracts")
    parser.add_argument("--dev", type=int, default=300, help="development abstracts")
    parser.add_argument("--test", type=int, default=1000, help="test abstracts")
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    trained = load_run(chosen.run)
    known = set(trained.corpus.table["digest"].to_pylist())
    dev = abstracts(DEV_BEGIN, chosen.dev, known)
    test = abstracts(TEST_BEGIN, chosen.test, known)
    seen = list(trained.texts(trained.corpus.split.train.tolist()).values())
    spans = [[token.form for token in run] for text in seen for run in runs(text)]
    rarity = Rarity.of(seen)
    finder = KeyPhraseFinder.of(trained)

    def by_run(texts: Sequence[str]) -> list[list[Key]]:
        found = finder.find(texts, max(TOPS))
        return [[spelling_key(phrase.text) for phrase in own] for own in found]

    def on_dev(find: Finder) -> float:
        return float(Counts.of(find, dev).f1()[0])

    longest = max(RULE_LENGTHS, key=lambda size: on_dev(by_rule(size, rarity)))
    print(f"rule: at most {longest} words", flush=True)
    learned = [(learn_phrases(spans, **setting), setting) for setting in PHRASES_GRID]
    phrases, setting = max(learned, key=lambda one: on_dev(by_phrases(one[0], rarity)))
    print(f"gensim: {setting}", flush=True)
    ways = {
        f"stop-word-free runs of at most {longest} words": by_rule(longest, rarity),
        f"gensim Phrases, two passes, {setting}": by_phrases(phrases, rarity),
        "segtopic": by_run,
    }
    counts = {name: Counts.of(find, test) for name, find in ways.items()}
    own = counts["segtopic"]
    result = {
        "abstracts": len(test),
        "gold_phrases": sum(len(abstract.gold) for abstract in test),
        "ways": {name: one.figures() for name, one in counts.items()},
        "segtopic_ahead": {
            name: own.ahead_of(one) for name, one in counts.items() if one is not own
        },
    }
    chosen.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
