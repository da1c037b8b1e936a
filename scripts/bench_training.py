"""Training on AP: how long until it beats gensim's LDA, and how near an epoch is to its limit.

    SEGTOPIC_DATA=FOLDER python scripts/bench_training.py [--threads 2] [--batches 30]

Printed, all in one run on one machine:

- processor seconds until the development likelihood passes the final one of gensim's LDA: at the
  start (sampling LDA and counting included), or after an epoch, as a ratio to gensim's fit; gensim
  has the settings that `segtopic compare` chose on AP's development documents;
- the processor time of a whole training, from the packed documents to the best epoch, as a ratio to
  that of tomotopy's LDA with 200 topics (``TOMOTOPY``), and the development likelihood of both;
- the processor time of a whole epoch, with its validation, as a ratio to that of the model before
  the segmental network came back (``FORMER``), which refined its topics;
- the time of an epoch's steps as a ratio to those of a model without the segmental network
  (``continuation: phrases``), which alternate with them, and with longer segments (L = 4, 5);
- the time of a training step as a ratio to the limit: the matrix products of the step, counted by
  torch, at the speed of one large product;
- the time of the matrix products of a softmax over all words, to that of the one in two steps;
- a profile of the steps: where the time goes, by operation.

The last line is one JSON object.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
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
from segtopic.evaluate.baselines.tomotopy_lda import fit_tomotopy
from segtopic.evaluate.heldout import HeldOut
from segtopic.evaluate.predictive import predictive_log_likelihood
from segtopic.model import PackedBatch
from segtopic.model.class_softmax import ClassSoftmax, Likes
from segtopic.model.liking import Liking
from segtopic.model.topic_model import TopicModel
from segtopic.runs import RunCorpus
from segtopic.training.data import TrainingBatches
from segtopic.training.system import TopicSystem
from segtopic.training.task import TrainingTask
from segtopic.training.train import fit_model

FORMER: dict[str, Any] = {  # counts alone, and a network for the topics' corrections only
    "continuation": "phrases",
    "own_phrases": False,
    "guesses": False,
    "n_layers": 2,
    "refine_steps": 15,
    "stop_on": "refined",
}
TOMOTOPY: dict[str, Any] = {"topics": 200, "eta": 0.02}
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
        if float(trainer.callback_metrics["dev_mean"]) > self.likelihood:
            self.seconds = min(self.seconds, time.process_time() - self.started)
            trainer.should_stop = True


def time_to_beat_gensim(task: TrainingTask, threads: int) -> dict[str, Any]:
    begin = time.process_time()
    lda = fit_gensim(task.training, task.vocabulary_size, **GENSIM)
    gensim_seconds = time.process_time() - begin
    likelihood = score(lda, HeldOut.of(task.development)).per_word
    begin = time.process_time()
    model = task.new_model()
    start_seconds = time.process_time() - begin
    at_start = predictive_log_likelihood(model.eval(), task.development, 0).per_word
    model.train()
    watch = UntilBetter(likelihood, begin)
    if at_start > likelihood:
        watch.seconds = start_seconds
    with tempfile.TemporaryDirectory() as folder:
        trainer = TrainerConfig(accelerator="cpu", threads=threads)
        fit_model(model, task, Path(folder), trainer, callbacks=[watch])
    return {
        "gensim_seconds": gensim_seconds,
        "gensim_dev": likelihood,
        "dev_at_start": at_start,
        "seconds_to_pass": watch.seconds,
        "of_which_start": start_seconds,
        "epochs_to_pass": watch.epochs,
        "ratio_to_gensim": watch.seconds / gensim_seconds,
    }


def training_against_tomotopy(task: TrainingTask) -> dict[str, float]:
    begin = time.process_time()
    lda = fit_tomotopy(task.training, task.vocabulary_size, **TOMOTOPY)
    tomotopy_seconds = time.process_time() - begin
    begin = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        trainer = TrainerConfig(accelerator="cpu", threads=1)
        results = fit_model(task.new_model(), task, Path(folder), trainer)
    seconds = time.process_time() - begin
    return {
        "tomotopy_seconds": tomotopy_seconds,
        "tomotopy_dev": score(lda, HeldOut.of(task.development)).per_word,
        "training_seconds": seconds,
        "training_dev": results["dev_mean"],
        "training_to_tomotopy": seconds / tomotopy_seconds,
    }


class EpochTimes(Callback):
    """The processor seconds of every epoch: its steps and its validation."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Begin."""
        self.seconds.append(-time.process_time())

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Lightning calls it after the validation."""
        self.seconds[-1] += time.process_time()


def epoch_against_former(task: TrainingTask) -> dict[str, float]:
    """Two epochs of either model; the second ones count, because all is warm then."""
    times = {}
    for name, changes in (("default", {}), ("former", FORMER)):
        changed = replace(task, config=replace(task.config, **changes, epochs=2))
        watch = EpochTimes()
        with tempfile.TemporaryDirectory() as folder:
            trainer = TrainerConfig(accelerator="cpu", threads=1)
            fit_model(changed.new_model(), changed, Path(folder), trainer, callbacks=[watch])
        times[name] = watch.seconds[1]
    return {"whole_epoch_to_former": times["default"] / times["former"]}


def steps(model: TopicModel, system: TopicSystem, batches: list[PackedBatch]) -> Iterator[float]:
    """Train on each batch, as Lightning does; the seconds of each."""
    optimiser = system.optimiser()
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


def ready(task: TrainingTask) -> tuple[TopicModel, TopicSystem, list[PackedBatch]]:
    """A new model, its system and the batches of an epoch."""
    config = task.config
    assert config.batch_size is not None
    longest, epoch = config.max_segment_length, config.epoch_documents
    model = task.new_model()
    batches = list(TrainingBatches(task.training, longest, config.batch_size, 0, epoch))
    return model, TopicSystem(model, config), batches


def steps_against_others(task: TrainingTask, n_batches: int) -> dict[str, float]:
    """The default's steps beside those of other models, one batch each in turn."""
    others: dict[str, dict[str, Any]] = {
        "default": {},
        "without_network": {"continuation": "phrases"},
        "L4": {"max_segment_length": 4},
        "L5": {"max_segment_length": 5},
    }
    contestants = {}
    for name, changes in others.items():
        changed = replace(task, config=replace(task.config, **changes))
        model, system, batches = ready(changed)
        contestants[name] = steps(model, system, batches[: n_batches + 3])
    times = [{name: next(step) for name, step in contestants.items()} for _ in range(n_batches + 3)]
    middle = {name: median(each[name] for each in times[3:]) for name in others}
    return {
        "epoch_to_without_network": middle["default"] / middle["without_network"],
        "epoch_L4_to_L3": middle["L4"] / middle["default"],
        "epoch_L5_to_L3": middle["L5"] / middle["default"],
    }


