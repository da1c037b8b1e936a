"""``segtopic swan transcribe RUN x.wav``: what is said in sound files, with times."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from segtopic.commands.arguments import CommandParser, command_parser, parse, settings
from segtopic.commands.display import print_file, print_json, print_line, remark_skipped
from segtopic.config import TranscribeConfig
from segtopic.config.swan import CHARACTERS
from segtopic.errors import ConfigError, CorpusError

if TYPE_CHECKING:  # slow to import, and not needed for help
    from segtopic.swan.transcribe import Piece


def parser() -> CommandParser:
    """The arguments of the command."""
    made = command_parser(
        "swan transcribe",
        "Write down what is said in sound files: a line for each transcript of each piece of a "
        "sound, with its times and probability, then the segments of the best one with theirs.",
        TranscribeConfig,
    )
    made.add_argument("run", type=str, help="folder of a run that was trained on features")
    made.add_argument("sounds", nargs="+", type=str, help="sound files, or folders of them")
    return made


def run(arguments: Sequence[str]) -> int:
    """Transcribe one file after the other."""
    chosen = parse(parser(), arguments)
    config = settings(chosen, TranscribeConfig)

    from segtopic.speech.bad_files import BadFiles
    from segtopic.swan.heard import load_listener
    from segtopic.swan.transcribe import piece_as_json, transcribed
    from segtopic.swan.transcripts import FORMATS

    trained, bad_files = load_listener(chosen.run), BadFiles(config.on_bad_file)
    level, sounds = trained.listener.level, list(_sounds(chosen.sounds))
    if config.format == "srt" and len(sounds) > 1:
        raise ConfigError(f"subtitles are of one sound, but there are {len(sounds)}; give one")
    if config.format != "text" and chosen.json:
        raise ConfigError(f"format is '{config.format}', but --json is another one; choose one")
    written = None if config.format == "text" else FORMATS[config.format](level)
    head, found = written.begin() if written else "", []
    for sound in sounds:
        try:
            pieces: Iterable[Piece] = transcribed(trained, sound, config)
            if config.on_bad_file == "skip":  # a sound that breaks off is skipped as a whole
                pieces = list(pieces)
            if chosen.json:
                listed = [piece_as_json(piece, trained.listener) for piece in pieces]
                found.append({"sound": sound, "pieces": listed})
            elif written:
                print_file(head + written.sound(sound, list(pieces)))
                head = ""
            else:
                for piece in pieces:
                    _show(sound, piece, level)
        except CorpusError as error:
            bad_files.report(error)
    if chosen.json:
        print_json({"run": chosen.run, "sounds": found, "skipped": bad_files.count})
    remark_skipped(bad_files.count, bad_files.examples, "sounds that cannot be read")
    return 0


def _sounds(sources: Sequence[str]) -> Iterator[str]:
    """Files as they were given, and those of folders."""
    from segtopic.speech.sound import sounds_in

    for source in sources:
        path = Path(source).expanduser()
        if not path.is_dir():
            yield source
            continue
        if not (sounds := sounds_in(path)):
            raise CorpusError(f"{source}: holds no sounds; give a folder of sound files")
        yield from map(str, sounds)


def _show(sound: str, piece: "Piece", level: str) -> None:
    from segtopic.swan.spoken import written

    times = f"{piece.begin:.2f}-{piece.end:.2f} s"
    if not piece.transcripts:
        print_line(f"{sound}  {times}  (too short)")
        return
    for each in piece.transcripts:
        text = written(each.symbols, level) or "(nothing)"
        print_line(f"{sound}  {times}  {text}  {each.probability:.4g}")
    for segment in piece.transcripts[0].segments:
        text = written(segment.symbols, level)
        if level == CHARACTERS:
            text = text.replace(" ", "␣")
        print_line(f"  {segment.begin:7.2f}-{segment.end:.2f}  {text}  {segment.probability:.2f}")
