"""The examples in the docstrings of all modules are true."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import segtopic

MODULES = ["segtopic"] + [
    module.name
    for module in pkgutil.walk_packages(segtopic.__path__, "segtopic.")
    if not module.name.endswith("__main__")
]


@pytest.fixture(autouse=True)
def _own_places(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_all_modules_are_found():
    assert {"segtopic.cli", "segtopic.lattice.scan", "segtopic.runs.trained"} <= set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    examples = doctest.DocTestFinder(exclude_empty=True).find(import_module(name))
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF)
    for example in examples:
        report: list[str] = []
        runner.run(example, out=report.append)
        assert not report, "".join(report)


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    lattice = import_module("segtopic.lattice")
    assert any(found.examples for found in finder.find(lattice))
