"""Tests Linux's read-ahead by hand, its walk over the cache, and the device reads counted on Linux 6.18."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.models.unix_stdio.page_cache.folios import Folio, Folios, largest
from spindle.models.unix_stdio.page_cache.gaps import next_gap, previous_gap
from spindle.models.unix_stdio.page_cache.read_ahead import FileReadAhead, ReadAheadLimits
from spindle.models.unix_stdio.parameters import PAGE
from spindle.models.unix_stdio.run import perform
from spindle.workloads.stdio import StdioCall, StdioProgram

Run = tuple[int, int]


class Reader:
    """Reads pages, and notes what was fetched for each: (first page, pages)."""

    def __init__(self, window: int, file: int = 2560) -> None:
        self.folios = Folios()
        self.ahead = FileReadAhead(self.folios, ReadAheadLimits(file, window, 320))

    def read(self, page: int, wanted: int = 1) -> list[Run]:
        return list(self._read(page, page + wanted))

    def _read(self, page: int, end: int) -> Iterator[Run]:
        while page < end:
            if page not in self.folios:
                yield from map(span, self.ahead.on_miss(page, end - page))
            folio = self.folios.by_page[page]
            if folio.marked:
                yield from map(span, self.ahead.on_mark(folio, end - folio.first))
            page = folio.first + folio.pages
        self.ahead.previous = end


def span(run: list[Folio]) -> Run:
    return run[0].first, sum(folio.pages for folio in run)


def test_the_window_grows_to_its_limit_and_to_aligned_ends_when_reading_in_order() -> None:
    reader = Reader(32)
    runs = [(page, run) for page in range(96) for run in reader.read(page)]
    # The first page marks the second; from there on each window marks its own first page. It would double, but
    # its end is rounded down to what its folios will be aligned to.
    assert runs == [(0, (0, 4)), (1, (4, 8)), (4, (12, 4)), (12, (16, 8)), (16, (24, 8)), (24, (32, 16)),
                    (32, (48, 16)), (48, (64, 32)), (64, (96, 32))]  # fmt: skip


def test_somebody_who_reads_here_and_there_gets_what_he_asks_for() -> None:
    reader = Reader(32)
    assert [reader.read(page) for page in (100, 700, 300)] == [[(100, 1)], [(700, 1)], [(300, 1)]]


def test_pages_cached_just_before_are_taken_for_a_stream() -> None:
    reader = Reader(32)
    reader.read(100)
    reader.ahead.previous = 900
    assert reader.read(101) == [(101, 1)]  # one page is no history
    reader.ahead.previous = 900
    assert reader.read(102) == [(102, 3)]
    assert reader.folios.by_page[104].marked


def test_the_first_page_begins_a_stream_wherever_the_last_read_was() -> None:
    reader = Reader(32)
    reader.read(100)
    assert reader.read(0) == [(0, 4)]
    assert reader.folios.by_page[1].marked


def test_a_read_of_more_than_the_disc_takes_begins_a_stream_anywhere() -> None:
    assert Reader(4).read(100, 400)[:2] == [(100, 320), (420, 320)]
    assert Reader(4).read(100, 320) == [(100, 320)]


@pytest.mark.parametrize(("cached", "fetched"), [(range(5), (5, 11)), (range(1, 5), (5, 5)), (range(4, 5), (5, 1)),
                                                 (range(3, 5), (5, 3))])  # fmt: skip
def test_a_stream_from_the_front_of_the_file_is_read_ahead_twice_as_far(cached: range, fetched: Run) -> None:
    """As many pages as were found cached before it, and the one asked for; twice as many from the front on."""
    reader = Reader(32)
    for page in cached:
        reader.folios.add(Folio(page, 1))
    reader.ahead.previous = 900
    assert reader.read(5) == [fetched]
    marked = [page for page, folio in reader.folios.by_page.items() if folio.marked]
    assert marked == ([] if fetched[1] == 1 else [sum(fetched) - 1])


def test_a_stream_is_read_ahead_no_further_than_the_window() -> None:
    reader = Reader(8)
    for page in range(7):
        reader.folios.add(Folio(page, 1))
    reader.ahead.previous = 900
    assert reader.read(7) == [(7, 8)]


@pytest.mark.parametrize(("file", "runs", "mark"), [(100, [(0, 4), (5, 27)], 16), (28, [(0, 4), (5, 23)], 12)])
def test_behind_a_cached_page_the_rest_of_a_window_is_read_page_by_page(file: int, runs: list[Run], mark: int) -> None:
    """Of 32 pages the last 16 are ahead; where the file ends sooner, sixteen before its end."""
    reader = Reader(32, file)
    reader.folios.add(Folio(4, 1))
    assert [span(run) for run in reader.ahead.on_miss(0, 32)] == runs
    assert [page for page, folio in reader.folios.by_page.items() if folio.marked] == [mark]


def test_who_leaves_out_a_page_reads_in_order() -> None:
    reader = Reader(32)
    assert [reader.read(page) for page in (100, 102)] == [[(100, 1)], [(102, 4)]]
    assert [reader.read(page) for page in (200, 203)] == [[(200, 1)], [(203, 1)]]


def test_a_mark_that_nobody_remembers_leads_behind_the_pages_that_follow_it() -> None:
    for cached, fetched in ((4, [(14, 2)]), (5, [])):
        reader = Reader(4)
        for page in range(10, 10 + cached):
            reader.folios.add(Folio(page, 1, page == 10))
        assert reader.read(10) == fetched, "four pages on is as far as a window looks"


def test_a_window_may_be_larger_than_a_request_of_the_disc() -> None:
    assert Reader(400).read(0, 500)[0] == (0, 400)


def test_a_read_larger_than_the_window_may_have_what_the_disc_takes() -> None:
    reader = Reader(4)
    assert reader.read(0, 16) == [(0, 16), (16, 16)]  # and its middle is marked
    assert Reader(4).read(0, 1000)[0] == (0, 320)


def test_without_a_window_nothing_is_read_ahead() -> None:
    assert Reader(0).read(0, 3) == [(0, 3)]


def test_the_end_of_the_file_is_the_end() -> None:
    reader = Reader(32, file=6)
    assert reader.read(0, 6) == [(0, 6)]
    assert 6 not in reader.folios


def test_folios_are_aligned_to_their_size() -> None:
    assert [largest(page, 64) for page in (0, 1, 2, 4, 40, 63)] == [64, 1, 2, 4, 8, 1]
    assert largest(0, 5000) == 512
    assert largest(0, 64, most=2) == 4


def test_the_walk_is_as_many_pages_out_as_it_began_within_a_folio() -> None:
    folios = Folios()
    folios.add(Folio(8, 8))
    assert next_gap(folios, 8, 32) == 16
    assert next_gap(folios, 9, 32) == 17  # page 16 is the first that is absent
    assert next_gap(folios, 12, 32) == 20
    assert previous_gap(folios, 15, 32) == 14  # from the first page of the folio, one step back
    assert previous_gap(folios, 8, 32) == 7


def test_the_walk_finds_its_place_again_in_the_next_leaf() -> None:
    folios = Folios()
    folios.add(Folio(56, 8))
    folios.add(Folio(64, 4))
    assert next_gap(folios, 57, 32) == 68


def test_a_folio_of_many_leaves_is_left_in_steps_of_a_leaf() -> None:
    folios = Folios()
    folios.add(Folio(128, 128))
    assert next_gap(folios, 129, 512) == 256
    assert next_gap(folios, 129, 100) == 229  # none among 100 pages
    assert previous_gap(folios, 150, 512) == 127
    assert previous_gap(folios, 200, 512) == 199  # from its second slot the look-up leads to the first


def test_the_folio_of_a_whole_leaf_has_one_slot_from_behind() -> None:
    """From page 135, slot 128: one step back is slot 64 at page 134, which is another leaf's; so it is left at once."""
    folios = Folios()
    folios.add(Folio(64, 64))
    folios.add(Folio(128, 8))
    assert previous_gap(folios, 135, 512) == 133


