"""Tests how much read-ahead fetches, and when a reader counts as sequential."""

import pytest

from spindle.sim.cache import block_cache as read_ahead
from spindle.sim.cache.block_cache import FetchSize, NoReadAhead, Sequential, clip
from spindle.sim.clock import Account
from spindle.sim.request import Access, Hint, Op, Span

EXTENT = Span(1000, 1000)


def read(first: int, length: int = 100, hint: Hint = Hint.NONE, stream: object = "file") -> Access:
    return Access(Op.READ, Span(first, length), EXTENT, stream, hint, False, Account(""))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("span", "clipped"),
    [
        (Span(1100, 50), Span(1100, 50)), (Span(900, 200), Span(1000, 100)), (Span(1900, 200), Span(1900, 100)),
        (Span(0, 5000), EXTENT), (Span(2000, 10), Span(2000, 0)), (Span(2500, 10), Span(2500, 0)),
    ],
)
def test_clip(span: Span, clipped: Span) -> None:
    assert clip(span, EXTENT) == clipped


def test_no_more_than_what_is_absent() -> None:
    assert NoReadAhead().fetch(read(1000), Span(1050, 50)) == Span(1050, 50)
    assert NoReadAhead().prefetch(read(1000)) is None


@pytest.mark.parametrize(
    ("hint", "absent", "fetched"),
    [
        (Hint.NONE, Span(1100, 50), Span(1100, 200)),
        (Hint.RANDOM, Span(1100, 50), Span(1100, 200)),
        (Hint.SEQUENTIAL, Span(1100, 50), Span(1100, 600)),
        (Hint.SEQUENTIAL, Span(1900, 50), Span(1900, 100)),
        (Hint.NONE, Span(1100, 300), Span(1100, 300)),
    ],
)
def test_fetch_size(hint: Hint, absent: Span, fetched: Span) -> None:
    assert FetchSize(200, 600).fetch(read(1100, hint=hint), absent) == fetched
    assert FetchSize(200, 600).prefetch(read(1100, hint=hint)) is None


def test_sequential_after_so_many_in_a_row() -> None:
    ahead = Sequential(window=250, after=2)
    asked = [1000, 1100, 1200, 1300, 1300, 1400, 1500]
    wanted = [ahead.prefetch(read(first)) for first in asked]
    assert wanted == [None, None, Span(1300, 250), Span(1400, 250), None, None, Span(1600, 250)]
    assert ahead.fetch(read(1000), Span(1050, 50)) == Span(1050, 50)


@pytest.mark.parametrize("first", [0, 1])
def test_the_first_read_of_a_file_goes_on_from_nothing(first: int) -> None:
    access = read(first)._replace(within=Span(0, 2000))
    assert Sequential(window=250).prefetch(access) is None


def test_sequential_believes_the_hint() -> None:
    assert Sequential(250).prefetch(read(1000, hint=Hint.SEQUENTIAL)) == Span(1100, 250)
    ahead = Sequential(250)
    assert [ahead.prefetch(read(first, hint=Hint.RANDOM)) for first in (1000, 1100, 1200)] == [None, None, None]


def test_sequential_stays_within_the_extent() -> None:
    ahead = Sequential(250)
    assert [ahead.prefetch(read(first)) for first in (1700, 1800, 1900)] == [None, Span(1900, 100), None]


def test_a_reader_is_remembered_while_4095_others_read() -> None:
    ahead = Sequential(100)
    for stream in range(4097):
        ahead.prefetch(read(1000, stream=stream))
    assert ahead.prefetch(read(1100, stream=1)) == Span(1200, 100)
    assert ahead.prefetch(read(1100, stream=0)) is None  # forgotten when the 4097th came


def test_streams_are_told_apart_and_the_oldest_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "MAX_READERS", 2)
    ahead = Sequential(100)
    for stream in ("a", "b"):
        assert ahead.prefetch(read(1000, stream=stream)) is None
    assert ahead.prefetch(read(1100, stream="a")) == Span(1200, 100)
    assert ahead.prefetch(read(1000, stream="c")) is None  # b is forgotten now
    assert ahead.prefetch(read(1100, stream="b")) is None
    assert ahead.prefetch(read(1100, stream="c")) == Span(1200, 100)
