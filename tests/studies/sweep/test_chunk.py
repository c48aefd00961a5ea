"""Chunks: enough work for a fifth of a second, less towards the end, and pieces of those that ended a worker."""

import pytest

from spindle.sim.error import PointFailed
from spindle.studies.sweep.chunks import Chunk, ChunkResults, Chunks, Suspects
from spindle.studies.sweep.grid import Grid


def chunk(*indices: int) -> Chunk:
    return Chunk([*indices], [{"a": index} for index in indices], [bytes([index]) for index in indices])


@pytest.mark.parametrize(
    ("seconds", "sizes"),
    [
        (1.0, [1] * 5),
        (0.05, [1, 5, 5, 5, 5]),
        (0.001, [1, 10, 100, 201, 201]),
        (0.0, [1, 10, 100, 1000, 2222]),  # half of what is left, whatever it takes
    ],
)
def test_a_chunk_takes_a_fifth_of_a_second(seconds: float, sizes: list[int]) -> None:
    chunks = Chunks(Grid({"a": range(10_000)}), range(10_000), 1, lambda _: b"")
    found = []
    for each in chunks:
        found.append(len(each))
        chunks.took(len(each), seconds * len(each))
        if len(found) == 5:
            break
    if seconds == 0.0:
        assert found[:4] == sizes[:4]
        assert found[4] == (10_000 - 1111) // 2
    else:
        assert found == sizes


def test_every_pending_point_once_and_no_worker_is_left_with_much() -> None:
    pending = list(range(0, 1000, 2))
    chunks = Chunks(Grid({"a": range(1000)}), pending, 4, lambda index: bytes([index % 256]))
    found = []
    for each in chunks:
        assert len(each) <= max(1, (len(pending) - len(found)) // 8)
        assert [point["a"] for point in each.points] == list(each.indices)
        assert list(each.keys) == [bytes([index % 256]) for index in each.indices]
        found += each.indices
        chunks.took(len(each), 0.0)
    assert found == pending


def test_a_lost_chunk_is_cut_and_its_first_pending_point_is_alone() -> None:
    suspects = Suspects()
    suspects.add(chunk(*range(20)), 1)
    together, *alone = suspects.rounds(range(3, 20))
    assert [list(piece.indices) for piece in together] == [[3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15],
                                                            [16, 17, 18], [19]]  # fmt: skip
    assert alone == []
    assert suspects.culprits() == []


def test_only_what_is_lost_alone_is_convicted() -> None:
    suspects = Suspects()
    for _ in range(2):
        suspects.add(chunk(7), 1)
        assert suspects.rounds([7]) == [[chunk(7)]]
    suspects.add(chunk(7), 1)
    suspects.add(chunk(8), 1)
    assert suspects.culprits() == []
    assert suspects.rounds([7, 8]) == [[chunk(8)], [chunk(7)]]
    suspects.add(chunk(7), 1)
    assert suspects.culprits() == [(7, 4)]
    assert suspects.rounds([]) == [[]]


def test_rows_are_held_by_place_with_the_seconds_that_a_chunk_took_and_a_failure_ends_all() -> None:
    held = ChunkResults(Grid({"a": [5, 6, 7]}), lambda point: {"a": point["a"]})
    done = held.do(chunk(2, 0))
    assert 0.0 <= done.seconds < 10.0
    held.take(chunk(2, 0), done)
    assert held.pending() == [1]
    held.take(chunk(1), held.do(chunk(1)))
    assert held.pending() == []
    assert held.frame()["a"].tolist() == [0, 1, 2]
    with pytest.raises(PointFailed, match=r"^the point a=5 failed$"):
        held.fail(0, "the point a=5 failed")
