"""A corpus with known topics and phrases, and settings for models small enough for tests."""

import itertools
import json

import numpy as np

from segtopic.config import RunConfig

N_TOPICS = 3
SYLLABLES = ["ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru"]
_NAMES = iter("".join(parts) for parts in itertools.product(SYLLABLES, repeat=3))
WORDS = [[next(_NAMES) for _ in range(60)] for _ in range(N_TOPICS)]
"""Each topic's own words."""
PHRASES = [[[next(_NAMES) for _ in range(size)] for size in (2, 2, 3)] for _ in range(N_TOPICS)]
"""Each topic's own phrases; their words stand nowhere else."""


def planted_texts(n_documents=150, seed=0):
    """Documents of one topic: independent words, and now and then a phrase, in spans of six."""
    generator = np.random.default_rng(seed)
    texts, labels = [], []
    for number in range(n_documents):
        topic = number % N_TOPICS
        spans = []
        for _ in range(12):
            units = [
                " ".join(PHRASES[topic][generator.integers(3)])
                if generator.random() < 0.1
                else WORDS[topic][generator.integers(60)]
                for _ in range(6)
            ]
            spans.append(" ".join(units))
        texts.append(", ".join(spans) + ".")
        labels.append(topic)
    return texts, np.array(labels)


def planted_file(folder, **settings):
    path = folder / "planted.jsonl"
    texts, _ = planted_texts(**settings)
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


def small(path, **settings):
    defaults = {
        "data": str(path),
        "n_topics": 3,
        "hidden_size": 16,
        "encoder_size": 16,
        "epochs": 4,
        "batch_size": 16,
        "learning_rate": 1e-2,
        "kl_warmup": 1,
        "weight_decay": 0.01,
        "dropout": 0.1,
    }
    return RunConfig(**{**defaults, **settings})
