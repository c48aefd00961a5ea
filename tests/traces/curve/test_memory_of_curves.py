"""Tests the memory that curves take: 2 GB at most for a trace of 6 * 10^7 references."""

import tracemalloc
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from spindle.sim.jit import AVAILABLE
from spindle.traces.blocks import NO_DROPS, TraceReferences, collect_references, count_different
from spindle.traces.curve.fastest import belady_hits, next_uses, stack_distances
from spindle.traces.curve_answers import curve_answer
from spindle.traces.curves import che, hit_curves
from spindle.workloads.traces.batch import empty
from spindle.workloads.traces.reader import Trace

COUNT = 1 << 20
NEAR = np.random.default_rng(1).zipf(1.2, COUNT) % (COUNT // 4)
FAR = NEAR * 97_000_003_111


def bytes_each(compute: Callable[[], object]) -> float:
    """Bytes that are held at most while *compute* runs, by reference."""
    compute()  # machine code is made, and modules are imported
    tracemalloc.start()
    compute()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / COUNT


def string_of(blocks: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> TraceReferences:
    none = np.zeros(0, np.int64)
    return TraceReferences(blocks, none, none, none.astype(float), none, none.astype(float), none.astype(bool), [],
                           False, NO_DROPS)  # fmt: skip


@pytest.mark.skipif(not AVAILABLE, reason="numba is not installed; pip install -r requirements-fast.txt")
@pytest.mark.parametrize("blocks", [NEAR, FAR], ids=["near", "far"])
def test_what_is_computed_of_a_reference_takes_24_bytes_beside_its_block(
    blocks: "np.ndarray[tuple[int], np.dtype[np.int64]]",
) -> None:
    for compute in (
        lambda: count_different(blocks), lambda: stack_distances(blocks), lambda: next_uses(blocks),
        lambda: belady_hits(blocks, [1000]), lambda: che(blocks, [10, 1000], COUNT // 10),
        lambda: curve_answer(string_of(blocks), [], COUNT // 10), lambda: list(hit_curves(blocks, ["clock"], [1000])),
    ):  # fmt: skip
        assert bytes_each(compute) <= 24


class Requests(Trace):
    """As many requests as there are references, as a trace file that takes no memory."""

    def __init__(self) -> None: ...

    def batches(self, passed: Callable[[int], object] = lambda _: None) -> Iterator[object]:  # type: ignore[override]
        for begin in range(0, COUNT, 1 << 14):
            count = len(firsts := NEAR[begin : begin + (1 << 14)] * 4096)
            known = empty()
            yield known._replace(
                times=np.zeros(count), writes=np.zeros(count, np.bool_), firsts=firsts,
                owners=known.owners._replace(codes=np.zeros(count, np.int64)), lengths=np.full(count, 4096),
                ttls=np.zeros(count))  # fmt: skip


def test_only_the_columns_that_are_asked_for_are_held() -> None:
    """A block and a mark of deletion, which grow where they lie; and the answer is the same.

    An array that grows is counted twice for an instant where tracemalloc notes the new place before it drops the old.
    """
    assert bytes_each(lambda: collect_references(Requests(), 4096, columns=())) < 20
    assert bytes_each(lambda: collect_references(Requests(), 4096)) > 40
    bare, whole = collect_references(Requests(), 4096, columns=()), collect_references(Requests(), 4096)
    assert (bare.blocks == whole.blocks).all()
    assert (len(bare.times), len(whole.times), len(whole.writes)) == (0, COUNT, COUNT)
    some = collect_references(Requests(), 4096, columns={"times", "counts"})
    assert (len(some.times), len(some.counts), len(some.sizes)) == (COUNT, COUNT, 0)
