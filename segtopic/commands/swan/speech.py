"""What commands say of a speech model: its training and its errors."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segtopic.commands.display import counting, print_json, print_line, print_table, remark_skipped
from segtopic.config import JudgeConfig, SearchConfig, SwanConfig, part_of

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.evaluate.bootstrap import Interval
    from segtopic.swan.hearing import SpeechEvaluation


WITHOUT = "recordings without what is said in them"


def train_speech(config: SwanConfig, folder: Path, flags: Any, callbacks: Any) -> None:
    """Train on features, and print how it went."""
    from segtopic.corpus.records import BadLines
    from segtopic.swan.hearing import evaluate_listener
    from segtopic.swan.listening import train_listener

    bad_lines = BadLines(config.on_bad_line)
    trained = train_listener(
        config,
        folder,
        resume=flags.resume,
        overwrite=flags.overwrite,
        keep_checkpoints=flags.keep_checkpoints,
        callbacks=callbacks,
        bad_lines=bad_lines,
    )
    remark_skipped(bad_lines.count, bad_lines.examples, WITHOUT)
    search = SearchConfig()
    found = evaluate_listener(trained.listener, trained.development(), search)
    results = trained.results
    if flags.json:
        development = {"beam": search.beam, **found.to_dict()}
        print_json({"folder": trained.name, **results, "development": development})
        return
    rows = [
        ("training recordings", f"{results['inputs']:,}"),
        ("  left out as impossible", f"{results['impossible_pairs']:,}"),
        ("best epoch", f"{results['best_epoch']} of {results['epochs']}"),
        (f"development recordings, beam {search.beam}", f"{found.utterances:,}"),
        *((f"  {name}", value) for name, value in _rows(found)[1:]),
    ]
    print_table(trained.name, ("", ""), rows)
    print_line(
        f"next: segtopic swan transcribe {trained.name} SOUND; segtopic swan evaluate "
        f"{trained.name} FEATURES --part test; segtopic swan report {trained.name}"
    )


def evaluate_speech(
    run: str, features: str | None, part: str, config: JudgeConfig, as_json: bool
) -> None:
    """Listen to a part of a folder of features, or to the development recordings."""
    from segtopic.corpus.records import BadLines
    from segtopic.swan.heard import load_listener
    from segtopic.swan.hearing import evaluate_listener

    trained, search = load_listener(run), part_of(config, SearchConfig)
    bad_lines = BadLines(config.on_bad_line)
    some = recordings_of(trained, features, part, config.limit, bad_lines)
    remark_skipped(bad_lines.count, bad_lines.examples, WITHOUT)
    with counting("recordings") as progress:
        found = evaluate_listener(trained.listener, some, search, progress)
    judged = f"{features}, part {part}" if features else "development recordings"
    if as_json:
        wishes = dataclasses.asdict(search)
        about = {"run": run, "features": features, "part": part if features else None}
        print_json({**about, **wishes, **found.to_dict()})
    else:
        print_table(f"{run} on {judged}, beam {search.beam}", ("", ""), _rows(found))


def report_speech(chosen: Any) -> None:
    """Write the page of a speech model and tell where it and its pictures are."""
    from segtopic.report.speech import write_speech_report
    from segtopic.swan.heard import load_listener

    trained = load_listener(chosen.run)
    some = recordings_of(trained, chosen.pairs, chosen.part, chosen.limit)
    judged = f"{chosen.pairs}, part {chosen.part}" if chosen.pairs else "development recordings"
    with counting("recordings") as progress:
        written = write_speech_report(
            trained,
            some,
            judged,
            Path(chosen.out) if chosen.out else None,
            chosen.words,
            chosen.seed,
            Path(chosen.pictures) if chosen.pictures else None,
            progress,
        )
    files = [str(path) for path in written.pictures]
    if chosen.json:
        about = {"report": str(written.path), "bytes": written.n_bytes}
        print_json({**about, "recordings": written.n_inputs, "pictures": files})
        return
    print_line(
        f"{written.path}: {written.n_bytes / 1e3:.0f} kB, {written.n_pictures} utterances, figures "
        f"of {written.n_inputs:,} recordings with a transcript"
    )
    if chosen.pictures:
        print_line(f"pictures in {chosen.pictures}: {written.n_pictures}, each as SVG and PNG")


def recordings_of(
    trained: Any, features: str | None, part: str, limit: int | None, bad_lines: Any = None
) -> Any:
    """The recordings that a command is about."""
    from segtopic.errors import CorpusError
    from segtopic.speech.store import FeatureStore, is_features

    if features is None:
        return trained.development()[:limit]
    if not is_features(folder := Path(features).expanduser()):
        raise CorpusError(
            f"{features}: holds no features; make them with 'segtopic swan features', and give the "
            "folder that it wrote"
        )
    store = FeatureStore(folder)
    if part not in store.about["parts"]:
        there = ", ".join(store.about["parts"])
        raise CorpusError(f"{features}: has no part '{part}', only {there}; name one with --part")
    some = trained.heard(store, [part], bad_lines, limit)
    if not some:
        raise CorpusError(f"{features}: nobody wrote down what is said in any recording")
    return some


def _rows(found: "SpeechEvaluation") -> list[tuple[str, str]]:
    frequent = ", ".join(f"'{text}' {count}" for text, count in found.frequent_segments)
    rows = [
        ("recordings", f"{found.utterances:,}"),
        ("recordings wrong", _percent(found.utterances_wrong)),
        (f"symbols wrong{_folded(found)}", _percent(found.symbols_wrong)),
        ("negative log likelihood", _number(found.nats_per_symbol, " nats per symbol")),
        ("symbols per segment", _number(found.segment_length)),
        ("frequent segments of several", frequent or "none"),
    ]
    if found.words_wrong is not None:
        rows.insert(3, ("words wrong", _percent(found.words_wrong)))
    if found.impossible:
        rows.append(("recordings that the model has no path for", f"{found.impossible:,}"))
    return rows


def _folded(found: "SpeechEvaluation") -> str:
    from segtopic.swan.hearing import FOLDED

    return f" ({FOLDED})" if found.scored == FOLDED else ""


def _percent(interval: "Interval") -> str:
    return f"{interval.mean:.2%}  [{interval.low:.2%}, {interval.high:.2%}]"


def _number(value: float | None, unit: str = "") -> str:
    return "" if value is None else f"{value:.3f}{unit}"
