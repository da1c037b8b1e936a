"""What all plots share: plotly if it is there, topics and their colours, safe labels."""

import html
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from segtopic.errors import ConfigError
from segtopic.harmless import excerpt, for_page
from segtopic.report.topic_list import Topics, gather_topics
from segtopic.runs import TrainedModel

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

LONGEST_LABEL = 42
LAYOUT = {
    "template": "plotly_white",
    "font": {"family": "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif", "size": 13},
    "margin": {"l": 20, "r": 20, "t": 60, "b": 40},
    "showlegend": False,
}


def plotly(part: str) -> Any:
    """A module of plotly, which comes with an extra."""
    try:
        return import_module(f"plotly.{part}")
    except ImportError:
        raise ConfigError(
            "this plot needs plotly; install it with 'pip install segtopic[plots]'"
        ) from None


def new_figure(**layout: Any) -> "Figure":
    """An empty figure in the common style."""
    figure: Figure = plotly("graph_objects").Figure()
    figure.update_layout(**{**LAYOUT, **layout})
    return figure


def trained_of(model: Any) -> TrainedModel:
    """What a fitted estimator has learned, or the trained model itself."""
    trained = getattr(model, "trained_", model)
    if not isinstance(trained, TrainedModel):
        raise ConfigError(
            f"a fitted SegTopic or a TrainedModel expected, but got {type(model).__name__}"
        )
    return trained


@lru_cache(maxsize=4)
def topics_of(trained: TrainedModel) -> Topics:
    """The topics, the largest first; finding their phrases takes seconds, so they are kept."""
    return gather_topics(trained)


def label(text: str, longest: int = LONGEST_LABEL) -> str:
    """A name as plotly shows it: it takes tags in a text for its markup.

    >>> label("a <b>")
    'a &lt;b&gt;'
    """
    return html.escape(for_page(excerpt(text, longest)))


def colour(hue: int) -> str:
    """The colour of a topic as the report shows it on a light page: OKLCH in, sRGB out.

    >>> colour(255)
    '#4682cc'
    """
    return "#" + "".join(f"{level:02x}" for level in srgb(0.6, 0.13, hue))


def srgb(lightness: float, chroma: float, hue: float) -> list[int]:
    """Levels of red, green and blue; what no screen can show is cut off.

    >>> srgb(0.62796, 0.25768, 29.234)
    [255, 0, 0]
    """
    a, b = chroma * np.cos(np.radians(hue)), chroma * np.sin(np.radians(hue))
    # The matrices of the OKLab colour space (Ottosson 2020).
    cones = np.array([[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728]])
    cones = np.vstack([cones, [1, -0.0894841775, -1.2914855480]]) @ [lightness, a, b]
    linear = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.7076147010],
        ]
    ) @ (cones**3)
    linear = linear.clip(0, 1)
    levels = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return [round(255 * float(level)) for level in levels.clip(0, 1)]
