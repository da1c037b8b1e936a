"""Why a training met a number that is none: the batch and the documents, in one sentence."""

from collections.abc import Sequence

from torch import Tensor, nn

from segtopic.errors import TrainingError
from segtopic.training.data import TopicData

SHOWN = 3
REMEDY = "lower learning_rate, weight_decay or trainer.gradient_clip, or look at the documents"


def broken_loss(
    model: nn.Module, data: TopicData, epoch: int, batch: int, by_document: Tensor
) -> TrainingError:
    """For a batch (both counted from 0) whose documents have these values, ``(D,)``."""
    kind = "nan" if bool(by_document.isnan().any()) else "infinite"
    if has_broken_weights(model) and batch > 0:
        # The loss of the batch before was a number, its gradient was not.
        documents = named(data.training_names(batch - 1))
        what = f"the weights are no numbers after batch {batch} of epoch {epoch + 1}, {documents}"
    else:
        documents = named(_broken(by_document, data.training_names(batch)))
        what = f"the loss is {kind} in batch {batch + 1} of epoch {epoch + 1}, by {documents}"
    return TrainingError(f"{what}; {_remedy(epoch)}")


def broken_development(
    model: nn.Module, data: TopicData, epoch: int, batch: int, by_document: Tensor
) -> TrainingError:
    """The same for a batch of development documents after an epoch."""
    if has_broken_weights(model):
        last = len(data.training) - 1
        documents = named(data.training_names(last))
        what = f"the weights are no numbers after the last batch of epoch {epoch + 1}, {documents}"
    else:
        documents = named(_broken(by_document, data.development_names(batch)))
        what = f"the development likelihood is no number after epoch {epoch + 1}, by {documents}"
    return TrainingError(f"{what}; {_remedy(epoch)}")


def has_broken_weights(model: nn.Module) -> bool:
    """Whether a weight is infinite or not a number."""
    return any(not bool(weight.isfinite().all()) for weight in model.parameters())


def named(names: Sequence[str]) -> str:
    """The first few of them."""
    shown = ", ".join(f"'{name}'" for name in names[:SHOWN])
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"document{'s' if len(names) > 1 else ''} {shown}{more}"


def _broken(by_document: Tensor, names: Sequence[str]) -> Sequence[str]:
    """The documents whose own values are not finite; all, if only the sum is not."""
    found = [name for name, value in zip(names, by_document, strict=True) if not value.isfinite()]
    return found or names


def _remedy(epoch: int) -> str:
    if epoch == 0:
        return REMEDY
    return f"{REMEDY}, or keep the best epoch so far with --resume --epochs {epoch}"
