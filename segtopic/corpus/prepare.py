"""Raw text in, a prepared corpus out: two passes, memory independent of the number of documents.

The first pass reads and tokenises, counts the forms, and writes the tokens to a scratch file. The
second, with the vocabulary known, turns them into words and spans. Everything is written under a
temporary name and renamed when it is whole.
"""

import dataclasses
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from segtopic.config import (
    CorpusConfig,
    SourceConfig,
    SplitConfig,
    TokenConfig,
    VocabularyConfig,
    build,
    part_of,
)
from segtopic.corpus.building import SecondPass, first_pass
from segtopic.corpus.columns import DOCUMENTS, TOKENS
from segtopic.corpus.copies import find_copies
from segtopic.corpus.corpus import (
    ARROW,
    FORMAT_VERSION,
    MANIFEST,
    VOCABULARY,
    Corpus,
    damaged,
    is_corpus,
    manifest_of,
    manifest_text,
    read_manifest,
)
from segtopic.corpus.named import cache_folder
from segtopic.corpus.parallel import n_cores
from segtopic.corpus.records import BadLines, DuplicateIds, Record, checked, with_own_ids
from segtopic.corpus.sources import anchored, fingerprint, locate, read_documents
from segtopic.corpus.spans import BEFORE, SpanRules
from segtopic.corpus.split import split_documents
from segtopic.corpus.tokenise import TOKENISER_VERSION
from segtopic.corpus.vocabulary import Vocabulary
from segtopic.corpus.words import identity
from segtopic.engine import Engine
from segtopic.errors import ConfigError, CorpusError
from segtopic.files import content_digest, digest_of, put_in_place, unfinished_folder

Progress = Callable[[str, int], None]
Config = TypeVar("Config", bound=CorpusConfig)
_BAKED = [field.name for part in (TokenConfig, VocabularyConfig) for field in fields(part)]


@dataclasses.dataclass(frozen=True)
class Prepared:
    """Where a corpus is, and whether it was there already."""

    folder: Path
    fresh: bool

    def load(self) -> Corpus:
        """Open it."""
        return Corpus.load(self.folder)


def prepare_corpus(
    config: CorpusConfig,
    out: Path | str | None = None,
    jobs: int | None = None,
    progress: Progress = lambda stage, documents: None,
    given: Collection[str] = (),
    engine: Engine | None = None,
) -> Prepared:
    """Prepare the source into ``out``, or into the cache; does nothing if it is there already.

    A source that is a prepared corpus itself is taken as it is, or copied to ``out``.

    Args:
        config: what to prepare, and how.
        out: folder of the corpus.
        jobs: processes; as many as there are cores if not given.
        progress: called with the stage and the number of documents so far.
        given: names of settings that the user has named; see :func:`with_prepared_settings`.
        engine: tokenises in place of processes.
    """
    source = locate(config)
    if out is not None:
        out = Path(out)
        _refuse_what_is_no_corpus(out)
    if source.is_prepared:
        assert source.path is not None
        with_prepared_settings(config, given)
        return Prepared(source.path, fresh=False) if out is None else _copied(source.path, out)
    content = fingerprint(source)
    key = None if content is None else _key(content, config, source.config)
    place = out or _cached(key or "standard-input")
    if _holds(place, key):
        return Prepared(place, fresh=False)
    rules = SpanRules.from_config(config)
    bad_lines, duplicates = BadLines(config.on_bad_line), DuplicateIds()
    records = read_documents(source, bad_lines, duplicates)
    with unfinished_folder(place) as folder:
        spill = folder / "tokens.arrow"
        with pa.OSFile(str(spill), "wb") as sink, pa.ipc.new_stream(sink, TOKENS) as writer:
            write, n_jobs = writer.write_batch, jobs or n_cores()
            forms = first_pass(records, rules, write, n_jobs, progress, engine)
        _require_documents(forms.n_documents, source.label, bad_lines)
        second = SecondPass(forms, rules, forms.vocabulary(rules, config))
        with (
            pa.OSFile(str(spill)) as tokens,
            pa.OSFile(str(folder / ARROW), "wb") as sink,
            pa.ipc.new_file(sink, DOCUMENTS) as writer,
        ):
            for batch in pa.ipc.open_stream(tokens):
                writer.write_batch(second.encode(batch))
                progress("encoding", second.n_documents)
        spill.unlink()
        split_documents(second.n_documents, config)  # too few documents are noticed here
        progress("looking for copies", second.n_documents)
        with pa.memory_map(str(folder / ARROW)) as mapped:
            copies = find_copies(pa.ipc.open_file(mapped).read_all())
        summary = second.summary(bad_lines, duplicates, copies)
        second.vocabulary.save(folder / VOCABULARY)
        if key is None:  # only now is it known what standard input held
            key = _key(digest_of(folder / ARROW), config, source.config)
            place = out or _cached(key)
        manifest = manifest_of(anchored(config), source.label, key, rules, summary)
        (folder / MANIFEST).write_bytes(manifest_text(manifest))
        put_in_place(folder, place, lambda: _holds(place, key))
    return Prepared(place, fresh=True)


