"""``segtopic train``: text to a trained model in a run folder, with a line for every epoch."""

import dataclasses
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segtopic.commands.arguments import (
    CommandParser,
    command_parser,
    given_settings,
    parse,
    settings,
)
from segtopic.commands.display import (
    counting,
    evaluation_rows,
    print_json,
    print_line,
    print_table,
    remark,
)
from segtopic.commands.trainings import (
    add_run_flags,
    how_to_go_on,
    run_folder,
    warn_in_one_line,
)
from segtopic.config import RunConfig, TrainerConfig

if TYPE_CHECKING:  # slow to import, and not needed for help
    from pytorch_lightning.callbacks import Callback

    from segtopic.runs import RunCorpus, TrainedModel

SHOWN_TOPICS = 20
QUICK_LDA_WORDS = 1_000_000  # above, 'segtopic compare' is the place


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "train",
        "Learn topics and phrases from text. Without arguments: 300 news stories, in a minute.",
        RunConfig,
        trainer=TrainerConfig,
    )
    add_run_flags(made)
    return made


def run(arguments: Sequence[str]) -> int:
    """Train, and print how it went."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, RunConfig)
    folder = run_folder(chosen.out, config.data)

    from segtopic.commands.epochs import TopicEpochLines
    from segtopic.training.fit import is_first_process

    warn_in_one_line()
    with ExitStack() as preparation:
        preparing = preparation.enter_context(counting())
        try:
            finished = train(
                config,
                folder,
                settings(chosen, TrainerConfig, "trainer"),
                resume=chosen.resume,
                overwrite=chosen.overwrite,
                callbacks=[TopicEpochLines(preparation.close)],
                preparing=preparing,
                given=given_settings(parser(), arguments),
            )
        except KeyboardInterrupt:
            preparation.close()
            remark(f"interrupted; {how_to_go_on(folder)}")
            return 130
    if is_first_process():
        _show(finished, chosen.json)
    return 0


def train(
    config: RunConfig,
    folder: Path | str,
    trainer_config: TrainerConfig | None = None,
    *,
    corpus: "RunCorpus | None" = None,
    resume: bool = False,
    overwrite: bool = False,
    callbacks: "Sequence[Callback]" = (),
    preparing: Callable[[str, int], None] = lambda stage, documents: None,
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
        callbacks: Lightning's, for progress.
        preparing: called while the corpus is prepared.
        given: names of the settings that a user has named; a prepared corpus must have the same.
    """
    from segtopic.config.seeds import read_seeds
    from segtopic.corpus.prepare import with_prepared_settings
    from segtopic.corpus.sources import anchored
    from segtopic.model import check_settings
    from segtopic.runs import RunCorpus
    from segtopic.runs.claim import ClaimedRun, claimed
    from segtopic.training.fit import is_first_process
    from segtopic.training.train import train_run

    check_settings(config)
    if isinstance(config.seeds, str):  # a run knows its seeds, whatever becomes of the file
        config = dataclasses.replace(config, seeds=read_seeds(config.seeds))
    folder, first = Path(folder), is_first_process()
    if corpus is None:
        config = with_prepared_settings(anchored(config), given)
    free = claimed(folder, config, resume, overwrite) if first else None
    with free or nullcontext(ClaimedRun(folder, resume)) as claim:
        if corpus is None:
            # The first process has read standard input for all.
            began = resume or (config.data == "-" and not first)
            corpus = RunCorpus.to_learn(config, folder, began, preparing)
        train_run(claim, corpus, config, trainer_config or TrainerConfig(), callbacks)
        return claim.opened()


def _show(finished: "TrainedModel", as_json: bool) -> None:
    """The topics, and the likelihood of the test documents beside that of a quickly tuned LDA."""
    from segtopic.evaluate.baselines.bigram import bigram_continuation
    from segtopic.evaluate.bootstrap import bootstrap_difference
    from segtopic.evaluate.comparison import quick_lda
    from segtopic.evaluate.predictive import evaluate_model
    from segtopic.topics import describe_topics

    corpus, test = finished.corpus, finished.corpus.test
    shown = None if as_json else SHOWN_TOPICS
    topics = describe_topics(finished.model, corpus.train, corpus.vocabulary, n_topics=shown)
    result: dict[str, Any] = {
        "folder": str(finished.folder),
        **finished.results,
        "topics": [dataclasses.asdict(topic) for topic in topics],
    }
    rows = []
    if test.n_words:
        evaluation = evaluate_model(finished.model, test, finished.config.refine_steps, n_samples=5)
        result["test"] = evaluation.to_dict()
        bigram = bigram_continuation(corpus.train, test, len(corpus.vocabulary))
        rows = evaluation_rows(evaluation, bigram)
        if corpus.documents.n_words <= QUICK_LDA_WORDS:
            lda = quick_lda(corpus.train, corpus.dev, test, len(corpus.vocabulary))
            ahead = bootstrap_difference(evaluation.refined, lda.scores)
            result["lda"] = {**lda.to_dict(), "segtopic_ahead": dataclasses.asdict(ahead)}
            lda_topics, (place, by) = lda.settings["topics"], ahead.lead
            rows += [
                (f"a quickly tuned LDA, {lda_topics} topics", f"{lda.test.mean:.4f}"),
                (f"  segtopic is {place} by", f"{by.mean:.3f}  [{by.low:.3f}, {by.high:.3f}]"),
            ]
    if as_json:
        print_json(result)
        return
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
    if rows:
        print_table(f"{finished.folder}: {test.n_documents:,} test documents", ("", ""), rows)
    print_line(f"next: segtopic topics {finished.folder}; segtopic compare {finished.folder}")
