"""The slow, obvious scorer: every segment runs alone through torch's GRU, with full softmaxes."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from segtopic.corpus import Documents
from segtopic.model import SegmentScorer
from segtopic.model.continuations.joint import JointSoftmax


def torch_gru(scorer: SegmentScorer) -> nn.GRU:
    """``torch.nn.GRU`` with the scorer's weights."""
    gru = nn.GRU(scorer.hidden_size, scorer.hidden_size, len(scorer.layers), batch_first=True)
    gru = gru.to(scorer.begin.dtype)
    with torch.no_grad():
        for k, cell in enumerate(scorer.layers):
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(gru, f"{name}_l{k}").copy_(getattr(cell, name))
    return gru


def segment_log_probability(
    scorer: SegmentScorer, gru: nn.GRU, x: Tensor, words: list[int], closes_span: bool
) -> Tensor:
    """Log probability of one segment, its end included, from the equations."""
    inputs = torch.stack([scorer.begin, *scorer.embedding.weight[words]])
    states, _ = gru(inputs[None], x.expand(len(scorer.layers), 1, -1).contiguous())
    total = x.new_zeros(())
    for step, state in enumerate(states[0]):
        logits = scorer.continuation.output(state)
        symbols = logits.clone()
        if isinstance(scorer.continuation, JointSoftmax):
            if step == 0:
                symbols[-1] = -torch.inf
            word_log_probabilities = symbols.log_softmax(0)
            end = word_log_probabilities[-1]
        else:
            gate = scorer.continuation.end_gate(state)[0]
            end = F.logsigmoid(gate)
            word_log_probabilities = logits.log_softmax(0)
            if step > 0:
                word_log_probabilities = word_log_probabilities + F.logsigmoid(-gate)
        if step < len(words):
            total = total + word_log_probabilities[words[step]]
        elif scorer.last_step == "charged" or (len(words) < scorer.max_length and not closes_span):
            total = total + end
    return total


def score_documents(scorer: SegmentScorer, x: Tensor, documents: Documents) -> Tensor:
    """``(N, L)`` as :class:`SegmentScorer` returns them."""
    gru = torch_gru(scorer)
    rows = []
    for vector, document in zip(x, documents.to_lists(), strict=True):
        for span in document:
            for start in range(len(span)):
                row = [
                    segment_log_probability(
                        scorer,
                        gru,
                        vector,
                        span[start : start + length],
                        closes_span=start + length == len(span),
                    )
                    if start + length <= len(span)
                    else x.new_tensor(-torch.inf)
                    for length in range(1, scorer.max_length + 1)
                ]
                rows.append(torch.stack(row))
    return torch.stack(rows) if rows else x.new_zeros(0, scorer.max_length)
