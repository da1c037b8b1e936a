"""The recipe beside tuned LDA, with shorter segments, and with each ingredient taken away.

    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py                  # what has no figures
    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py --again          # everything, some hours
    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py --again --only ap-0 ap-1  # by beginnings
    python scripts/run_experiments.py --only none                            # the tables only

``CORPUS-SEED`` is the recipe with three words a segment on a split of the corpus, ``-L1`` and
``-L2`` the same with one and two, ``-no-X`` without an ingredient. Runs stand in
``runs/exp/NAME``, figures in ``docs/results/experiments/NAME.json``. Runs that are there are kept,
interrupted ones go on, and ``docs/results/experiments.md`` is written anew after each.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from results import Result, interval, keep, number, read, table

from segtopic.evaluate.bootstrap import bootstrap_difference
from segtopic.evaluate.heldout import DocumentScores
from segtopic.evaluate.phrase_counts import phrases_per_document
from segtopic.evaluate.predictive import predictive_log_likelihood
from segtopic.runs import load_run

ROOT = Path(__file__).parent.parent
RUNS = ROOT / "runs" / "exp"
RESULTS = ROOT / "docs" / "results" / "experiments"
CORPORA = {
    "ap": ["--config", "configs/ap.yaml"],
    "citeulike": ["--config", "configs/citeulike.yaml"],
    "acl": ["--config", "configs/acl.yaml", "--limit", "16980"],
}
# Corners of the larger grid of `segtopic compare` that never won are not tried.
GRID = ["--lda-topics", "100", "200", "--lda-eta", "0.02", "0.1"]
SEEDS = (0, 1)
MOST_KNOWN = 1000  # training documents to count phrases in
ABLATIONS = {
    "network": (["--no-network-words"], "the network makes no further words: counts alone"),
    "liking": (["--no-liked-words"], "further words do not depend on the topics"),
    "own": (["--no-own-phrases"], "documents do not repeat their phrases"),
    "memory": (["--continuation", "gated"], "no memory of phrases: the network alone"),
    "guesses": (["--no-guesses"], "the encoder does not start from LDA's shares"),
    "burstiness": (["--no-burstiness"], "documents do not repeat their words"),
    "background": (["--no-background"], "no uniform background"),
    "correction": (["--corrected", "no"], "the network does not correct LDA's topics"),
    "hidden": (["--hidden-words", "0"], "the encoder sees all words in training"),
    "dropout": (["--dropout", "0"], "no dropout"),
    "decay": (["--weight-decay", "0"], "no weight decay"),
    "warmup": (["--kl-warmup", "0"], "the divergence counts in full from the start"),
    "lda": (["--topics", "network"], "topics by the network alone, not started from LDA"),
}
ABLATED = {  # ACL is large: what makes further words is taken away there, and nothing else
    "ap": [*ABLATIONS],
    "citeulike": [*ABLATIONS],
    "acl": ["network", "liking", "own", "memory"],
}


def experiments() -> dict[str, list[str]]:
    """Names and the arguments of their training; shorter segments before what they stand beside."""
    found = {}
    for corpus, arguments in CORPORA.items():
        for length in (1, 2):
            found[f"{corpus}-0-L{length}"] = [*arguments, "--max-segment-length", str(length)]
        for seed in SEEDS:
            found[f"{corpus}-{seed}"] = [*arguments, "--split-seed", str(seed)]
    for corpus, names in ABLATED.items():
        for name in names:
            found[f"{corpus}-0-no-{name}"] = [*CORPORA[corpus], *ABLATIONS[name][0]]
    return found


def run(name: str, arguments: list[str], again: bool) -> None:
    """Train and evaluate; put the whole recipe beside LDA and beside shorter segments."""
    folder = RUNS / name
    store = partial(keep, RESULTS / f"{name}.json", again=again)
    store("training", partial(train, folder, arguments))
    evaluate = ["evaluate", str(folder), "--json", "--samples", "1"]
    store("evaluation", lambda: json.loads(segtopic(*evaluate)))
    _, *rest = name.split("-")
    if rest[1:]:  # not the whole recipe
        return
    store("phrases", partial(phrases, folder))
    compare = ["compare", str(folder), "--json", "--no-single-words", *GRID]
    store("comparison", lambda: json.loads(segtopic(*compare))["models"])
    if all((RUNS / f"{name}-L{length}" / "run.json").exists() for length in (1, 2)):
        store("steps", partial(steps, name))


def segtopic(*arguments: str) -> str:
    """The output of a command; progress goes to the terminal."""
    command = [sys.executable, "-m", "segtopic", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def train(folder: Path, arguments: list[str]) -> Result:
    """The figures of the best epoch."""
    if not (folder / "run.json").exists():
        resume = ["--resume"] if (folder / "config.yaml").exists() else []
        segtopic("train", *arguments, "--out", str(folder), *resume)
    results = load_run(folder).results
    names = ("best_epoch", "epochs", "seconds", "dev_mean", "dev_refined")
    return {"arguments": arguments, **{name: results[name] for name in names}}


def phrases(folder: Path) -> Result:
    """Phrases of several words per document, in documents known and unknown."""
    found = load_run(folder)
    known = found.corpus.train
    known = known.select(range(min(known.n_documents, MOST_KNOWN)))
    return {
        "training": phrases_per_document(found.model, known, trained_on=True),
        "test": phrases_per_document(found.model, found.corpus.test, trained_on=False),
    }


def steps(name: str) -> Result:
    """What each further word of a segment gains, paired by document."""
    scores = [_test_scores(RUNS / folder) for folder in (f"{name}-L1", f"{name}-L2", name)]
    return {
        **{f"L{length}": found.per_word for length, found in enumerate(scores, start=1)},
        "L2_ahead": asdict(bootstrap_difference(scores[1], scores[0])),
        "L3_ahead": asdict(bootstrap_difference(scores[2], scores[1])),
    }


def _test_scores(folder: Path) -> DocumentScores:
    found = load_run(folder)
    return predictive_log_likelihood(found.model, found.corpus.test, found.config.refine_steps)


def recipes() -> list[tuple[str, Result]]:
    """The whole recipe on each split that was run, with what a reader calls it."""
    names = [(corpus, seed) for corpus in CORPORA for seed in SEEDS]
    found = [
        (f"{corpus}, {seed}", read(RESULTS / f"{corpus}-{seed}.json")) for corpus, seed in names
    ]
    return [(title, result) for title, result in found if "evaluation" in result]


def likelihood_rows() -> list[list[str]]:
    rows = []
    for title, result in recipes():
        if "comparison" not in result:
            continue
        models = {model["name"]: model for model in result["comparison"]}
        cells = [title]
        for model in (
            best_plain_lda(models),
            *(models[name] for name in models if _extended(name)),
        ):
            cells += [f"{model['test']['mean']:.3f}", interval(model["reference_ahead"])]
        cells.append(interval(models["segtopic"]["test"]))
        cells.append(number(result["evaluation"], "predictive_mean"))
        rows.append(cells)
    return rows


def best_plain_lda(models: dict[str, Any]) -> Any:
    """Of both libraries, by the development documents."""
    return max((models[f"LDA ({name})"] for name in ("gensim", "tomotopy")), key=lambda m: m["dev"])


def _extended(name: str) -> bool:
    return name.startswith("LDA (") and name.endswith("+ bigram")


def bar_rows() -> list[list[str]]:
    """Beside models that have all that segtopic has but segments; older figures have none."""
    rows = []
    for title, result in recipes():
        models = {model["name"]: model for model in result.get("comparison", [])}
        bars = [_bar(models, base, bar) for base in ("LDA", "topics of") for bar in BARS]
        if all(bars):
            cells = [title, f"{models['segtopic']['test']['mean']:.3f}"]
            for bar in bars:
                cells += [f"{bar['test']['mean']:.3f}", interval(bar["reference_ahead"])]
            rows.append(cells)
    return rows


def _bar(models: dict[str, Any], base: str, bar: str) -> Any:
    """LDA may be either library's."""
    named = (name for name in models if name.startswith(base))
    return next((models[name] for name in named if name.partition(" + ")[2] == bar), None)


