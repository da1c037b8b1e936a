"""Topic shares as features: runs on ACL abstracts in, how well they tell workshops apart out.

    python scripts/topic_features.py RUN [RUN ...]

Ten workshops of the ACL Anthology have one theme each (machine translation, biomedicine, dialogue,
...), and their names stand in the ids of the abstracts. Of each, the first 140 abstracts that no
run was trained on are told apart by logistic regression on their topic shares, with five folds. The
same is done with the shares of LDA (tomotopy) with as many topics, of the same training documents,
with several seeds, with and without common words apart. Accuracy and macro-F1 have 95 % bootstrap
intervals over the abstracts.
"""

import argparse
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from segtopic import load
from segtopic.config import REFINE_STEPS, SourceConfig
from segtopic.corpus.records import BadLines, DuplicateIds
from segtopic.corpus.sources import locate, read_documents
from segtopic.evaluate.baselines.tomotopy_lda import fold_in
from segtopic.model.lda import FloatArray, sample_topics
from segtopic.runs import TrainedModel
from segtopic.segment.segmenter import Segmenter

WORKSHOPS = (
    *("wmt", "bionlp", "sigdial", "bea", "dravidianlangtech"),
    *("arabicnlp", "gwc", "blackboxnlp", "argmining", "nllp"),
)
OF_EACH, FOLDS, REPLICATES = 140, 5, 1000
LDA_ETA, LDA_ITERATIONS, LDA_SEEDS = 0.1, 200, 3
VENUE = re.compile(r"\d{4}\.([a-z0-9]+)-")


class Labelled(NamedTuple):
    """Abstracts with their workshops."""

    texts: list[str]
    labels: list[str]


def new_abstracts(known: set[str]) -> Labelled:
    """The first abstracts of each workshop without those that are known."""
    left = dict.fromkeys(WORKSHOPS, OF_EACH)
    found = Labelled([], [])
    source = locate(SourceConfig(data="acl"))
    for record in read_documents(source, BadLines(), DuplicateIds()):
        venue = VENUE.match(record.id or "")
        name = venue[1] if venue else ""
        if left.get(name, 0) and record.id not in known:
            left[name] -= 1
            found.texts.append(record.text)
            found.labels.append(name)
    return found


def features(runs: list[TrainedModel], texts: list[str]) -> Iterator[tuple[str, FloatArray]]:
    """Shares by each run, and by LDA with the topics and training documents of the first."""
    for run in runs:
        name = f"{run.name}, {run.model.n_topics} topics"
        yield f"{name}, refined", Segmenter.of(run, REFINE_STEPS).topics(texts)
        yield f"{name}, by the encoder", Segmenter.of(run, refine_steps=0).topics(texts)
    first = runs[0]
    train, size, n_topics = first.corpus.train, len(first.vocabulary), first.model.n_topics
    documents = first.encoder.encode(texts).documents
    for seed in range(LDA_SEEDS):
        found = sample_topics(train, size, n_topics, LDA_ETA, LDA_ITERATIONS, seed=seed)
        name = f"LDA, {n_topics} topics, seed {seed}"
        yield name, fold_in(found.topics, found.alpha, documents)
        found = sample_topics(
            train, size, n_topics, LDA_ETA, LDA_ITERATIONS, seed=seed, common=True
        )
        if found.common is not None:
            topics = np.vstack([found.topics, found.common.words])
            shares = fold_in(topics, np.append(found.alpha, found.common.alpha), documents)
            of_topics = shares[:, :-1] / shares[:, :-1].sum(1, keepdims=True)
            yield f"{name}, common words apart", of_topics


def interval(values: list[float]) -> str:
    """The middle 95 %."""
    low, high = np.quantile(values, [0.025, 0.975])
    return f"[{low:.3f}, {high:.3f}]"


def main() -> None:
    """Print a line for each set of features."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN")
    torch.set_num_threads(1)
    runs = [load(folder) for folder in parser.parse_args().runs]
    texts, labels = new_abstracts({id_ for run in runs for id_ in run.corpus.ids})
    right = np.array(labels)
    print(f"{len(texts)} abstracts of {len(WORKSHOPS)} workshops", flush=True)
    generator = np.random.default_rng(0)
    samples = generator.integers(len(right), size=(REPLICATES, len(right)))
    for name, shares in features(runs, texts):
        classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        told = cross_val_predict(classifier, shares, right, cv=folds)
        accuracies = [float((told[rows] == right[rows]).mean()) for rows in samples]
        f1s = [float(f1_score(right[rows], told[rows], average="macro")) for rows in samples]
        print(
            f"{name}: accuracy {accuracy_score(right, told):.3f} {interval(accuracies)}, "
            f"macro-F1 {f1_score(right, told, average='macro'):.3f} {interval(f1s)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
