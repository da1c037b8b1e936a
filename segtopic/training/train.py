"""Settings in, a finished run folder out: prepare, train, stop early, save the best epoch."""

import dataclasses
import logging
import shutil
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback, EarlyStopping, ModelCheckpoint, Timer
from pytorch_lightning.loggers import TensorBoardLogger
from pytorch_lightning.utilities import rank_zero_only

from segtopic.config import CorpusConfig, RunConfig, TrainerConfig, part_of
from segtopic.corpus import prepare_corpus
from segtopic.errors import CorpusError, RunError, TrainingError
from segtopic.model.build import build_model, start_from
from segtopic.training.collapse import CollapseWarning
from segtopic.training.data import TopicData
from segtopic.training.files import write_atomically
from segtopic.training.folder import (
    CONFIG,
    CORPUS,
    METRICS,
    RUN,
    VOCABULARY,
    Run,
    load_config,
    load_run,
    save_config,
    save_model,
    save_results,
)
from segtopic.training.metrics import MetricsFile
from segtopic.training.system import TopicSystem

Progress = Callable[[str, int], None]
# Some settings leave parameters without a gradient: the gates where L is 1, for example.
STRATEGIES = {"ddp": "ddp_find_unused_parameters_true"}


def train(
    config: RunConfig,
    folder: Path | str,
    trainer_config: TrainerConfig | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    callbacks: list[Callback] | None = None,
    preparing: Progress = lambda stage, documents: None,
) -> Run:
    """Train a model.

    Args:
        config: what to train on what.
        folder: of the run; must not hold another one.
        trainer_config: what to train with.
        resume: go on where an interrupted training in this folder stopped.
        overwrite: replace the run in this folder.
        callbacks: Lightning's, for progress.
        preparing: called while the corpus is prepared.
    """
    folder, trainer_config = Path(folder), trainer_config or TrainerConfig()
    first_process = is_first_process()
    if first_process:
        _claim(folder, config, resume, overwrite)
    last = folder / "checkpoints" / "last.ckpt"
    checkpoint = last if resume and last.exists() else None
    prepared = prepare_corpus(part_of(config, CorpusConfig), progress=preparing)
    corpus = prepared.load()
    split = corpus.split(config)
    documents = corpus.documents
    train_part = documents.select(split.train)
    config = config.settled(train_part.n_documents, train_part.n_words)
    if len(split.dev) == 0:
        raise CorpusError(
            "dev_share is 0, but early stopping needs development documents; raise it"
        )
    if trainer_config.threads is not None:
        torch.set_num_threads(trainer_config.threads)
    started = time.monotonic()
    torch.manual_seed(config.seed)
    model = build_model(config, len(corpus.vocabulary))
    start_from(model, config, train_part, config.seed)
    assert config.batch_size is not None  # settled above
    data = TopicData(
        train_part,
        documents.select(split.dev),
        config.max_segment_length,
        config.batch_size,
        config.seed,
    )
    system = TopicSystem(model, config)

    if first_process:
        folder.mkdir(parents=True, exist_ok=True)
        save_config(folder, config, dataclasses.asdict(trainer_config))
        write_atomically(folder / CORPUS, (prepared.folder / "manifest.json").read_bytes())
        write_atomically(folder / VOCABULARY, (prepared.folder / VOCABULARY).read_bytes())
    best = ModelCheckpoint(
        folder / "checkpoints",
        filename="best",
        monitor="watched",
        mode="max",
        save_last=True,
        enable_version_counter=False,
    )
    metrics = MetricsFile(folder / METRICS)
    with _quiet_lightning():
        trainer = pl.Trainer(
            accelerator=trainer_config.accelerator,
            devices=trainer_config.devices,
            strategy=STRATEGIES.get(trainer_config.strategy, trainer_config.strategy),
            precision=trainer_config.precision,
            gradient_clip_val=trainer_config.gradient_clip or None,
            max_epochs=config.epochs,
            callbacks=[
                best,
                EarlyStopping("watched", mode="max", patience=config.patience, check_finite=True),
                Timer(_duration(trainer_config.max_time)),
                CollapseWarning(),
                metrics,
                *(callbacks or []),
            ],
            logger=TensorBoardLogger(folder, name="", version="tensorboard"),
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            log_every_n_steps=1,
            use_distributed_sampler=False,
            reload_dataloaders_every_n_epochs=1,
        )
    with _quiet_lightning(), warnings.catch_warnings():
        # True of every run here: batches are cut in the main process because that takes 1 ms.
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")
        warnings.filterwarnings("ignore", message=".*IterableDataset.*")
        warnings.filterwarnings("ignore", message=".*LeafSpec.*")  # between Lightning and torch
        warnings.filterwarnings("ignore", message=".*exists and is not empty.*")  # when resuming
        trainer.fit(system, datamodule=data, ckpt_path=checkpoint, weights_only=True)
    if trainer.interrupted:
        raise KeyboardInterrupt
    if best.best_model_path == "" or best.best_model_score is None:
        raise TrainingError("training ended before the first epoch was evaluated; allow more time")
    if first_process:
        state = torch.load(best.best_model_path, weights_only=True, map_location="cpu")
        weights = {
            name.removeprefix("model."): value for name, value in state["state_dict"].items()
        }
        model.load_state_dict(weights)
        save_model(folder, model)
        save_results(
            folder,
            {
                "best_epoch": int(state["epoch"]) + 1,
                "epochs": len(metrics.lines),
                **{
                    name: value
                    for name, value in metrics.lines[int(state["epoch"])].items()
                    if name not in ("epoch", "watched")
                },
                "seconds": round(time.monotonic() - started, 1),
            },
        )
    trainer.strategy.barrier()
    return load_run(folder)


@contextmanager
def _quiet_lightning() -> Iterator[None]:
    """Without its remarks on devices and its tips; warnings still come through."""
    logger = logging.getLogger("pytorch_lightning")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def is_first_process() -> bool:
    """Whether this is the first of the processes that Lightning starts for several devices."""
    return bool(getattr(rank_zero_only, "rank", 0) == 0)


def _claim(folder: Path, config: RunConfig, resume: bool, overwrite: bool) -> None:
    """Make sure that the folder is free, or holds the run that is to be resumed."""
    if resume:
        if not (folder / CONFIG).exists():
            raise RunError(f"{folder}: there is nothing to resume; train without --resume")
        if (folder / RUN).exists():
            raise RunError(f"{folder}: this training has finished; use --overwrite to repeat it")
        before = load_config(folder)
        changed = [
            field.name
            for field in dataclasses.fields(config)
            if getattr(config, field.name) not in (None, getattr(before, field.name))
            and field.name != "epochs"
        ]
        if changed:
            raise RunError(
                f"{folder}: was started with another {', '.join(changed)}; "
                f"resume with --config {folder / CONFIG}, or choose another --out"
            )
        return
    if folder.exists() and any(folder.iterdir()):
        if not (folder / CONFIG).exists():
            raise RunError(f"{folder}: holds something else than a run; choose another --out")
        if not overwrite:
            raise RunError(
                f"{folder}: holds a run already; go on with --resume, "
                "replace it with --overwrite, or choose another --out"
            )
        shutil.rmtree(folder)


def _duration(text: str | None) -> timedelta | None:
    if text is None:
        return None
    days, hours, minutes, seconds = map(int, text.split(":"))
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
