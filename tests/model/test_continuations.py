"""What holds for every continuation of the registry, and for one that only this file knows."""

import ast
import dataclasses
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import segtopic
from segtopic.commands.train import train
from segtopic.config import ModelConfig, RunConfig, TrainerConfig
from segtopic.corpus import Documents, corpus_from_texts
from segtopic.errors import ConfigError, RunError
from segtopic.estimator.learning import learn
from segtopic.evaluate.predictive import evaluate_model
from segtopic.model import check_settings, pack
from segtopic.model.build import build_model, start_from
from segtopic.model.continuations import CONTINUATIONS, Counted, Need, NextWords, Steps
from segtopic.model.continuations.first_words import FirstWordSoftmax
from segtopic.runs import RunCorpus, load_run
from segtopic.runs.folder import save_config
from segtopic.topics.beam import most_probable_phrases
from segtopic.topics.phrases import phrase_scores, phrase_words
from segtopic.training.system import TopicSystem
from segtopic.training.task import TrainingTask
from segtopic.training.train import fit_model
from tests.model import continuing
from tests.training.planted import planted_texts

PACKAGE = Path(segtopic.__file__).parent
CHECKS = [
    continuing.check_segments_sum_to_one,
    continuing.check_texts_sum_to_one,
    continuing.check_first_words_agree,
    continuing.check_proposals_are_exact,
    continuing.check_fast_parameters_are_its_own,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("max_length", [1, 2, 3])
@pytest.mark.parametrize(("name", "last_step"), continuing.switches())
def test_every_continuation(name, last_step, max_length, check):
    with torch.no_grad():
        check(continuing.random_scorer(name, last_step, max_length))


def takes_given_topics(name):
    try:
        CONTINUATIONS[name].check(name, {"topics": "lda"})
    except ConfigError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "last_step"), [each for each in continuing.switches() if takes_given_topics(each[0])]
)
def test_first_words_agree_where_topics_are_given(name, last_step):
    offset = torch.tensor([[0.2, -1.0, 0.5]], dtype=torch.float64)
    with torch.no_grad():
        continuing.check_first_words_agree(continuing.random_scorer(name, last_step, 2), offset)


@torch.no_grad()
@pytest.mark.parametrize("max_length", [1, 2, 3])
def test_three_ways_without_network_and_liking_are_counted_phrases(max_length):
    three, counted = (
        continuing.random_scorer(name, "certain", max_length) for name in ("three-ways", "phrases")
    )
    counted.load_state_dict(three.state_dict(), strict=False)
    continuation = three.continuation
    continuation.way_shift.fill_(-1e9)
    for parameter in (
        continuation.memory_liking,
        continuation.way_agreement,
        continuation.ways.weight,
    ):
        parameter.zero_()
    context = continuing.some_context(three)
    batch = pack(Documents.from_lists(continuing.COUNTED[:1]), max_length)
    for leave_out in (False, True):
        asked = dataclasses.replace(context, leave_out=leave_out)
        found, expected = (
            scorer.parts(dataclasses.replace(asked, network=scorer), batch).scores(batch)
            for scorer in (three, counted)
        )
        torch.testing.assert_close(found, expected)


@torch.no_grad()
def test_three_ways_go_on_where_nothing_was_counted():
    """The network makes pairs that the memory never saw, and prefers words that the topics like."""
    scorer = continuing.random_scorer("three-ways", "certain", 2)
    scorer.continuation.learn_counts(Documents.from_lists([[[0], [1], [2]]]))
    scorer.continuation.network_liking.fill_(1.0)
    begun, end = continuing.step(scorer, continuing.some_context(scorer), np.array([[0, 1]]))
    assert begun.isfinite().all()
    assert end.item() == 0
    likes = torch.tensor([[0.0, 3.0, 0.0]], dtype=torch.float64)
    liked, _ = continuing.step(scorer, continuing.some_context(scorer, likes), np.array([[0, 1]]))
    first, first_liked = (
        continuing.step(scorer, continuing.some_context(scorer, offset), np.array([[0]]))[0]
        for offset in (None, likes)
    )
    assert (liked - first_liked).item() > (begun - first).item() + 0.1


