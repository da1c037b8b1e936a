"""``model.safetensors``: a model in, its weights on disk, and back.

Weights are learned in single precision and used in double. So the topics and segments of a document
do not depend, in any digit that matters, on the documents that share its batch.
"""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from segtopic.config import ModelConfig
from segtopic.errors import RunError
from segtopic.files import write_atomically
from segtopic.model.build import build_model
from segtopic.model.topic_model import TopicModel


def for_use(model: TopicModel) -> TopicModel:
    """A trained model, ready to infer: in double precision, nothing dropped."""
    return model.double().eval()


def save_weights(path: Path, model: TopicModel) -> None:
    """Write the file, in single precision where nothing is lost by it."""
    write_atomically(
        path, save({name: _stored(tensor) for name, tensor in model.state_dict().items()})
    )


def load_weights(path: Path, config: ModelConfig) -> TopicModel:
    """The model of the file, ready for use; it must be the one that the settings describe."""
    try:
        weights = load(path.read_bytes())
        _check_sizes(config, weights)
        model = build_model(config, _vocabulary_size(weights))
        model.load_state_dict(weights)
    except (OSError, SafetensorError, RuntimeError, KeyError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0]
        raise RunError(f"{path}: is damaged or of other settings ({reason})") from None
    return for_use(model)


def _stored(tensor: Tensor) -> Tensor:
    tensor = tensor.detach().cpu().contiguous()
    if tensor.dtype == torch.float64 and torch.equal(tensor.float().double(), tensor):
        return tensor.float()
    return tensor


def _check_sizes(config: ModelConfig, weights: Mapping[str, Tensor]) -> None:
    """Refuse settings that do not fit the weights, before they take any memory."""
    with torch.device("meta"):
        model = build_model(config, _vocabulary_size(weights))
    for name, parameter in model.named_parameters():
        if weights[name].shape != parameter.shape:
            found, wanted = tuple(weights[name].shape), tuple(parameter.shape)
            raise ValueError(f"{name} is {found}, but by the settings {wanted}")


def _vocabulary_size(weights: Mapping[str, Tensor]) -> int:
    return len(weights["encoder.words.weight"])
