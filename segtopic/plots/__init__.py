"""Plots for a notebook: a fitted model in, plotly figures and marked documents out.

    from segtopic import SegTopic, plots

    model = SegTopic(random_state=0).fit(docs)
    plots.overview(model)                    # the topics by their shares, with their phrases
    plots.topic_map(model)                   # topics with similar words lie close together
    plots.over_time(table)                   # columns: time, topic, share, low, high
    plots.document(model, docs[0])           # its phrases, marked; needs no plotly

A model is a fitted :class:`~segtopic.SegTopic` or a :class:`~segtopic.runs.TrainedModel`. Figures
are plotly's (``pip install segtopic[plots]``): change them as any other, ``figure.show()``,
``figure.write_html("topics.html")``. Colours are those of the report.
"""

from segtopic.plots.marked import MarkedDocument, document
from segtopic.plots.times import over_time
from segtopic.plots.topics import overview, topic_map

__all__ = ["MarkedDocument", "document", "over_time", "overview", "topic_map"]