def test_settings_know_the_names_of_the_registry():
    names = get_args(get_type_hints(ModelConfig)["continuation"])
    assert set(names) == set(CONTINUATIONS)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"continuation": "phrases", "last_step": "charged"},
            "continuation 'phrases' needs last_step 'certain'; "
            "for the paper's model use continuation 'joint' with last_step 'charged'",
        ),
        (
            {"continuation": "roles"},
            "continuation 'roles' needs last_step 'charged': "
            "it learns where phrases end from the ends of spans",
        ),
        (
            {"continuation": "gated"},
            "continuation 'gated' makes first words by its own softmax; "
            "use topics 'network' with it",
        ),
        (
            {"continuation": "joint", "last_step": "charged"},
            "continuation 'joint' makes first words by its own softmax; "
            "use topics 'network' with it",
        ),
        ({"continuation": "phrase"}, "continuation is 'phrase'; did you mean 'phrases'?"),
        (
            {"continuation": "?"},
            "continuation is '?'; use one of three-ways, phrases, roles, gated, joint",
        ),
    ],
)
def test_settings_that_do_not_go_together_are_refused_in_one_sentence(values, sentence):
    config = ModelConfig(n_topics=2, **values)
    for refuses in (check_settings, lambda config: build_model(config, 3)):
        with pytest.raises(ConfigError) as caught:
            refuses(config)
        assert str(caught.value) == sentence


def test_contradictions_are_refused_before_any_work(tmp_path):
    with pytest.raises(ConfigError, match="use topics 'network' with it"):
        train(RunConfig(data="nowhere", continuation="joint"), tmp_path / "run")
    assert not (tmp_path / "run").exists()
    with pytest.raises(ConfigError, match="needs last_step 'charged'"):
        learn(corpus_from_texts(["one text"]), RunConfig(continuation="roles"), TrainerConfig(), [])


def test_a_run_with_contradictory_settings_names_the_file(tmp_path):
    save_config(tmp_path, RunConfig(n_topics=2, last_step="charged"), {})
    with pytest.raises(RunError, match=r"config.yaml: is damaged .*'three-ways' needs last_step"):
        load_run(tmp_path)


@pytest.mark.parametrize(("name", "last_step"), continuing.switches())
def test_only_numbers_and_the_phrase_memory_learn_fast(name, last_step):
    """As the names of parameters tell: the optimiser's groups are part of saved checkpoints."""
    settings = {"continuation": name, "last_step": last_step, "topics": "network"}
    config = RunConfig(n_topics=2, hidden_size=4, encoder_size=4, **settings)
    model = build_model(config, 3)
    groups = TopicSystem(model, config.settled(10, 10)).optimiser().param_groups
    fast = [id(parameter) for parameter in groups[-1]["params"]]
    assert groups[-1]["lr"] == config.scalar_learning_rate
    assert fast == [
        id(parameter)
        for name, parameter in model.named_parameters()
        if parameter.dim() == 0 or any(part in name for part in (".phrases.", "own_", ".way_"))
    ]


def test_corrections_are_frozen_until_some_are_learned():
    config = ModelConfig(n_topics=2, hidden_size=4, encoder_size=4, corrected="no")
    model = build_model(config, 3)
    start_from(model, config, Documents.from_lists(continuing.COUNTED), seed=0)
    continuation = model.scorer.continuation
    assert not continuation.corrected
    assert not continuation.output.weight.requires_grad
    free = build_model(config, 3).scorer.continuation
    assert free.corrected
    assert free.output.weight.requires_grad


def test_nobody_outside_asks_which_continuation_it_is():
    """To name a class of the registry would be to ask."""
    classes = {kind.__name__ for kind in CONTINUATIONS.values()}
    for path in PACKAGE.rglob("*.py"):
        if path.parent == PACKAGE / "model" / "continuations":
            continue
        named = {
            name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            for name in (getattr(node, "id", None), getattr(node, "name", None))
        }
        assert not named & classes, path


