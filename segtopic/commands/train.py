"""``segtopic train``: text to a trained model in a run folder, with a line for every epoch."""

import dataclasses
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segtopic.commands.arguments import (
    CommandParser,
    add_source,
    command_parser,
    given_settings,
    parse,
    settings,
    settings_with_source,
)
from segtopic.commands.display import (
    counting,
    evaluation_rows,
    print_json,
    print_line,
    print_table,
    remark,
    tell,
    tell_list,
)
from segtopic.commands.reading import told
from segtopic.commands.topic_tables import print_common
from segtopic.commands.trainings import (
    add_run_flags,
    how_to_go_on,
    run_folder,
    starts_alone,
    warn_in_one_line,
)
from segtopic.config import ModelConfig, RunConfig, TrainerConfig, part_of
from segtopic.config.rounding import check_rounding

if TYPE_CHECKING:  # slow to import, and not needed for help
    from pytorch_lightning.callbacks import Callback

    from segtopic.evaluate.comparison import ComparisonRow
    from segtopic.evaluate.heldout import DocumentScores
    from segtopic.model.lda import GibbsTopics
    from segtopic.runs import RunCorpus, TrainedModel
    from segtopic.topics import Topic
    from segtopic.topics.common_part import CommonPart

NEXT = ("topics", "report", "compare")
SHOWN_TOPICS, SHOWN_FIRST_TOPICS = 20, 12
FIRST_TOPICS = "first topics, by LDA alone"
QUICK_LDA_WORDS = 1_000_000  # above, 'segtopic compare' is the place
PREDICTED_WORDS = 1 << 20  # of the test documents; 'segtopic evaluate' predicts all


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "train",
        "Learn topics and phrases from text. Without arguments: 300 news stories, in a minute.",
        RunConfig,
        trainer=TrainerConfig,
    )
    add_source(made)
    add_run_flags(made)
    return made


def run(arguments: Sequence[str]) -> int:
    """Train, and print how it went."""
    chosen = parse(parser(), arguments)
    config = settings_with_source(chosen, RunConfig)
    say = tell if starts_alone() else _nothing
    say(f"reading {config.data}")  # before the slow imports
    folder = run_folder(chosen.out, config.data)
    warn_in_one_line()
    with ExitStack() as preparation:
        preparing = preparation.enter_context(counting())

        def prepared(corpus: "RunCorpus") -> None:
            preparation.close()
            for line in told(corpus.summary, config.copies_together):
                say(line)

        def read_first(found: "GibbsTopics", corpus: "RunCorpus") -> None:
            if starts_alone() and not chosen.resume:
                _tell_first_topics(found, corpus)

        try:
            finished = train(
                config,
                folder,
                settings(chosen, TrainerConfig, "trainer"),
                resume=chosen.resume,
                overwrite=chosen.overwrite,
                keep_checkpoints=chosen.keep_checkpoints,
                callbacks=_epoch_lines(),
                preparing=preparing,
                prepared=prepared,
                found_first=read_first,
                stage=say,
                given=given_settings(parser(), arguments),
            )
        except KeyboardInterrupt:
            preparation.close()
            remark(f"interrupted; {how_to_go_on(folder)}")
            return 130
    if starts_alone():
        _show(finished, chosen.json, say)
    return 0


def _nothing(text: str) -> None:
    """What all processes but the first say."""


def _epoch_lines() -> "Iterator[Callback]":
    """A generator, because Lightning is imported only when the first of them is wanted."""
    from segtopic.commands.epochs import TopicEpochLines

    yield TopicEpochLines()


def _tell_first_topics(found: "GibbsTopics", corpus: "RunCorpus") -> None:
    """What LDA alone has found, to look at while the training goes on."""
    from segtopic.model.first_topics import read_first_topics

    topics = read_first_topics(found, corpus.train, corpus.vocabulary)
    shown = topics[:SHOWN_FIRST_TOPICS]
    tell(f"{FIRST_TOPICS} ({len(shown)} of {len(topics)}); the training goes on")
    tell_list((f"{topic.share:.1%}", topic.phrases) for topic in shown)


def train(
    config: RunConfig,
    folder: Path | str,
    trainer_config: TrainerConfig | None = None,
    *,
    corpus: "RunCorpus | None" = None,
    resume: bool = False,
    overwrite: bool = False,
    keep_checkpoints: bool = False,
    callbacks: "Iterable[Callback]" = (),
    preparing: Callable[[str, int], None] = lambda stage, documents: None,
    prepared: "Callable[[RunCorpus], None]" = lambda corpus: None,
    found_first: "Callable[[GibbsTopics, RunCorpus], None]" = lambda found, corpus: None,
    stage: Callable[[str], None] = _nothing,
    given: Collection[str] = (),
) -> "TrainedModel":
    """Train a model: what the command does, for Python.

    Args:
        config: what to train on what.
        folder: of the run; must not hold another one.
        trainer_config: what to train with.
        corpus: of another run, to train on the same documents; ``config.data`` is not read then.
        resume: go on where an interrupted training in this folder stopped.
        overwrite: replace the run in this folder.
        keep_checkpoints: also when the training has finished.
        callbacks: Lightning's, for progress.
        preparing: called while the corpus is prepared.
        prepared: called with the corpus when it is there.
        found_first: called with the topics that LDA has found in it, where the training starts.
        stage: told what is begun, where that may take seconds.
        given: names of the settings that a user has named; a prepared corpus must have the same.
    """
    from segtopic.config.seeds import read_seeds
    from segtopic.corpus.prepare import with_prepared_settings
    from segtopic.corpus.sources import anchored
    from segtopic.runs import RunCorpus
    from segtopic.runs.claim import ClaimedRun, claimed
    from segtopic.training.task import TrainingTask

    _check_settings(config)
    trainer_config = trainer_config or TrainerConfig()
    check_rounding(trainer_config.precision, trainer_config.accelerator)
    if isinstance(config.seeds, str):  # a run knows its seeds, whatever becomes of the file
        config = dataclasses.replace(config, seeds=read_seeds(config.seeds))
    folder, first = Path(folder), starts_alone()
    if corpus is None:
        config = with_prepared_settings(anchored(config), given)
    keep = keep_checkpoints
    free = claimed(folder, config, resume, overwrite, keep_checkpoints=keep) if first else None
    with free or nullcontext(ClaimedRun(folder, resume)) as claim:
        if corpus is None:
            # The first process has read standard input for all.
            began = resume or (config.data == "-" and not first)
            corpus = RunCorpus.to_learn(config, folder, began, preparing)
        prepared(corpus)
        task = TrainingTask.of(corpus, config)
        if config.topics == "lda":
            stage("finding first topics by LDA")
            kept = corpus
            task = task.with_first_topics(lambda found: found_first(found, kept))
        if first:
            stage("learning how phrases are built")
            if corpus.learned().grammar is None:
                stage("  the texts do not tell: marked phrases will be the model's alone")
        stage("starting torch and Lightning")
        from segtopic.training.train import train_run  # after the first topics: slow to import

        train_run(claim, corpus, task, trainer_config, [*callbacks], stage)
        return claim.opened()


