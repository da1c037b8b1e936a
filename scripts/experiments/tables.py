"""The figures that were kept, as tables."""

from pathlib import Path
from typing import Any

from results import Result, interval, number, read, table

from experiments.names import (
    ABLATED,
    ABLATIONS,
    COHERENT,
    CORPORA,
    FORMER,
    FORMER_RECIPE,
    LENGTHS,
    RESULTS,
    SEEDS,
    TRAINING_NAMES,
    WITHOUT,
)


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


def length_rows() -> list[list[str]]:
    rows = []
    for corpus, lengths in LENGTHS.items():
        names = {length: f"{corpus}-0-L{length}" for length in lengths} | {3: f"{corpus}-0{FORMER}"}
        for length, name in sorted(names.items()):
            result = read(RESULTS / f"{name}.json")
            if "evaluation" in result:
                found = result["evaluation"]
                cells = [corpus, str(length), number(found, "predictive_refined")]
                cells += [number(found, "continuation") if length > 1 else ""]
                cells += [number(found, "long_segments", ".1%")]
                rows.append([*cells, number(result["training"], "epochs", "d")])
    return rows


def ablation_rows() -> list[list[str]]:
    rows = []
    without = {"": "nothing: the recipe", FORMER: FORMER_RECIPE}
    without |= {f"{WITHOUT}{name}": words for name, (_, words) in ABLATIONS.items()}
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
                        interval(result.get("behind")),
                        number(found, "predictive_mean"),
                        number(found, "continuation"),
                        number(found, "kl", ".1f"),
                        f"{found['active_topics']} of {found['n_topics']}",
                    ]
                )
    return rows


def coherence_rows(what: str) -> list[list[str]]:
    """Means over the seeds of the training that were run, with the range of each."""
    rows = []
    for corpus in COHERENT:
        names = [f"{corpus}-0{seed}" for seed in ("", *TRAINING_NAMES)]
        found = [read(RESULTS / f"{name}.json").get("coherence") for name in names]
        judged = [each[what] for each in found if each]
        for name in judged[0] if judged else ():
            cells = [f"{corpus}, {len(judged)} seeds", name]
            for figure in judged[0][name]:
                values = [each[name][figure] for each in judged]
                mean = sum(values) / len(values)
                cells.append(f"{mean:.3f} [{min(values):.3f}, {max(values):.3f}]")
            rows.append(cells)
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
ABLATION = ["split seed 0, without", "development, refined", "test, refined"]
ABLATION += ["behind the recipe", "test, encoder's mean", "continuation words"]
ABLATION += ["divergence", "active topics"]
LONGEST = ["split seed 0", "L", "test, refined", "continuation words"]
LONGEST += ["segments of several words", "epochs"]
COHERENCE = ["split seed 0, mean and range over", "topics of", "NPMI", "c_v", "diversity"]
HEAD = """# Experiments: the figures

Mean log likelihood per scored word of test documents, larger is better; 95 % bootstrap intervals
over documents, paired where two models are compared. Made by `python scripts/run_experiments.py`
from the files in `experiments/`; what is not here was not run. Other lengths of segments than three
were measured when the network made its words at once, not class by class (`docs/experiments.md`).
"""


def write_tables(path: Path) -> None:
    """Everything that was run."""
    sections = {
        "Beside tuned LDA": table(BESIDE_LDA, likelihood_rows()),
        "All but segments": table(WITHOUT_SEGMENTS, bar_rows()),
        "Longer segments": table(STEPS, step_rows()),
        "No collapse": table(HEALTH, health_rows()),
        "Segments of at most 1 to 5 words": table(LONGEST, length_rows()),
        "Ablations": table(ABLATION, ablation_rows()),
        "Coherence of words": table(COHERENCE, coherence_rows("words")),
        "Coherence of phrases": table([*COHERENCE, "of several words"], coherence_rows("phrases")),
    }
    # A head and a rule without a row: not run yet.
    found = {title: lines for title, lines in sections.items() if len(lines) > 2}
    text = [f"## {title}\n\n" + "\n".join(lines) + "\n" for title, lines in found.items()]
    path.write_text("\n".join([HEAD, *text]))