def test_from_the_front_of_the_file_there_is_no_gap() -> None:
    folios = Folios()
    for page in range(5):
        folios.add(Folio(page, 1))
    assert previous_gap(folios, 4, 32) == -1


@given(st.sets(st.integers(0, 200)), st.integers(0, 200))
def test_among_single_pages_the_walk_is_right(pages: set[int], start: int) -> None:
    folios = Folios()
    for page in pages:
        folios.add(Folio(page, 1))
    assert next_gap(folios, start, 300) == min(page for page in range(start, 202) if page not in pages)
    assert previous_gap(folios, start, 300) == max(page for page in range(-1, start + 1) if page not in pages)


READS = st.tuples(st.integers(0, 99), st.integers(1, 20))


@given(st.lists(READS, max_size=60), st.sampled_from([0, 1, 4, 16, 32, 256]))
def test_every_page_is_fetched_once_and_none_beyond_the_file(reads: list[tuple[int, int]], window: int) -> None:
    reader = Reader(window, file=100)
    fetched = [page for first, many in reads for run in reader.read(first, min(many, 100 - first))
               for page in range(run[0], sum(run))]  # fmt: skip
    assert len(fetched) == len(set(fetched))
    assert all(0 <= page < 100 for page in fetched)
    assert {page for first, many in reads for page in range(first, min(100, first + many))} <= set(fetched)


def test_device_reads_are_those_of_linux(shared: Path) -> None:
    """All 51 cells; the counts of two differ by a few from run to run, and there the fewest are meant."""
    wrong = []
    with (shared / "data" / "unix_measured" / "ra_model_vs_measured.csv").open(encoding="utf-8") as table:
        for row in csv.DictReader(table):
            found = _device_reads(row["prog"], int(row["block"]), int(row["stride"]), int(row["ra_kb"]))
            if not int(row["min"]) <= found <= int(row["max"]):
                wrong.append((row, found))
    assert wrong == []


def _device_reads(name: str, block: int, stride: int, window: int) -> float:
    call = StdioCall.FREAD if name == "r08" else StdioCall.READ
    program = StdioProgram(name, name, call, block, 2560 * PAGE, stride)
    return perform(program, read_ahead=window * 1024, request=1280 * 1024).extras["device_reads"]
