"""Every configuration in the repository is one that the command line takes."""

from pathlib import Path

import pytest

from segtopic.commands.arguments import command_parser, parse, settings
from segtopic.config import RunConfig, TrainerConfig

CONFIGS = sorted((Path(__file__).parent.parent / "configs").rglob("*.yaml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_configurations_are_valid(path):
    parser = command_parser("train", "", RunConfig, trainer=TrainerConfig)
    chosen = settings(parse(parser, ["--config", str(path)]), RunConfig)
    assert chosen.data == path.stem.partition("-")[0]


def test_the_papers_cells_are_all_there():
    names = {path.stem for path in CONFIGS if path.parent.name == "paper"}
    assert names == {
        f"{data}-hidden{hidden}-L{length}"
        for data in ("ap", "citeulike")
        for hidden in (100, 150, 200)
        for length in (1, 2, 3)
    }
