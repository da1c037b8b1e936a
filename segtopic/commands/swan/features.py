"""``segtopic swan features WAVS --out DIR``: recorded speech to features."""

from collections.abc import Sequence
from pathlib import Path

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import counting, print_json, print_table, remark_skipped
from segtopic.config import FeaturesConfig
from segtopic.errors import ConfigError


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "swan features",
        "Turn recordings into features to learn from: 40 log mel filter banks and the energy, with "
        "first and second differences. Sources are sound files, a folder of them (with what is "
        "said in text files of the same name), lists (CSV, TSV or JSON lines with audio or "
        "features, and transcript), or a corpus: AN4, the Free Spoken Digit Dataset, TIMIT.",
        FeaturesConfig,
    )
    made.add_argument("sources", nargs="+", type=str, help="files, folders, lists, a corpus")
    made.add_argument("--out", type=str, help="folder for the features")
    made.add_argument("--overwrite", action="store_true", help="replace the features in the folder")
    made.add_argument("--jobs", type=int | None, help="processes; all cores if not given")
    return made


def run(arguments: Sequence[str]) -> int:
    """Compute the features and tell what there is."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, FeaturesConfig)
    if not chosen.out:
        raise ConfigError("there is no folder for the features; give one with --out")
    if chosen.jobs is not None and chosen.jobs < 1:
        raise ConfigError(f"jobs is {chosen.jobs}, but must be at least 1")

    from segtopic.corpus.parallel import n_cores
    from segtopic.speech.bad_files import BadFiles
    from segtopic.speech.prepare import prepare_features

    skipped, jobs = BadFiles(config.on_bad_file), chosen.jobs or n_cores()
    with counting("recordings") as progress:
        store = prepare_features(
            chosen.sources,
            config,
            Path(chosen.out),
            jobs,
            overwrite=chosen.overwrite,
            progress=progress,
            bad_files=skipped,
        )
    remark_skipped(skipped.count, skipped.examples, "recordings that cannot be used")
    about = {key: value for key, value in store.about.items() if key != "normaliser"}
    if chosen.json:
        print_json({"folder": chosen.out, **about})
        return 0
    banks = store.banks
    rows = [
        ("recordings", f"{about['recordings']:,}"),
        ("parts", ", ".join(f"{name} {count:,}" for name, count in about["parts"].items())),
        ("with a transcript", f"{about['with_transcript']:,}"),
        ("with phones", f"{about['with_phones']:,}"),
        ("speech", f"{about['seconds'] / 60:,.1f} minutes"),
        ("numbers in a frame", str(store.width)),
        ("samples a second", f"{banks.rate:,}" if banks else "features were given"),
    ]
    print_table(chosen.out, ("", ""), rows)
    return 0
