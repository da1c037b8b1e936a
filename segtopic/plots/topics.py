"""Topics at a glance: a model in, bars of their shares or a map out, as plotly figures."""

from typing import TYPE_CHECKING, Any

from segtopic.errors import ConfigError
from segtopic.plots.drawing import LONGEST_LABEL, colour, label, new_figure, topics_of, trained_of
from segtopic.report.topic_list import ShownTopic

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

BAR_HEIGHT = 34
LARGEST_CIRCLE = 90
MAP_HEIGHT = 620
# As shares of the map's sides: a letter of a name, and a line. Wide maps have more room than that.
LETTER, LINE = 0.0095, 0.05


def overview(model: Any, n_topics: int | None = None, n_phrases: int = 6) -> "Figure":
    """The topics as bars of their shares, the largest first, with their phrases.

    Args:
        model: a fitted estimator or a trained model.
        n_topics: only so many of the largest.
        n_phrases: beside each bar; up to twelve show under the pointer.
    """
    if n_topics is not None and n_topics < 1:
        raise ConfigError(f"n_topics is {n_topics}, but must be at least 1")
    shown = topics_of(trained_of(model)).shown[:n_topics]
    figure = new_figure(
        title="Topics by their share of the training documents",
        height=120 + BAR_HEIGHT * len(shown),
        bargap=0.35,
    )
    largest = max(topic.share for topic in shown)
    figure.add_bar(
        y=[topic.number for topic in shown],
        x=[topic.share for topic in shown],
        orientation="h",
        marker={"color": [colour(topic.hue) for topic in shown]},
        text=[f"{topic.share:.1%}  {label(_phrases(topic, n_phrases), 110)}" for topic in shown],
        textposition="outside",
        cliponaxis=False,
        hovertext=[_under_the_pointer(topic) for topic in shown],
        hoverinfo="text",
    )
    figure.update_yaxes(
        type="category",
        autorange="reversed",
        categoryorder="array",
        categoryarray=[topic.number for topic in shown],
        title="topic",
    )
    # Room for the phrases beside the longest bar.
    figure.update_xaxes(range=[0, 3 * largest], visible=False)
    return figure


def topic_map(model: Any) -> "Figure":
    """The topics as circles: topics with similar words lie close together, as in the report.

    Args:
        model: a fitted estimator or a trained model.
    """
    shown = topics_of(trained_of(model)).shown
    figure = new_figure(title="Topics with similar words lie close together", height=MAP_HEIGHT)
    largest = max(topic.share for topic in shown)
    figure.add_scatter(
        x=[topic.place[0] for topic in shown],
        y=[-topic.place[1] for topic in shown],  # the report's map begins at the top
        mode="markers+text",
        marker={
            "size": [topic.share for topic in shown],
            "sizemode": "area",
            "sizeref": 2 * largest / LARGEST_CIRCLE**2,
            "sizemin": 4,
            "color": [colour(topic.hue) for topic in shown],
            "opacity": 0.65,
            "line": {"width": 1, "color": [colour(topic.hue) for topic in shown]},
        },
        text=_names_with_room(shown),
        textposition="middle center",
        cliponaxis=False,
        hovertext=[_under_the_pointer(topic) for topic in shown],
        hoverinfo="text",
    )
    figure.update_xaxes(visible=False, range=[-0.15, 1.15])
    figure.update_yaxes(visible=False, range=[-1.15, 0.15])
    return figure


def _names_with_room(shown: list[ShownTopic]) -> list[str]:
    """The name of each topic, or nothing where it would stand on that of a larger one."""
    boxes: list[tuple[float, float, float]] = []  # middle, and half of the width
    names = []
    for topic in shown:
        name = label(topic.label)
        (x, y), half = topic.place, LETTER * min(len(topic.label), LONGEST_LABEL) / 2
        free = all(abs(y - b) > LINE or abs(x - a) > half + width for a, b, width in boxes)
        if free:
            boxes.append((x, y, half))
        names.append(name if free else "")
    return names


def _phrases(topic: ShownTopic, n_phrases: int) -> str:
    return ", ".join(phrase.text for phrase in topic.phrases[:n_phrases]) or topic.label


def _under_the_pointer(topic: ShownTopic) -> str:
    """Lines of plotly's own markup around names that are escaped."""
    lines = [f"<b>{label(topic.label)}</b>", f"topic {topic.number}: {topic.share:.1%}"]
    lines += [
        f"{label(phrase.text)}  {phrase.probability:.2%}, {phrase.count:,} times"
        for phrase in topic.phrases
    ]
    return "<br>".join(lines)
