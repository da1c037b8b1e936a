import pytest

pytest.importorskip("fastapi", reason="the server needs 'pip install .[serve]'")
pytest.importorskip("uvicorn", reason="the server needs 'pip install .[serve]'")

from tests.report.reported import small_run


@pytest.fixture(scope="package")
def run(tmp_path_factory):
    """A run with hostile documents among the planted ones."""
    return small_run(tmp_path_factory.mktemp("served"), epochs=6)
