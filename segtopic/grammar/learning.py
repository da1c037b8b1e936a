"""Clauses in, a chain of roles out, learned by expectation maximisation without any labels.

The roles, and what is settled about them before anything is learned:

- *opener*: openers, numbers and what is counted; before a phrase.
- *inner*: words of a phrase after which another one comes. Two of them.
- *last*: the last words of phrases. Two of them.
- *other*: words that may stand in phrases, but are outside of one here. Four of them; a word with a
  capital inside a sentence has none of these roles.
- *function*: all other function words. Five of them.

Which words have which role begins with what follows openers: a word after an opener and before
another content word is inner, a word after an opener and before anything else is last, a word
before an opener is other. The rest is learned: that names come in two parts, that "said" is none.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from segtopic.corpus.documents import IntArray
from segtopic.grammar.chain import Chain, FloatArray, as_probabilities, by_length
from segtopic.grammar.clauses import Case, Clauses
from segtopic.grammar.signs import BoolArray, Signs

if TYPE_CHECKING:
    from scipy import sparse

N_INNER, N_LAST, N_OTHER, N_FUNCTION = 2, 2, 4, 5
N_ROUNDS = 20
PRIOR = 0.1  # of a sign in a role, times its share of the text and the number of signs
UNSURE = 0.2  # of a count, for words without an opener beside them
SPREAD = 0.5  # by which roles of the same kind differ at first
RARE = 1e-6  # the least probability of what is possible
SEED = 0


@dataclass(frozen=True)
class Roles:
    """The numbers of the roles of each kind."""

    opener: IntArray
    inner: IntArray
    last: IntArray
    other: IntArray
    function: IntArray

    @classmethod
    def usual(cls) -> "Roles":
        """As many as are learned."""
        sizes = (1, N_INNER, N_LAST, N_OTHER, N_FUNCTION)
        return cls(*np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1]))

    def __len__(self) -> int:
        return int(self.function[-1]) + 1

    def kinds(self) -> list[IntArray]:
        """All of them."""
        return [self.opener, self.inner, self.last, self.other, self.function]


def learn_chain(clauses: Clauses, signs: Signs, roles: Roles, rounds: int = N_ROUNDS) -> Chain:
    """The chain that makes the clauses probable."""
    numbers = signs.numbers(clauses)
    possible = _possible(signs, roles)
    times = np.bincount(numbers, minlength=len(signs)) + 1.0
    prior = np.where(possible, times, 0) * (PRIOR * len(signs) / times.sum())
    first = chain = _first_chain(clauses, numbers, signs, roles, possible)
    text = _Text(clauses, numbers, len(signs))
    for _ in range(rounds):
        chain = text.improved(chain, prior)
    return _opened(chain, first)


def _possible(signs: Signs, roles: Roles) -> BoolArray:
    """``(R, V)``: which signs a role may show."""
    possible = np.zeros((len(roles), len(signs)), dtype=bool)
    possible[roles.opener] = signs.is_opener | signs.is_number
    possible[roles.inner] = signs.is_content | signs.joins
    possible[roles.last] = possible[roles.other] = signs.is_content
    possible[roles.function] = ~signs.is_content & ~signs.is_opener
    return possible


def _first_chain(
    clauses: Clauses, numbers: IntArray, signs: Signs, roles: Roles, possible: BoolArray
) -> Chain:
    """Where the learning begins."""
    random = np.random.default_rng(SEED)
    n_roles, n_signs = possible.shape
    counts = np.zeros((n_roles, n_signs))
    inner, last, other = _counts_beside_openers(clauses, numbers, signs)
    counts[roles.inner], counts[roles.last], counts[roles.other] = inner, last, other
    times = np.bincount(numbers, minlength=n_signs) + 1.0
    counts[roles.opener] = counts[roles.function] = times
    counts += times * (n_signs / times.sum()) * PRIOR / 2
    counts *= (1 + SPREAD * random.random(counts.shape)) * possible
    move = 1 + UNSURE * random.random((n_roles, n_roles))
    allowed, stop = np.ones((n_roles, n_roles), dtype=bool), np.ones(n_roles)
    allowed[np.ix_(roles.opener, roles.other)] = False
    allowed[np.ix_(roles.inner, np.concatenate([roles.opener, roles.other, roles.function]))] = (
        False
    )
    stop[roles.inner] = 0
    move *= allowed
    ways = move.sum(1) + stop
    cases = np.tile([0.6, 0.3, 0.1, 0.0], (n_roles, 1))
    for kind in (roles.inner, roles.last):  # one is for names, one for other words
        cases[kind] = [[0.1, 0.7, 0.2, 0.0], [0.8, 0.15, 0.05, 0.0]]
    cases[roles.other] = [1.0, 0.0, 0.0, 0.0]  # and stays so, as nothing of it is ever counted
    return Chain(
        begin=np.full(n_roles, 1 / n_roles),
        move=move / ways[:, None],
        stop=stop / ways,
        signs=counts / counts.sum(1, keepdims=True),
        cases=as_probabilities(cases),
    )


def _opened(chain: Chain, first: Chain) -> Chain:
    """The chain with nothing impossible that was possible at first: any text can be read."""
    begin, move = chain.begin + RARE, chain.move + RARE * (first.move > 0)
    stop = chain.stop + RARE * (first.stop > 0)
    ways = move.sum(1) + stop
    cases = chain.cases + RARE * (first.cases > RARE)
    return Chain(
        begin / begin.sum(), move / ways[:, None], stop / ways, chain.signs, as_probabilities(cases)
    )


def _counts_beside_openers(
    clauses: Clauses, numbers: IntArray, signs: Signs
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often a sign is inner, last and other by the openers beside it."""
    followed = clauses.followed()
    content, opener = signs.is_content[numbers], signs.is_opener[numbers]
    before, after = np.roll(followed, 1), followed
    opened = before & np.roll(opener, 1)
    goes_on, opens = after & np.roll(content, -1), after & np.roll(opener, -1)

    def counted(where: BoolArray) -> FloatArray:
        return np.bincount(numbers[content & where], minlength=len(signs)).astype(np.float64)

    unsure = UNSURE * counted(~opened & ~opens)
    return (
        counted(opened & goes_on) + unsure,
        counted(opened & ~goes_on) + unsure,
        counted(~opened & opens) + unsure,
    )


