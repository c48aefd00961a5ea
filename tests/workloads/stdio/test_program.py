"""Tests programs of buffered I/O: their accesses in order, and what Linux would refuse."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.stdio import Flag, Layer, StdioCall, StdioProgram
from spindle.workloads.stdio_files import programs

MIB = 1 << 20
SHIPPED = programs()


def test_the_programs_of_the_lecture_are_there_in_its_order() -> None:
    assert list(SHIPPED) == ["w01", "w02", "w03", "w04", "w05", "w06", "r01", "r06", "r08"]


@pytest.mark.parametrize(
    ("name", "operation", "layer", "block", "stride", "sync", "direct"),
    [
        ("w01", WRITE, Layer.CALLS, 1, 0, True, False),
        ("w02", WRITE, Layer.CALLS, 512, 0, True, True),
        ("w03", WRITE, Layer.CALLS, 1, 0, False, False),
        ("w04", WRITE, Layer.CALLS, 512, 0, False, False),
        ("w05", WRITE, Layer.STDIO, 1, 0, False, False),
        ("w06", WRITE, Layer.STDIO, 65536, 0, False, False),
        ("r01", READ, Layer.CALLS, 1, 0, False, False),
        ("r06", READ, Layer.CALLS, 1, MIB, False, False),
        ("r08", READ, Layer.STDIO, 1, MIB, False, False),
    ],
)
def test_each_is_what_the_lecture_says(
    name: str, operation: object, layer: Layer, block: int, stride: int, sync: bool, direct: bool
) -> None:
    it = SHIPPED[name]
    assert (it.operation, it.layer, it.block, it.stride) == (operation, layer, block, stride)
    assert (it.sync, it.direct, it.size) == (sync, direct, 10 * MIB)


def test_a_sequence_ends_with_what_is_left() -> None:
    it = StdioProgram("x", "x", StdioCall.WRITE, block=4, size=10)
    assert [(first, it.length(first)) for first in it.offsets()] == [(0, 4), (4, 4), (8, 2)]
    assert it.calls == 3


def test_a_stride_returns_for_the_next_block_of_each() -> None:
    it = StdioProgram("x", "x", StdioCall.READ, block=2, size=10, stride=4)
    assert list(it.offsets()) == [0, 4, 8, 2, 6]
    assert it.calls == 5


@given(block=st.integers(1, 9), blocks=st.integers(1, 12), stride=st.integers(0, 12))
def test_whatever_the_stride_every_byte_is_touched_once(block: int, blocks: int, stride: int) -> None:
    it = StdioProgram("x", "x", StdioCall.READ, block, block * blocks, block * min(stride, blocks))
    touched = Counter(byte for first in it.offsets() for byte in range(first, first + it.length(first)))
    assert touched == Counter(range(it.size))
    assert sum(1 for _ in it.offsets()) == it.calls


@pytest.mark.parametrize(
    ("name", "changes", "says"),
    [
        ("w02", {"block": 1}, "block must be whole sectors of 512 bytes with O_DIRECT, not 1"),
        ("w02", {"size": 10 * MIB + 1}, "size must be whole sectors"),
        ("w01", {"flags": frozenset({Flag.DIRECT})}, "EINVAL"),
        ("w05", {"flags": frozenset({Flag.SYNC})}, "flags are for open"),
        ("w04", {"block": 0}, "block must be a whole number of bytes from 1 to"),
        ("w04", {"block": 2.0}, "block must be a whole number"),
        ("w04", {"block": True}, "block must be a whole number"),
        ("w04", {"size": 1 << 51}, "size must be a whole number of bytes from 1 to"),
        ("w04", {"block": 11 * MIB}, "block must be at most the size of the file"),
        ("r06", {"stride": 11 * MIB}, "stride must be at most the size of the file"),
        ("r06", {"block": 3}, "whole numbers of blocks of 3 bytes"),
        ("r06", {"stride": -1}, "stride must be a whole number of bytes from 0 to"),
    ],
)
def test_what_cannot_be_is_refused(name: str, changes: dict[str, object], says: str) -> None:
    with pytest.raises(UserError, match=says):
        SHIPPED[name].change(**changes)


def test_the_largest_file_and_the_least() -> None:
    largest = StdioProgram("x", "x", StdioCall.WRITE, 1 << 50, 1 << 50)
    assert (largest.calls, list(largest.offsets()), largest.length(0)) == (1, [0], 1 << 50)
    least = StdioProgram("x", "x", StdioCall.FREAD, 1, 1, 1)
    assert (least.calls, list(least.offsets()), least.operation, least.layer) == (1, [0], READ, Layer.STDIO)
    aligned = StdioProgram("x", "x", StdioCall.READ, 512, 1024, 1024, frozenset({Flag.DIRECT, Flag.DSYNC}))
    assert (aligned.sync, aligned.direct, list(aligned.offsets())) == (True, True, [0, 512])


def test_changed_leaves_the_rest() -> None:
    assert SHIPPED["r06"].change(stride=0) == StdioProgram("r06", SHIPPED["r06"].says, StdioCall.READ, 1, 10 * MIB)
