"""Training on AP: how long until it beats gensim's LDA, and how near an epoch is to its limit.

    SEGTOPIC_DATA=FOLDER python scripts/bench_training.py [--threads 2] [--batches 30]

Printed, all in one run on one machine:

- seconds until the development likelihood (refined) passes the final one of gensim's LDA, LDA's
  own sampling for the start included, as a ratio to gensim's fit; gensim has the settings that
  `segtopic compare` chose on AP's development documents;
- the time of a training step as a ratio to the limit: the matrix products of the step, counted by
  torch, at the speed of one large product;
- a profile of the steps: where the time goes, by operation.

The last line is one JSON object.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from segtopic.config import RunConfig, TrainerConfig
from segtopic.corpus import prepare_corpus
from segtopic.evaluate.baselines.baseline import score
from segtopic.evaluate.baselines.gensim_lda import fit_gensim
from segtopic.evaluate.heldout import HeldOut
from segtopic.model import PackedBatch, PackedCorpus
from segtopic.model.topic_model import TopicModel
from segtopic.runs import RunCorpus
from segtopic.training.data import TrainingBatches, TrainingTask
from segtopic.training.system import TopicSystem
from segtopic.training.train import fit_model

GENSIM: dict[str, Any] = {"topics": 100, "eta": 0.3, "passes": 15}


class UntilBetter(Callback):
    """Stops the training as soon as a development likelihood is reached."""

    def __init__(self, likelihood: float, started: float) -> None:
        self.likelihood, self.started = likelihood, started
        self.seconds = float("inf")
        self.epochs = 0

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Look at the likelihood."""
        self.epochs += 1
        if float(trainer.callback_metrics["dev_refined"]) > self.likelihood:
            self.seconds = min(self.seconds, time.perf_counter() - self.started)
            trainer.should_stop = True


def time_to_beat_gensim(task: TrainingTask, threads: int) -> dict[str, Any]:
    begin = time.perf_counter()
    lda = fit_gensim(task.training, task.vocabulary_size, **GENSIM)
    gensim_seconds = time.perf_counter() - begin
    likelihood = score(lda, HeldOut.of(task.development)).per_word
    begin = time.perf_counter()
    model = task.new_model()
    start_seconds = time.perf_counter() - begin
    watch = UntilBetter(likelihood, begin)
    with tempfile.TemporaryDirectory() as folder:
        trainer = TrainerConfig(accelerator="cpu", threads=threads)
        fit_model(model, task, Path(folder), trainer, callbacks=[watch])
    return {
        "gensim_seconds": gensim_seconds,
        "gensim_dev": likelihood,
        "seconds_to_pass": watch.seconds,
        "of_which_start": start_seconds,
        "epochs_to_pass": watch.epochs,
        "ratio_to_gensim": watch.seconds / gensim_seconds,
    }


def steps(model: TopicModel, system: TopicSystem, batches: list[PackedBatch]) -> Iterator[float]:
    """Train on each batch, as Lightning does; the seconds of each."""
    optimiser = system.configure_optimizers()
    model.train()
    for batch in batches:
        begin = time.perf_counter()
        terms, _ = model.elbo(batch, leave_out=True)
        loss = -(terms.log_likelihood - terms.kl).sum() / batch.spans.n_words
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        yield time.perf_counter() - begin


def product_speed(rows: int = 2048) -> float:
    """Floating point operations per second of one large product."""
    a, b = torch.randn(rows, 1024), torch.randn(1024, 4096)
    times = []
    for _ in range(12):
        begin = time.perf_counter()
        a @ b
        times.append(time.perf_counter() - begin)
    return 2 * rows * 1024 * 4096 / median(times[2:])


def step_against_limit(task: TrainingTask, n_batches: int) -> dict[str, Any]:
    model = task.new_model()
    config = task.config
    assert config.batch_size is not None
    packed = PackedCorpus(task.training, config.max_segment_length)
    batches = list(TrainingBatches(packed, config.batch_size, seed=0))
    system = TopicSystem(model, config)
    list(steps(model, system, batches[:5]))  # warm
    counter = FlopCounterMode(display=False)
    with counter:
        list(steps(model, system, batches[:n_batches]))
    speeds = [product_speed()]
    took = sum(steps(model, system, batches[:n_batches]))
    speeds.append(product_speed())
    limit = counter.get_total_flops() / median(speeds)
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        list(steps(model, system, batches[:n_batches]))
    events = sorted(profiled.key_averages(), key=lambda e: -e.self_cpu_time_total)
    total = sum(event.self_cpu_time_total for event in events)
    shares = {event.key: event.self_cpu_time_total / total for event in events[:14]}
    print("where the time of a step goes (share of processor time, by operation)")
    for name, share in shares.items():
        print(f"  {share:6.1%}  {name}")
    return {
        "epoch_seconds": took / n_batches * len(batches),
        "limit_epoch_seconds": limit / n_batches * len(batches),
        "ratio_to_limit": took / limit,
        "gigaflops_of_a_product": median(speeds) / 1e9,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batches", type=int, default=30)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    config = RunConfig(data="ap")
    task = TrainingTask.of(
        RunCorpus.of(prepare_corpus(config).load(), config, keep_texts=False), config
    )
    result = {
        **step_against_limit(task, arguments.batches),
        **time_to_beat_gensim(task, arguments.threads),
    }
    print(json.dumps({name: round(value, 3) for name, value in result.items()}))


if __name__ == "__main__":
    main()
