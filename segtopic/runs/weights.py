"""``model.safetensors``: a model in, its weights on disk, and back.

Weights are learned in single precision and used in double. So the topics and segments of a document
do not depend, in any digit that matters, on the documents that share its batch.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from segtopic.config import ModelConfig
from segtopic.errors import RunError
from segtopic.files import write_atomically
from segtopic.model.build import build_model
from segtopic.model.topic_model import TopicModel

Model = TypeVar("Model", bound=nn.Module)


def for_use(model: Model) -> Model:
    """A trained model, ready to infer: in double precision, nothing dropped and nothing learned."""
    return model.double().eval().requires_grad_(False)


def save_weights(path: Path, model: nn.Module) -> None:
    """Write the file, in single precision where nothing is lost by it."""
    write_atomically(
        path, save({name: _stored(tensor) for name, tensor in model.state_dict().items()})
    )


def load_weights(path: Path, config: ModelConfig) -> TopicModel:
    """The topic model of the file, ready for use; it must be the one of the settings."""

    def build(weights: Mapping[str, Tensor]) -> TopicModel:
        return build_model(config, len(weights["encoder.words.weight"]))

    return load_model(path, build)


def load_model(path: Path, build: Callable[[Mapping[str, Tensor]], Model]) -> Model:
    """The model of the file, ready for use; ``build`` makes one that its weights must fit."""
    try:
        weights = load(path.read_bytes())
        # Settings that do not fit take no memory: what is not written to is not there yet.
        with _Uninitialised():
            model = build(weights)
        _check_sizes(model, weights)
        model.load_state_dict(weights, assign=True)
    except (OSError, SafetensorError, RuntimeError, KeyError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise RunError(f"{path}: is damaged or of other settings ({reason})") from None
    return for_use(model)


def _stored(tensor: Tensor) -> Tensor:
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype == torch.float64 and torch.equal(tensor.float().double(), tensor):
        return tensor.float()
    return tensor


class _Uninitialised(TorchFunctionMode):
    """Leaves out random numbers that are replaced at once.

    (torch's device without memory would do, too, but imports its compiler: 1.7 s, as long as torch
    itself takes.)
    """

    def __torch_function__(
        self, function: Any, types: Any, arguments: Any = (), settings: Any = None
    ) -> Any:
        settings = settings or {}
        if getattr(function, "__module__", None) == "torch.nn.init":
            return settings["tensor"] if "tensor" in settings else arguments[0]
        return function(*arguments, **settings)


def _check_sizes(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Refuse settings that do not fit the weights."""
    for name, parameter in model.named_parameters():
        if weights[name].shape != parameter.shape:
            found, wanted = tuple(weights[name].shape), tuple(parameter.shape)
            raise ValueError(f"{name} is {found}, but by the settings {wanted}")
