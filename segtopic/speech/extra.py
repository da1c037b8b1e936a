"""Libraries that only speech needs: ``pip install 'segtopic[speech]'``."""

from importlib import import_module
from typing import Any

from segtopic.errors import ConfigError


def soundfile() -> Any:
    """Reads and writes sound files."""
    return _imported("soundfile")


def kaldi_native_fbank() -> Any:
    """Kaldi's filter banks."""
    return _imported("kaldi_native_fbank")


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except (ImportError, OSError) as error:
        raise ConfigError(
            f"sound needs the library {name} ({error}); install it with "
            "pip install 'segtopic[speech]'"
        ) from None
