"""The import order is the architecture: lower layers never import upper ones."""

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "segtopic"
LAYERS = (
    "errors",
    "harmless",
    "typed",
    "files",
    "engine",
    "config",
    "corpus",
    "speech",
    "lattice",
    "grammar",
    "model",
    "runs",
    "segment",
    "sample",
    "evaluate",
    "topics",
    "explore",
    "swan",
    "report",
    "serve",
    "plots",
    "training",  # above all that uses a model, so that none of it can need the trainer
    "estimator",
    "commands",
    "cli",
)

# Where Lightning is met outside of the layer for it; these modules count as a part of it.
TRAINERS = {"swan.system", "swan.training", "swan.learning", "swan.run", "swan.listening"}


def imported_layers(path: Path) -> set[str]:
    """The layers that a file imports, wherever in the file the import stands."""
    layers = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports from 'segtopic' in full"
            names = [node.module or ""]
            if node.module == "segtopic":
                names = [f"segtopic.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        layers |= {layer_named(n.split(".")[1:]) for n in names if n.startswith("segtopic.")}
    return layers & set(LAYERS)


def layer_named(parts: Sequence[str]) -> str:
    """The layer of a module: that of its room, but for those that train."""
    return "training" if ".".join(parts[:2]) in TRAINERS else parts[0]


def layer_of(path: Path) -> str:
    return layer_named(path.relative_to(PACKAGE).with_suffix("").parts)


FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_file_belongs_to_a_layer():
    unknown = {layer_of(path) for path in FILES} - set(LAYERS) - {"__init__", "__main__"}
    assert not unknown, f"add these to LAYERS in their place: {unknown}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_only_from_lower_layers(path):
    if layer_of(path) not in LAYERS:
        return
    own = LAYERS.index(layer_of(path))
    upper = {layer for layer in imported_layers(path) if LAYERS.index(layer) > own}
    assert not upper, f"{path.name} (layer {layer_of(path)}) imports {upper}"


def test_the_lattice_knows_only_tensors():
    for path in (PACKAGE / "lattice").rglob("*.py"):
        assert imported_layers(path) <= {"lattice"}, path


def test_sequence_models_meet_lightning_only_where_they_are_trained():
    """The layer test keeps the others from what trains; this one from Lightning itself."""
    meeting = {
        f"swan.{path.stem}"
        for path in (PACKAGE / "swan").rglob("*.py")
        if "import pytorch_lightning" in path.read_text()
        or "from pytorch_lightning" in path.read_text()
    }
    assert meeting == TRAINERS
