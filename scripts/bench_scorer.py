"""The segment scorer on real AP batches: beside a padded implementation and the bare products.

    SEGTOPIC_DATA=FOLDER python scripts/bench_scorer.py [--batches 6] [--threads 2]

Batches of 32 documents, V = 10,000, H = 150, L = 3, two layers, forward and backward. Printed:

- ratio to a straightforward implementation of the same model that pads every document to the
  longest and makes all ``batch x T x (L + 1) x V`` logits; both likelihoods are checked equal;
- ratio to the limit: only the matrix products that no exact implementation can avoid, three for
  every weight matrix (forward, and the gradients of its two factors), on the distinct rows;
- V-wide softmax rows per word, and the peak memory of a process that does nothing else.

The runs of the contestants alternate; the last line is one JSON object.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.config import CorpusConfig
from segtopic.corpus import Documents, prepare_corpus
from segtopic.lattice import log_partition
from segtopic.model import PackedBatch, SegmentScorer, pack
from segtopic.model.continuations.gated import GatedSoftmax

VOCABULARY, HIDDEN, MAX_LENGTH, BATCH = 10_000, 150, 3, 32


def ap_documents(n_batches: int) -> list[Documents]:
    """Random batches of AP, the same in every run."""
    corpus = prepare_corpus(CorpusConfig(data="ap", vocabulary_size=VOCABULARY)).load()
    order = np.random.default_rng(0).permutation(len(corpus))
    return [corpus.documents.select(order[i * BATCH :][:BATCH]) for i in range(n_batches)]


def packed(documents: Documents) -> PackedBatch:
    return pack(documents, MAX_LENGTH)


def train_step(scorer: SegmentScorer, x: Tensor, batch: PackedBatch) -> Tensor:
    """Log likelihood of a batch, with the gradient of everything."""
    scorer.zero_grad()
    likelihood = log_partition(scorer(x, batch), batch.spans).sum()
    likelihood.backward()
    return likelihood.detach()


class PaddedScorer(nn.Module):
    """The same model with the scorer's weights, all logits of all positions at once."""

    def __init__(self, scorer: SegmentScorer) -> None:
        super().__init__()
        self.scorer = scorer
        assert isinstance(scorer.continuation, GatedSoftmax)
        self.continuation = scorer.continuation
        self.gru = nn.GRU(HIDDEN, HIDDEN, len(scorer.layers), batch_first=True)
        for k, layer in enumerate(scorer.layers):
            for name, parameter in layer.named_parameters():
                setattr(self.gru, f"{name}_l{k}", parameter)

    def forward(self, x: Tensor, documents: Documents, batch: PackedBatch) -> Tensor:
        n_documents, longest = len(x), int(documents.words_per_document.max())
        document = np.repeat(np.arange(n_documents), documents.words_per_document)
        position = np.arange(documents.n_words) - documents.word_offsets[document]
        words = torch.zeros(n_documents, longest + MAX_LENGTH, dtype=torch.long)
        words[document, position] = torch.from_numpy(documents.words.astype(np.int64))
        following = words.unfold(1, MAX_LENGTH, 1)[:, :longest]  # (D, T, L)
        begin = self.scorer.begin.expand(n_documents, longest, 1, -1)
        inputs = torch.cat([begin, self.scorer.embedding(following)], dim=2).flatten(0, 1)
        initial = x.repeat_interleave(longest, 0).expand(len(self.scorer.layers), -1, -1)
        states, _ = self.gru(inputs, initial.contiguous())  # (D T, L + 1, H)
        log_words = self.continuation.output(states).log_softmax(-1)  # (D T, L + 1, V)
        gate = self.continuation.end_gate(states).squeeze(-1)
        log_words = log_words[:, :-1].gather(2, following.flatten(0, 1)[..., None]).squeeze(-1)
        go_on = F.pad(F.logsigmoid(-gate[:, 1:-1]), (1, 0))
        end = F.pad(F.logsigmoid(gate[:, 1:-1]), (0, 1))
        words_so_far = (log_words + go_on).cumsum(1).unflatten(0, (n_documents, longest))
        ends = end.unflatten(0, (n_documents, longest))[document, position]
        ends_span = batch.spans.remaining[:, None] == torch.arange(1, MAX_LENGTH + 1)
        scores = words_so_far[document, position] + ends.masked_fill(ends_span, 0)
        return log_partition(scores, batch.spans).sum()


