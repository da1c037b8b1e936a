"""Merged topics: shares add up, fused models are exact, trees are those of Ward's method."""

import copy
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from segtopic.cli import main
from segtopic.errors import ConfigError
from segtopic.evaluate.predictive import predictive_log_likelihood
from segtopic.runs import load_run
from segtopic.runs.naming import NAMES, Naming
from segtopic.runs.view import TopicView
from segtopic.topics.dendrogram import tree_lines, tree_page, tree_svg
from segtopic.topics.fuse import fused, merge_cost
from segtopic.topics.merging import joined
from segtopic.topics.ranking import labels
from segtopic.topics.shares import topic_shares
from segtopic.topics.tree import topic_tree
from tests.training.runs import planted_run


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """Twice as many topics as were planted."""
    folder = tmp_path_factory.mktemp("merging")
    return planted_run(folder, n_topics=6, epochs=6, refine_steps=4).folder


@pytest.fixture
def fresh(run_folder):
    (run_folder / NAMES).unlink(missing_ok=True)
    yield run_folder
    (run_folder / NAMES).unlink(missing_ok=True)


def told(capsys, *arguments):
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments):
    capsys.readouterr()
    assert main(list(map(str, arguments))) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def test_in_a_fused_model_only_the_sum_of_merged_shares_matters(run_folder):
    trained = load_run(run_folder)
    view = TopicView.of(Naming(merged=((1, 4), (0, 2))), 6)
    theta = topic_shares(trained.model, trained.corpus.train)
    model = fused(trained.model, view, theta)
    moved = theta.clone()
    moved[:, 1], moved[:, 4] = theta[:, 1] + 0.7 * theta[:, 4], 0.3 * theta[:, 4]
    assert not torch.allclose(moved, theta)
    torch.testing.assert_close(
        model.first_word_distribution(moved), model.first_word_distribution(theta)
    )
    before = trained.model.first_word_distribution(moved)
    assert not torch.allclose(before, trained.model.first_word_distribution(theta))


def test_a_fused_model_says_of_average_documents_what_the_model_says(run_folder):
    """The members of a group in their usual proportions: nothing is changed for such documents."""
    trained = load_run(run_folder)
    view = TopicView.of(Naming(merged=((1, 4, 5),)), 6)
    theta = topic_shares(trained.model, trained.corpus.train)
    usual = view.shares(theta) @ view.mixtures(theta)
    torch.testing.assert_close(
        fused(trained.model, view, theta).first_word_distribution(usual),
        trained.model.first_word_distribution(usual),
    )


def test_fusing_nothing_changes_no_likelihood_and_no_weight(run_folder):
    trained = load_run(run_folder)
    before = copy.deepcopy(trained.model.state_dict())
    theta = topic_shares(trained.model, trained.corpus.train)
    same = fused(trained.model, TopicView.of(Naming(), 6), theta)
    fused(trained.model, TopicView.of(Naming(merged=((0, 1),)), 6), theta)
    for name, value in trained.model.state_dict().items():
        assert torch.equal(value, before[name])
        torch.testing.assert_close(same.state_dict()[name], value)


def test_the_cost_of_a_merge_is_the_fused_models(run_folder):
    trained = load_run(run_folder)
    view = TopicView.of(Naming(merged=((0, 1, 2, 3, 4, 5),)), 6)
    cost = merge_cost(trained, view)
    model = fused(trained.model, view, topic_shares(trained.model, trained.corpus.train))
    after = predictive_log_likelihood(model, trained.test, trained.config.refine_steps)
    assert cost.after.mean == pytest.approx(after.per_word)
    assert cost.difference.mean == pytest.approx(cost.after.mean - cost.before.mean)
    assert cost.difference.high < 0  # a planted corpus without topics is badly predicted


def test_reducing_to_the_planted_number_finds_the_planted_topics(fresh, capsys):
    found = told(capsys, "merge", fresh, "--to", "3")
    assert (found["topics"], found["model_topics"]) == (3, 6)
    assert abs(found["likelihood"]["difference"]["mean"]) < 0.05
    listed = told(capsys, "topics", fresh)["topics"]
    assert len(listed) == 3
    assert sum(topic["share"] for topic in listed) == pytest.approx(1)
    rows = [json.loads(line) for line in output(capsys, "apply", fresh, "--json").splitlines()]
    best = np.array([row["best_topic_number"] for row in rows])
    planted = np.arange(len(rows)) % 3
    agreeing = sum(np.bincount(best[planted == topic]).max() for topic in range(3))
    assert agreeing > 0.9 * len(rows)
    assert told(capsys, "merge", fresh, "--undo")["topics"] == 6


def output(capsys, *arguments):
    capsys.readouterr()
    assert main(list(map(str, arguments))) == 0
    return capsys.readouterr().out


