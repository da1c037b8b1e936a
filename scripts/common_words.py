"""What a place for words that all documents share changes: pairs of runs in, a table out.

    python scripts/common_words.py --apart RUN [RUN ...] --among RUN [RUN ...]

Runs of the first list keep common words apart (``train --common``), those of the second do not
(``--no-common``); both have the same documents and, place by place, the same seeds. Printed are the
largest topic (mean share of the training documents, by the encoder), of how many documents one
topic is the main one, the mean common share, the likelihood per word of development and test
documents with the encoder's topics, and the paired difference of the test documents over all seeds.
"""

import argparse

import numpy as np
import torch

from segtopic import load
from segtopic.evaluate.bootstrap import bootstrap_difference
from segtopic.evaluate.heldout import DocumentScores
from segtopic.evaluate.predictive import predictive_log_likelihood
from segtopic.runs import TrainedModel
from segtopic.topics.shares import common_shares, topic_shares


def scores(run: TrainedModel, part: str) -> DocumentScores:
    """Of the documents of a part."""
    return predictive_log_likelihood(run.model, getattr(run.corpus, part), refine_steps=0)


def row(run: TrainedModel) -> str:
    """The figures of one run."""
    shares = topic_shares(run.model, run.corpus.train).numpy()
    mains = np.bincount(shares.argmax(1), minlength=shares.shape[1])
    common = float(common_shares(run.model, run.corpus.train).mean())
    return (
        f"| {run.name} | {shares.mean(0).max():.1%} | {mains.max() / len(shares):.1%} | "
        f"{common:.1%} | {scores(run, 'dev').per_word:.3f} | "
        f"{scores(run, 'test').per_word:.3f} |"
    )


def together(runs: list[TrainedModel]) -> DocumentScores:
    """The mean over the seeds, document by document."""
    found = [scores(run, "test") for run in runs]
    likelihood = np.mean([each.log_likelihood for each in found], axis=0)
    return DocumentScores(likelihood, found[0].words)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--apart", nargs="+", required=True, metavar="RUN")
    parser.add_argument("--among", nargs="+", required=True, metavar="RUN")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    apart, among = ([load(name) for name in names] for names in (chosen.apart, chosen.among))
    print("| run | largest topic | main topic of | common share | development | test |")
    print("| --- | --- | --- | --- | --- | --- |")
    for run in [*apart, *among]:
        print(row(run), flush=True)
    difference = bootstrap_difference(together(apart), together(among))
    low, high = difference.low, difference.high
    print(f"test, apart - among: {difference.mean:.4f} [{low:.4f}, {high:.4f}]")


if __name__ == "__main__":
    main()
