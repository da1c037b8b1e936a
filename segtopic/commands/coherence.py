"""How coherent topics are: beside LDA, and by each definition of a topic."""

from typing import TYPE_CHECKING, Any

from jsonargparse import Namespace

from segtopic.commands.display import counting, print_json, print_table
from segtopic.config import Rank

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.corpus.documents import Documents, IntArray
    from segtopic.evaluate.coherence import TopicQuality
    from segtopic.runs import TrainedModel

OWN = "segtopic"


def beside_lda(
    train: "Documents", vocabulary_size: int, words: "IntArray", rank: Rank
) -> dict[str, "TopicQuality"]:
    from segtopic.evaluate.coherence import topic_qualities
    from segtopic.topics.quality import fitted_ldas

    with counting("fits") as progress:
        fits = fitted_ldas(train, vocabulary_size, len(words), progress)
        progress("coherence", len(fits))
        lda = {name: fitted.best_words(rank, train) for name, fitted in fits.items()}
        return topic_qualities({OWN: words, **lda}, train)


def compare_definitions(trained: "TrainedModel", chosen: Namespace) -> None:
    from segtopic.evaluate.coherence import topic_qualities
    from segtopic.topics.quality import definitions_top_words

    train = trained.corpus.train
    # What is relevant is asked of the training documents, whatever stands for a topic.
    rank: Rank = "divergence" if chosen.rank == "relevance" else chosen.rank
    sets = definitions_top_words(trained.model, train, rank)
    with counting("definitions") as progress:
        progress("coherence", len(sets))
        qualities = topic_qualities(sets, train)
    if chosen.format == "json":
        found = [quality_dict(*item) for item in qualities.items()]
        print_json({"run": chosen.run, "rank": rank, "definitions": found})
    else:
        title = f"{chosen.run}: ten words by {rank} of all {trained.model.n_topics} topics"
        print_qualities(title, "definition", qualities)


def quality_dict(name: str, quality: "TopicQuality") -> dict[str, Any]:
    return {
        "name": name,
        "npmi": quality.mean_npmi,
        "c_v": quality.mean_c_v,
        "diversity": quality.diversity,
    }


def print_qualities(title: str, first: str, qualities: dict[str, "TopicQuality"]) -> None:
    rows = [
        (name, f"{quality.mean_npmi:.4f}", f"{quality.mean_c_v:.4f}", f"{quality.diversity:.3f}")
        for name, quality in qualities.items()
    ]
    print_table(title, (first, "NPMI", "c_v", "diversity"), rows)
