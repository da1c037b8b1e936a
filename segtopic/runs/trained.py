"""A trained model with all that is needed to use it: what a run folder holds, and how it is opened.

The command line, the estimator, the report and workers on other machines all use this one thing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from segtopic.config import CorpusConfig, RunConfig, SourceConfig, part_of
from segtopic.corpus import Documents, TextEncoder, Vocabulary
from segtopic.corpus.markup import as_seen
from segtopic.corpus.readers import format_of
from segtopic.corpus.records import BadLines, DuplicateIds
from segtopic.corpus.sources import locate, read_documents, with_columns_of
from segtopic.errors import CorpusError, RunError
from segtopic.files import text_digest
from segtopic.harmless import excerpt
from segtopic.model.topic_model import TopicModel
from segtopic.runs.corpus import RunCorpus
from segtopic.runs.folder import (
    CONFIG,
    DOCUMENTS,
    TOPICS,
    VOCABULARY,
    WEIGHTS,
    Saved,
    load_config,
    new_run,
    save_config,
)
from segtopic.runs.naming import Naming
from segtopic.runs.seal import RUN, Seal, check_file, save_results, unsealed
from segtopic.runs.view import TopicView
from segtopic.runs.weights import load_weights, save_weights
from segtopic.typed import fits, shown

CLEANED = 20_000  # characters at the beginning of a text, of which the first words are shown
IN_MEMORY = "(texts in memory)"
"""Stands for the source of a corpus that has none."""


class JudgedBy(NamedTuple):
    """Documents that a model is judged by.

    Attributes:
        name: What they are, in words.
        documents: Their known words.
        part: Of the model's own corpus, if they are one.
    """

    name: str
    documents: Documents
    part: str | None


@dataclass(frozen=True, eq=False)
class TrainedModel(Saved):
    """A model, the settings and the corpus that made it, and what its training found.

    Attributes:
        config: With nothing left open.
        model: In double precision, ready to infer.
        corpus: The documents it was trained, stopped and tested on; vocabulary and rules.
        results: Figures of the best epoch.
        folder: Where it was loaded from or saved to, if it was.
        naming: What the user calls the topics.
    """

    config: RunConfig
    model: TopicModel
    corpus: RunCorpus
    results: Mapping[str, Any]
    folder: Path | None = None
    naming: Naming = field(default_factory=Naming)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that the model knows."""
        return self.corpus.vocabulary

    @property
    def encoder(self) -> TextEncoder:
        """Encodes new text as the training text was."""
        return self.corpus.encoder

    @cached_property
    def view(self) -> TopicView:
        """The topics as the user wants to see them."""
        return TopicView.of(self.naming, self.model.n_topics)

    @property
    def test(self) -> Documents:
        """The test documents of the corpus; there must be some."""
        if not self.corpus.test.n_documents:
            raise CorpusError(
                f"{self.name}: was trained with test_share 0, so nothing is left to test"
            )
        return self.corpus.test

    @property
    def development_likelihood(self) -> float | None:
        """Per word, by refined topics if the training refined them, else by the encoder's mean."""
        found: float | None = self.results.get("dev_refined", self.results.get("dev_mean"))
        return found

    @property
    def has_documents(self) -> bool:
        """Whether the documents of its training are kept with it."""
        return self.folder is None or (self.folder / DOCUMENTS).exists()

    def judged_by(self, data: str | None = None) -> "JudgedBy":
        """Documents that the model can be judged by.

        Those of a source, if one is given, read as the training text was; else its test documents;
        else, as a model that was fitted in Python has none, those that told when to stop.
        """
        if data is not None:
            return JudgedBy(f"documents of {data}", self._read(data), None)
        if self.corpus.test.n_documents:
            return JudgedBy("test documents", self.corpus.test, "test")
        return JudgedBy("development documents, as there is no test part", self.corpus.dev, "dev")

    def _read(self, data: str) -> Documents:
        source = with_columns_of(locate(SourceConfig(data=data)), self.config)
        records = read_documents(source, BadLines(), DuplicateIds())
        documents = self.encoder.encode([record.text for record in records]).documents
        if not documents.n_words:
            raise CorpusError(f"{data}: holds no word that the model knows; give other documents")
        return documents

    def texts(self, numbers: Iterable[int]) -> dict[int, str]:
        """The original texts of documents of the corpus, by their numbers."""
        return original_texts(self.corpus, self.config, numbers)

    def first_words(self, numbers: Iterable[int], longest: int) -> dict[int, str]:
        """How documents of the corpus begin, in one line, as a reader sees them."""
        seen = as_seen if self.config.clean_html else str
        return {
            number: excerpt(seen(text[:CLEANED]), longest)
            for number, text in self.texts(numbers).items()
        }

    def reading_from(self, data: str | None, text_column: str | None = None) -> "TrainedModel":
        """The same model, whose texts are now to be found elsewhere; ``None`` changes nothing."""
        if text_column is not None:
            column = replace(self.config, text_column=text_column)
            return replace(self, config=column).reading_from(data)
        if data is None:
            return self
        # A file whose extension tells its format may have another one than before.
        known = format_of(Path(data)) is not None
        layout = None if known else self.config.input_format
        return replace(self, config=replace(self.config, data=data, input_format=layout))

    def save(
        self, folder: Path | str, *, overwrite: bool = False, documents: bool = True
    ) -> "TrainedModel":
        """Write a run folder; it is whole or not there.

        Args:
            folder: must not hold anything yet.
            overwrite: replace the model in the folder.
            documents: keep the documents, for topics, figures and further training: their words,
                and their texts where these cannot be read again. Whoever has the folder has them.

        Returns:
            The same model, which knows its folder.
        """
        with new_run(Path(folder), overwrite) as parts:
            save_config(parts, self.config, {})
            self.corpus.save(parts, documents)
            save_weights(parts / WEIGHTS, self.model)
            save_results(parts, self.results)
            self.naming.save(parts)
        return replace(self, folder=Path(folder))


