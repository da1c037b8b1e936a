"""``segtopic swan train``: pairs of sequences to a trained model in a run folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import print_json, print_line, print_table, remark, remark_skipped
from segtopic.commands.trainings import (
    add_run_flags,
    how_to_go_on,
    run_folder,
    warn_in_one_line,
)
from segtopic.config import SearchConfig, SwanConfig

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.swan.trained import TrainedSwan


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "swan train",
        "Learn to turn sequences into sequences from a file of pairs: a line for each, input, tab, "
        "output. Or to write down speech, from a folder that 'segtopic swan features' has made.",
        SwanConfig,
    )
    add_run_flags(made)
    return made


def run(arguments: Sequence[str]) -> int:
    """Train, and print how it went."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, SwanConfig)
    folder = run_folder(chosen.out, config.data)

    from segtopic.commands.swan.epochs import SwanEpochLines
    from segtopic.commands.swan.speech import train_speech
    from segtopic.corpus.records import BadLines
    from segtopic.speech.store import is_features
    from segtopic.swan.run import train

    warn_in_one_line()
    bad_lines = BadLines(config.on_bad_line)
    try:
        if is_features(Path(config.data).expanduser()):
            train_speech(config, folder, chosen, [SwanEpochLines("recordings")])
            return 0
        trained = train(
            config,
            folder,
            resume=chosen.resume,
            overwrite=chosen.overwrite,
            keep_checkpoints=chosen.keep_checkpoints,
            callbacks=[SwanEpochLines("words")],
            bad_lines=bad_lines,
        )
    except KeyboardInterrupt:
        remark(f"interrupted; {how_to_go_on(folder, 'swan train')}")
        return 130
    remark_skipped(bad_lines.count, bad_lines.examples)
    _show(trained, chosen.json)
    return 0


def _show(trained: "TrainedSwan", as_json: bool) -> None:
    """What was learned, and the errors of a beam search on the development inputs."""
    from segtopic.commands.swan.evaluate import evaluation_rows
    from segtopic.swan.evaluation import evaluate_pairs

    search = SearchConfig()
    found = evaluate_pairs(trained.predictor, trained.development, search)
    results = trained.results
    if as_json:
        development = {"beam": search.beam, **found.to_dict()}
        print_json({"folder": trained.name, **results, "development": development})
        return
    rows = [
        ("training inputs", f"{results['inputs']:,}"),
        ("training pairs", f"{results['pairs']:,}"),
        ("  left out as impossible", f"{results['impossible_pairs']:,}"),
        ("input and output symbols", _sizes(trained)),
        ("best epoch", f"{results['best_epoch']} of {results['epochs']}"),
        (f"development inputs, beam {search.beam}", f"{found.inputs:,}"),
        *((f"  {name}", value) for name, value in evaluation_rows(found)[1:]),
    ]
    print_table(trained.name, ("", ""), rows)
    print_line(
        f"next: segtopic swan decode {trained.name} WORDS; segtopic swan evaluate {trained.name} "
        f"TEST; segtopic swan report {trained.name}"
    )


def _sizes(trained: "TrainedSwan") -> str:
    return f"{len(trained.predictor.inputs)} and {len(trained.predictor.outputs)}"
