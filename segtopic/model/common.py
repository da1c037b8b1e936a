"""What all documents share: words of no topic, and how large a document's share of them is.

Abstracts "propose" and "demonstrate", whatever they are about. Without a place of their own such
words make a topic that takes a third of all text, and is the main topic of every second document.
Here they have one beside the topics: with the share ``c`` of a document, its words are

    (1 - c) theta @ topics + c common,    c = sigmoid(b + s zeta_c),    zeta_c ~ N(0, 1),

where ``b`` and ``s`` are learned, ``zeta_c`` is one more dimension of the document's hidden vector,
inferred with the others, and the topic shares ``theta`` sum to one without it. The document's
vector is mixed in the same way, so that the network can correct the common words, too.
"""

import torch
from torch import Tensor, nn

UNUSED = -8.0  # log odds
LEAST_SHARE = 1e-6  # of a hidden value that is finite


class CommonWords(nn.Module):
    """A distribution over words, a vector, and the prior of documents' shares.

    Args:
        vocabulary_size: number of words ``V``.
        hidden_size: width ``H`` of document vectors.
        vector_scale: deviation of the initial vector.
    """

    words: Tensor

    def __init__(self, vocabulary_size: int, hidden_size: int, vector_scale: float) -> None:
        super().__init__()
        self.register_buffer("words", torch.zeros(vocabulary_size))
        self.vector = nn.Parameter(torch.empty(hidden_size))
        nn.init.normal_(self.vector, std=vector_scale)
        self.bias = nn.Parameter(torch.tensor(0.0))
        self.log_scale = nn.Parameter(torch.tensor(0.0))

    @torch.no_grad()
    def start(self, words: Tensor, alpha: Tensor, alpha_of_topics: Tensor) -> None:
        """Take over ``(V,)`` words, and the prior that LDA has of their share.

        By LDA it is a Beta; here it gets the mean and the variance of its log odds.
        """
        self.words.copy_(words)
        self.bias.copy_(alpha.digamma() - alpha_of_topics.digamma())
        variance = torch.polygamma(1, alpha) + torch.polygamma(1, alpha_of_topics)
        self.log_scale.copy_(variance.log() / 2)

    @torch.no_grad()
    def start_unused(self, frequencies: Tensor) -> None:
        """Where no common words are found: those of all texts, and nearly none of them."""
        self.words.copy_(frequencies)
        self.bias.fill_(UNUSED)
        self.log_scale.fill_(0.0)

    def share(self, zeta: Tensor) -> Tensor:
        """``(D,)`` shares from ``(D,)`` hidden values."""
        return (self.bias + self.log_scale.exp() * zeta).sigmoid()

    def zeta(self, share: Tensor) -> Tensor:
        """The hidden values that make these shares."""
        return (share.logit(eps=LEAST_SHARE) - self.bias) / self.log_scale.exp()