def _check_settings(config: RunConfig) -> None:
    """Refuse settings that do not go together before anything is read.

    What goes with a continuation it knows itself, and it needs torch; the defaults go together.
    """
    chosen = part_of(config, ModelConfig)
    free = {name: getattr(chosen, name) for name in ("n_topics", "seeds", "max_segment_length")}
    if chosen != ModelConfig(**free):
        from segtopic.model import check_settings

        check_settings(config)


def _show(finished: "TrainedModel", as_json: bool, stage: Callable[[str], None]) -> None:
    """The topics, and the likelihood of the test documents beside that of a quickly tuned LDA."""
    stage("describing the topics")
    from segtopic.topics.common_part import CommonPart
    from segtopic.topics.described import described_topics

    corpus = finished.corpus
    test = corpus.test.select(corpus.test.evenly_spread(PREDICTED_WORDS))
    shown = None if as_json else SHOWN_TOPICS
    topics = described_topics(finished, n_topics=shown)
    common = CommonPart.of(finished)
    if not as_json:
        _print_topics(topics, common, finished)
    result: dict[str, Any] = {
        "folder": str(finished.folder),
        **finished.results,
        "read": corpus.summary.to_dict(),
        "topics": [dataclasses.asdict(topic) for topic in topics],
        "common": None if common is None else common.to_dict(),
    }
    rows = []
    if test.n_words:
        from segtopic.evaluate.baselines.bigram import bigram_continuation
        from segtopic.evaluate.comparison import quick_lda
        from segtopic.evaluate.predictive import evaluate_model

        stage(f"predicting {test.n_documents:,} test documents")
        evaluation = evaluate_model(finished.model, test, finished.config.refinement(), n_samples=1)
        result["test"] = evaluation.to_dict()
        bigram = bigram_continuation(corpus.train, test, len(corpus.vocabulary))
        rows = evaluation_rows(evaluation, bigram)
        if corpus.documents.n_words <= QUICK_LDA_WORDS:
            stage("tuning an LDA to compare with")
            lda = quick_lda(
                corpus.train,
                corpus.dev,
                test,
                len(corpus.vocabulary),
                reference=evaluation.best,
            )
            _keep(finished, evaluation.best, lda)
            ahead = lda.reference_ahead
            assert ahead is not None
            result["lda"] = {**lda.to_dict(), "segtopic_ahead": dataclasses.asdict(ahead)}
            lda_topics, (place, by) = lda.settings["topics"], ahead.lead
            rows += [
                (f"a quickly tuned LDA, {lda_topics} topics", f"{lda.test.mean:.4f}"),
                (f"  segtopic is {place} by", f"{by.mean:.3f}  [{by.low:.3f}, {by.high:.3f}]"),
            ]
    if as_json:
        print_json(result)
        return
    if rows:
        print_table(f"{finished.folder}: {test.n_documents:,} test documents", ("", ""), rows)
    print_line("next: " + "; ".join(f"segtopic {each} {finished.folder}" for each in NEXT))


def _print_topics(
    topics: "Sequence[Topic]", common: "CommonPart | None", finished: "TrainedModel"
) -> None:
    names = finished.naming.names
    listed = [
        (
            f"{topic.share:.1%}",
            (f"{names[topic.number]}: " if topic.number in names else "")
            + ", ".join(phrase.text for phrase in topic.phrases),
        )
        for topic in topics
    ]
    title = f"the {len(listed)} largest of {finished.model.n_topics} topics"
    print_table(title, ("share", "phrases"), listed)
    print_common(common)
    sys.stdout.flush()  # what follows may take a while


def _keep(finished: "TrainedModel", own: "DocumentScores", lda: "ComparisonRow") -> None:
    """The LDA for the report, unless ``segtopic compare`` has left more."""
    from segtopic.evaluate.comparison import Contestant, contestant_row
    from segtopic.evaluate.stored_comparison import load_comparison, save_comparison

    kept = load_comparison(finished)
    if kept is None or kept.by == "train":
        row = contestant_row("segtopic", Contestant.of(finished, own), own)
        save_comparison(finished, [lda, row], quick=True, by="train")
