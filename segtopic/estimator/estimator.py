"""``SegTopic``: topics and phrases in scikit-learn's conventions.

    from segtopic import SegTopic

    model = SegTopic(n_topics=50, max_segment_length=3, random_state=0).fit(docs)
    theta = model.transform(new_docs)      # documents x topics, rows sum to one
    model.segment(new_docs[0])             # phrases with offsets and probabilities
    model.top_phrases(topic=7)             # [(phrase, probability, count), ...]
    model.score(held_out)                  # predictive log likelihood per word

A fitted model is a tokeniser, too: ``CountVectorizer(analyzer=model)``, or ``model(text)``.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from segtopic.config import RunConfig, TrainerConfig
from segtopic.corpus import Corpus, Vocabulary, corpus_from_texts
from segtopic.corpus.prepare import with_prepared_settings, with_settings_of
from segtopic.estimator.exploring import Exploring
from segtopic.estimator.inputs import ParameterError, TextError, texts_of, value_errors
from segtopic.estimator.parameters import parameters_of, run_config
from segtopic.estimator.tables import document_table, topic_table
from segtopic.evaluate.predictive import predictive_log_likelihood
from segtopic.model.topic_model import TopicModel
from segtopic.runs import TrainedModel, load_run
from segtopic.segment import (
    KeyPhrase,
    KeyPhraseFinder,
    Marker,
    Phrase,
    SegmentedDocument,
    Segmenter,
)
from segtopic.topics import Topic, describe_topics

FloatArray = npt.NDArray[np.float64]
DESCRIBED_PHRASES = 30


class SegTopic(Exploring, TransformerMixin, BaseEstimator):
    """Topics made of phrases.

    Texts are a list, a tuple, an array or a pandas Series of strings. A share of them
    (``dev_share``, at least one) is not learned but tells when to stop.

    Args:
        n_topics: Topics; by the number of training words if not given, at most 50.
        max_segment_length: Longest phrase in words.
        vocabulary_size: At most so many words.
        min_df: Leave out words in fewer documents; a number, or a share if a float.
        max_df: Leave out words in more documents; a number, or a share if a float.
        stop_words: Words left out: 'english', None, a list of words, or a file with one word a
            line.
        lowercase: Read 'Bank' and 'bank' as the same word.
        seeds: What the first topics are to be about, as far as the texts agree, such as
            ``{"sport": ["cricket", "test match"]}``; these topics get the names.
        hidden_size: Width of word embeddings and recurrent layers.
        encoder_size: Units in both layers of the inference network.
        dropout: Share of units dropped in training.
        epochs: Most passes over the documents; by their number if not given.
        batch_size: Documents in a batch; by their number if not given.
        learning_rate: Of Adam.
        kl_warmup: Epochs over which the divergence from the prior gets its full weight.
        patience: Stop after so many epochs without a better development likelihood.
        dev_share: Share of the documents for early stopping.
        refine_steps: Gradient steps that refine a document's topics; 0 leaves them to the encoder.
        settings: Any other setting of ``segtopic train`` that is about words, model or training,
            such as ``{"split_hyphens": True}``.
        partial_epochs: Passes over the new documents in :meth:`partial_fit`.
        accelerator: Lightning's: 'auto', 'cpu', 'gpu', ...
        random_state: Seed of everything random.
        verbose: 1 for a line an epoch on the error stream.

    Attributes:
        trained_: The :class:`~segtopic.runs.TrainedModel`; the following are parts of it.
        model_: The :class:`~segtopic.model.topic_model.TopicModel`, a ``torch.nn.Module``.
        vocabulary_: The words it knows.
        config_: The settings, with nothing left open.
        results_: Figures of the best epoch on the development documents.
        n_topics_: Topics.

    There is no ``n_features_in_``: a text has no features before it is read.
    """

    def __init__(
        self,
        n_topics: int | None = None,
        *,
        max_segment_length: int = 3,
        vocabulary_size: int = 10_000,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        stop_words: str | Collection[str] | None = "english",
        lowercase: bool = True,
        seeds: Mapping[str, Sequence[str]] | None = None,
        hidden_size: int = 150,
        encoder_size: int = 256,
        dropout: float = 0.3,
        epochs: int | None = None,
        batch_size: int | None = None,
        learning_rate: float = 1e-3,
        kl_warmup: int | None = None,
        patience: int = 5,
        dev_share: float = 0.1,
        refine_steps: int = 15,
        settings: Mapping[str, Any] | None = None,
        partial_epochs: int = 5,
        accelerator: str = "auto",
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_topics = n_topics
        self.max_segment_length = max_segment_length
        self.vocabulary_size = vocabulary_size
        self.min_df = min_df
        self.max_df = max_df
        self.stop_words = stop_words
        self.lowercase = lowercase
        self.seeds = seeds
        self.hidden_size = hidden_size
        self.encoder_size = encoder_size
        self.dropout = dropout
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.kl_warmup = kl_warmup
        self.patience = patience
        self.dev_share = dev_share
        self.refine_steps = refine_steps
        self.settings = settings
        self.partial_epochs = partial_epochs
        self.accelerator = accelerator
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: Any = None, y: Any = None, *, corpus: Corpus | Path | str | None = None
    ) -> "SegTopic":
        """Learn topics and phrases from texts; ``y`` is not used.

        Args:
            X: texts.
            y: not used.
            corpus: in place of texts, a corpus made by ``segtopic prepare``, or its folder; its
                words, vocabulary and spans are as they were prepared.
        """
        from segtopic.estimator.learning import learn

        with value_errors():
            config = run_config(self.get_params(deep=False))
            if corpus is None:
                found = corpus_from_texts(texts_of(X), config)
            elif X is not None:
                raise ParameterError("texts and a corpus exclude each other; give one of them")
            elif isinstance(corpus, Corpus):
                found, config = corpus, with_settings_of(corpus, config)
            else:
                config = replace(config, data=str(Path(corpus).absolute()))
                found, config = Corpus.load(corpus), with_prepared_settings(config)
            self.trained_ = learn(found, config, self._trainer(), self._callbacks())
        self._described: dict[int, list[Topic]] = {}
        return self

    def partial_fit(self, X: Any, y: Any = None) -> "SegTopic":
        """Go on learning with new texts, or begin if nothing was learned yet.

        The vocabulary and the words of the topics stay. The phrases of the new texts are counted
        beside those of all texts before, and the weights are trained for ``partial_epochs`` on the
        new texts (of which a share tells the best of these epochs). The optimiser starts anew.
        """
        if not hasattr(self, "trained_"):
            return self.fit(X)
        from segtopic.estimator.learning import learn_more

        with value_errors():
            if not isinstance(self.partial_epochs, Integral) or self.partial_epochs < 1:
                raise ParameterError(
                    f"partial_epochs is {self.partial_epochs!r}, but must be at least 1"
                )
            self.trained_ = learn_more(
                self.trained_,
                texts_of(X),
                int(self.partial_epochs),
                self._trainer(),
                self._callbacks(),
            )
        self._described = {}
        return self

    def transform(self, X: Any) -> FloatArray:
        """Shares of the topics in each text, ``(D, K)``; rows sum to one.

        A text without a known word has the shares that the model expects of any. Merged topics are
        one column; with ``set_output(transform="pandas")`` columns have the names of topics.
        """
        check_is_fitted(self)
        return self._shares(texts_of(X))

    def common_shares(self, X: Any) -> FloatArray:
        """How much of each text is words that all documents share, ``(D,)``; no topic has them."""
        check_is_fitted(self)
        return self._segmenter().common_shares(texts_of(X))

    def score(self, X: Any, y: Any = None) -> float:
        """Predictive log likelihood per word, in nats: higher is better.

        The topics of each text are inferred from the first three quarters of its words, and the
        rest is predicted; words outside the vocabulary do not count.
        """
        check_is_fitted(self)
        documents = self.trained_.encoder.encode(texts_of(X)).documents
        if not documents.n_words:
            raise TextError("none of the texts holds a word that the model knows: nothing to score")
        return predictive_log_likelihood(self.model_, documents, self.refine_steps).per_word

    def perplexity(self, X: Any, y: Any = None) -> float:
        """``exp(-score)``: among how many words the model hesitates; lower is better."""
        return math.exp(-self.score(X))

    @overload
    def segment(self, X: str) -> list[Phrase]: ...  # type: ignore[overload-overlap]
    @overload
    def segment(self, X: Sequence[str]) -> list[list[Phrase]]: ...
    def segment(self, X: Any) -> Any:
        """The phrases of a text, or of each of several texts, with offsets and probabilities."""
        if isinstance(X, str):
            return self._read([X])[0].phrases
        return [document.phrases for document in self._read(texts_of(X))]

    @overload
    def mark(self, X: str) -> list[Phrase]: ...  # type: ignore[overload-overlap]
    @overload
    def mark(self, X: Sequence[str]) -> list[list[Phrase]]: ...
    def mark(self, X: Any) -> Any:
        """The phrases that a reader would mark in a text, or in each of several texts.

        They have several words and no stop word at either end, and are probable enough; see
        :class:`~segtopic.segment.Marker`.
        """
        check_is_fitted(self)
        marker = Marker.of(self.trained_, self._segmenter())
        found = marker.mark([X] if isinstance(X, str) else texts_of(X))
        phrases = [document.phrases for document in found]
        return phrases[0] if isinstance(X, str) else phrases

    @overload
    def keyphrases(self, X: str, n: int = 10) -> list[KeyPhrase]: ...  # type: ignore[overload-overlap]
    @overload
    def keyphrases(self, X: Sequence[str], n: int = 10) -> list[list[KeyPhrase]]: ...
    def keyphrases(self, X: Any, n: int = 10) -> Any:
        """The ``n`` phrases that say most about a text, or about each of several texts.

        Best first, with a score and the place of every occurrence; see
        :class:`~segtopic.segment.KeyPhraseFinder`.
        """
        check_is_fitted(self)
        finder = KeyPhraseFinder.of(self.trained_, Marker.of(self.trained_, self._segmenter()))
        found = finder.find([X] if isinstance(X, str) else texts_of(X), n)
        return found[0] if isinstance(X, str) else found

    @overload
    def boundary_proba(self, X: str) -> FloatArray: ...  # type: ignore[overload-overlap]
    @overload
    def boundary_proba(self, X: Sequence[str]) -> list[FloatArray]: ...
    def boundary_proba(self, X: Any) -> Any:
        """Probability that a phrase ends after each known word of a text, or of several texts.

        Over all segmentations, not only the best one. The words are those of :meth:`segment`, one
        after the other; the last word of a span has probability one.
        """
        if isinstance(X, str):
            return self._read([X])[0].boundaries
        return [document.boundaries for document in self._read(texts_of(X))]

    def tokenize(self, text: str) -> list[str]:
        """The phrases of a text, words joined by ``_``, for other models.

        A fitted estimator can be called, with the same result. What clones its parts, such as
        ``GridSearchCV``, clones an estimator without what it has learned: give it this method.

        The topics are the encoder's, unrefined: that is ten times as fast for a single text, and
        99.8 % of the boundaries in sixty test documents of AP stay where they are.
        """
        if not isinstance(text, str):
            raise TextError(f"a text expected, but got {type(text).__name__}")
        check_is_fitted(self)
        (document,) = self._segmenter(refine_steps=0).segment([text])
        return ["_".join(phrase.words) for phrase in document.phrases]

    __call__ = tokenize

    def top_phrases(self, topic: int, n: int = 10) -> list[tuple[str, float, int]]:
        """The phrases that tell most about a topic: phrase, probability, count in training."""
        check_is_fitted(self)
        if not 0 <= topic < self.n_topics_:
            raise ParameterError(f"topic is {topic}, but must be one of 0 to {self.n_topics_ - 1}")
        if topic not in self.trained_.view.numbers:
            raise ParameterError(f"topic {topic} is merged into another one; ask for that one")
        (found,) = (found for found in self._topics(n) if found.number == topic)
        return [(term.text, term.probability, term.count) for term in found.phrases[:n]]

    def get_topics(self, n: int = 10) -> dict[int, list[tuple[str, float]]]:
        """The best phrases of every topic with their probabilities, the largest topic first."""
        check_is_fitted(self)
        return {
            topic.number: [(term.text, term.probability) for term in topic.phrases[:n]]
            for topic in self._topics(n)
        }

    def get_topic_info(self) -> pd.DataFrame:
        """A row for each topic: Topic, Count, Share, Name, Representation."""
        check_is_fitted(self)
        return topic_table(self.trained_, self._topics())

    def get_document_info(self, X: Any) -> pd.DataFrame:
        """A row for each text: Document, Topic, Name, Representation, Probability."""
        check_is_fitted(self)
        texts = texts_of(X)
        index = X.index if isinstance(X, pd.Series) else None
        numbers = self.trained_.view.numbers
        return document_table(self._topics(), numbers, texts, self._shares(texts), index)

    def save(self, folder: Path | str, *, overwrite: bool = False, documents: bool = True) -> None:
        """Write a folder that :meth:`load` and the command line can open.

        Args:
            folder: must not hold anything yet.
            overwrite: replace the model in the folder.
            documents: keep the training documents, their words and their texts, for the
                description of topics, the report and :meth:`partial_fit`; whoever has the folder
                can read them.
        """
        check_is_fitted(self)
        self.trained_ = self.trained_.save(folder, overwrite=overwrite, documents=documents)

    def report(self, page: Path | str, *, documents: int = 300, seed: int = 0) -> Path:
        """Write all that the model shows to one HTML page, as ``segtopic report`` does.

        Args:
            page: where; a page that is there is replaced.
            documents: how many documents to show, at most.
            seed: which ones.
        """
        check_is_fitted(self)
        from segtopic.report import write_report

        with TemporaryDirectory(prefix="segtopic-") as scratch:
            trained: TrainedModel = self.trained_
            if trained.folder is None or not trained.folder.exists():
                trained = trained.save(Path(scratch) / "model-in-memory")
            return write_report(trained, Path(page), documents, seed).path

    @classmethod
    def load(cls, folder: Path | str) -> "SegTopic":
        """Open a folder made by :meth:`save` or by ``segtopic train``; nothing is unpickled."""
        trained = load_run(folder)
        model = cls(**parameters_of(trained.config, cls._get_param_names()))
        model.trained_ = trained
        model._described = {}
        return model

    @property
    def model_(self) -> TopicModel:
        return self.trained_.model

    @property
    def vocabulary_(self) -> Vocabulary:
        return self.trained_.vocabulary

    @property
    def config_(self) -> RunConfig:
        return self.trained_.config

    @property
    def results_(self) -> Mapping[str, Any]:
        return self.trained_.results

    @property
    def n_topics_(self) -> int:
        return self.trained_.model.n_topics

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _read(self, texts: Sequence[str]) -> list[SegmentedDocument]:
        check_is_fitted(self)
        return self._segmenter().segment(texts)

    def _segmenter(self, refine_steps: int | None = None) -> Segmenter:
        steps = self.refine_steps if refine_steps is None else refine_steps
        return Segmenter.of(self.trained_, steps)

    def _topics(self, n_phrases: int = DESCRIBED_PHRASES) -> list[Topic]:
        """The topics with at least so many phrases, if there are so many, the largest first."""
        n_phrases = max(n_phrases, DESCRIBED_PHRASES)
        if n_phrases not in self._described:
            trained: TrainedModel = self.trained_
            self._described[n_phrases] = describe_topics(
                trained.model,
                trained.corpus.train,
                trained.vocabulary,
                n_phrases,
                view=trained.view,
            )
        return self._described[n_phrases]

    def _trainer(self) -> TrainerConfig:
        return TrainerConfig(accelerator=self.accelerator)

    def _callbacks(self) -> list[Any]:
        from segtopic.estimator.learning import topic_line

        return [topic_line()] if self.verbose else []
