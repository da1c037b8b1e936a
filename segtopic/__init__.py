"""Topics made of phrases: one probabilistic model of topics and phrase boundaries.

The shapes used throughout the package:

- a *document* is a row of *spans*; a span is a run of words between known boundaries;
- the words of all spans stand one after the other; ``words[i]`` is the id of word ``i``, and
  ``spans`` (:class:`segtopic.lattice.Spans`) tells which words belong to which span;
- ``scores[i, l - 1]`` is the log probability of the segment of ``l`` words that starts at word
  ``i``; what would reach beyond the span's end is ignored, whatever it holds;
- ``ends[i]`` is true where a segment ends after word ``i``: a segmentation.

Letters in shape comments: ``N`` words, ``S`` spans, ``D`` documents, ``L`` longest segment,
``V`` vocabulary, ``H`` hidden units, ``K`` topics.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segtopic.estimator import SegTopic, Swan
    from segtopic.runs import load_run as load

__all__ = ["SegTopic", "Swan", "__version__", "load"]
__version__ = "0.1.0"

# Imported when asked for: they need torch, and 'segtopic --help' does not.
_LATER = {
    "SegTopic": ("segtopic.estimator", "SegTopic"),
    "Swan": ("segtopic.estimator", "Swan"),
    "load": ("segtopic.runs", "load_run"),
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        module, attribute = _LATER[name]
        return getattr(import_module(module), attribute)
    raise AttributeError(f"module 'segtopic' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATER])