def products_to_softmax(rows: int = 1850, vocabulary: int = 10_000, width: int = 64) -> float:
    """The three products of a softmax over all words, and the one in two steps, in turn.

    With its gradients, for the further words of a batch of AP.
    """
    softmax = ClassSoftmax(vocabulary, width)
    hidden = torch.randn(rows, width, requires_grad=True)
    row, word = torch.arange(rows), torch.randint(vocabulary, (rows,))
    power = torch.tensor(0.5, requires_grad=True)
    likes = Likes(
        Liking(torch.randn(32, vocabulary), power),
        Liking(torch.randn(32, softmax.n_classes), power),
    )
    ours, products = [], []
    for _ in range(8):
        begin = time.perf_counter()
        softmax.log_at(hidden, row, word, row * 32 // rows, likes).sum().backward()
        ours.append(time.perf_counter() - begin)
        left, right = hidden.detach(), softmax.words.weight.detach()
        begin = time.perf_counter()
        logits = left @ right.t()
        logits @ right
        logits.t() @ left
        products.append(time.perf_counter() - begin)
    return median(products[2:]) / median(ours[2:])


def step_against_limit(task: TrainingTask, n_batches: int) -> dict[str, Any]:
    model, system, batches = ready(task)
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
        "products_of_all_words_to_softmax": products_to_softmax(),
        **epoch_against_former(task),
        **training_against_tomotopy(task),
        **steps_against_others(task, arguments.batches),
        **step_against_limit(task, arguments.batches),
        **time_to_beat_gensim(task, arguments.threads),
    }
    print(json.dumps({name: round(value, 3) for name, value in result.items()}))


if __name__ == "__main__":
    main()
