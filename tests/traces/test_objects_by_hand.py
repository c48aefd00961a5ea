"""Tests by hand what a trace of objects is made into: sizes, what counts, and bounds with and without bypass."""

from dataclasses import replace

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.traces.blocks import TraceReferences, collect_references
from spindle.traces.objects import ObjectRow, ObjectRules, object_curves, object_references
from spindle.workloads.traces.record import Record


def keyed(*asked: tuple[str, int]) -> TraceReferences:
    return collect_references([Record(None, "", READ, 0, size, keys=(key,)) for key, size in asked], 512)


def test_sizes_may_be_missing_of_some_and_not_of_all() -> None:
    string, in_bytes = keyed(("a", 6), ("a", 6), ("b", 4)), ObjectRules(in_bytes=True)
    for unsized, sized in ((0, True), (2, True), (3, False)):
        assert object_references(replace(string, unsized=unsized), 512, ObjectRules()).sized is sized
    assert object_references(replace(string, unsized=2), 512, in_bytes).sizes.tolist() == [6, 6, 4]
    with pytest.raises(UserError, match="needs the sizes of objects, and the trace has none that is known"):
        object_references(replace(string, unsized=3), 512, in_bytes)


def test_blocks_of_a_device_have_their_own_size() -> None:
    string = collect_references([Record(None, "", READ, 0, 3 * 512)], 512)
    assert object_references(string, 512, ObjectRules()).sizes.tolist() == [512] * 3


def test_early_references_and_their_bytes_count_for_nothing() -> None:
    string = object_references(keyed(("a", 6), ("c", 9), ("a", 6), ("b", 4)), 512, ObjectRules())
    assert object_curves(string, ["lru"], [2, 3], 2, ObjectRules()) == [
        ObjectRow("lru", 2, 2, 1, 10, 6), ObjectRow("lru", 3, 2, 1, 10, 6)]  # fmt: skip


def test_the_bounds_let_pass_what_they_do_not_want_or_must_not() -> None:
    """Of a b a one object keeps a, unless b must come in."""
    string = object_references(keyed(("a", 1), ("b", 1), ("a", 1)), 512, ObjectRules())
    rows = object_curves(string, ["belady", "opt"], [1], 0, ObjectRules())
    assert [(row.policy, row.hits) for row in rows] == [("belady", 1), ("opt", 0)]


def test_what_is_deleted_and_comes_too_late_is_dropped_under_its_own_key() -> None:
    """a for 5 s, deleted at 1, comes again for ever; b for 2 s is too late at 4. So a hits at 3 and 9, b never."""
    string = collect_references([
        Record(0.0, "", READ, 0, 1, keys=("a",), ttl=5.0), Record(0.0, "", READ, 0, 1, keys=("b",), ttl=2.0),
        Record(1.0, "", READ, 0, 1, keys=("a",), delete=True), Record(2.0, "", READ, 0, 1, keys=("a",)),
        Record(3.0, "", READ, 0, 1, keys=("a",)), Record(4.0, "", READ, 0, 1, keys=("b",)),
        Record(9.0, "", READ, 0, 1, keys=("a",))], 512)  # fmt: skip
    rules = ObjectRules(honoured=True)
    made = object_references(string, 512, rules)
    assert made.late.tolist() == [False, False, False, False, True, False]
    assert [row.hits for row in object_curves(made, ["lru", "belady"], [2], 0, rules)] == [2, 2]
