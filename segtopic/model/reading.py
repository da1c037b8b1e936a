"""The segment network reading on: documents and the words of segments in, states after them out.

A trie (:mod:`segtopic.model.gru`) wants all its words at once. Where words come one by one, what
does not change is made beforehand: the state of every document before its first word, what that
adds to the gates of the next one, and what each word of the vocabulary adds to them.
"""

import torch
from torch import Tensor

from segtopic.model.gru import SegmentGRU


class SegmentReader:
    """Reads histories in some documents.

    Args:
        network: that reads words.
        x: ``(D, H)`` one vector a document.
    """

    @torch.no_grad()
    def __init__(self, network: SegmentGRU, x: Tensor) -> None:
        self._layers = network.gated_layers
        self._begun = network.begun(x)
        self._gates = [
            layer.state_gates(state) for layer, state in zip(self._layers, self._begun, strict=True)
        ]
        self._of_word = self._layers[0].input_gates(network.embedding.weight)  # (V, 3 H)

    @torch.no_grad()
    def __call__(self, document: Tensor, histories: Tensor) -> Tensor:
        """``(M, H)``: the last layer's states after ``(M, l)`` words of ``(M,)`` documents."""
        states = [state.index_select(0, document) for state in self._begun]
        gates = [each.index_select(0, document) for each in self._gates]
        for number, word in enumerate(histories.t()):
            if number:
                gates = [
                    layer.state_gates(state)
                    for layer, state in zip(self._layers, states, strict=True)
                ]
            below = self._of_word.index_select(0, word)
            for depth, layer in enumerate(self._layers):
                if depth:
                    below = layer.input_gates(states[depth - 1])
                states[depth] = layer.update(below, gates[depth], states[depth])
        return states[-1]
