"""``segtopic evaluate RUN``: how well a run predicts its test documents, or finds gold phrases."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from jsonargparse import ActionYesNo

from segtopic.commands.arguments import CommandParser, command_parser, parse
from segtopic.commands.display import counting, evaluation_rows, print_json, print_table
from segtopic.commands.opening import opening
from segtopic.errors import ConfigError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.evaluate.boundaries import Score
    from segtopic.runs import TrainedModel


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser("evaluate", "Tell how well a run predicts its test documents.")
    made.add_argument("run", type=str, help="folder of the run")
    made.add_argument(
        "--data",
        type=str,
        help="predict other documents than the run's own; they are read as the training text was",
    )
    made.add_argument(
        "--refine",
        action=ActionYesNo(yes_prefix="", no_prefix="no-"),
        default=None,
        help="predict by refined topics, too, or by the encoder's alone; as in the training if not "
        "given",
    )
    made.add_argument("--samples", type=int, default=20, help="samples of the multi-sample bound")
    made.add_argument(
        "--gold",
        type=str,
        help="judge the phrases by a chunked text instead: a file in the format of CoNLL-2000, or "
        "its zip archive",
    )
    made.add_argument(
        "--kind",
        type=Literal["chunks", "content"],
        default="chunks",
        help="of the gold phrases: all chunks, or content phrases, which are noun chunks of "
        "several words without determiners, pronouns, possessives and numerals before them",
    )
    made.add_argument(
        "--part",
        type=Literal["test", "train"],
        help="of a CoNLL-2000 archive; if not given, test for chunks, train for content phrases",
    )
    return made


def run(arguments: Sequence[str]) -> int:
    """Evaluate and print."""
    chosen = parse(parser(), arguments)
    if chosen.samples < 1:
        raise ConfigError(f"--samples is {chosen.samples}, but must be at least 1")

    with opening(chosen.run):
        from segtopic.evaluate.baselines.bigram import bigram_continuation
        from segtopic.evaluate.predictive import evaluate_model
        from segtopic.runs import load_run

        trained = load_run(chosen.run)
    if chosen.gold is not None:
        if chosen.kind == "content":
            return _judge_content(trained, Path(chosen.gold), chosen.part or "train", chosen.json)
        return _judge(trained, Path(chosen.gold), chosen.part or "test", chosen.json)
    judged = trained.judged_by(chosen.data)
    test = judged.documents
    with counting() as progress:
        steps = trained.config.refinement(chosen.refine)
        evaluation = evaluate_model(trained.model, test, steps, chosen.samples, progress=progress)
    bigram = None
    if judged.part is not None or trained.has_documents:
        bigram = bigram_continuation(trained.corpus.train, test, len(trained.vocabulary))
    if chosen.json:
        figures = {**evaluation.to_dict(), "bigram_continuation": bigram}
        print_json({"run": chosen.run, "judged_by": judged.name, **figures})
    else:
        title = f"{chosen.run}: {test.n_documents:,} {judged.name}"
        print_table(title, ("", ""), evaluation_rows(evaluation, bigram))
    return 0


def _judge(trained: "TrainedModel", path: Path, part: str, as_json: bool) -> int:
    from segtopic.evaluate.gold import read_gold
    from segtopic.evaluate.judge import judge

    gold = read_gold(path, part)
    with counting("settings") as progress:
        judged = judge(trained, gold, progress)
    n_words = len(gold.starts)
    n_phrases = judged[0].agreement.phrases.gold
    if as_json:
        counts = {"words": n_words, "phrases_of_several_words": n_phrases}
        print_json(
            {"gold": str(path), "part": part, **counts, "ways": [way.to_dict() for way in judged]}
        )
        return 0
    title = f"{path} ({part}): {n_words:,} words, {n_phrases:,} phrases of several words"
    header = ("", "boundaries: precision, recall, F1", "phrases: precision, recall, F1")
    rows = [
        (way.name, *(_percentages(score) for score in vars(way.agreement).values()))
        for way in judged
    ]
    print_table(title, header, rows)
    return 0


def _judge_content(trained: "TrainedModel", path: Path, part: str, as_json: bool) -> int:
    from segtopic.evaluate.chunked import read_chunked
    from segtopic.evaluate.content import ContentText
    from segtopic.evaluate.judge_content import judge_content

    gold = ContentText.of(read_chunked(path, part))
    tuned_on = gold if part == "train" else ContentText.of(read_chunked(path, "train"))
    with counting("settings") as progress:
        judged = judge_content(trained, gold, tuned_on, progress)
    n_phrases = len(gold.phrases)
    if as_json:
        ways = [way.to_dict() for way in judged]
        print_json({"gold": str(path), "part": part, "phrases": n_phrases, "ways": ways})
        return 0
    title = f"{path} ({part}): {n_phrases:,} content phrases"
    header = ("", "found", "precision, recall, F1", "inside", "reached", "crossed")
    rows = []
    for way in judged:
        found = way.agreement
        shares = (found.inside, found.reached, found.crossed)
        row = (way.name, f"{found.exact.found:,}", _percentages(found.exact))
        rows.append((*row, *(f"{share:.3f}" for share in shares)))
    print_table(title, header, rows)
    return 0


def _percentages(score: "Score") -> str:
    return f"{score.precision:.3f}  {score.recall:.3f}  {score.f1:.3f}"
