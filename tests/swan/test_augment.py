import pytest
import torch

from segtopic.config import SwanSettings
from segtopic.swan.augment import Augment, stretched
from segtopic.swan.encoder import RecurrentEncoder
from segtopic.swan.model import SwanModel
from segtopic.swan.stream import EncoderStream

LENGTHS = torch.tensor([9, 4, 1])


def features():
    torch.manual_seed(0)
    return torch.randn(3, 9, 6)


def test_nothing_happens_but_in_training():
    augment = Augment(SwanSettings(stretch=0.3, time_mask=0.5, feature_mask=0.5)).eval()
    found, lengths = augment(features(), LENGTHS)
    assert found.equal(features())
    assert lengths.equal(LENGTHS)


def test_a_factor_of_one_stretches_nothing():
    found, lengths = stretched(features(), LENGTHS, torch.ones(3))
    assert lengths.equal(LENGTHS)
    for row, length in enumerate(LENGTHS):
        torch.testing.assert_close(found[row, :length], features()[row, :length])


def test_a_line_stays_a_line():
    line = torch.arange(9.0)[None, :, None]
    found, lengths = stretched(line, torch.tensor([9]), torch.tensor([1.9]))
    assert lengths.tolist() == [17]
    torch.testing.assert_close(found[0, :, 0], torch.linspace(0, 8, 17))


def test_silence_covers_at_most_the_share():
    settings = SwanSettings(time_mask=0.4, feature_mask=0.5)
    augment = Augment(settings).train()
    torch.manual_seed(0)
    for _ in range(20):
        found, _ = augment(torch.ones(2, 20, 10), torch.tensor([20, 10]))
        silent = found == 0
        assert silent.all(2).sum(1).le(torch.tensor([8, 4]) + 0).all()
        assert silent.all(1).sum(1).le(5).all()


@pytest.mark.parametrize("strides", [{}, {"first_stride": 2}, {"last_stride": 3}])
def test_neighbours_and_padding_change_nothing(strides):
    torch.manual_seed(0)
    settings = SwanSettings(units=4, layers=2, strides=(2, 1), window=3, **strides)
    encoder = RecurrentEncoder(settings, n_features=6).double().eval()
    inputs = features().double()
    together = encoder(inputs, LENGTHS)
    for row, length in enumerate(LENGTHS):
        alone = encoder(inputs[row : row + 1, :length], LENGTHS[row : row + 1])
        assert alone.lengths[0] == together.lengths[row] == encoder.n_vectors(int(length))
        n_vectors = int(alone.lengths[0])
        torch.testing.assert_close(alone.vectors[0, :n_vectors], together.vectors[row, :n_vectors])
    assert settings.stride == 2 * settings.first_stride * settings.last_stride


@pytest.mark.parametrize("sizes", [(1,) * 13, (5, 0, 8), (13,)])
def test_a_stream_joins_as_the_whole_does(sizes):
    torch.manual_seed(0)
    settings = SwanSettings(
        units=4, layers=1, direction="forward", first_stride=2, last_stride=3, window=2
    )
    encoder = RecurrentEncoder(settings, n_features=6).double().eval()
    inputs = torch.randn(13, 6, dtype=torch.float64)
    whole = encoder(inputs[None], torch.tensor([13])).vectors[0]
    stream = EncoderStream(encoder)
    parts = [stream.read(part) for part in inputs.split(list(sizes))]
    torch.testing.assert_close(torch.cat(parts), whole)


def test_the_model_can_say_what_its_stride_leaves_room_for():
    settings = SwanSettings(max_segment_length=2, units=4, layers=1, first_stride=2, last_stride=2)
    model = SwanModel(settings, RecurrentEncoder(settings, n_features=6), 3)
    assert model.is_possible(8, 4)
    assert not model.is_possible(7, 4)
