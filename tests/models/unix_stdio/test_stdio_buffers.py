"""Tests the buffers of stdio: the system calls of each library call, by hand and as counted on Linux."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.models.unix_stdio.layers import InputBuffer, OutputBuffer

MIB10 = 10 << 20


def written(buffer: OutputBuffer, lengths: Iterable[int]) -> list[int]:
    """The writes of fwrites of these *lengths*, and of fclose."""
    return [write for length in lengths for write in buffer.put(length)] + buffer.flush()


def test_a_full_buffer_is_written_by_the_next_call() -> None:
    buffer = OutputBuffer(4096)
    assert [buffer.put(1) for _ in range(4096)] == [[]] * 4096
    assert (buffer.silent(1), buffer.put(1), buffer.held) == (0, [4096], 1)
    assert buffer.silent(1) == 4095


def test_large_pieces_go_past_the_buffer() -> None:
    buffer = OutputBuffer(4096)
    assert buffer.put(65536) == [65536]  # there is no buffer yet
    assert buffer.put(65536) == [4096, 61440]  # now there is, and it is filled first
    assert buffer.put(5000) == [4096]
    assert buffer.held == 904


def test_after_a_seek_the_next_call_begins_anew() -> None:
    buffer = OutputBuffer(4096)
    buffer.put(10)
    assert buffer.seek() == [10]
    assert buffer.silent(1) == 0
    assert buffer.put(8192) == [8192]


@pytest.mark.parametrize(
    ("block", "writes"),
    [(1, 2560), (16, 2560), (512, 2560), (4095, 2560), (4096, 2560), (4097, 2560), (8192, 2559), (65536, 319),
     (1 << 20, 19)],
)  # fmt: skip
def test_ten_megabytes_take_the_writes_that_linux_counted(block: int, writes: int) -> None:
    buffer, count, calls = OutputBuffer(4096), 0, MIB10 // block
    while calls:
        count += len(buffer.put(block))
        silent = min(buffer.silent(block), calls - 1)
        assert not silent or buffer.put(silent * block) == []
        calls -= 1 + silent
    rest = [MIB10 % block] if MIB10 % block else []
    assert count + len(written(buffer, rest)) == writes


@given(st.lists(st.integers(1, 20_000), max_size=30))
def test_every_byte_is_written_once_and_in_few_writes(lengths: list[int]) -> None:
    writes = written(OutputBuffer(4096), lengths)
    assert sum(writes) == sum(lengths)
    assert all(write > 0 for write in writes)
    assert len(writes) <= sum(lengths) // 4096 + len(lengths) + 1


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_silent_calls_make_no_system_call(first: int, length: int) -> None:
    buffer = OutputBuffer(4096)
    buffer.put(first)
    assert [call for _ in range(buffer.silent(length)) for call in buffer.put(length)] == []


def test_a_read_fills_the_buffer_and_is_asked_for_again_when_it_is_used_up() -> None:
    buffer = InputBuffer(4096, 10_000)
    assert buffer.get(1) == [(0, 4096)]
    assert buffer.silent(1) == 4095
    assert buffer.get(4095) == []
    assert buffer.get(1) == [(4096, 4096)]


def test_large_reads_go_past_the_buffer_in_whole_multiples() -> None:
    buffer = InputBuffer(4096, 100_000)
    assert buffer.get(5000) == [(0, 4096), (4096, 4096)]
    assert buffer.silent(1) == 8192 - 5000
    assert buffer.get(65536) == [(8192, 61440), (69632, 4096)]


def test_the_end_of_the_file_is_the_end() -> None:
    buffer = InputBuffer(4096, 5000)
    assert buffer.get(6000) == [(0, 4096), (4096, 904)]
    assert buffer.get(1) == []


def test_a_seek_within_the_buffer_moves_a_pointer_and_others_fill_it_from_a_boundary() -> None:
    buffer = InputBuffer(4096, 1 << 20)
    assert buffer.seek(10_000) == [(8192, 4096)]
    assert buffer.get(1) == []
    assert (buffer.seek(8200), buffer.get(1)) == ([], [])
    assert (buffer.seek(8192), buffer.get(1)) == ([], [])
    assert (buffer.seek(12_287), buffer.get(1)) == ([], [])
    assert (buffer.seek(12_288), buffer.get(1)) == ([], [(12_288, 4096)])
    assert (buffer.seek(4096), buffer.get(1)) == ([], [(4096, 4096)])  # on a boundary the read waits for the fread


@given(st.integers(1, 30_000), st.lists(st.tuples(st.integers(0, 29_999), st.integers(1, 9000)), max_size=20))
def test_what_is_read_is_the_file(size: int, calls: list[tuple[int, int]]) -> None:
    buffer = InputBuffer(4096, size)
    for offset, length in calls:
        reads = buffer.seek(min(offset, size - 1)) + buffer.get(length)
        assert buffer.position == min(min(offset, size - 1) + length, size)
        assert all(first >= 0 and many > 0 and first + many <= size for first, many in reads)


@pytest.mark.parametrize(("offset", "reads", "held"), [
    (0, [], (0, 4096, 0)), (4095, [], (0, 4096, 4095)), (4096, [], (4096, 4096, 4096)),
    (5000, [(4096, 4096)], (4096, 8192, 5000)), (9000, [(8192, 1808)], (8192, 10_000, 9000)),
])  # fmt: skip
def test_a_seek_leaves_the_buffer_unless_it_stays_within(
    offset: int, reads: list[tuple[int, int]], held: tuple[int, int, int]
) -> None:
    """Of a file of 10,000 bytes the first 4096 are held; what is just behind them is not."""
    buffer = InputBuffer(4096, 10_000)
    assert buffer.get(100) == [(0, 4096)]
    assert buffer.seek(offset) == reads
    assert (buffer.start, buffer.end, buffer.position) == held