class Coin(FirstWordSoftmax):
    """Ends by a coin that the network bends; goes on with words by how often they were counted."""

    needs = {"last_step": Need("certain", "continuation '{name}' needs last_step 'certain'")}  # noqa: RUF012
    reads_words = True

    def __init__(self, settings):
        super().__init__(settings)
        self.bend = nn.Linear(settings.hidden_size, 1)
        self.odds = nn.Parameter(torch.zeros(1))
        self.register_buffer("log_frequencies", torch.zeros(settings.vocabulary_size))

    def learn_counts(self, documents):
        counts = 1.0 + np.bincount(documents.words, minlength=self.settings.vocabulary_size)
        self.log_frequencies = torch.from_numpy(np.log(counts / counts.sum())).to(self.odds)

    def fast_parameters(self):
        return [self.odds]

    def forward(self, context, levels):
        states = context.histories(self.open_levels(levels))[1:]
        gates = [self.odds + self.bend(state).squeeze(1) for state in states]
        words = [self.score_bags(context, levels[0])]
        for gate, level in zip(gates, levels[1:], strict=False):
            words.append(F.logsigmoid(-gate)[level.parent] + self.log_frequencies[level.word])
        ends = [F.logsigmoid(gate) for gate in gates]
        ends += [context.x.new_zeros(())] * (len(levels) - len(ends))
        return Steps(words, ends)

    def propose(self, context, beginnings, least_share):
        log_share = self.log_frequencies.expand(len(beginnings), -1)
        return NextWords.at_least(log_share, least_share)


@pytest.fixture
def _with_a_coin(monkeypatch):
    monkeypatch.setitem(CONTINUATIONS, "coin", Coin)


@pytest.mark.usefixtures("_with_a_coin")
class TestAContinuationOfOnesOwn:
    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_it_is_judged_like_all_others(self, check):
        assert ("coin", "certain") in continuing.switches()
        with torch.no_grad():
            for max_length in (1, 2, 3):
                check(continuing.random_scorer("coin", "certain", max_length))

    def test_its_settings_are_checked(self):
        with pytest.raises(ConfigError, match="'coin' needs last_step 'certain'"):
            check_settings(ModelConfig(continuation="coin", last_step="charged"))
        check_settings(ModelConfig(continuation="coin"))

    def test_it_trains_scores_and_is_searched(self, tmp_path):
        config = RunConfig(
            continuation="coin",
            n_topics=3,
            max_segment_length=2,
            hidden_size=8,
            encoder_size=8,
            epochs=3,
            batch_size=16,
            kl_warmup=1,
            learning_rate=1e-2,
            stop_words="none",
        )
        texts, _ = planted_texts(n_documents=60)
        kept = RunCorpus.of(corpus_from_texts(texts, config), config, keep_texts=False)
        task = TrainingTask.of(kept, config)
        model = task.new_model()
        fast = TopicSystem(model, task.config).optimiser().param_groups[2]
        assert fast["lr"] == config.scalar_learning_rate
        assert any(each is model.scorer.continuation.odds for each in fast["params"])
        before = evaluate_model(model, task.training, refine_steps=0)
        trained = task.new_model()
        fit_model(trained, task, tmp_path, TrainerConfig(accelerator="cpu"))
        after = evaluate_model(trained, task.training, refine_steps=0)
        assert after.elbo > before.elbo  # what training raises
        assert trained.scorer.continuation.odds.item() != 0
        theta = torch.full((3,), 1 / 3)
        found = most_probable_phrases(trained, theta, 20)
        with torch.no_grad():
            scores = phrase_scores(trained, theta, found.words)
        torch.testing.assert_close(found.log_probability, scores.whole)
        assert {len(phrase_words(phrase)) for phrase in found.words} <= {1, 2}
        again = build_model(task.config, task.vocabulary_size)
        again.load_state_dict(trained.state_dict())
        torch.testing.assert_close(phrase_scores(again.eval(), theta, found.words), scores)

    def test_it_counts_anew_when_more_documents_come(self):
        continuation = continuing.random_scorer("coin", "certain", 2).continuation
        before = continuation.log_frequencies.clone()
        continuation.learn_counts(Documents.from_lists([[[2, 2, 2]]]))
        assert continuation.log_frequencies.argmax() == 2
        assert not torch.equal(before, continuation.log_frequencies)


def test_a_softmax_starts_from_given_topics_or_from_frequencies():
    documents = Documents.from_lists(continuing.COUNTED)
    for given, unigram in ((True, True), (False, True), (False, False)):
        continuation = continuing.random_scorer("gated", "certain", 2).continuation
        before = continuation.output.bias.clone()
        continuation.start(Counted(documents, continuing.FREQUENCIES, given, unigram))
        expected = before
        if given:
            expected = torch.zeros(3, dtype=torch.float64)
        elif unigram:
            expected = continuing.FREQUENCIES.log()
        torch.testing.assert_close(continuation.output.bias.detach(), expected.detach())
        assert continuation.corrected != given
