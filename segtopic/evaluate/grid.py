"""Which settings of the baselines are tried; the development part chooses among them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Grid:
    """Settings of all baselines, serious but affordable: about ten minutes for AP.

    On the development parts of AP and CiteULike-1929 the Gibbs-sampled LDA gains 0.06 and 0.05 nats
    per word from 100 to 200 topics, then 0.05 and 0.02 from 200 to 400, for twice the time.

    Attributes:
        topics: Numbers of topics of the LDAs.
        eta: Their Dirichlet priors of words in topics.
        gensim_passes: How often gensim's LDA goes over the training documents.
        tomotopy_iterations: Gibbs iterations before the first state that is used.
        tomotopy_states: States of the chain whose topics are averaged.
        phrase_thresholds: Scores above which gensim's ``Phrases`` merges a pair.
        smoothing: What the unigram adds to each count.
    """

    topics: tuple[int, ...] = (50, 100, 200)
    eta: tuple[float, ...] = (0.02, 0.1, 0.3)
    gensim_passes: int = 15
    tomotopy_iterations: int = 400
    tomotopy_states: int = 5
    phrase_thresholds: tuple[float, ...] = (10.0, 50.0)
    smoothing: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)

    def __post_init__(self) -> None:
        for name in ("topics", "eta", "phrase_thresholds", "smoothing"):
            values = getattr(self, name)
            if not values or min(values) <= 0:
                raise ValueError(f"{name} is {values}, but must hold numbers above 0")
        for name in ("gensim_passes", "tomotopy_iterations", "tomotopy_states"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, but must be at least 1")


def quick_grid(n_words: int) -> Grid:
    """A small grid for so many training words: seconds for a few hundred documents.

    More words bear more topics: 300 stories 25, AP 100.
    """
    most = min(max(n_words // 2000, 25), 100)
    return Grid(
        topics=(2 * most // 5, most),
        eta=(0.1, 0.3),
        gensim_passes=10,
        tomotopy_iterations=150,
        tomotopy_states=3,
        phrase_thresholds=(10.0,),
    )
