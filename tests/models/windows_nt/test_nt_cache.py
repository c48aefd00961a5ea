"""Tests the cache manager of Windows NT by hand: hits and misses, read-ahead, dirty pages, lazy writer, throttling."""

import pytest
import simpy

from spindle.models.windows_nt.cache import CacheManager
from spindle.models.windows_nt.caller import thread
from spindle.models.windows_nt.lazy_writer import (
    DirtyPagesLeave,
    DirtyPagesStay,
    EachPeriod,
    Flushing,
    KeepsPages,
    MakesRoom,
    Unmapping,
    Waking,
    WhileWritersWait,
)
from spindle.models.windows_nt.memory import MemoryManager
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.read_ahead import CachedFile
from spindle.models.windows_nt.views import VIEW_BYTES, VIEW_PAGES, Views
from spindle.models.windows_nt.working_set import PAGE, FileSection
from spindle.sim.clock import Phase, Wait
from spindle.sim.cpu import PreemptiveCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.parameter import change
from spindle.sim.request import Span

DISC = 0.020
COPY = 1e-6
FREE = NtParameters(soft_fault=0.0, paging_call=0.0, clean_page=0.0, lazy_scan=0.0, map_view=0.0, copy=COPY,
                  local_pages=0, read_ahead=4 * PAGE, throttle=1000, lazy_first=3.0, lazy_period=1.0)


class Rig:
    """A cache over a disc of constant service; only copying takes CPU time."""

    def __init__(
        self, pages: int = 256, flushing: type[Flushing] = KeepsPages, waking: type[Waking] = EachPeriod,
        unmapping: type[Unmapping] = DirtyPagesLeave, **parameters: object,
    ) -> None:  # fmt: skip
        self.env = simpy.Environment()
        self.cpu = PreemptiveCpu(self.env)
        self.drive = Drive(self.env, FixedService(DISC))
        chosen = change(FREE, **parameters)
        self.memory = MemoryManager(self.env, self.drive, 2000, chosen)
        self.cache = CacheManager(self.env, self.cpu, self.memory, self.memory.working_set("cache", 0, 0), chosen,
                                  flushing(), waking(), unmapping())
        self.section = FileSection("file", Span(0, pages * PAGE))
        self.file = CachedFile(self.section)
        self.caller = thread(self.cpu, "thread", 8)

    def do(self, work: Wait) -> float:
        began = self.env.now
        self.env.run(self.env.process(work))
        return float(self.env.now) - began

    def read(self, first: int, size: int = PAGE) -> float:
        """Seconds of waiting; a read that needs none is made at once."""
        if self.cache.read_now(self.file, first, size) is not None:
            return 0.0
        return self.do(self.cache.read(self.file, first, size, self.caller))

    def write(self, first: int, size: int = PAGE) -> float:
        if self.cache.write_now(self.file, first, size) is not None:
            return 0.0
        return self.do(self.cache.write(self.file, first, size, self.caller))

    def __getitem__(self, name: str) -> float:
        return self.cache.reading()[name]


def test_a_miss_waits_for_the_disc_and_a_hit_copies() -> None:
    rig = Rig()
    assert rig.read(PAGE) == pytest.approx(DISC)
    assert rig.cache.read_now(rig.file, PAGE, 100) == pytest.approx(100 * COPY)
    assert (rig["copy_reads"], rig["copy_reads_hits"], rig["sync_copy_reads"], rig["async_copy_reads"]) == (2, 1, 2, 0)


def test_the_first_read_of_a_file_goes_by_way_of_the_file_system() -> None:
    rig = Rig()
    for _ in range(3):
        rig.read(PAGE)
    assert (rig["fast_read_not_possibles"], rig["fast_reads"], rig["copy_reads"]) == (1, 2, 3)


def test_a_record_of_two_pages_is_one_access() -> None:
    rig = Rig()
    assert rig.read(2 * PAGE, 2 * PAGE) == pytest.approx(DISC)
    assert (rig.memory.page_reads, rig.memory.pages_input) == (1, 2)


def test_nothing_has_been_done_where_something_must_be_waited_for() -> None:
    rig = Rig()
    before = rig.cache.reading()
    assert rig.cache.read_now(rig.file, 0, PAGE) is None
    assert rig.cache.write_now(rig.file, 0, PAGE) is None
    assert rig.cache.reading() == before


