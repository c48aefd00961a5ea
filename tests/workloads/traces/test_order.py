"""Tests requests in the order of their times, by hand: windows, merges of files, and requests that come too late."""

from collections.abc import Generator, Iterator
from math import nan

import numpy as np
import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.workloads.traces import order
from spindle.workloads.traces.batch import Batch, Stretch, batch_of
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.record import Record


def at(time: float | None, device: str = "", **more: object) -> Record:
    return Record(time, device, READ, 0, 512, **more)  # type: ignore[arg-type]


def times(*seconds: float) -> list[Record]:
    return [at(each) for each in seconds]


def given(*parts: Stretch) -> Generator[Stretch, None, None]:
    yield from parts


def sorted_times(*parts: Stretch, faults: Faults | None = None) -> list[list[float | None]]:
    """Return the times of each part that comes out."""
    faults = Faults() if faults is None else faults
    return [[record.time for record in order._records(part)] for part in order.sort_by_time(given(*parts), faults)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of four requests, or of six keys."""
    monkeypatch.setattr(order, "WINDOW", 4)
    monkeypatch.setattr(order, "WINDOW_KEYS", 6)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("batches", [False, True])
def test_requests_are_joined_and_split_into_windows(batches: bool) -> None:
    make = batch_of if batches else list
    parts = [make(times(*seconds)) for seconds in ((0, 1), (2,), (3, 4, 5, 6, 7, 8, 9), (10,))]
    assert sorted_times(*parts) == [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9], [10]]
    assert sorted_times(make(times(0, 1, 2, 3)), make(times(4))) == [[0, 1, 2, 3], [4]]
    assert sorted_times(make(times(0)), make(times(*range(1, 9)))) == [[0, 1, 2, 3], [4, 5, 6, 7, 8]]


@pytest.mark.usefixtures("small")
def test_windows_end_with_so_many_keys() -> None:
    parts = [[at(float(number), keys=("a", "b", "c"))] for number in range(5)]
    assert sorted_times(*parts) == [[0, 1], [2, 3], [4]]
    assert sorted_times(*[[at(float(number), keys=("a", "b"))] for number in range(4)]) == [[0, 1, 2], [3]]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("batches", [False, True])
def test_a_window_is_sorted_with_the_next(batches: bool) -> None:
    make = batch_of if batches else list
    faults = Faults()
    assert sorted_times(make(times(0, 3, 1, 2)), make(times(9, 2.5, 8, 7)), faults=faults) == [
        [0, 1, 2, 2.5], [3, 7, 8, 9]]  # fmt: skip
    assert faults.late == 5
    assert faults.notes == ["5 requests stand out of order, behind later ones: sorted by time"]
    one = Faults()
    assert sorted_times(make(times(0, 1, 3, 2)), make(times(4, 5, 6, 7)), faults=one) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert one.notes == ["1 request stands out of order, behind later ones: sorted by time"]
    none = Faults()
    sorted_times(make(times(0, 1, 1, 2)), make(times(2, 2, 2, 3)), faults=none)
    assert (none.late, none.notes) == (0, [])


@pytest.mark.usefixtures("small")
def test_a_merge_takes_the_earlier_half_first() -> None:
    assert sorted_times(times(0, 1, 2, 6), times(4, 5, 7, 8, 9)) == [[0, 1, 2, 4], [5, 6, 7, 8, 9]]
    assert sorted_times(times(0, 1, 2, 4), times(4, 5, 6, 7)) == [[0, 1, 2, 4], [4, 5, 6, 7]]


@pytest.mark.usefixtures("small")
def test_what_comes_as_late_as_the_last_that_was_given_is_in_time() -> None:
    """The first window was given up to 3 s when the third comes."""
    windows = times(0, 1, 2, 3), times(4, 5, 6, 7)
    assert sorted_times(*windows, times(3, 8, 9, 10)) == [[0, 1, 2, 3], [3, 4, 5, 6], [7, 8, 9, 10]]
    with pytest.raises(UserError, match=r"a request at 2.9995 s stands 4,096 requests or more behind one at 3 s"):
        sorted_times(*windows, times(2.9995, 8, 9, 10))


@pytest.mark.usefixtures("small")
def test_what_was_read_before_an_error_is_given() -> None:
    def broken() -> Generator[Stretch, None, None]:
        yield times(0, 1, 2, 3)
        yield times(5, 4)
        raise UserError("a bad line")

    parts = order.sort_by_time(broken(), Faults())
    given_back = [[record.time for record in order._records(next(parts))] for _ in range(2)]
    assert given_back == [[0, 1, 2, 3], [4, 5]]
    with pytest.raises(UserError, match="a bad line"):
        next(parts)


@pytest.mark.parametrize("batches", [False, True])
def test_times_count_from_the_first_if_that_is_negative(batches: bool) -> None:
    make = batch_of if batches else list
    assert sorted_times(make(times(-2, -1, 3))) == [[0, 1, 5]]
    assert sorted_times(make(times(2, 3))) == [[2, 3]]
    assert sorted_times([]) == []


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("record", [at(None), at(1.0, gap=0.5), at(1.0, number=7)])
@pytest.mark.parametrize("batches", [False, True])
def test_lists_without_times_or_with_gaps_and_numbers_stay_as_they_are(record: Record, batches: bool) -> None:
    make = batch_of if batches else list
    records = [at(9.0, gap=record.gap, number=record.number), record]
    assert sorted_times(make(records)) == [[9.0, record.time]]
    parts = order.sort_by_time(given(make(times(0, 1, 2, 3)), make([record] * 4), make(times(5, 4, 6, 7))), Faults())
    assert [len(order._records(part)) for part in parts] == [4, 4, 4]
    one = make([at(None)])
    assert order._times(one) is None
    assert order.last_time(one) == -np.inf
    assert order.last_time(make(times(1, 2))) == 2.0
    assert order.last_time([]) == -np.inf


def test_equal_times_keep_their_order() -> None:
    records = [at(1.0, "b"), at(0.0, "a"), at(1.0, "c"), at(0.0, "d"), at(1.0, "e")] * 20
    for part in (records, batch_of(records)):
        (found,) = order.sort_by_time(given(part), Faults())
        assert [record.device for record in order._records(found)] == ["a", "d"] * 20 + ["b", "c", "e"] * 20


def test_requests_for_several_objects_stay_together() -> None:
    records = [at(2.0, keys=("a", "a"), ttl=5.0), at(1.0, keys=("b",)), at(0.0, keys=("c",) * 3)]
    part = batch_of(records)
    assert isinstance(part, Batch)
    (found,) = order.sort_by_time(given(part), Faults())
    assert [record.keys for record in order._records(found)] == [("c",) * 3, ("b",), ("a", "a")]
    single = batch_of([at(2.0, keys=("a",)), at(1.0, keys=("b",))])
    (found,) = order.sort_by_time(given(single), Faults())
    assert [record.keys for record in order._records(found)] == [("b",), ("a",)]


def test_delays_spare_what_has_no_time() -> None:
    assert order._delay([at(None), at(1.0)], 2.0) == [at(None), at(3.0)]
    delayed = order._delay(batch_of(times(1, 2)), 0.5)
    assert [record.time for record in order._records(delayed)] == [1.5, 2.5]
    assert np.isnan(order._records(order._delay(batch_of([at(None)]), 0.5))[0].time or nan)


def merged(*files: tuple[float, list[list[Record]]]) -> list[list[tuple[float | None, str]]]:
    def opens(parts: list[list[Record]]) -> Iterator[Stretch]:
        opened.append(parts[0][0].device if parts else "")
        return iter(parts)

    opened: list[str] = []
    found = order.merge_files(((first, lambda parts=parts: opens(parts)) for first, parts in files), Faults())  # type: ignore[misc]
    return [[(record.time, record.device) for record in order._records(part)] for part in found]


def test_files_side_by_side_are_merged_by_time() -> None:
    one, other = [at(each, "a") for each in (0.0, 2.0, 4.0)], [at(each, "b") for each in (1.0, 2.0, 3.0, 9.0)]
    assert merged((1.0, [other]), (0.0, [one])) == [
        [(0.0, "a"), (1.0, "b"), (2.0, "a"), (2.0, "b"), (3.0, "b"), (4.0, "a")], [(9.0, "b")]]  # fmt: skip
    assert merged((0.0, []), (5.0, [[at(5.0, "c")]])) == [[(5.0, "c")]]
    assert merged() == []


def test_a_file_is_opened_when_the_others_have_come_to_it() -> None:
    early = [[at(0.0, "a"), at(1.0, "a")], [at(2.0, "a"), at(3.0, "a")]]
    assert merged((0.0, early), (9.0, [[at(9.0, "b")]])) == [
        [(0.0, "a"), (1.0, "a"), (2.0, "a"), (3.0, "a")], [(9.0, "b")]]  # fmt: skip
    assert merged((0.0, early), (3.0, [[at(3.0, "b"), at(4.0, "b")]])) == [
        [(0.0, "a"), (1.0, "a"), (2.0, "a"), (3.0, "a"), (3.0, "b")], [(4.0, "b")]]  # fmt: skip


@pytest.mark.usefixtures("small")
def test_keys_are_counted_from_none() -> None:
    records = [at(float(number), keys=("a",) * keys) for number, keys in enumerate((5, 1, 5, 1))]
    assert sorted_times(*([record] for record in records)) == [[0, 1], [2, 3]]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seconds", [(0, 1, 2, 3), (0, 1, 1, 2, 3)])
def test_what_is_in_order_is_not_copied(seconds: tuple[int, ...]) -> None:
    part = times(*seconds)
    assert next(order.sort_by_time(given(part), Faults())) is part


@pytest.mark.usefixtures("small")
def test_windows_that_only_meet_are_not_merged() -> None:
    assert sorted_times(times(0, 1, 2, 4), times(4, 5, 6, 7, 8, 9)) == [[0, 1, 2, 4], [4, 5, 6, 7, 8, 9]]


@pytest.mark.usefixtures("small")
def test_a_merge_knows_the_time_nought_and_keeps_the_order_of_equal_times() -> None:
    first, second = [at(each, "b") for each in (0.5, 1.0, 2.0, 6.0)], [at(each, "a") for each in (0.0, 6.0, 7.0, 8.0)]
    found = [record for part in order.sort_by_time(given(first, second), Faults()) for record in order._records(part)]
    assert [(record.time, record.device) for record in found] == [
        (0.0, "a"), (0.5, "b"), (1.0, "b"), (2.0, "b"), (6.0, "b"), (6.0, "a"), (7.0, "a"), (8.0, "a")]  # fmt: skip


def test_times_are_floats() -> None:
    found = order._times(times(1, 2))
    assert found is not None
    assert found.dtype == np.float64


@pytest.mark.parametrize("most", [1, 2, 3])
def test_arrays_of_objects_are_reordered_with_their_keys(most: int) -> None:
    records = [at(2.0, keys=("a",) * most), at(1.0, keys=("b",)), at(0.0, keys=("c",))]
    found = order._reorder(batch_of(records), np.array([2, 1, 0]))
    assert [record.keys for record in order._records(found)] == [("c",), ("b",), ("a",) * most]


def test_files_without_times_are_taken_whole_and_equal_times_in_the_order_of_their_files() -> None:
    assert merged((0.0, [[at(0.5, "a"), at(2.0, "a")]]), (1.0, [[at(None, "b"), at(None, "b")]])) == [
        [(None, "b"), (None, "b")], [(0.5, "a"), (2.0, "a")]]  # fmt: skip
    assert merged((1.0, [[at(0.5, "a"), at(1.0, "a")]]), (0.0, [[at(0.0, "b"), at(1.0, "b")]])) == [
        [(0.0, "b"), (0.5, "a"), (1.0, "b"), (1.0, "a")]]  # fmt: skip
