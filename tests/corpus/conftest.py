"""Shared by the corpus tests: small sources, and a cache that is not the user's."""

import json

import pytest

STORIES = [
    "The river bank was flooded. Heavy rain is expected.",
    "The central bank raised interest rates; interest rates hurt.",
    "Heavy rain flooded the river again, and the bank closed.",
    "Interest in river sports is rising: heavy boats, fast rivers.",
    "Rates of rain were measured at the central station.",
    "A central station near the river bank reported heavy rain.",
    "Fast boats raised interest on the river.",
    "The station measured rain rates.",
    "Sports boats flooded the market; rates closed higher.",
    "Rising interest rates closed the central market again.",
]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("SEGTOPIC_DATA", "")


@pytest.fixture
def stories(tmp_path):
    """A JSONL file with ten documents."""
    path = tmp_path / "stories.jsonl"
    rows = [{"id": f"s{i}", "text": text} for i, text in enumerate(STORIES)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