def with_prepared_settings(config: Config, given: Collection[str] = ()) -> Config:
    """The settings, with those of the source where it is a prepared corpus.

    What was asked for must not contradict what the corpus was made with. A setting that has its
    default counts as asked for if its name is ``given``.
    """
    folder = Path(config.data).expanduser()
    if not is_corpus(folder):
        return config
    made_with = {**BEFORE, **read_manifest(folder)["config"]}
    reading = [field.name for field in fields(SourceConfig) if field.name != "data"]
    _refuse_contradictions(config, made_with, reading, str(folder))
    _refuse_contradictions(config, made_with, _BAKED, str(folder), given)
    try:
        settled = {name: made_with[name] for name in _BAKED}
        return build(type(config), {**dataclasses.asdict(config), **settled})
    except (KeyError, ConfigError) as error:
        raise damaged(folder, f"{MANIFEST}: {error}") from None


def with_settings_of(corpus: Corpus, config: Config) -> Config:
    """The same for a corpus that is open already."""
    made_with = dataclasses.asdict(corpus.rules.config) | dataclasses.asdict(corpus.chosen_by)
    _refuse_contradictions(config, made_with, _BAKED, "the corpus")
    return dataclasses.replace(config, **made_with)


def _refuse_contradictions(
    config: CorpusConfig,
    made_with: Mapping[str, Any],
    names: Iterable[str],
    corpus: str,
    given: Collection[str] = (),
) -> None:
    defaults = CorpusConfig()
    for name in names:
        value = getattr(config, name)
        value = list(value) if isinstance(value, tuple) else value  # as JSON has it
        asked_for = name in given or value != getattr(defaults, name)
        if asked_for and value != made_with.get(name):
            raise ConfigError(
                f"{corpus}: is a prepared corpus, made with {name} {made_with.get(name)}, not "
                f"{value}; leave {name} out, or prepare its source again with it"
            )


def _copied(corpus: Path, out: Path) -> Prepared:
    """A prepared corpus in another folder, as it is."""
    key = read_manifest(corpus).get("key")
    if _holds(out, key):
        return Prepared(out, fresh=False)
    Corpus.load(corpus)  # one that is damaged is not passed on
    with unfinished_folder(out) as folder:
        for name in (MANIFEST, VOCABULARY, ARROW):
            shutil.copyfile(corpus / name, folder / name)
        put_in_place(folder, out, lambda: _holds(out, key))
    return Prepared(out, fresh=True)


def _cached(name: str) -> Path:
    return cache_folder() / "corpora" / name[:32]


def corpus_from_texts(
    texts: Iterable[str],
    config: CorpusConfig | None = None,
    ids: Sequence[str] | None = None,
    jobs: int = 1,
    rules: SpanRules | None = None,
    vocabulary: Vocabulary | None = None,
) -> Corpus:
    """Prepare texts in memory into a corpus in memory; the source settings are not used.

    Rules and vocabulary may be those of another corpus, so that both go together.
    """
    config = config or CorpusConfig()
    rules = rules or SpanRules.from_config(config)
    bad_lines, duplicates = BadLines(), DuplicateIds()
    found = (
        Record(None if ids is None else ids[i], text, f"text {i}:") for i, text in enumerate(texts)
    )
    records = with_own_ids(checked(found, bad_lines), ids is not None, bad_lines, duplicates)
    spilled: list[pa.RecordBatch] = []
    forms = first_pass(records, rules, spilled.append, jobs, lambda stage, documents: None)
    _require_documents(forms.n_documents, "the texts", bad_lines)
    second = SecondPass(forms, rules, vocabulary or forms.vocabulary(rules, config))
    table = pa.Table.from_batches([second.encode(batch) for batch in spilled], DOCUMENTS)
    summary = second.summary(bad_lines, duplicates, find_copies(table))
    return Corpus(table, second.vocabulary, rules, summary, part_of(config, VocabularyConfig))


def _require_documents(n_documents: int, label: str, bad_lines: BadLines) -> None:
    if not n_documents:
        skipped = f" ({bad_lines.count} were skipped)" if bad_lines.count else ""
        raise CorpusError(f"{label}: holds no documents with text{skipped}; check the source")


def _key(content: str, config: CorpusConfig, source: SourceConfig) -> str:
    """What two preparations share only if they would give the same corpus."""
    settings = dataclasses.asdict(config) | dataclasses.asdict(source)
    for name in ("data", *(field.name for field in dataclasses.fields(SplitConfig))):
        del settings[name]
    settings["stop_words"] = identity(config.stop_words)
    parts = [content, settings, TOKENISER_VERSION, FORMAT_VERSION]
    return content_digest(parts).partition(":")[2]


def _holds(out: Path, key: str | None) -> bool:
    """Whether the folder holds this very corpus, whole."""
    try:
        if key is None or read_manifest(out).get("key") != key:
            return False
        Corpus.load(out)
    except CorpusError:
        return False
    return True


def _refuse_what_is_no_corpus(out: Path) -> None:
    """What a user has in the folder is never replaced, unless it is a corpus."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not (out / MANIFEST).exists():
        raise CorpusError(
            f"{out}: exists and is not a prepared corpus; choose another --out, "
            "this one is left as it is"
        )
    try:
        read_manifest(out)
    except CorpusError as error:
        raise CorpusError(f"{error}; this --out is left as it is, choose another") from None
