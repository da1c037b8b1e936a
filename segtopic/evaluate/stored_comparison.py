"""A comparison kept in its run: rows in, ``comparison.json`` out, and back.

The file names the weights that were compared, so that it never speaks for a model trained later.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from segtopic.errors import RunError
from segtopic.evaluate.bootstrap import Interval
from segtopic.evaluate.comparison import ComparisonRow
from segtopic.files import content_digest, digest_of, write_atomically
from segtopic.runs import TrainedModel
from segtopic.runs.folder import WEIGHTS

COMPARISON = "comparison.json"
FORMAT, FORMAT_VERSION = "segtopic-comparison", 2
Command = Literal["compare", "train"]


@dataclass(frozen=True)
class StoredComparison:
    """What ``segtopic compare`` found, or ``segtopic train`` at its end.

    Attributes:
        rows: One for each model.
        quick: Whether the baselines were tuned over the small grid only.
        by: The command that compared; ``train`` has but one LDA.
    """

    rows: list["StoredRow"]
    quick: bool
    by: Command = "compare"


@dataclass(frozen=True)
class StoredRow:
    """One model of a comparison, without its scores; see :class:`ComparisonRow`."""

    name: str
    settings: dict[str, Any]
    test: Interval
    reference_ahead: Interval | None
    fit_seconds: float | None


def save_comparison(
    run: TrainedModel, rows: Sequence[ComparisonRow], quick: bool, by: Command = "compare"
) -> None:
    """``comparison.json`` in the folder of the run."""
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "weights": weights_digest(run),
        "quick": quick,
        "by": by,
        "models": [row.to_dict() for row in rows],
    }
    content["digest"] = content_digest(content)
    write_atomically(run.saved_folder / COMPARISON, json.dumps(content, indent=2) + "\n")


def load_comparison(run: TrainedModel) -> StoredComparison | None:
    """The comparison, or ``None`` if the present weights were never compared."""
    path = run.saved_folder / COMPARISON
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format_version"] != FORMAT_VERSION or content["weights"] != weights_digest(run):
            return None
        if content.pop("digest") != content_digest(content):
            raise ValueError("its content has another digest")
        by: Command = "train" if content.get("by") == "train" else "compare"
        return StoredComparison([_row(m) for m in content["models"]], bool(content["quick"]), by)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RunError(
            f"{path}: is damaged ({error}); make it again with 'segtopic compare {run.folder}'"
        ) from None


def weights_digest(run: TrainedModel) -> str:
    """SHA-256 of the weights of a run."""
    return digest_of(run.saved_folder / WEIGHTS).partition(":")[2]


def _row(model: dict[str, Any]) -> StoredRow:
    ahead, seconds = model["reference_ahead"], model["fit_seconds"]
    return StoredRow(
        name=str(model["name"]),
        settings=dict(model["settings"]),
        test=_interval(model["test"]),
        reference_ahead=None if ahead is None else _interval(ahead),
        fit_seconds=None if seconds is None else float(seconds),
    )


def _interval(values: dict[str, float]) -> Interval:
    return Interval(float(values["mean"]), float(values["low"]), float(values["high"]))
