"""What all documents share: words of no topic, and how large a document's share of them is.

Abstracts "propose" and "demonstrate", whatever they are about. Without a place of their own such
words make a topic that takes a third of all text, and is the main topic of every second document.
Here they have one beside the topics: one more component of the softmax,

    softmax(b + s zeta) = ((1 - c) theta, c),

so that a document's words are ``(1 - c) theta @ topics + c common``. The topic shares ``theta`` sum
to one without the common share ``c``. The document's vector is mixed in the same way, so that the
network can correct the common words, too.

For the likelihood the common words are a topic like any other; a share of its own kind, a sigmoid
of one more hidden value, predicted 0.01 nats per word worse on 2,000 abstracts.
"""

import torch
from torch import Tensor, nn

UNUSED = -16.0  # log odds beside a topic of usual size


class CommonWords(nn.Module):
    """A distribution over words, a vector, and how usual they are beside the topics.

    Args:
        vocabulary_size: number of words ``V``.
        hidden_size: width ``H`` of document vectors.
        vector_scale: deviation of the initial vector.
    """

    words: Tensor
    found: Tensor  # () whether there are any

    def __init__(self, vocabulary_size: int, hidden_size: int, vector_scale: float) -> None:
        super().__init__()
        self.register_buffer("words", torch.zeros(vocabulary_size))
        self.register_buffer("found", torch.tensor(False))
        self.vector = nn.Parameter(torch.empty(hidden_size))
        nn.init.normal_(self.vector, std=vector_scale)
        self.share_bias = nn.Parameter(torch.zeros(1))

    @torch.no_grad()
    def start(self, words: Tensor, share_bias: Tensor) -> None:
        """Take over ``(V,)`` words, and the bias of their share beside those of the topics."""
        self.words.copy_(words)
        self.found.fill_(True)
        self.share_bias.copy_(share_bias)

    @torch.no_grad()
    def start_unused(self, frequencies: Tensor) -> None:
        """Where no common words are found: those of all texts, and nearly none of them."""
        self.words.copy_(frequencies)
        self.found.fill_(False)
        self.share_bias.fill_(UNUSED)
