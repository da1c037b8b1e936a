import pytest
import torch


@pytest.fixture(autouse=True, scope="package")
def one_thread():
    """Matrices as small as here take longer with two threads, much longer on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
