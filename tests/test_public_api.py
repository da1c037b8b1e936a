"""The public API, name by name: a change here is a change for users, and stands in CHANGELOG.md."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PUBLIC = {
    "segtopic": ["SegTopic", "Swan", "__version__", "load"],
    "segtopic.runs": ["RunCorpus", "TrainedModel", "load_run"],
    "segtopic.sample": ["DocumentSampler", "SampledDocument"],
    "segtopic.segment": [
        "DictionaryEntry",
        "KeyPhrase",
        "KeyPhraseFinder",
        "Marker",
        "Phrase",
        "SegmentJob",
        "SegmentedDocument",
        "Segmenter",
        "phrase_dictionary",
    ],
    "segtopic.topics": ["Term", "Topic", "TypicalDocument", "describe_topics"],
    "segtopic.report": ["Written", "write_report"],
    "segtopic.plots": ["MarkedDocument", "document", "over_time", "overview", "topic_map"],
    "segtopic.explore.apply": ["ApplyJob"],
    "segtopic.explore.changes": ["Changes", "TopicChange"],
    "segtopic.explore.find": [
        "Finder",
        "FoundDocument",
        "FoundFollowers",
        "FoundPhrase",
        "FoundTopic",
    ],
    "segtopic.evaluate.predictive": ["Evaluation", "evaluate_model", "predictive_log_likelihood"],
    "segtopic.evaluate.heldout": ["DocumentScores", "HeldOut"],
    "segtopic.evaluate.bootstrap": ["Interval", "bootstrap_difference", "bootstrap_interval"],
    "segtopic.evaluate.comparison": ["ComparisonRow", "Contestant", "compare"],
    "segtopic.evaluate.grid": ["Grid"],
    "segtopic.evaluate.coherence": ["TopicQuality", "topic_diversity", "topic_quality"],
    "segtopic.evaluate.gold": ["GoldText", "read_gold"],
    "segtopic.evaluate.judge": ["Judged", "judge"],
    "segtopic.evaluate.chunked": ["ChunkedText", "read_chunked"],
    "segtopic.evaluate.content": ["ContentAgreement", "ContentText", "Places"],
    "segtopic.evaluate.judge_content": ["ContentJudged", "judge_content"],
    "segtopic.lattice": [
        "Best",
        "BestPath",
        "Grid",
        "Spans",
        "best_path",
        "Marks",
        "best_marks",
        "best_threshold",
        "boundary_probabilities",
        "core_posteriors",
        "together_probabilities",
        "constrain",
        "emission_probabilities",
        "expected_lengths",
        "expected_segment_length",
        "expected_segments",
        "grid_log_partition",
        "grid_posteriors",
        "k_best",
        "log_partition",
        "mean_segment_length",
        "path_score",
        "sample_paths",
        "sample_segmentations",
        "segment_lengths",
        "segment_posteriors",
        "segmentation_entropy",
        "segmentation_score",
        "viterbi",
    ],
    "segtopic.config": [
        "AlignConfig",
        "ApplyConfig",
        "CorpusConfig",
        "DecodeConfig",
        "FeaturesConfig",
        "JudgeConfig",
        "LinesConfig",
        "ModelConfig",
        "PairsConfig",
        "PhrasesConfig",
        "RecordingsConfig",
        "RunConfig",
        "SampleConfig",
        "SearchConfig",
        "SegmentConfig",
        "ServeConfig",
        "SourceConfig",
        "SplitConfig",
        "SwanConfig",
        "TokenConfig",
        "TrainerConfig",
        "TrainingConfig",
        "TranscribeConfig",
        "VocabularyConfig",
    ],
    "segtopic.errors": [
        "ConfigError",
        "CorpusError",
        "DownloadError",
        "OutputError",
        "RunError",
        "SegtopicError",
        "TrainingError",
        "WorkerError",
    ],
}
# Where the reference explains a name under another one, or in a sentence.
CALLED_OTHERWISE = {
    "segtopic.SegTopic": "segtopic.estimator.SegTopic",
    "segtopic.Swan": "segtopic.estimator.Swan",
    "segtopic.load": "segtopic.runs.load_run",
    "segtopic.__version__": None,
}
# All that these modules offer is public.
WHOLE = ["segtopic", "segtopic.runs", "segtopic.segment", "segtopic.topics", "segtopic.report"]
WHOLE += ["segtopic.lattice", "segtopic.plots"]
STATED = (Path(__file__).parents[1] / "docs" / "reference" / "api.md").read_text()


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_there(module):
    missing = [name for name in PUBLIC[module] if not hasattr(import_module(module), name)]
    assert missing == []


@pytest.mark.parametrize("module", WHOLE)
def test_modules_offer_what_is_public_and_nothing_else(module):
    assert sorted(import_module(module).__all__) == sorted(PUBLIC[module])


def test_errors_are_public():
    errors = import_module("segtopic.errors")
    classes = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert classes == set(PUBLIC["segtopic.errors"])


def test_settings_are_public():
    config = import_module("segtopic.config")
    assert {name for name in config.__all__ if name.endswith("Config")} == set(
        PUBLIC["segtopic.config"]
    )


def test_the_same_names_are_stated():
    """Row by row; whole modules are stated by their name."""
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (.*) \|$", STATED, re.MULTILINE))
    assert list(rows) == list(PUBLIC)
    for module, names in rows.items():
        stated = re.findall(r"`(\w+)`", names)
        if stated not in ([], ["__all__"], ["SegtopicError"]):
            assert sorted(stated) == sorted(PUBLIC[module])
