"""Tests batches of requests by hand: the kinds of their columns, records of them, and the numbers of devices."""

from collections.abc import Callable
from math import nan

import numpy as np
import pytest

from spindle.sim.request import READ, WRITE
from spindle.workloads.traces.batch import Batch, Owners, Words, batch_of, empty
from spindle.workloads.traces.record import Record

KINDS = {"times": np.float64, "writes": np.bool_, "firsts": np.int64, "lengths": np.int64, "ttls": np.float64}
OPTIONAL = ("keys", "counts", "responses", "gaps", "services", "numbers", "deletes", "unsized")


@pytest.mark.parametrize("make", [
    empty, lambda: batch_of([]), lambda: batch_of([Record(None, "a", WRITE, 512, 7)])])  # fmt: skip
def test_columns_have_their_kinds_and_those_that_nobody_has_are_not_there(make: Callable[[], Batch]) -> None:
    batch = make()
    assert {name: getattr(batch, name).dtype for name in KINDS} == KINDS
    assert batch.owners.codes.dtype == np.int64
    assert [getattr(batch, name) for name in OPTIONAL] == [None] * len(OPTIONAL)


def test_a_number_that_one_request_has_is_unknown_of_the_others() -> None:
    records = [Record(1.0, "a", READ, 0, 512), Record(2.0, "b", WRITE, 512, 7, 0.5, 0.25, 0.125, number=3)]
    batch = batch_of(records)
    for column, last in ((batch.responses, 0.5), (batch.gaps, 0.25), (batch.services, 0.125), (batch.numbers, 3.0)):
        assert column is not None
        assert (column.dtype, column.tolist()) == (np.float64, pytest.approx([nan, last], nan_ok=True))
    assert list(batch.records()) == records
    numbers = batch_of(records[1:]).numbers
    assert numbers is not None
    assert numbers.dtype == np.float64


def test_one_of_several_deletes_and_another_has_no_size() -> None:
    records = [Record(None, "", READ, 0, 1, keys=("a",), delete=True),
               Record(None, "", READ, 0, 1, keys=("b",), unsized=True)]  # fmt: skip
    assert list(batch_of(records).records()) == records


def test_devices_are_numbered_as_they_come_and_only_those_that_do() -> None:
    owners = Owners()
    assert owners.number_all(Words(np.array([2, 0, 2, 0]), ["a", "unused", "c"])).tolist() == [0, 1, 0, 1]
    assert owners.number_all(Words(np.array([1, 0, 1]), ["x", "a"])).tolist() == [1, 2, 1]
    assert owners == {"c": 0, "a": 1, "x": 2}
