"""One measurement each: the folder of a run in, figures out."""

import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from results import Result

from experiments.names import ROOT, RUNS
from segtopic.commands.arguments import command_parser, parse, settings
from segtopic.commands.train import train as train_run
from segtopic.config import RunConfig, TrainerConfig
from segtopic.evaluate.bootstrap import bootstrap_difference
from segtopic.evaluate.coherence import TopicQuality, topic_qualities
from segtopic.evaluate.heldout import DocumentScores
from segtopic.evaluate.phrase_counts import phrases_per_document
from segtopic.evaluate.predictive import predictive_log_likelihood
from segtopic.runs import load_run
from segtopic.runs.folder import CONFIG
from segtopic.runs.seal import RUN
from segtopic.topics import describe_topics
from segtopic.topics.phrase_quality import N_RANKED, merged_ldas, phrase_qualities, phrases_of
from segtopic.topics.quality import fitted_ldas, model_top_words
from segtopic.topics.ranking import Words

MOST_KNOWN = 1000  # training documents to count phrases in
OWN = "segtopic"


def segtopic(*arguments: str) -> str:
    """The output of a command; progress goes to the terminal."""
    command = [sys.executable, "-m", "segtopic", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def train(folder: Path, arguments: list[str]) -> Result:
    """The figures of the best epoch."""
    if (folder / RUN).exists():
        results = load_run(folder).results
    else:
        parser = command_parser("train", "", RunConfig, trainer=TrainerConfig)
        chosen = parse(parser, [*arguments, "--trainer.threads", "1"])
        config = settings(chosen, RunConfig)
        trainer = settings(chosen, TrainerConfig, "trainer")
        resume = (folder / CONFIG).exists()
        results = train_run(config, folder, trainer, resume=resume).results
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


def coherence(folder: Path) -> Result:
    """Of words and of phrases, beside LDA with as many topics, the same seed and three rankings."""
    found = load_run(folder)
    model, train, vocabulary = found.model, found.corpus.train, found.vocabulary
    fit = (train, len(vocabulary), model.n_topics, lambda name, done: print(f"  {name}, {done}"))
    seed = found.config.seed
    words = {OWN: model_top_words(model, train, "direction", "relevance")}
    # gensim's topics are far less coherent.
    for name, lda in fitted_ldas(*fit, libraries=["tomotopy"], seed=seed).items():
        words[f"{name}, by relevance"] = lda.best_words("relevance", train)
        words[f"{name}, by relevance, no roots"] = lda.by_shares().best_words("relevance", train)
        words[f"{name}, by divergence"] = lda.best_words("divergence", train)
    described = describe_topics(model, train, vocabulary, n_phrases=N_RANKED)
    phrases = {OWN: phrases_of(described, vocabulary)}
    for name, merged in merged_ldas(*fit, seed=seed).items():
        phrases[f"{name}, by relevance"] = merged.best_phrases("relevance")
        phrases[f"{name}, by relevance, no roots"] = merged.by_shares().best_phrases("relevance")
        phrases[f"{name}, by divergence"] = merged.best_phrases("divergence")
    judged = phrase_qualities(phrases, train)
    return {
        "dev_mean": found.results["dev_mean"],
        "words": {name: told(each) for name, each in topic_qualities(words, train).items()},
        "phrases": {
            name: {**told(judged[name]), "of_several_words": share_of_several(topics)}
            for name, topics in phrases.items()
        },
    }


def share_of_several(topics: list[list[Words]]) -> float:
    """Of all listed phrases those that have several words."""
    lengths = [len(phrase) for topic in topics for phrase in topic]
    return sum(length > 1 for length in lengths) / len(lengths)


def told(quality: TopicQuality) -> Result:
    """A set of topics in three figures."""
    return {"npmi": quality.mean_npmi, "c_v": quality.mean_c_v, "diversity": quality.diversity}


def steps(name: str) -> Result:
    """What each further word of a segment gains, paired by document."""
    scores = [_test_scores(RUNS / folder) for folder in (f"{name}-L1", f"{name}-L2", name)]
    return {
        **{f"L{length}": found.per_word for length, found in enumerate(scores, start=1)},
        "L2_ahead": asdict(bootstrap_difference(scores[1], scores[0])),
        "L3_ahead": asdict(bootstrap_difference(scores[2], scores[1])),
    }


def behind(name: str, recipe: str, arguments: list[str]) -> Result:
    """What a training without an ingredient loses against the whole recipe, paired by document."""
    train(RUNS / recipe, arguments)
    whole, without = (_test_scores(RUNS / each) for each in (recipe, name))
    return asdict(bootstrap_difference(whole, without))


def _test_scores(folder: Path) -> DocumentScores:
    found = load_run(folder)
    return predictive_log_likelihood(found.model, found.corpus.test, found.config.refinement())
