"""``segtopic compare RUN``: the same test words, predicted by the run and by tuned baselines."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from jsonargparse import ActionYesNo, Namespace

from segtopic.commands.arguments import CommandParser, command_parser, parse
from segtopic.commands.display import counting, print_json, print_table
from segtopic.commands.opening import opening
from segtopic.errors import ConfigError, CorpusError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.corpus.documents import Documents
    from segtopic.evaluate.bootstrap import Interval
    from segtopic.evaluate.comparison import ComparisonRow, Contestant
    from segtopic.evaluate.grid import Grid
    from segtopic.evaluate.predictive import Progress
    from segtopic.runs import TrainedModel


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "compare",
        "Predict the same test words by unigram, bigram, LDA (gensim, tomotopy; tuned on the "
        "development documents), LDA over gensim's phrases, LDA with a bigram or a trigram, an urn "
        "of the document's own words and its own bigrams, the run's topics with the same in place "
        "of segments, and the run.",
    )
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument(
        "--data",
        type=str,
        help="predict other documents than the run's own; they are read as the training text was",
    )
    made.add_argument(
        "--beside",
        nargs="*",
        type=str,
        default=[],
        help="folders of other runs on the same corpus and split",
    )
    made.add_argument(
        "--quick",
        action="store_true",
        help="a smaller grid for the baselines, and no training of segtopic with single words",
    )
    made.add_argument(
        "--lda-topics", nargs="*", type=int, help="numbers of topics that LDA is tuned over"
    )
    made.add_argument(
        "--lda-eta", nargs="*", type=float, help="priors of words in topics that LDA is tuned over"
    )
    made.add_argument(
        "--single-words",
        action=ActionYesNo(yes_prefix="", no_prefix="no-"),
        default=True,
        help="train segtopic with segments of one word, too",
    )
    return made


def run(arguments: Sequence[str]) -> int:
    """Compare and print."""
    chosen = parse(parser(), arguments)

    with opening(chosen.run):
        from segtopic.evaluate.comparison import compare
        from segtopic.evaluate.stored_comparison import save_comparison
        from segtopic.runs import load_run

        trained = load_run(chosen.run)
    judged = trained.judged_by(chosen.data)
    corpus, test = trained.corpus, judged.documents
    grid = _grid(chosen, corpus.train.n_words)
    with counting() as progress:
        contestants = {"segtopic": _without_segments_too(trained, test, progress)}
        if trained.config.max_segment_length > 1 and chosen.single_words and not chosen.quick:
            single = _single_words(trained)
            contestants["segtopic, single words"] = _contestant(single, test, progress)
        for folder in chosen.beside:
            other = load_run(folder)
            _check_the_same_test(trained, other, judged.part)
            contestants[f"segtopic, {folder}"] = _contestant(other, test, progress)
    with counting("fits") as progress:
        rows = compare(
            corpus.train,
            corpus.dev,
            test,
            len(corpus.vocabulary),
            contestants=contestants,
            grid=grid,
            cache=trained.saved_folder / "baselines",
            progress=lambda stage, done, total: progress(f"{stage}, of {total}", done),
        )
    if judged.part == "test":  # of which the report speaks
        save_comparison(trained, rows, chosen.quick)
    if chosen.json:
        print_json(
            {"run": chosen.run, "judged_by": judged.name, "models": [row.to_dict() for row in rows]}
        )
        return 0
    scored = "test word" if judged.part == "test" else f"word of the {judged.name}"
    title = f"{chosen.run}: log likelihood per scored {scored}, 95 % intervals over documents"
    header = ("model", "chosen on dev", "test", "segtopic is", "fit")
    print_table(title, header, [_cells(row) for row in rows])
    return 0


def _check_the_same_test(trained: "TrainedModel", other: "TrainedModel", part: str | None) -> None:
    """A run stands beside another only on documents that neither has seen."""
    reason = None
    if other.vocabulary.words != trained.vocabulary.words:
        reason = "knows other words"
    elif part is not None and other.corpus.digests_of(part) != trained.corpus.digests_of(part):
        reason = f"has other {part} documents"
    elif other.corpus.rules != trained.corpus.rules:
        reason = "reads words otherwise"
    if reason is not None:
        raise CorpusError(
            f"{other.name}: {reason} than {trained.name}; train it on the same corpus with the "
            "same split_seed, test_share and settings of words"
        )


def _grid(chosen: Namespace, n_words: int) -> "Grid":
    from segtopic.evaluate.grid import Grid, quick_grid

    grid = quick_grid(n_words) if chosen.quick else Grid()
    try:
        return replace(
            grid,
            topics=tuple(chosen.lda_topics or grid.topics),
            eta=tuple(chosen.lda_eta or grid.eta),
        )
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _contestant(trained: "TrainedModel", test: "Documents", progress: "Progress") -> "Contestant":
    from segtopic.evaluate.comparison import Contestant
    from segtopic.evaluate.predictive import predictive_log_likelihood

    steps = trained.config.refinement()
    scores = predictive_log_likelihood(trained.model, test, steps, progress)
    return Contestant.of(trained, scores)


def _without_segments_too(
    trained: "TrainedModel", test: "Documents", progress: "Progress"
) -> "Contestant":
    from segtopic.evaluate.baselines.document_words import DocumentWords

    words = DocumentWords(trained.model, trained.config.refinement())
    return replace(_contestant(trained, test, progress), document_words=words)


def _single_words(trained: "TrainedModel") -> "TrainedModel":
    """The same model with segments of one word, trained once and kept inside the run."""
    from segtopic.commands.train import train
    from segtopic.runs import load_run
    from segtopic.runs.folder import CONFIG
    from segtopic.runs.seal import RUN

    folder = trained.saved_folder / "single-words"
    if (folder / RUN).exists():
        return load_run(folder)
    config = replace(trained.config, max_segment_length=1)
    return train(config, folder, corpus=trained.corpus, resume=(folder / CONFIG).exists())


def _cells(row: "ComparisonRow") -> tuple[str, ...]:
    settings = ", ".join(f"{name} {value}" for name, value in row.settings.items())
    lead = _lead(row.reference_ahead) if row.reference_ahead else ""
    seconds = f"{row.fit_seconds:.1f} s" if row.fit_seconds is not None else ""
    return (row.name, settings, _interval(row.test), lead, seconds)


def _lead(ahead: "Interval") -> str:
    """The run itself is neither ahead nor behind."""
    place, by = ahead.lead
    return f"{place} by {_interval(by)}" if by.mean else ""


def _interval(interval: "Interval") -> str:
    return f"{interval.mean:.3f}  [{interval.low:.3f}, {interval.high:.3f}]"