class _Text:
    """The clauses, laid out for many rounds."""

    def __init__(self, clauses: Clauses, numbers: IntArray, n_signs: int) -> None:
        self._batches = []
        for places in by_length(clauses.first, clauses.lengths):
            signs, cases = numbers[places], clauses.cases[places]
            self._batches.append(
                (signs, cases, _counter(signs, n_signs), _counter(cases, len(Case)))
            )

    def improved(self, chain: Chain, prior: FloatArray) -> Chain:
        """One round: what each word's role probably is, then the chain that follows from it."""
        n_roles = len(chain.begin)
        begin, stop = np.zeros(n_roles), np.zeros(n_roles)
        move = np.zeros((n_roles, n_roles))
        signs, cases = prior.T.copy(), np.zeros((len(Case), n_roles))
        for numbers, written, count_signs, count_cases in self._batches:
            shown = chain.shown(numbers, written)
            forward, backward, scales, _ = chain.messages(shown)
            posterior = (forward * backward).reshape(-1, n_roles)
            signs += count_signs @ posterior
            cases += count_cases @ posterior
            begin += (forward[:, 0] * backward[:, 0]).sum(0)
            stop += (forward[:, -1] * backward[:, -1]).sum(0)
            after = (backward[:, 1:] * shown[:, 1:] / scales[:, 1:, None]).reshape(-1, n_roles)
            move += forward[:, :-1].reshape(-1, n_roles).T @ after
        move *= chain.move
        ways = move.sum(1) + stop + np.finfo(np.float64).tiny
        return Chain(
            begin / begin.sum(),
            move / ways[:, None],
            stop / ways,
            (signs / signs.sum(0)).T,
            as_probabilities(cases.T),
        )


def _counter(numbers: IntArray, n_values: int) -> "sparse.csr_array":
    """A matrix that adds up rows by their number."""
    from scipy import sparse  # slow to import, and whoever uses a grammar does not need it

    flat = numbers.ravel()
    ones = np.ones(len(flat))
    return sparse.csr_array((ones, (flat, np.arange(len(flat)))), shape=(n_values, len(flat)))
