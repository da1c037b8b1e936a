"""What is trained: names of trainings and the arguments of each."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
RUNS = ROOT / "runs" / "exp"
RESULTS = ROOT / "docs" / "results" / "experiments"
REFINED = ["--refine-steps", "15"]  # so that refined topics stand beside the encoder's mean
CORPORA = {
    "ap": ["--config", "configs/ap.yaml", *REFINED],
    "citeulike": ["--config", "configs/citeulike.yaml", *REFINED],
    "acl": ["--config", "configs/acl.yaml", "--limit", "16980", *REFINED],
    "acl5000": ["--config", "configs/acl.yaml", "--limit", "5000", *REFINED],
}
COMPARED = ("ap", "citeulike", "acl")  # with baselines, on every split
# Corners of the larger grid of `segtopic compare` that never won are not tried.
GRID = ["--lda-topics", "100", "200", "--lda-eta", "0.02", "0.1"]
LENGTHS = {"ap": (1, 2, 4, 5), "citeulike": (1, 2, 4, 5)}  # of segments, besides 3
SEEDS = (0, 1)
ABLATIONS = {
    "network": (["--no-network-words"], "the network makes no further words: counts alone"),
    "liking": (["--no-liked-words"], "further words do not depend on the topics"),
    "own": (["--no-own-phrases"], "documents do not repeat their phrases"),
    "memory": (  # whose first words come from one softmax: LDA cannot give them
        ["--continuation", "gated", "--topics", "network"],
        "neither LDA's topics nor a memory of phrases: the network alone",
    ),
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
WITHOUT = "-no-"  # an ingredient, in the name of a training
# Without an ingredient that cannot be taken away any more; what was measured is kept.
FORMER = f"{WITHOUT}classes"
FORMER_RECIPE = "the network makes words at once, not class by class (of a former version)"
ABLATED = {  # on ACL what makes further words is taken away, and nothing else
    "ap": [*ABLATIONS],
    "citeulike": [*ABLATIONS],
    "acl5000": ["network", "liking", "own", "memory", "lda"],
}
TRAINING_SEEDS = (1, 2)  # besides 0, for what must not hang on one of them
TRAINING_NAMES = tuple(f"-seed{seed}" for seed in TRAINING_SEEDS)
COHERENT = ("ap", "citeulike", "acl5000")


def experiments() -> dict[str, list[str]]:
    """Names and the arguments of their training; shorter segments before what they stand beside."""
    found = {}
    for corpus, arguments in CORPORA.items():
        for length in LENGTHS.get(corpus, ()):
            found[f"{corpus}-0-L{length}"] = [*arguments, "--max-segment-length", str(length)]
        for seed in SEEDS if corpus in COMPARED else SEEDS[:1]:
            found[f"{corpus}-{seed}"] = [*arguments, "--split-seed", str(seed)]
    for corpus in COHERENT:
        for seed in TRAINING_SEEDS:
            found[f"{corpus}-0-seed{seed}"] = [*CORPORA[corpus], "--seed", str(seed)]
    for corpus, names in ABLATED.items():
        for name in names:
            found[f"{corpus}-0{WITHOUT}{name}"] = [*CORPORA[corpus], *ABLATIONS[name][0]]
    return found


def coherent() -> list[str]:
    """The trainings whose topics are judged."""
    return [f"{corpus}-0{seed}" for corpus in COHERENT for seed in ("", *TRAINING_NAMES)]
