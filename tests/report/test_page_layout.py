"""The map of topics as geometry: on random maps no label stands where it must not."""

import numpy as np
import pytest

from segtopic.report.document import PAGE
from tests.report.browser import NEEDS_CHROMIUM, emulate, every, until

pytestmark = NEEDS_CHROMIUM
LETTER, EDGE = 6.7, 4.0  # width of a letter, and of what is kept free around a label
LAY_OUT = """
return arguments[0].map(({ topics, names, width, height }) => {
  const measure = (text) => 6.7 * [...text].length + 4;
  const spots = layOut(topics, width, height);
  return { spots, labels: labelPlaces(spots, names, width, height, measure), large: LARGE };
});
"""


def random_map(generator, kind):
    """Topics, names and a size; the largest topics first."""
    n = 1 if kind == "alone" else int(generator.integers(2, 60 if kind != "crowded" else 180))
    concentration = {"one giant": 0.05, "equal": 1000.0}.get(kind, 0.6)
    shares = np.sort(generator.dirichlet(np.full(n, concentration)))[::-1]
    places = np.full((n, 2), 0.5) if kind == "one place" else generator.random((n, 2))
    letters = ["\u6f22"] if kind == "no spaces" else list("abcdefgh    ")
    names = [
        "x" + "".join(generator.choice(letters, size=generator.integers(1, 32))).strip()
        for _ in range(n)
    ]
    width = int(generator.integers(240, 720))
    return {
        "topics": [
            {"x": x, "y": y, "share": share}
            for (x, y), share in zip(places.tolist(), shares.tolist(), strict=True)
        ],
        "names": names,
        "width": width,
        "height": round(width * float(generator.uniform(0.8, 1.2))),
    }


def gap_to_circle(box, circle):
    """How far a rectangle is from the edge of a circle; negative if it stands on it."""
    left, top, right, bottom = box
    dx = max(left - circle["x"], 0, circle["x"] - right)
    dy = max(top - circle["y"], 0, circle["y"] - bottom)
    return float(np.hypot(dx, dy)) - circle["r"]


def crossing(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize(
    "kind", ["usual", "crowded", "one giant", "equal", "one place", "no spaces", "alone"]
)
def test_labels_stand_where_they_may(chromium, kind):
    generator = np.random.default_rng(list(kind.encode()))
    maps = [random_map(generator, kind) for _ in range(12)]
    script = (PAGE / "layout.js").read_text(encoding="utf-8")
    laid_out = chromium.execute_script(script + LAY_OUT, maps)
    for given, found in zip(maps, laid_out, strict=True):
        spots, labels, width = found["spots"], found["labels"], given["width"]
        assert len(spots) == len(given["topics"])
        for number, spot in enumerate(spots):
            assert spot["r"] <= spot["x"] <= width - spot["r"]
            assert spot["r"] <= spot["y"] <= given["height"] - spot["r"]
            for other in spots[:number]:
                apart = np.hypot(spot["x"] - other["x"], spot["y"] - other["y"])
                assert apart > spot["r"] + other["r"]
        labelled = {label["number"] for label in labels}
        large = {number for number, spot in enumerate(spots) if spot["r"] >= found["large"]}
        assert large <= labelled
        for place, label in enumerate(labels):
            box = label["box"]
            assert min(box) >= 0
            assert box[2] <= width
            assert box[3] <= given["height"]
            longest = max(len(line) for line in label["lines"])
            assert box[2] - box[0] == pytest.approx(LETTER * longest + EDGE)
            shown = " ".join(label["lines"])
            assert given["names"][label["number"]].startswith(shown.removesuffix("\u2026"))
            anchors = {"start": box[0], "middle": (box[0] + box[2]) / 2, "end": box[2]}
            assert label["x"] == pytest.approx(anchors[label["anchor"]])
            others = [spot for number, spot in enumerate(spots) if number != label["number"]]
            assert all(gap_to_circle(box, spot) >= 0 for spot in others)
            assert not any(crossing(box, other["box"]) for other in labels[:place])


@pytest.mark.parametrize("width", [1280, 390])
def test_labels_as_they_are_drawn_stand_on_no_other_circle(page, width):
    emulate(page, scheme="light", width=width)
    until(page, lambda driver: every(driver, "#map text"))
    circles, labels = page.execute_script(
        "return [[...document.querySelectorAll('#map circle')].map((c) => ({"
        "x: c.cx.baseVal.value, y: c.cy.baseVal.value, r: c.r.baseVal.value})),"
        "[...document.querySelectorAll('#map text')].map((text) => {"
        "const { x, y, width, height } = text.getBBox();"
        "return { topic: Number(text.dataset.topic), box: [x, y, x + width, y + height] };"
        "})]"
    )
    assert {label["topic"] for label in labels} == {0, 1, 2}
    for label in labels:
        others = [circle for n, circle in enumerate(circles) if n != label["topic"]]
        assert all(gap_to_circle(label["box"], circle) >= 0 for circle in others)


def test_far_topics_come_nearer_but_pass_no_other(chromium):
    script = (PAGE / "layout.js").read_text(encoding="utf-8")
    given = np.random.default_rng(7).random((30, 2)) * 0.2
    given[:2] += 0.8  # two that are far from all others
    topics = [{"x": x, "y": y} for x, y in given.tolist()]
    found = chromium.execute_script(script + "return spread(arguments[0]);", topics)
    places = np.array([[each["x"], each["y"]] for each in found])
    assert places.min() >= 0
    assert places.max() <= 1
    assert np.ptp(places, axis=0).max() == pytest.approx(1)
    before = given - given.mean(0)
    # The middle is where a topic of the middle would stand: all directions from it are kept.
    directions = before / np.linalg.norm(before, axis=1, keepdims=True)
    normals = np.stack([-directions[:, 1], directions[:, 0]], axis=1)
    middle = np.linalg.lstsq(normals, (normals * places).sum(1), rcond=None)[0]
    after = places - middle
    np.testing.assert_allclose((normals * after).sum(1), 0, atol=1e-9)
    far, near = np.linalg.norm(before, axis=1), np.linalg.norm(after, axis=1)
    assert (np.diff(near[np.argsort(far)]) >= -1e-9).all()
    assert np.median(near) / near.max() > np.median(far) / far.max()
