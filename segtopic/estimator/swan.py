"""``Swan``: sequences to sequences in scikit-learn's conventions.

    from segtopic import Swan

    model = Swan(max_segment_length=3, random_state=0).fit(pairs)  # [("CAT", "K AE T"), ...]
    model.predict(["CATS"])                    # ["K AE T S"]
    model.predict_n_best(["CATS"], n_best=3)   # outputs with probabilities
    model.align([("CAT", "K AE T")])           # which input emits which outputs
    model.score(held_out)                      # share of the inputs that are right

A sequence is a text, written as ``input_symbols`` or ``output_symbols`` say, or a list of symbols.
Texts in, texts out; lists in, tuples out.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from segtopic.config import SwanConfig
from segtopic.config.swan import CHARACTERS, DEFAULT_BEAM, SPACES
from segtopic.estimator.inputs import (
    ParameterError,
    entries_of,
    pairs_given,
    sequence_of,
    sequences_of,
    value_errors,
)
from segtopic.estimator.parameters import parameters_of_swan, swan_config
from segtopic.swan.error_rates import count_errors
from segtopic.swan.model import SwanModel
from segtopic.swan.predictor import AlignedPair, Prediction
from segtopic.swan.trained import TrainedSwan, load_swan


class Swan(BaseEstimator):
    """Sequences in, sequences out: each input emits one segment of outputs, maybe an empty one.

    Pairs are ``(input, output)``; several right outputs of an input are several pairs. A share of
    the inputs (``dev_share``, at least one) is not learned but tells which epoch is the best.

    Args:
        max_segment_length: Outputs that one input emits at most.
        input_symbols: How inputs that are texts are written: 'characters', symbols with 'spaces'
            between them, or with another separator.
        output_symbols: How outputs that are texts are written.
        carry_over: Whether each segment knows all outputs before it.
        units: Of each encoder layer and direction.
        layers: Of the encoder.
        segment_units: Of the segment network.
        embedding: Numbers that stand for a symbol.
        dropout: Share of the numbers between layers that is left out in training.
        epochs: How often every pair is seen.
        patience: Stop after so many epochs without a better one; all are trained if not given.
        batch_size: Pairs of a step.
        learning_rate: The highest one; it rises first, and then falls to zero.
        dev_share: Share of the inputs that tell which epoch is the best.
        beam: Candidates of the search in :meth:`predict` and :meth:`score`; 1 is greedy.
        settings: Any other setting of ``segtopic swan train`` that is about network or training,
            such as ``{"direction": "forward"}``, or ``{"on_bad_line": "skip"}`` to leave out pairs
            with more outputs than their inputs can emit.
        random_state: Seed of everything random.
        verbose: 1 for a line an epoch on the error stream.

    Attributes:
        trained_: The :class:`~segtopic.swan.trained.TrainedSwan`; the following are parts of it.
        model_: The :class:`~segtopic.swan.SwanModel`, a ``torch.nn.Module``.
        config_: The settings.
        results_: Figures of the best epoch on the development inputs.
        input_symbols_: The symbols of the inputs.
        output_symbols_: The symbols of the outputs.
    """

    def __init__(
        self,
        max_segment_length: int = 3,
        *,
        input_symbols: str = CHARACTERS,
        output_symbols: str = SPACES,
        carry_over: bool = True,
        units: int = 256,
        layers: int = 2,
        segment_units: int = 256,
        embedding: int = 128,
        dropout: float = 0.3,
        epochs: int = 20,
        patience: int | None = None,
        batch_size: int = 128,
        learning_rate: float = 2e-3,
        dev_share: float = 0.05,
        beam: int = DEFAULT_BEAM,
        settings: Mapping[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_segment_length = max_segment_length
        self.input_symbols = input_symbols
        self.output_symbols = output_symbols
        self.carry_over = carry_over
        self.units = units
        self.layers = layers
        self.segment_units = segment_units
        self.embedding = embedding
        self.dropout = dropout
        self.epochs = epochs
        self.patience = patience
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.dev_share = dev_share
        self.beam = beam
        self.settings = settings
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> "Swan":
        """Learn from pairs.

        Args:
            X: pairs of input and output, or the inputs.
            y: the outputs, if ``X`` holds the inputs.
        """
        from segtopic.estimator.learning import swan_line
        from segtopic.swan.run import check_possible, learn_entries, split

        with value_errors():
            config = swan_config(self.get_params(deep=False))
            parts = split(entries_of(X, y, config), config)
            check_possible(parts, config)
            lines = [swan_line()] if self.verbose else []
            with tempfile.TemporaryDirectory(prefix="segtopic-") as folder:
                self.trained_ = learn_entries(parts, config, Path(folder), lines)
        return self

    def predict(self, X: Any) -> list[Any]:
        """The best output of each input: a text for a text, a tuple of symbols for symbols."""
        return [candidates[0][0] for candidates in self.predict_n_best(X, 1)]

    def predict_n_best(self, X: Any, n_best: int = DEFAULT_BEAM) -> list[list[tuple[Any, float]]]:
        """The best outputs of each input with their probabilities, best first.

        The beam is at least as wide as ``n_best``.
        """
        separator = self._fitted().writing.output_separator
        given = sequences_of(X)
        return [
            [
                (separator.join(outputs) if isinstance(text, str) else outputs, probability)
                for outputs, probability in candidates
            ]
            for text, candidates in zip(given, self._searched(given, n_best), strict=True)
        ]

    def align(self, X: Any, y: Any = None) -> list[AlignedPair]:
        """Which input emits which outputs, for each pair; ``str()`` writes it as ``X:K+S U:_``.

        Arguments are those of :meth:`fit`. A pair that the model cannot say is an error.
        """
        trained = self._fitted()
        with value_errors():
            return trained.predictor.align(pairs_given(X, y, trained.config))

    def score(self, X: Any, y: Any = None) -> float:
        """The share of the inputs whose best output is right; arguments are those of :meth:`fit`.

        An output is right if it equals any of the outputs that its input has in the pairs.
        """
        with value_errors():
            entries = entries_of(X, y, self._fitted().config)
        found = self._searched([entry.inputs for entry in entries], 1)
        best = [candidates[0].outputs for candidates in found]
        return 1 - count_errors(best, [entry.references for entry in entries]).word_error

    def save(self, folder: Path | str, *, overwrite: bool = False) -> None:
        """Write a folder that :meth:`load` and the command line can open.

        Args:
            folder: must not hold anything yet.
            overwrite: replace the model in the folder.
        """
        self._fitted().save(folder, overwrite=overwrite)

    @classmethod
    def load(cls, folder: Path | str) -> "Swan":
        """Open a folder made by :meth:`save` or ``segtopic swan train``; nothing is unpickled."""
        trained = load_swan(folder)
        model = cls(**parameters_of_swan(trained.config, cls._get_param_names()))
        model.trained_ = trained
        return model

    @property
    def model_(self) -> SwanModel:
        return self.trained_.predictor.model

    @property
    def config_(self) -> SwanConfig:
        return self.trained_.config

    @property
    def results_(self) -> Mapping[str, Any]:
        return self.trained_.results

    @property
    def input_symbols_(self) -> tuple[str, ...]:
        return self.trained_.predictor.inputs.symbols

    @property
    def output_symbols_(self) -> tuple[str, ...]:
        return self.trained_.predictor.outputs.symbols

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def _fitted(self) -> TrainedSwan:
        check_is_fitted(self)
        trained: TrainedSwan = self.trained_
        return trained

    def _searched(self, given: Sequence[Any], n_best: int) -> list[list[Prediction]]:
        trained = self._fitted()
        for name, value in (("beam", self.beam), ("n_best", n_best)):
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise ParameterError(f"{name} is {value!r}, but must be a whole number above 0")
        separator = trained.writing.input_separator
        with value_errors():
            inputs = [sequence_of(each, separator) for each in given]
            return trained.predictor.predict(inputs, beam=max(self.beam, n_best), n_best=n_best)
