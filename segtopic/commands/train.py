"""``segtopic train``: text to a trained model in a run folder, with a line for every epoch."""

import dataclasses
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import counting, print_json, print_line, print_table, remark
from segtopic.commands.evaluate import evaluation_rows
from segtopic.commands.going_on import how_to_go_on
from segtopic.config import RunConfig, TrainerConfig

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.runs import TrainedModel

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
    made.add_argument("--out", type=str, help="folder of the run; runs/NAME if not given")
    made.add_argument("--resume", action="store_true", help="go on with an interrupted training")
    made.add_argument("--overwrite", action="store_true", help="replace the run in the folder")
    return made


def run(arguments: Sequence[str]) -> int:
    """Train, and print how it went."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, RunConfig)
    name = "standard-input" if config.data == "-" else Path(config.data).name.partition(".")[0]
    folder = Path(chosen.out or Path("runs") / name)

    from segtopic.commands.epochs import TopicEpochLines
    from segtopic.training.train import is_first_process, train

    warnings.formatwarning = lambda message, *_: f"segtopic: warning: {message}\n"
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
            )
        except KeyboardInterrupt:
            preparation.close()
            remark(f"interrupted; {how_to_go_on(folder)}")
            return 130
    if is_first_process():
        _show(finished, chosen.json)
    return 0


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
    listed = [
        (f"{topic.share:.1%}", ", ".join(phrase.text for phrase in topic.phrases))
        for topic in topics
    ]
    title = f"the {len(listed)} largest of {finished.model.n_topics} topics"
    print_table(title, ("share", "phrases"), listed)
    if rows:
        print_table(f"{finished.folder}: {test.n_documents:,} test documents", ("", ""), rows)
    print_line(f"next: segtopic topics {finished.folder}; segtopic compare {finished.folder}")
