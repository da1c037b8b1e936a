import pytest

from tests.training.runs import planted_run


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A run that knows the planted phrases."""
    return planted_run(tmp_path_factory.mktemp("trained"), epochs=8)
