"""Settings as frozen dataclasses: the same names in Python, in YAML files and as flags.

Every class checks itself when it is made, so a wrong value is noticed before any work is done. The
lines under *Attributes* are shown as help on the command line.

>>> CorpusConfig(data="my.csv", text_column="title,abstract").text_column
('title', 'abstract')
>>> CorpusConfig(vocabulary_size=0)
Traceback (most recent call last):
segtopic.errors.ConfigError: vocabulary_size is 0, but must be at least 1
"""

from segtopic.config.checks import build, check_choice, check_range, did_you_mean, part_of
from segtopic.config.corpus import (
    CorpusConfig,
    InputFormat,
    SourceConfig,
    SplitConfig,
    TokenConfig,
    VocabularyConfig,
)
from segtopic.config.run import (
    ENOUGH_WORDS,
    REFINE_STEPS,
    ModelConfig,
    RunConfig,
    TrainerConfig,
    TrainingConfig,
)
from segtopic.config.speech import FeaturesConfig, RecordingsConfig, TranscribeConfig
from segtopic.config.swan import (
    AlignConfig,
    DecodeConfig,
    JudgeConfig,
    LinesConfig,
    PairsConfig,
    SearchConfig,
    SwanConfig,
    SwanSettings,
    SwanTraining,
)
from segtopic.config.use import (
    DEFAULT_DEFINITION,
    ApplyConfig,
    Definition,
    OutputFormat,
    PhrasesConfig,
    Rank,
    SampleConfig,
    SegmentConfig,
    ServeConfig,
    TableFormat,
)

__all__ = [
    "DEFAULT_DEFINITION",
    "ENOUGH_WORDS",
    "REFINE_STEPS",
    "AlignConfig",
    "ApplyConfig",
    "CorpusConfig",
    "DecodeConfig",
    "Definition",
    "FeaturesConfig",
    "InputFormat",
    "JudgeConfig",
    "LinesConfig",
    "ModelConfig",
    "OutputFormat",
    "PairsConfig",
    "PhrasesConfig",
    "Rank",
    "RecordingsConfig",
    "RunConfig",
    "SampleConfig",
    "SearchConfig",
    "SegmentConfig",
    "ServeConfig",
    "SourceConfig",
    "SplitConfig",
    "SwanConfig",
    "SwanSettings",
    "SwanTraining",
    "TableFormat",
    "TokenConfig",
    "TrainerConfig",
    "TrainingConfig",
    "TranscribeConfig",
    "VocabularyConfig",
    "build",
    "check_choice",
    "check_range",
    "did_you_mean",
    "part_of",
]