def step_rows() -> list[list[str]]:
    return [
        [
            title,
            *(number(result["steps"], f"L{length}") for length in (1, 2, 3)),
            *(interval(result["steps"][f"L{length}_ahead"], 4) for length in (2, 3)),
        ]
        for title, result in recipes()
        if "steps" in result
    ]


def health_rows() -> list[list[str]]:
    rows = []
    for title, result in recipes():
        found = result["evaluation"]
        rows.append(
            [
                title,
                f"{found['kl']:.1f} nats",
                f"{found['active_topics']} of {found['n_topics']}",
                number(found, "continuation"),
                number(found, "bigram_continuation"),
                number(found, "long_segments", ".1%"),
                number(result.get("phrases", {}), "training", ".1f"),
                number(result.get("phrases", {}), "test", ".1f"),
                number(result["training"], "epochs", "d"),
                number(result["training"], "seconds", ".0f"),
            ]
        )
    return rows


def ablation_rows() -> list[list[str]]:
    rows = []
    without = {"": "nothing: the recipe"}
    without |= {f"-no-{name}": words for name, (_, words) in ABLATIONS.items()}
    for corpus in ABLATED:
        for name, words in without.items():
            result = read(RESULTS / f"{corpus}-0{name}.json")
            if "evaluation" in result:
                found = result["evaluation"]
                rows.append(
                    [
                        f"{corpus}: {words}",
                        number(result["training"], "dev_refined"),
                        number(found, "predictive_refined"),
                        number(found, "predictive_mean"),
                        number(found, "continuation"),
                        number(found, "kl", ".1f"),
                        f"{found['active_topics']} of {found['n_topics']}",
                    ]
                )
    return rows