def test_asynchronous_reads_are_counted_apart_and_go_on_by_themselves() -> None:
    rig = Rig()
    reading = rig.cache.start_read(rig.file, 0, PAGE, rig.caller)
    assert not reading.triggered
    rig.env.run(reading)
    assert rig.env.now == pytest.approx(DISC + PAGE * COPY)
    assert (rig["async_copy_reads"], rig["sync_copy_reads"], rig["copy_reads"]) == (1, 0, 1)


def test_an_asynchronous_hit_is_counted_as_one() -> None:
    rig = Rig()
    rig.read(0)
    assert rig.cache.read_now(rig.file, 0, PAGE, waits=False) == pytest.approx(PAGE * COPY)
    assert (rig["async_copy_reads"], rig["async_fast_reads"], rig["copy_reads_hits"]) == (1, 1, 1)


def test_reads_by_list_copy_nothing() -> None:
    rig = Rig()
    assert rig.do(rig.cache.read_by_list(rig.file, 0, 2 * PAGE, rig.caller)) == pytest.approx(DISC)
    assert rig.do(rig.cache.read_by_list(rig.file, 0, 2 * PAGE, rig.caller, waits=False)) == 0.0
    assert (rig["sync_mdl_reads"], rig["async_mdl_reads"], rig["mdl_reads_hits"]) == (1, 1, 1)


def test_data_maps_pin_what_is_going_to_be_changed() -> None:
    rig = Rig()
    rig.do(rig.cache.map_data(rig.section, 0, 512, rig.caller))
    assert rig["dirty_pages"] == 0
    rig.do(rig.cache.map_data(rig.section, 0, 512, rig.caller, pins=True))
    assert (rig["data_maps"], rig["data_maps_hits"], rig["data_map_pins"], rig["dirty_pages"]) == (2, 1, 1, 1)


# Read-ahead ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("firsts", "expected"),
    [
        ((0, 1), []),
        ((0, 1, 2), [3, 4, 5, 6]),
        ((0, 2, 4), [6]),
        ((20, 15, 10), [5]),
        ((249, 251, 253), [255]),
        ((249, 252, 255), []),
        ((3, 0, 1, 2), []),
        ((0, 1, 3), []),
        ((5, 5, 5), []),
        ((6, 4, 2), [0]),
        ((6, 4, 1), []),
        ((252, 253, 254), [255]),
    ],
    ids=["two reads show nothing", "in sequence", "forwards", "backwards", "up to the last page", "beyond it",
         "the next is here", "no pattern", "the same again", "back to the first page", "no further back",
         "to the end and no further"],
)
def test_the_third_read_shows_a_pattern(firsts: tuple[int, ...], expected: list[int]) -> None:
    rig = Rig()
    for number in firsts:
        rig.read(number * PAGE)
    rig.env.run(rig.env.now + 1.0)
    assert sorted(set(rig.section.pages) - set(firsts)) == expected
    assert rig["read_aheads"] == bool(expected)