def unavoidable_products(scorer: SegmentScorer, batch: PackedBatch) -> list[tuple[int, int, int]]:
    """Rows, inner size and columns of ``inputs @ weight.T`` for every weight, on distinct rows."""
    hidden, gates = HIDDEN, 3 * HIDDEN
    with_states = batch.levels[: MAX_LENGTH - 1]
    going_on = [batch.n_documents] + [len(lv.parent.unique()) for lv in batch.levels[1:]]
    shapes = [(sum(going_on), hidden, VOCABULARY)]
    shapes.append((len(torch.cat([lv.word for lv in with_states]).unique()), hidden, gates))
    nodes = batch.n_documents + sum(len(lv.word) for lv in with_states)
    for layer in range(len(scorer.layers)):
        if layer > 0:
            shapes.append((nodes, hidden, gates))
        shapes.append((batch.n_documents + sum(going_on[: len(with_states)]), hidden, gates))
    return shapes


def run_products(factors: list[tuple[Tensor, Tensor]]) -> None:
    for inputs, weight in factors:
        outputs = inputs @ weight.t()
        outputs @ weight
        outputs.t() @ inputs


def seconds(function: Callable[..., object], *arguments: object) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def peak_mb(vocabulary: int, threads: int) -> float:
    """Peak resident memory of a fresh process that trains on one batch three times."""
    command = [sys.executable, __file__, "--peak", str(vocabulary), "--threads", str(threads)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def print_own_peak(vocabulary: int) -> None:
    (documents,) = ap_documents(1)
    scorer = SegmentScorer(vocabulary, HIDDEN, MAX_LENGTH)
    for _ in range(3):
        train_step(scorer, torch.randn(BATCH, HIDDEN), packed(documents))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--batches", type=int, default=6)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peak", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(arguments.threads)
    if arguments.peak:
        print_own_peak(arguments.peak)
        return

    # First, because a process starts with the peak of the one it was forked from.
    peaks = {
        "peak_mb": round(peak_mb(VOCABULARY, arguments.threads)),
        "peak_mb_vocabulary_100000": round(peak_mb(100_000, arguments.threads)),
    }
    scorer = SegmentScorer(VOCABULARY, HIDDEN, MAX_LENGTH)
    padded = PaddedScorer(scorer)
    times: dict[str, list[float]] = {"ours": [], "products": [], "padded": []}
    words = rows = 0
    for number, documents in enumerate(ap_documents(arguments.batches)):
        batch = packed(documents)
        x = torch.randn(documents.n_documents, HIDDEN)
        shapes = unavoidable_products(scorer, batch)
        factors = [(torch.randn(m, k), torch.randn(n, k)) for m, k, n in shapes]
        words += documents.n_words
        rows += shapes[0][0]
        for _ in range(3):
            times["ours"].append(seconds(train_step, scorer, x, batch))
            times["products"].append(seconds(run_products, factors))
        if number < 2:  # slow, and the ratio hardly differs between batches
            likelihood = train_step(scorer, x, batch)
            scorer.zero_grad()
            start = time.perf_counter()
            reference = padded(x, documents, batch)
            reference.backward()
            times["padded"].append((time.perf_counter() - start) / median(times["ours"]))
            gap = abs(float(reference.detach() - likelihood) / documents.n_words)
            assert gap < 1e-5, f"the likelihoods differ by {gap} nats per word"
            print(f"batch {number}: both {float(likelihood) / documents.n_words:.5f} nats per word")
            del reference
            scorer.zero_grad()

    figures = {
        "speedup_padded": round(median(times["padded"]), 1),
        "fraction_of_gemm_limit": round(median(times["products"]) / median(times["ours"]), 2),
        "softmax_rows_per_token": round(rows / words, 3),
        **peaks,
    }
    print(f"{1e3 * median(times['ours']):.0f} ms a batch of {words / arguments.batches:.0f} words")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