SPLIT, AHEAD = "corpus, split seed", "ahead of it"
BESIDE_LDA = [SPLIT]
BESIDE_LDA += ["best plain LDA", AHEAD, "LDA + bigram", AHEAD, "LDA + urn + bigram", AHEAD]
BESIDE_LDA += ["segtopic, refined", "encoder's mean"]
BARS = ("urn + trigram", "urn + trigram + own bigrams", "discounted urn + trigram + own bigrams")
WITHOUT_SEGMENTS = [SPLIT, "segtopic"]
for below in ("LDA", "segtopic's topics"):
    for above in BARS:
        WITHOUT_SEGMENTS += [f"{below} + {above}", AHEAD]
STEPS = [SPLIT, "L = 1", "L = 2", "L = 3", "2 ahead of 1", "3 ahead of 2"]
HEALTH = [SPLIT, "divergence per document", "active topics", "continuation words"]
HEALTH += ["smoothed bigram's", "segments of several words"]
HEALTH += ["phrases per training document (its own counts left out)", "per test document"]
HEALTH += ["epochs", "seconds"]
WITHOUT = ["split seed 0, without", "development, refined", "test, refined"]
WITHOUT += ["test, encoder's mean", "continuation words", "divergence", "active topics"]
HEAD = """# Experiments: the figures

Mean log likelihood per scored word of test documents, larger is better; 95 % bootstrap intervals
over documents, paired where two models are compared. Made by `python scripts/run_experiments.py`
from the files in `experiments/`; what is not here was not run.
"""


def write_tables(path: Path) -> None:
    """Everything that was run."""
    sections = {
        "Beside tuned LDA": table(BESIDE_LDA, likelihood_rows()),
        "All but segments": table(WITHOUT_SEGMENTS, bar_rows()),
        "Longer segments": table(STEPS, step_rows()),
        "No collapse": table(HEALTH, health_rows()),
        "Ablations": table(WITHOUT, ablation_rows()),
    }
    # A head and a rule without a row: not run yet.
    found = {title: lines for title, lines in sections.items() if len(lines) > 2}
    text = [f"## {title}\n\n" + "\n".join(lines) + "\n" for title, lines in found.items()]
    path.write_text("\n".join([HEAD, *text]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of names")
    parser.add_argument("--again", action="store_true", help="make figures that are there anew")
    chosen = parser.parse_args()
    for name, arguments in experiments().items():
        if any(name.startswith(beginning) for beginning in chosen.only):
            print(f"running {name}", flush=True)
            run(name, arguments, chosen.again)
            write_tables(RESULTS.with_suffix(".md"))
    write_tables(RESULTS.with_suffix(".md"))


if __name__ == "__main__":
    main()