@pytest.mark.parametrize(("firsts", "size", "expected"), [
    ((0, 1, 2, 3), PAGE // 2, [2, 3, 4, 5]),  # in sequence by halves of a page, of which the fourth ends page 1
    ((0, 9, 18), 4000, []),  # the fourth would be beyond the end
    ((3, 7, 11), 2049, [7, 8]),  # it begins in the middle of a page, and ends with the first byte of another
])  # fmt: skip
def test_records_need_not_be_pages(firsts: tuple[int, ...], size: int, expected: list[int]) -> None:
    """Read at multiples of half a page."""
    rig = Rig(pages=11)
    for number in firsts:
        rig.read(number * PAGE // 2, size)
    rig.env.run(rig.env.now + 1.0)
    read = {page for first in firsts for page in range(first // 2, (first * PAGE // 2 + size - 1) // PAGE + 1)}
    assert sorted(set(rig.section.pages) - read) == expected


def test_a_sequential_read_in_the_middle_is_read_ahead_from_there() -> None:
    rig = Rig()
    rig.file.sequential = True
    rig.read(20 * PAGE)
    rig.env.run(rig.env.now + 1.0)
    assert sorted(rig.section.pages) == list(range(20, 25))
    assert (rig.file.ahead, rig["read_aheads"]) == (25, 1)


@pytest.mark.parametrize(("pages", "accesses"), [(8, 2), (5, 2), (4, 1)])
def test_what_is_beyond_a_cluster_takes_another_access(pages: int, accesses: int) -> None:
    """A cluster of 4 pages, read by a program or ahead of it: all come, and each is paid once."""
    rig = Rig(cluster=4, read_ahead=pages * PAGE, paging_call=1e-3, soft_fault=2e-3)
    cpu = 1e-3 * accesses + 2e-3 * pages
    assert rig.read(100 * PAGE, pages * PAGE) == pytest.approx(cpu + accesses * DISC)
    for number in (0, 1, 2):
        rig.read(number * PAGE)
    rig.env.run(rig.env.now + 1.0)
    assert all(number in rig.section.pages for number in range(3, 3 + pages))
    assert rig["read_aheads"] == accesses
    assert rig.cache.ahead.account.seconds[Phase.CPU] == pytest.approx(cpu)


def test_a_file_that_is_said_to_be_read_in_sequence_is_read_ahead_from_the_first_read_on() -> None:
    rig = Rig()
    rig.file.sequential = True
    rig.read(0)
    assert sorted(rig.section.pages) == [0, 1, 2, 3, 4]
    waited = [rig.read(number * PAGE) for number in range(1, 40)]
    assert rig.memory.page_reads < 15
    assert sum(waited) < 15 * DISC


@pytest.mark.parametrize(("ahead", "pages", "due"), [
    (0, 256, True), (1, 256, True), (8, 256, True), (9, 256, False), (13, 256, False), (14, 256, True), (8, 8, False),
    (8, 9, True),
])  # fmt: skip
def test_read_ahead_is_due_two_granules_before_its_end_and_where_the_reader_strayed(
    ahead: int, pages: int, due: bool
) -> None:
    """Granules of four pages; page 0 is read, and pages before *ahead* were asked for. More than three is astray."""
    rig = Rig(pages=pages)
    rig.file.sequential, rig.file.ahead = True, ahead
    assert rig.cache.ahead.due(rig.file, 0, PAGE) is due


def test_whoever_starts_again_at_the_beginning_is_read_ahead_there() -> None:
    rig = Rig(pages=40)
    rig.file.sequential = True
    for number in range(40):
        rig.read(number * PAGE)
    rig.env.run(rig.env.now + 1.0)
    assert rig.memory.pages_input == 40, "no page more than once, and none beyond the end"
    rig.read(0)
    assert rig.file.ahead == 5


def test_what_a_sequential_reader_has_far_behind_him_leaves_the_cache() -> None:
    rig = Rig(pages=6 * VIEW_PAGES, kept_views=2)
    rig.file.sequential = True
    for number in range(5 * VIEW_PAGES):
        rig.read(number * PAGE)
    held = {page.number // VIEW_PAGES for page in rig.cache.set.pages}
    assert held == {3, 4, 5}, "the view he is in, the one behind, and what was read ahead"
    assert rig.memory.lists.standby, "they are still in memory"


def test_views_are_mapped_once_and_the_oldest_goes_for_another() -> None:
    views, section = Views(2), FileSection("file", Span(0, 4 * VIEW_BYTES))
    assert views.use(section, 0) == (True, None)
    assert views.use(section, 0) == (False, None)
    assert views.use(section, 1) == (True, None)
    assert views.use(section, 0) == (False, None)
    assert views.use(section, 2) == (True, (section, 1))
    assert (views.mapped, views.unmapped, len(views)) == (3, 1, 2)


# Writing -------------------------------------------------------------------------------------------------


def test_a_page_that_is_written_all_over_is_not_read() -> None:
    rig = Rig()
    assert rig.write(PAGE) == 0.0
    assert (rig.memory.page_reads, rig["pin_reads"], rig["dirty_pages"]) == (0, 0, 1)


def test_a_page_that_is_written_partly_is_first_read_and_pinned() -> None:
    rig = Rig()
    assert rig.write(PAGE, 512) == pytest.approx(DISC)
    assert (rig["pin_reads"], rig["pin_reads_hits"], rig["dirty_pages"]) == (1, 0, 1)


def test_space_that_was_never_written_is_not_read() -> None:
    rig = Rig()
    rig.section.valid = 0
    assert rig.write(0, 512) == 0.0
    assert rig.memory.page_reads == 0
    assert rig.section.valid == 512


def test_a_page_that_is_written_twice_is_dirty_once() -> None:
    rig = Rig()
    rig.write(0)
    rig.write(0)
    assert rig["dirty_pages"] == 1


def test_write_through_returns_when_the_disc_has_it() -> None:
    rig = Rig()
    assert rig.do(rig.cache.write(rig.file, 0, 2 * PAGE, rig.caller, through=True)) == pytest.approx(DISC)
    assert (rig["data_flushes"], rig["data_flush_pages"], rig["dirty_pages"]) == (1, 2, 0)
    assert (rig["lazy_write_flushes"], rig.drive.reading()["bytes_written"]) == (0, 2 * PAGE)


def test_the_lazy_writer_writes_an_eighth_a_second_in_flushes_of_64_kb() -> None:
    rig = Rig(throttle=10_000)
    for number in range(256):
        rig.write(number * PAGE)
    rig.env.run(2.99)
    assert rig["lazy_write_pages"] == 0
    rig.env.run(3.9)
    assert (rig["lazy_write_flushes"], rig["lazy_write_pages"]) == (2, 32)
    rig.env.run(4.9)
    assert (rig["lazy_write_flushes"], rig["lazy_write_pages"]) == (4, 64), "28 were due; a flush that began is ended"
    assert rig.drive.reading()["writes"] == 4


def test_pages_that_were_written_at_random_are_flushed_one_by_one() -> None:
    rig = Rig()
    for number in (40, 3, 90, 4, 41, 60, 20, 10):
        rig.write(number * PAGE)
    rig.env.run(3.9)
    assert (rig["lazy_write_flushes"], rig["lazy_write_pages"]) == (1, 1)
    assert 40 not in rig.section.unwritten


def written(rig: Rig, *counts: int) -> list[FileSection]:
    """Files of which so many pages are dirty, none beside another."""
    made = [FileSection(f"file {number}", Span(0, 256 * PAGE)) for number in range(len(counts))]
    for section, count in zip(made, counts, strict=True):
        rig.file = CachedFile(section)
        for number in range(count):
            rig.write(2 * number * PAGE)
    return made


def test_a_file_with_less_than_eight_dirty_pages_waits_for_those_with_more() -> None:
    rig = Rig()
    few, many = written(rig, 7, 16)
    rig.env.run(3.9)
    assert (len(few.unwritten), len(many.unwritten)) == (7, 14)


def test_files_with_few_dirty_pages_have_a_flush_each_in_turn() -> None:
    rig, left = Rig(), []
    files = written(rig, 3, 3, 3)
    for second in range(4):
        rig.env.run(3.9 + second)
        left.append([len(each.unwritten) for each in files])
    assert left == [[2, 3, 3], [2, 2, 3], [2, 2, 2], [1, 2, 2]]


def test_a_writer_is_woken_once_when_few_enough_are_dirty() -> None:
    """Eight are dirty and four may be: five flushes of a page."""
    rig = Rig(throttle=4, flush=1)
    rig.write(0, 8 * PAGE)
    assert rig.write(8 * PAGE) > 6.0
    assert (rig["throttled"], rig["lazy_write_flushes"], rig["dirty_pages"]) == (1, 5, 4)


def test_flushing_goes_on_until_nothing_is_dirty() -> None:
    rig = Rig()
    for number in range(20):
        rig.write(number * PAGE)
    rig.env.run(60.0)
    assert (rig["dirty_pages"], rig.drive.reading()["bytes_written"]) == (0, 20 * PAGE)


def test_a_page_that_the_memory_manager_has_written_is_flushed_without_the_disc() -> None:
    rig = Rig()
    rig.write(0)
    rig.do(rig.memory.write([rig.section.pages[0]], rig.caller))
    rig.do(rig.cache.flush(rig.section, 0, PAGE, rig.caller))
    assert (rig["data_flush_pages"], rig["already_clean"], rig.drive.reading()["writes"]) == (1, 1, 1)


def test_writers_wait_where_too_much_is_dirty() -> None:
    rig = Rig(throttle=16)
    waited = [rig.write(number * PAGE) for number in range(17)]
    assert waited[:16] == [0.0] * 16
    assert waited[16] == pytest.approx(3.0 + DISC), "until the lazy writer has written its first flush"
    assert rig["throttled"] == 1


@pytest.mark.parametrize(("waking", "longer"), [(EachPeriod, 2.0), (WhileWritersWait, 0.0)])
def test_a_writer_that_waits_wakes_the_lazy_writer_or_does_not(waking: type[Waking], longer: float) -> None:
    """Flushes of a page each, two a look: the first 3 s after the first dirty page, others by the rule."""
    rig = Rig(waking=waking, throttle=16, flush=1)
    waited = [rig.write(number * PAGE) for number in range(22)]
    assert waited[16] == pytest.approx(3.0 + DISC)
    assert sum(waited[17:]) == pytest.approx(longer, abs=5 * DISC)


@pytest.mark.parametrize(("flushing", "soft"), [(KeepsPages, 0.0), (MakesRoom, 1.0)])
def test_what_was_flushed_stays_or_stands_by_and_comes_back_by_a_soft_fault(
    flushing: type[Flushing], soft: float
) -> None:
    rig = Rig(flushing=flushing)
    rig.write(0)
    rig.env.run(rig.env.now + 10.0)
    assert rig["lazy_write_pages"] == 1.0
    assert rig.memory.reading()["standby_pages"] == soft
    reads = rig.memory.page_reads
    assert rig.read(0) == 0.0
    assert (rig.memory.reading()["soft_faults"], rig.memory.page_reads) == (soft, reads)


@pytest.mark.parametrize(("unmapping", "held", "modified"), [(DirtyPagesLeave, 0, 64), (DirtyPagesStay, 64, 0)])
def test_dirty_pages_leave_with_their_view_or_stay(unmapping: type[Unmapping], held: int, modified: int) -> None:
    """A view of 64 pages is written; a sequential writer who keeps one view has it unmapped as he goes on."""
    rig = Rig(unmapping=unmapping, kept_views=1)
    rig.file = CachedFile(rig.section, sequential=True)
    for number in range(65):
        rig.do(rig.cache.write(rig.file, number * PAGE, PAGE, rig.caller))
    pages = [rig.section.pages[number] for number in range(64)]
    assert sum(page in rig.cache.set.pages for page in pages) == held
    assert sum(page in rig.memory.lists.modified for page in pages) == modified
    assert rig.cache.dirty.count == 65


def test_what_the_mapped_page_writer_wrote_is_a_flush_and_found_clean_by_the_lazy_writer() -> None:
    rig = Rig()
    rig.do(rig.cache.write(rig.file, 0, 4 * PAGE, rig.caller))
    pages = [rig.section.pages[number] for number in range(4)]
    rig.do(rig.memory.write(pages, rig.caller))
    rig.cache.dirty.count_mapped(pages)
    rig.do(rig.cache.dirty.flush(rig.section, 0, 4, rig.caller, lazy=True))
    read = rig.cache.dirty.reading()
    assert (read["data_flushes"], read["lazy_write_flushes"]) == (2, 1)
    assert (read["data_flush_pages"], read["lazy_write_pages"], read["already_clean"]) == (8, 4, 4)


@pytest.mark.parametrize("lazy", [False, True])
def test_a_flush_counts_its_pages_and_those_that_were_clean_already(lazy: bool) -> None:
    """Of four pages that lie in a row one was written meanwhile; only a lazy flush is a lazy one."""
    rig = Rig()
    rig.write(0, 4 * PAGE)
    dirty = rig.cache.dirty
    rig.section.pages[1].dirty = False
    assert dirty.count == 4
    rig.do(dirty.flush(rig.section, 0, 4, rig.caller, lazy))
    found = dirty.reading()
    assert (found["data_flushes"], found["data_flush_pages"], found["already_clean"]) == (1.0, 4.0, 1.0)
    assert (found["lazy_write_flushes"], found["lazy_write_pages"]) == ((1.0, 4.0) if lazy else (0.0, 0.0))
    assert (found["dirty_pages"], dirty.sections) == (0.0, {})