def test_names_are_used_everywhere(fresh, tmp_path, capsys):
    output(capsys, "merge", fresh, "2+0", "--no-likelihood")
    output(capsys, "names", fresh, "2=Rivers & <lakes>", "1==1+1")
    listed = {topic["number"]: topic for topic in told(capsys, "topics", fresh)["topics"]}
    assert set(listed) == {1, 2, 3, 4, 5}
    assert (listed[2]["label"], listed[1]["label"]) == ("Rivers & <lakes>", "=1+1")
    header = output(capsys, "apply", fresh, "--limit", "1").splitlines()[0]
    assert "Rivers & <lakes>" in header
    assert ",'=1+1," in header
    (tmp_path / "new.txt").write_text("bababa")
    segmented = output(capsys, "segment", fresh, tmp_path / "new.txt", "--format", "jsonl")
    named = json.loads(segmented)["named_topics"]
    assert list(named) == ["=1+1", "Rivers & <lakes>", "topic 3", "topic 4", "topic 5"]
    assert sum(named.values()) == pytest.approx(1, abs=1e-4)
    main(["report", str(fresh), "-o", str(tmp_path / "page.html"), "--documents", "3"])
    page = (tmp_path / "page.html").read_text()
    assert r"Rivers \u0026 \u003clakes\u003e" in page
    assert "<lakes>" not in page
    from segtopic import SegTopic

    assert "Rivers & <lakes>" in SegTopic.load(fresh).get_topic_info()["Name"].tolist()
    names = {row["topic"]: row for row in told(capsys, "names", fresh)["topics"]}
    assert names[2]["members"] == [2, 0]
    assert names[2]["by_hand"]
    assert not names[3]["by_hand"]
    output(capsys, "names", fresh, "2=")
    assert told(capsys, "names", fresh, "--clear")["topics"][0]["by_hand"] is False


def test_names_for_an_editor(fresh, capsys):
    output(capsys, "names", fresh, "3=Mine", "--write")
    naming = Naming.load(fresh, 6)
    assert naming.names[3] == "Mine"
    assert set(naming.names) == set(range(6))


def test_what_is_wrong_is_told_and_changes_nothing(fresh, capsys):
    assert "write NUMBER=NAME" in refused(capsys, "names", fresh, "three=x")
    assert "topic 9 is named" in refused(capsys, "names", fresh, "9=x")
    assert "two topics have the name 'x'" in refused(capsys, "names", fresh, "1=x", "2=x")
    assert "is no name" in refused(capsys, "names", fresh, "1=a\x1bb")
    assert "there is no topic 7" in refused(capsys, "merge", fresh, "1,7")
    assert "cannot be merged with itself" in refused(capsys, "merge", fresh, "1,1")
    assert "names no topics to merge" in refused(capsys, "merge", fresh, "1")
    assert "--to is 7" in refused(capsys, "merge", fresh, "--to", "7")
    assert "exclude each other" in refused(capsys, "merge", fresh, "1,2", "--undo")
    assert "must end in" in refused(capsys, "tree", fresh, "-o", "tree.png")
    assert not (fresh / NAMES).exists()


@given(
    merges=st.lists(
        st.lists(st.integers(0, 7), min_size=2, max_size=4, unique=True).map(tuple), max_size=5
    )
)
def test_joining_is_the_transitive_closure(merges):
    found = joined((), merges, n_topics=8)
    assert Naming(merged=found).problem(8) is None
    parent = list(range(8))
    for group in merges:
        roots = {parent[number] for number in group}
        parent = [min(roots) if root in roots else root for root in parent]
    for a in range(8):
        for b in range(8):
            together = a == b or any(a in group and b in group for group in found)
            assert together == (parent[a] == parent[b])


def test_joining_knows_its_topics():
    with pytest.raises(ConfigError, match="there is no topic 8"):
        joined((), [(1, 8)], n_topics=8)


@given(seed=st.integers(0, 50), n_topics=st.integers(1, 7))
def test_a_tree_holds_every_topic_once_at_every_level(seed, n_topics):
    generator = np.random.default_rng(seed)
    tree = topic_tree(generator.dirichlet(np.ones(5), n_topics), generator.random(n_topics))
    assert sorted(tree.leaves) == list(range(n_topics))
    heights = [merge.height for merge in tree.merges]
    assert heights == sorted(heights)
    for n_groups in range(1, n_topics + 1):
        groups = tree.groups(n_groups)
        assert len(groups) == n_groups
        assert sorted(place for group in groups for place in group) == list(range(n_topics))
        for group in groups:  # neighbours in the picture
            begin = tree.leaves.index(group[0])
            assert tree.leaves[begin : begin + len(group)] == group


def test_a_picture_shows_every_name_and_runs_nothing():
    names = ["<script>alert(1)</script>", "a & b", "\u202ec"]
    tree = topic_tree(np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]), np.array([0.2, 0.3, 0.5]))
    svg = tree_svg(tree, names, [0.2, 0.3, 0.5])
    texts = ["".join(each.itertext()) for each in ET.fromstring(svg).iter() if "text" in each.tag]
    assert any("<script>alert(1)</script> 20.0%" in text for text in texts)
    assert "<script" not in svg
    assert "script-src" not in tree_page(svg)
    assert "default-src 'none'" in tree_page(svg)
    assert len(tree_lines(tree, names)) == 5
    assert "\u202e" not in "".join(tree_lines(tree, names)) + svg


def test_one_topic_is_a_tree():
    tree = topic_tree(np.ones((1, 2)) / 2, np.ones(1))
    assert tree_lines(tree, ["alone"]) == ["alone"]
    assert "alone" in tree_svg(tree, ["alone"], [1.0])


def test_automatic_names_are_phrases_without_common_words():
    assert labels([["court", "supreme court", "judge"]]) == ["supreme court, judge"]
    assert labels([["a b", "c"], ["a b", "c"], ["a b", "c"]])[2] == "a b, c (3)"
    assert labels([["a", "b"], ["a", "b"]], [None, "a, b"]) == ["a, b (1)", "a, b"]
