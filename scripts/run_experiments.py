"""Every figure of docs/experiments.md that a training made: runs in, tables out.

    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py                    # everything, hours
    SEGTOPIC_DATA=FOLDER python scripts/run_experiments.py --only ap-0 ap-1   # some, by beginnings
    python scripts/run_experiments.py --only none                             # the tables only

A run stands in ``runs/exp/NAME``: ``CORPUS-SEED`` is the recipe with three words a segment,
``-L2`` the same with two, ``-no-X`` without an ingredient. Runs and comparisons that are there are
kept, interrupted ones go on; ``docs/results/experiments.md`` is written anew after each.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from segtopic.evaluate.baselines import BackoffBigram
from segtopic.evaluate.bootstrap import Interval, bootstrap_difference
from segtopic.evaluate.heldout import HeldOut
from segtopic.evaluate.predictive import evaluate_model
from segtopic.training import load_run

ROOT = Path(__file__).parent.parent
CORPORA = {
    "ap": ["--config", "configs/ap.yaml"],
    "citeulike": ["--config", "configs/citeulike.yaml"],
    "acl": ["--config", "configs/acl.yaml", "--limit", "16980"],
}
SEEDS = (0, 1)
ABLATIONS = {
    "burstiness": ["--no-burstiness"],
    "background": ["--no-background"],
    "correction": ["--corrected", "no"],
    "hidden": ["--hidden-words", "0"],
    "dropout": ["--dropout", "0"],
    "decay": ["--weight-decay", "0"],
    "warmup": ["--kl-warmup", "0"],
    "lda": ["--topics", "network"],
}
WORDS = {
    "burstiness": "documents do not repeat their words",
    "background": "no uniform background",
    "correction": "the network does not correct LDA's topics",
    "hidden": "the encoder sees all words in training",
    "dropout": "no dropout",
    "decay": "no weight decay",
    "warmup": "the divergence counts in full from the start",
    "lda": "topics by the network alone, not started from LDA",
}


def experiments() -> dict[str, list[str]]:
    """Names and the arguments of their training."""
    found = {}
    for corpus, arguments in CORPORA.items():
        for seed in SEEDS:
            found[f"{corpus}-{seed}"] = [*arguments, "--split-seed", str(seed)]
        found[f"{corpus}-0-L2"] = [*arguments, "--max-segment-length", "2"]
    for name, arguments in ABLATIONS.items():
        found[f"ap-0-no-{name}"] = [*CORPORA["ap"], *arguments]
    return found


def segtopic(*arguments: str) -> str:
    """The output of a command; progress goes to the terminal."""
    command = [sys.executable, "-m", "segtopic", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def run(name: str, arguments: list[str], runs: Path) -> None:
    """Train, evaluate, and for whole recipes compare."""
    folder = runs / name
    if not (folder / "run.json").exists():
        resume = ["--resume"] if (folder / "config.yaml").exists() else []
        segtopic("train", *arguments, "--out", str(folder), *resume)
    evaluated = runs / f"{name}.evaluate.json"
    if not evaluated.exists():
        evaluated.write_text(segtopic("evaluate", str(folder), "--json"))
    if name.removesuffix("-0").removesuffix("-1") in CORPORA:
        compared = runs / f"{name}.compare.json"
        shorter = runs / f"{name}-L2"
        if not compared.exists():
            beside = ["--beside", str(shorter)] if (shorter / "run.json").exists() else []
            compared.write_text(segtopic("compare", str(folder), "--json", *beside))
        steps = runs / f"{name}.steps.json"
        if not steps.exists():
            steps.write_text(json.dumps(steps_of(folder, shorter)))


def steps_of(folder: Path, shorter: Path) -> dict[str, Any]:
    """What each further word of a segment gains, paired; and what a bigram makes of its words."""
    longest = load_run(folder)
    corpus = longest.corpus()
    split = longest.split(corpus)
    train, test = (corpus.documents.select(part) for part in (split.train, split.test))
    bigram = BackoffBigram.fit(train, len(corpus.vocabulary))
    result: dict[str, Any] = {
        "bigram_continuation": bigram.continuation_log_likelihood(HeldOut.of(test))
    }
    by_length = {1: folder / "single-words", 2: shorter, 3: folder}
    scores = {
        length: evaluate_model(
            (one := load_run(path)).model, test, one.config.refine_steps, n_samples=1
        ).refined
        for length, path in by_length.items()
        if (path / "run.json").exists()
    }
    for length, found in scores.items():
        result[f"L{length}"] = found.per_word
        if length - 1 in scores:
            gain = bootstrap_difference(found, scores[length - 1])
            result[f"L{length}_ahead_of_L{length - 1}"] = vars(gain)
    return result


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else {}


def with_interval(values: dict[str, float] | None, digits: int = 3) -> str:
    if not values:
        return ""
    interval = Interval(**values)
    return f"{interval.mean:.{digits}f} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


def likelihood_rows(runs: Path) -> list[str]:
    lines = [
        "| corpus, split seed | best plain LDA | ahead of it | LDA + bigram | ahead of it "
        "| LDA + urn + bigram | ahead of it | segtopic, refined | encoder's mean |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for corpus in CORPORA:
        for seed in SEEDS:
            name = f"{corpus}-{seed}"
            models = read(runs / f"{name}.compare.json").get("models")
            if not models:
                continue
            evaluation = read(runs / f"{name}.evaluate.json")
            rows = {model["name"]: model for model in models}
            plain = max(
                (rows[f"LDA ({library})"] for library in ("gensim", "tomotopy")),
                key=lambda row: row["test"]["mean"],
            )
            bigram = next(row for name, row in rows.items() if name.endswith(") + bigram"))
            both = next(row for name, row in rows.items() if name.endswith("+ urn + bigram"))
            cells = [f"{corpus}, {seed}"]
            for row in (plain, bigram, both):
                cells += [f"{row['test']['mean']:.3f}", with_interval(row["reference_ahead"])]
            cells += [
                with_interval(rows["segtopic"]["test"]),
                f"{evaluation['predictive_mean']:.3f}",
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def step_rows(runs: Path) -> list[str]:
    lines = [
        "| corpus, split seed | L = 1 | L = 2 | L = 3 | 2 ahead of 1 | 3 ahead of 2 |",
        "|---|---|---|---|---|---|",
    ]
    for corpus in CORPORA:
        steps = read(runs / f"{corpus}-0.steps.json")
        if "L2" in steps and "L1" in steps:
            cells = [f"{corpus}, 0", *(f"{steps[f'L{n}']:.3f}" for n in (1, 2, 3))]
            cells += [with_interval(steps[f"L{n}_ahead_of_L{n - 1}"], 4) for n in (2, 3)]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def health_rows(runs: Path) -> list[str]:
    lines = [
        "| corpus, split seed | divergence per document | active topics | continuation words "
        "| smoothed bigram's | segments of several words | epochs |",
        "|---|---|---|---|---|---|---|",
    ]
    for corpus in CORPORA:
        for seed in SEEDS:
            name = f"{corpus}-{seed}"
            found, steps = read(runs / f"{name}.evaluate.json"), read(runs / f"{name}.steps.json")
            if not found:
                continue
            epochs = read(runs / name / "run.json").get("epochs", "")
            bigram = steps.get("bigram_continuation")
            cells = [
                f"{corpus}, {seed}",
                f"{found['kl']:.1f} nats",
                f"{found['active_topics']} of {found['n_topics']}",
                f"{found['continuation']:.3f}",
                f"{bigram:.3f}" if bigram is not None else "",
                f"{found['long_segments']:.1%}",
                str(epochs),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def ablation_rows(runs: Path) -> list[str]:
    lines = [
        "| AP, split seed 0, without | development, refined | test, refined | test, encoder's mean "
        "| divergence | active topics |",
        "|---|---|---|---|---|---|",
    ]
    for name, words in (("ap-0", "nothing: the recipe"), *_ablation_names()):
        found = read(runs / f"{name}.evaluate.json")
        if found:
            dev = read(runs / name / "run.json")["dev_refined"]
            cells = [
                words,
                f"{dev:.3f}",
                f"{found['predictive_refined']:.3f}",
                f"{found['predictive_mean']:.3f}",
                f"{found['kl']:.1f}",
                f"{found['active_topics']} of {found['n_topics']}",
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def _ablation_names() -> list[tuple[str, str]]:
    return [(f"ap-0-no-{name}", WORDS[name]) for name in ABLATIONS]


def write_tables(runs: Path, path: Path) -> None:
    """Everything that was run."""
    parts = [
        "# Experiments: the figures",
        "Mean log likelihood per scored word of test documents, larger is better; 95 % bootstrap",
        "intervals over documents, paired where two models are compared. Made by `python",
        "scripts/run_experiments.py`; what is not here was not run.",
        "",
        "## Beside tuned LDA",
        *likelihood_rows(runs),
        "",
        "## Longer segments",
        *step_rows(runs),
        "",
        "## No collapse",
        *health_rows(runs),
        "",
        "## Ablations",
        *ablation_rows(runs),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", default=[""], help="beginnings of names")
    parser.add_argument("--runs", type=Path, default=ROOT / "runs" / "exp")
    parser.add_argument("--table", type=Path, default=ROOT / "docs" / "results" / "experiments.md")
    arguments = parser.parse_args()
    arguments.runs.mkdir(parents=True, exist_ok=True)
    chosen = {
        name: settings
        for name, settings in experiments().items()
        if any(name.startswith(beginning) for beginning in arguments.only)
    }
    # Shorter segments first: whole recipes are compared with them.
    for name in sorted(chosen, key=lambda name: (not name.endswith("-L2"), name)):
        print(f"running {name}", flush=True)
        run(name, chosen[name], arguments.runs)
        write_tables(arguments.runs, arguments.table)
    write_tables(arguments.runs, arguments.table)


if __name__ == "__main__":
    main()
