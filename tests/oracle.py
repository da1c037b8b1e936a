"""Oracles too simple to be wrong: enumerate every segmentation and add them up one by one."""

import math
from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import Tensor


def segmentations(n: int, max_len: int) -> Iterator[tuple[int, ...]]:
    """Every way to cut ``n`` words into segments of 1..max_len words, as lengths."""
    if n == 0:
        yield ()
    for length in range(1, min(max_len, n) + 1):
        yield from ((length, *rest) for rest in segmentations(n - length, max_len))


def path_score(span_scores: Tensor, lengths: tuple[int, ...]) -> Tensor:
    """The sum of ``span_scores[j, l - 1]`` over the segments, differentiable."""
    start, total = 0, span_scores.new_zeros(())
    for length in lengths:
        total = total + span_scores[start, length - 1]
        start += length
    return total


def all_paths(span_scores: Tensor) -> dict[tuple[int, ...], Tensor]:
    """The score of every segmentation of one span, from its ``(n, L)`` scores."""
    n, max_len = span_scores.shape
    return {lengths: path_score(span_scores, lengths) for lengths in segmentations(n, max_len)}


def log_partition(span_scores: Tensor) -> Tensor:
    return torch.stack(list(all_paths(span_scores).values())).logsumexp(0)


def ends_of(lengths: tuple[int, ...]) -> list[bool]:
    return [i == length - 1 for length in lengths for i in range(length)]


def lengths_of(ends: list[bool]) -> tuple[int, ...]:
    last = [-1, *(i for i, end in enumerate(ends) if end)]
    return tuple(b - a for a, b in pairwise(last))


def probabilities(span_scores: Tensor) -> dict[tuple[int, ...], float]:
    """The posterior probability of every segmentation; empty where none is possible."""
    scores = {lengths: float(score) for lengths, score in all_paths(span_scores).items()}
    top = max(scores.values())
    if top == -math.inf:
        return {}
    weights = {lengths: math.exp(score - top) for lengths, score in scores.items()}
    return {lengths: weight / sum(weights.values()) for lengths, weight in weights.items()}


def posteriors(span_scores: Tensor) -> Tensor:
    """``(n, L)`` segment posteriors by adding up whole segmentations."""
    result = torch.zeros_like(span_scores)
    for lengths, probability in probabilities(span_scores).items():
        start = 0
        for length in lengths:
            result[start, length - 1] += probability
            start += length
    return result


def plain_recursion(span_scores: Tensor) -> tuple[float, Tensor]:
    """Total and posteriors of a span too long to enumerate, word by word in Python floats."""
    n, max_len = span_scores.shape
    scores = span_scores.tolist()
    prefix = [0.0]
    for end in range(1, n + 1):
        sizes = range(1, min(max_len, end) + 1)
        prefix.append(_logsumexp([prefix[end - z] + scores[end - z][z - 1] for z in sizes]))
    suffix = [-math.inf] * n + [0.0]
    for start in reversed(range(n)):
        sizes = range(1, min(max_len, n - start) + 1)
        suffix[start] = _logsumexp([scores[start][z - 1] + suffix[start + z] for z in sizes])
    result = torch.zeros_like(span_scores)
    if prefix[n] > -math.inf:
        for start in range(n):
            for size in range(1, min(max_len, n - start) + 1):
                outside = prefix[start] + suffix[start + size] - prefix[n]
                result[start, size - 1] = math.exp(outside + scores[start][size - 1])
    return prefix[n], result


def _logsumexp(values: list[float]) -> float:
    top = max(values)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(value - top) for value in values))