def load_run(folder: Path | str) -> TrainedModel:
    """Open a finished run; nothing is unpickled."""
    folder = Path(folder)
    config = load_config(folder)
    seal = unsealed(folder, checked_later=(DOCUMENTS,))
    model = load_weights(folder / WEIGHTS, config)
    corpus = RunCorpus.load(folder, partial(_check_documents, folder, seal, config.data))
    if len(corpus.vocabulary) != model.scorer.vocabulary_size:
        raise RunError(
            f"{folder / VOCABULARY}: has {len(corpus.vocabulary)} words, but the model knows "
            f"{model.scorer.vocabulary_size}; bring back the file of this run"
        )
    _check_results(folder, seal.results)
    naming = Naming.load(folder, model.n_topics)
    return TrainedModel(config, model, corpus, seal.results, folder, naming)


def _check_documents(folder: Path, seal: Seal, data: str) -> None:
    """Before the documents of a run are read."""
    path = folder / DOCUMENTS
    if DOCUMENTS in seal.files:
        check_file(path, seal.files[DOCUMENTS])
    elif path.exists():
        raise RunError(
            f"{path}: is not among the files that were sealed with the run, so its documents may "
            "be those of another one; bring back the run as it was"
        )
    elif seal.version < TOPICS.version:
        again = (
            "fit it again in Python"
            if data == IN_MEMORY
            else f"rename 'format' to 'input_format' in {folder / CONFIG} and train again with "
            f"'segtopic train --config {folder / CONFIG} --out NEW'"
        )
        raise RunError(
            f"{folder}: was made by an earlier segtopic, which did not keep a run's documents so "
            f"that they can be used now; it can segment new text, but for anything else {again}"
        )
    else:
        raise RunError(
            f"{folder}: was saved without its documents; save the fitted model again with them, "
            "or fit it again"
        )


def _check_results(folder: Path, results: Mapping[str, Any]) -> None:
    """Refuse results that are no numbers."""
    for name in ("best_epoch", "epochs", "seconds"):
        if not fits(results.get(name), float):
            raise RunError(
                f"{folder / RUN}: is damaged ({name} is '{shown(results.get(name))}', "
                "but must be a number); train again"
            )


def original_texts(
    corpus: RunCorpus, config: CorpusConfig, numbers: Iterable[int]
) -> dict[int, str]:
    """The texts of the documents with these numbers, from the run or found again at their source.

    Only what shows text asks for it. A document of the source is known by the digest of its text,
    so its order and place do not matter; a text that has changed is refused.
    """
    wanted = list(numbers)
    if corpus.has_texts:
        return {number: corpus.table["text"][number].as_py() for number in wanted}
    digests = {number: corpus.table["digest"][number].as_py() for number in wanted}
    missing = set(digests.values())
    found: dict[bytes, str] = {}
    try:
        records = read_documents(
            # The first so many documents may be others now; the loop ends when all are found.
            locate(replace(part_of(config, SourceConfig), limit=None)),
            BadLines(config.on_bad_line),
            DuplicateIds(),
        )
        for record in records:
            if not missing:
                break
            digest = text_digest(record.text)
            if digest in missing:
                missing.discard(digest)
                found[digest] = record.text
    except CorpusError as error:
        raise RunError(
            f"the texts of the run cannot be shown: {error}; tell where they are now with --data"
        ) from None
    if missing:
        changed = [corpus.ids[number] for number in wanted if digests[number] in missing]
        more = f" and {len(changed) - 1} more documents" if len(changed) > 1 else ""
        raise RunError(
            f"{config.data}: the text of '{changed[0]}'{more} has changed or is gone since the "
            "training; bring it back, tell where it is with --data, or train again"
        )
    return {number: found[digest] for number, digest in digests.items()}
