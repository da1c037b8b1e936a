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
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from segtopic.config import TrainerConfig
from segtopic.corpus import Corpus, corpus_from_texts
from segtopic.corpus.prepare import with_prepared_settings, with_settings_of
from segtopic.estimator.exploring import Exploring
from segtopic.estimator.inputs import ParameterError, TextError, texts_of, value_errors
from segtopic.estimator.parameters import parameters_of, run_config
from segtopic.estimator.reading import Reading
from segtopic.evaluate.predictive import predictive_log_likelihood
from segtopic.runs import TrainedModel, load_run
from segtopic.segment.segmented import FloatArray


class SegTopic(Exploring, Reading, TransformerMixin, BaseEstimator):
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
        learning_rate: Of Adam; by the number of documents if not given.
        kl_warmup: Epochs over which the divergence from the prior gets its full weight.
        patience: Stop after so many epochs without a better development likelihood.
        dev_share: Share of the documents for early stopping.
        refine_steps: Gradient steps that refine a document's topics; 0 leaves them to the encoder.
            If not given, 0 where there are 100,000 words to learn from, else 15.
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
        learning_rate: float | None = None,
        kl_warmup: int | None = None,
        patience: int = 5,
        dev_share: float = 0.1,
        refine_steps: int | None = None,
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
        self._described = {}
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
        return predictive_log_likelihood(self.model_, documents, self._refine_steps()).per_word

    def perplexity(self, X: Any, y: Any = None) -> float:
        """``exp(-score)``: among how many words the model hesitates; lower is better."""
        return math.exp(-self.score(X))

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _trainer(self) -> TrainerConfig:
        return TrainerConfig(accelerator=self.accelerator)

    def _callbacks(self) -> list[Any]:
        from segtopic.estimator.learning import topic_line

        return [topic_line()] if self.verbose else []
