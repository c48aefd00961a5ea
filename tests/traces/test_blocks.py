"""The blocks that requests touch, by hand and in pieces."""

import numpy as np
import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.traces import blocks
from spindle.traces.blocks import DEVICE_BLOCKS, references
from spindle.workloads.traces.record import Record


def request(first: int, length: int, device: str = "") -> Record:
    return Record(None, device, READ, first, length)


REQUESTS = [request(512, 512), request(1000, 25), request(0, 2048), request(1535, 2, "other"), request(1536, 1)]


def test_each_block_counts_once_a_request_and_devices_lie_apart() -> None:
    (found,) = references(REQUESTS, 512)
    assert found.tolist() == [1, 1, 2, 0, 1, 2, 3, DEVICE_BLOCKS + 2, DEVICE_BLOCKS + 3, 3]


def test_pieces_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = references(REQUESTS, 512)
    monkeypatch.setattr(blocks, "PIECE", 2)
    pieces = list(references(REQUESTS, 512))
    assert len(pieces) > 2
    assert np.concatenate(pieces).tolist() == whole.tolist()


def test_all_devices_of_a_trace_have_room() -> None:
    last = [request((1 << 60) - 512, 512, f"{number}") for number in range(1024)]
    (found,) = references(last, 512)
    assert len(set(found.tolist())) == 1024
    assert found.min() == DEVICE_BLOCKS - 1


def test_there_may_be_no_requests() -> None:
    assert not list(references([], 512))
    with pytest.raises(UserError, match="512 is the least"):
        list(references([], 256))
