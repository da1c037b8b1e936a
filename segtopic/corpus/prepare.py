"""Raw text in, a prepared corpus out: two passes, memory independent of the number of documents.

The first pass reads and tokenises, counts the forms, and writes the tokens to a scratch file. The
second, with the vocabulary known, turns them into words and spans. Everything is written under a
temporary name and renamed when it is whole.
"""

import dataclasses
import glob
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pyarrow as pa

from segtopic import __version__
from segtopic.config import CorpusConfig, SourceConfig, SplitConfig
from segtopic.corpus.building import SecondPass, first_pass
from segtopic.corpus.columns import DOCUMENTS, TOKENS
from segtopic.corpus.corpus import (
    ARROW,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    VOCABULARY,
    Corpus,
    read_manifest,
)
from segtopic.corpus.locks import InUse, held
from segtopic.corpus.named import cache_folder
from segtopic.corpus.parallel import n_cores
from segtopic.corpus.records import BadLines, DuplicateNames, Record, checked, named_once
from segtopic.corpus.sources import fingerprint, locate, read_documents
from segtopic.corpus.spans import SpanRules
from segtopic.corpus.split import split_documents
from segtopic.corpus.stop_words import identity
from segtopic.corpus.summary import Summary
from segtopic.corpus.tokenise import TOKENISER_VERSION
from segtopic.errors import CorpusError

Progress = Callable[[str, int], None]


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
) -> Prepared:
    """Prepare the source into ``out``, or into the cache; does nothing if it is there already.

    ``progress`` is called with the stage and the number of documents so far.
    """
    source = locate(config)
    content = fingerprint(source)
    key = None if content is None else _key(content, config, source.config)
    if out is None:
        name = key or "standard-input"
        out = cache_folder() / "corpora" / name[:32]
    else:
        out = Path(out)
        _refuse_what_is_no_corpus(out)
    if _holds(out, key):
        return Prepared(out, fresh=False)
    rules = SpanRules.from_config(config)
    bad_lines, duplicates = BadLines(config.on_bad_line), DuplicateNames()
    records = read_documents(source, bad_lines, duplicates)
    with _replacing(out, key) as folder:
        spill = folder / "tokens.arrow"
        with pa.OSFile(str(spill), "wb") as sink, pa.ipc.new_stream(sink, TOKENS) as writer:
            forms = first_pass(records, rules, writer.write_batch, jobs or n_cores(), progress)
        _require_documents(forms.n_documents, source.label, bad_lines)
        second = SecondPass(forms, rules, config)
        with (
            pa.OSFile(str(spill)) as tokens,
            pa.OSFile(str(folder / ARROW), "wb") as sink,
            pa.ipc.new_file(sink, DOCUMENTS) as writer,
        ):
            for batch in pa.ipc.open_stream(tokens):
                writer.write_batch(second.encode(batch))
                progress("encoding", second.n_documents)
        spill.unlink()
        summary = second.summary(bad_lines, duplicates)
        split_documents(summary.documents, config)  # too few documents are noticed here
        second.vocabulary.save(folder / VOCABULARY)
        _write_manifest(folder, config, source.label, key, rules, summary)
    return Prepared(out, fresh=True)


def corpus_from_texts(
    texts: Iterable[str],
    config: CorpusConfig | None = None,
    ids: Sequence[str] | None = None,
    jobs: int = 1,
) -> Corpus:
    """Prepare texts in memory into a corpus in memory; the source settings are not used."""
    config = config or CorpusConfig()
    rules = SpanRules.from_config(config)
    bad_lines, duplicates = BadLines(), DuplicateNames()
    found = (
        Record(None if ids is None else ids[i], text, f"text {i}:") for i, text in enumerate(texts)
    )
    records = named_once(checked(found, bad_lines), ids is not None, bad_lines, duplicates)
    spilled: list[pa.RecordBatch] = []
    forms = first_pass(records, rules, spilled.append, jobs, lambda stage, documents: None)
    _require_documents(forms.n_documents, "the texts", bad_lines)
    second = SecondPass(forms, rules, config)
    table = pa.Table.from_batches([second.encode(batch) for batch in spilled], DOCUMENTS)
    return Corpus(table, second.vocabulary, rules, second.summary(bad_lines, duplicates))


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
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


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


@contextmanager
def _replacing(out: Path, key: str | None) -> Iterator[Path]:
    """A temporary folder that becomes ``out``, or vanishes if anything goes wrong.

    It also vanishes where another process has prepared the same corpus meanwhile: that one may be
    in use already.
    """
    opened = ExitStack()
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(out)
        folder = _new_partial(out, opened)
    except OSError as error:
        raise CorpusError(
            f"{out}: cannot be written ({error.strerror}); choose another --out"
        ) from None
    try:
        yield folder
        folder.chmod(0o755)
        if not _holds(out, key):
            _put_in_place(folder, out, key)
    except OSError as error:
        raise CorpusError(
            f"{out}: cannot be written ({error.strerror or error}); "
            "make room or choose another --out; nothing was kept"
        ) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        opened.close()


def _new_partial(out: Path, opened: ExitStack) -> Path:
    """A temporary folder beside ``out``, locked until ``opened`` is closed."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.partial-", dir=out.parent))
        try:
            opened.enter_context(held(folder))
            return folder
        except InUse:  # another process took it for abandoned before it was locked
            continue


def _remove_abandoned(out: Path) -> None:
    """Remove the temporary folders of preparations that were killed."""
    for folder in out.parent.glob(f".{glob.escape(out.name)}.partial-*"):
        with suppress(InUse, OSError), held(folder) as certain:
            if certain:
                shutil.rmtree(folder, ignore_errors=True)


def _put_in_place(folder: Path, out: Path, key: str | None) -> None:
    old = folder.with_name(folder.name + ".old")
    with suppress(FileNotFoundError):
        os.rename(out, old)
    try:
        os.rename(folder, out)
    except OSError:
        if not _holds(out, key):  # another process was faster
            if old.exists():
                os.rename(old, out)
            raise
    shutil.rmtree(old, ignore_errors=True)


def _write_manifest(
    folder: Path,
    config: CorpusConfig,
    label: str,
    key: str | None,
    rules: SpanRules,
    summary: Summary,
) -> None:
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "segtopic": __version__,
        "source": label,
        "key": key,
        "config": dataclasses.asdict(config),
        "summary": summary.to_dict(),
        "rules": rules.to_dict(),
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    # A name that is no Unicode holds halves of surrogate pairs, which JSON writes as \\udc...
    (folder / MANIFEST).write_bytes(text.encode(errors="backslashreplace"))
