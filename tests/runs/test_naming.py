"""``names.yaml``: what is written comes back, and what is wrong is told in one sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.errors import RunError
from segtopic.runs.naming import NAMES, Naming

N_TOPICS = 8
printable = st.text(min_size=1, max_size=20).filter(
    lambda text: text.isprintable() and text.strip()
)


@st.composite
def namings(draw):
    order = draw(st.permutations(range(N_TOPICS)))
    sizes = draw(st.lists(st.integers(2, 3), max_size=2))
    groups, begin = [], 0
    for size in sizes:
        groups.append(tuple(order[begin : begin + size]))
        begin += size
    names = draw(st.lists(printable, unique=True, max_size=N_TOPICS))
    return Naming(dict(zip(order, names, strict=False)), tuple(groups))


@given(naming=namings())
def test_what_is_saved_is_loaded(tmp_path_factory, naming):
    folder = tmp_path_factory.mktemp("naming")
    naming.save(folder)
    assert Naming.load(folder, N_TOPICS) == naming
    assert (folder / NAMES).exists() == bool(naming.names or naming.merged)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("names: {9: x}", "topic 9 is named, but the topics are 0 to 7"),
        ("merged: [[0, 8]]", "topic 8 is merged, but"),
        ("merged: [[0, 1], [1, 2]]", "topic 1 is merged twice"),
        ("merged: [[0]]", "fewer than two topics"),
        ("names: {0: x, 1: x}", "two topics have the name 'x'"),
        ('names: {0: "a\\eb"}', "is no name"),
        ("names: {0: ' '}", "is no name"),
        ("names: {a: x}", "must have lines such as"),
        ("names: {true: x}", "must have lines such as"),
        ("names: [x]", "must have lines such as"),
        ("merged: {0: 1}", "must have rows of topic numbers"),
        ("other: 1", "nothing but 'names' and 'merged'"),
        ("- 1", "nothing but 'names' and 'merged'"),
        ("names: !!python/object/apply:os.getcwd []", "cannot be read"),
        ("names: {", "cannot be read"),
        ("[" * 5000, "cannot be read"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, content, reason):
    (tmp_path / NAMES).write_text(content)
    with pytest.raises(RunError, match=r"correct or remove it$") as caught:
        Naming.load(tmp_path, N_TOPICS)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_inside_a_merged_topic_may_be_anothers():
    assert Naming({0: "x", 1: "x"}, ((0, 1),)).problem(N_TOPICS) is None
