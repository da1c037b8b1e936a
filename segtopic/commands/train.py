"""``segtopic train``: text to a trained model in a run folder, with a line for every epoch."""

import dataclasses
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from segtopic.commands.arguments import command_parser, parse, settings
from segtopic.commands.display import counting, print_json, print_line, print_table, remark
from segtopic.commands.evaluate import evaluation_rows
from segtopic.config import RunConfig, TrainerConfig
from segtopic.evaluate.baselines import bigram_continuation
from segtopic.evaluate.bootstrap import bootstrap_difference
from segtopic.evaluate.comparison import quick_lda
from segtopic.evaluate.predictive import evaluate_model
from segtopic.explore import describe_topics
from segtopic.training import Run, train
from segtopic.training.checkpoints import CHECKPOINTS, LAST
from segtopic.training.folder import CONFIG
from segtopic.training.system import TopicSystem
from segtopic.training.train import is_first_process

SHOWN_TOPICS = 20
QUICK_LDA_WORDS = 1_000_000  # above, 'segtopic compare' is the place


def run(arguments: Sequence[str]) -> int:
    """Train, and print how it went."""
    parser = command_parser(
        "train",
        "Learn topics and phrases from text. Without arguments: 300 news stories, in a minute.",
        RunConfig,
        trainer=TrainerConfig,
    )
    parser.add_argument("--out", type=str, help="folder of the run; runs/NAME if not given")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted training")
    parser.add_argument("--overwrite", action="store_true", help="replace the run in the folder")
    chosen = parse(parser, arguments)
    config = settings(chosen, RunConfig)
    folder = Path(chosen.out or Path("runs") / Path(config.data).name.partition(".")[0])
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
                callbacks=[EpochLines(preparation.close)],
                preparing=preparing,
            )
        except KeyboardInterrupt:
            preparation.close()
            remark(f"interrupted; {_how_to_go_on(folder)}")
            return 130
    if is_first_process():
        _show(finished, chosen.json)
    return 0


def _how_to_go_on(folder: Path) -> str:
    if not (folder / CONFIG).exists():
        return "the training had not begun, nothing was kept; repeat the command"
    again = f"segtopic train --config {folder / CONFIG} --out {folder} --resume"
    if not (folder / CHECKPOINTS / LAST).exists():
        return f"the first epoch had not ended; begin it again with '{again}'"
    return f"all epochs that had ended are saved; go on with '{again}'"


def _show(finished: Run, as_json: bool) -> None:
    """The topics, and the likelihood of the test documents beside that of a quickly tuned LDA."""
    corpus = finished.corpus()
    split = finished.split(corpus)
    train_part, dev, test = (
        corpus.documents.select(part) for part in (split.train, split.dev, split.test)
    )
    shown = None if as_json else SHOWN_TOPICS
    topics = describe_topics(finished.model, train_part, corpus.vocabulary, n_topics=shown)
    result: dict[str, Any] = {
        "folder": str(finished.folder),
        **finished.results,
        "topics": [dataclasses.asdict(topic) for topic in topics],
    }
    rows = []
    if test.n_words:
        evaluation = evaluate_model(finished.model, test, finished.config.refine_steps, n_samples=5)
        result["test"] = evaluation.to_dict()
        bigram = bigram_continuation(train_part, test, len(corpus.vocabulary))
        rows = evaluation_rows(evaluation, bigram)
        if corpus.documents.n_words <= QUICK_LDA_WORDS:
            lda = quick_lda(train_part, dev, test, len(corpus.vocabulary))
            ahead = bootstrap_difference(evaluation.refined, lda.scores)
            result["lda"] = {**lda.to_dict(), "segtopic_ahead": dataclasses.asdict(ahead)}
            rows += [
                ("a tuned LDA on the same words", f"{lda.test.mean:.4f}"),
                (
                    "  segtopic is ahead by",
                    f"{ahead.mean:.3f}  [{ahead.low:.3f}, {ahead.high:.3f}]",
                ),
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


class EpochLines(Callback):
    """A line for every epoch on the error stream, and on a terminal a bar within the epoch."""

    def __init__(self, prepared: Callable[[], None]) -> None:
        self._prepared = prepared
        self._bar: Progress | None = None
        self._bigram: float | None = None
        self._started = time.monotonic()

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """The corpus is there: nothing else may move on the terminal."""
        self._prepared()
        task = trainer.datamodule.task  # type: ignore[attr-defined]
        if trainer.is_global_zero and task.config.max_segment_length > 1:
            self._bigram = bigram_continuation(
                task.training, task.development, task.vocabulary_size
            )

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Start the bar."""
        if trainer.is_global_zero and sys.stderr.isatty():
            self._bar = Progress(
                TextColumn("epoch {task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.add_task(str(trainer.current_epoch + 1), total=trainer.num_training_batches)
            self._bar.start()

    def on_train_batch_end(self, *arguments: Any) -> None:
        """Move the bar."""
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0])

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Remove the bar."""
        self._stop_bar()

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Print the line."""
        if not trainer.is_global_zero:
            return
        assert isinstance(pl_module, TopicSystem)
        figures = {name: float(value) for name, value in trainer.callback_metrics.items()}
        continuation = (
            f"continuation {figures['dev_continuation']:.2f} (a bigram {self._bigram:.2f})  "
            if self._bigram is not None
            else ""
        )
        print(
            f"epoch {trainer.current_epoch + 1:3d}  "
            f"dev {figures['dev_mean']:.3f} (refined {figures['dev_refined']:.3f})  "
            f"divergence {figures['kl']:.1f}  "
            f"topics {figures['active_topics']:.0f}/{pl_module.model.n_topics}  "
            f"segments {figures['segment_length']:.2f} words  "
            f"{continuation}"
            f"{time.monotonic() - self._started:.0f} s",
            file=sys.stderr,
            flush=True,
        )

    def on_exception(self, *arguments: Any) -> None:
        """Leave the terminal as it was."""
        self._stop_bar()

    def _stop_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
