"""``segtopic train``: text to a trained model in a run folder, with a line for every epoch."""

import logging
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from segtopic.commands.arguments import command_parser, parse, settings
from segtopic.commands.display import counting, print_json, print_table
from segtopic.config import RunConfig, TrainerConfig
from segtopic.training import train


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
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    warnings.formatwarning = lambda message, *_: f"segtopic: warning: {message}\n"
    try:
        with counting() as preparing:
            finished = train(
                config,
                folder,
                settings(chosen, TrainerConfig, "trainer"),
                resume=chosen.resume,
                overwrite=chosen.overwrite,
                callbacks=[EpochLines(config)],
                preparing=preparing,
            )
    except KeyboardInterrupt:
        again = f"segtopic train --config {folder / 'config.yaml'} --out {folder} --resume"
        print(f"segtopic: interrupted; go on with '{again}'", file=sys.stderr)
        return 130
    if chosen.json:
        print_json({"folder": str(folder), **finished.results})
        return 0
    results = finished.results
    rows = [
        ("best epoch", f"{results['best_epoch']} of {results['epochs']}"),
        ("development likelihood per word", f"{results[f'dev_{config.stop_on}']:.4f}"),
        ("seconds", f"{results['seconds']:.0f}"),
    ]
    print_table(f"trained: {folder}", ("", ""), rows)
    return 0


class EpochLines(Callback):
    """A line for every epoch on the error stream, and on a terminal a bar within the epoch."""

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self._bar: Progress | None = None
        self._started = time.monotonic()

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
        figures = {name: float(value) for name, value in trainer.callback_metrics.items()}
        print(
            f"epoch {trainer.current_epoch + 1:3d}  "
            f"dev {figures['dev_mean']:.3f} (refined {figures['dev_refined']:.3f})  "
            f"divergence {figures['kl']:.1f}  "
            f"topics {figures['active_topics']:.0f}/{self.config.n_topics}  "
            f"segments {figures['segment_length']:.2f} words  "
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
