"""Tests the cache manager of Windows NT step by step: what each call costs, counts, marks and leaves behind."""

from typing import Any

import pytest

from spindle.models.windows_nt.cache import READ_KINDS, CopyReadCounts
from spindle.models.windows_nt.lazy_writer import EachPeriod, MakesRoom, WhileWritersWait
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.read_ahead import CachedFile
from spindle.models.windows_nt.views import VIEW_PAGES, Views
from spindle.models.windows_nt.working_set import PAGE, FileSection
from spindle.sim.clock import Phase, Wait
from spindle.sim.error import UserError
from spindle.sim.request import Span
from tests.models.windows_nt.test_nt_cache import COPY, DISC, Rig

SOFT, VIEW, REQUEST = 0.5, 2.0, 8.0
"""Powers of two, so that a sum says what is in it."""
COSTS = {"soft_fault": SOFT, "map_view": VIEW, "request_call": REQUEST}


def filled(*numbers: int, **parameters: object) -> Rig:
    """A cache with these pages, of a file that was read before, and costs of every kind."""
    rig = Rig(**{**COSTS, **parameters})
    rig.memory.populate(rig.cache.set, rig.section, numbers, dirty=False)
    rig.file.cached = True
    forget(rig)
    rig.env.run(rig.env.timeout(0.0))  # threads are at their first wait
    return rig


def forget(rig: Rig) -> None:
    for page in rig.cache.set.pages:
        rig.cache.set.pages[page] = False


def used(rig: Rig) -> list[int]:
    return [page.number for page, lately in rig.cache.set.pages.items() if lately]


def value(rig: Rig, work: Wait) -> Any:
    """What *work* returns."""
    return rig.env.run(rig.env.process(work))


def test_requests_are_counted_by_who_waits_and_whether_they_hit() -> None:
    counts = CopyReadCounts()
    for hit, waits, times in ((True, True, 2), (False, True, 3), (True, False, 4), (False, False, 6)):
        for _ in range(times):
            counts.count(hit, waits)
    assert counts.reading("x") == {"sync_x": 5.0, "async_x": 10.0, "x": 15.0, "x_hits": 6.0}


def test_what_the_cache_reads() -> None:
    rig = filled(0, 1, 2)
    cache, expected = rig.cache, dict[str, float]()
    kinds = zip(READ_KINDS, (cache.copy, cache.fast, cache.mdl, cache.pin, cache.map), strict=True)
    for number, (kind, each) in enumerate(kinds, 1):
        each.sync, each.asynchronous, each.sync_hits, each.asynchronous_hits = number, 10 * number, number, 0
        expected |= {f"sync_{kind}": number, f"async_{kind}": 10 * number, kind: 11 * number, f"{kind}_hits": number}
    cache.data_map_pins, cache.fast_not_possible, cache.set.faults = 61, 62, 63
    cache.views.mapped, cache.ahead.started = 64, 65
    read = {name: number for name, number in cache.reading().items() if name not in cache.dirty.reading()}
    assert read == {**expected, "data_map_pins": 61, "fast_read_not_possibles": 62, "cache_faults": 63,
                    "cache_bytes": 3 * PAGE, "views_mapped": 64, "read_aheads": 65}  # fmt: skip
    assert cache.reading() == {**read, **cache.dirty.reading()}


def test_threads_of_the_cache_have_their_names_and_priorities() -> None:
    cache = Rig().cache
    of = [(part._caller.account.name, 32 - part._caller.level) for part in (cache.ahead, cache.lazy)]
    assert of == [("System: read-ahead", 13), ("System: lazy writer", 12)]


def test_a_view_is_used_again_where_its_reader_comes_back_from_another() -> None:
    """Of two views the reader of file 0 stays in its own; that of file 1 comes later, and file 2 needs a third."""
    cache = Rig(views=2).cache
    files = [CachedFile(FileSection(f"{number}", Span(0, PAGE))) for number in range(3)]
    for number in (0, 1, 0):
        cache._look_at(files[number], 0)
    assert cache._look_at(files[0], 0) == 0.0
    cache._look_at(files[2], 0)
    assert [section.name for section, _ in cache.views._mapped] == ["1", "2"]


def test_a_parameter_beyond_its_bounds_is_refused() -> None:
    with pytest.raises(UserError, match="views"):
        NtParameters(views=0)


# Reads.

@pytest.mark.parametrize(("first", "size", "hits"), [
    (PAGE, PAGE, True), (2 * PAGE - 1, 2, True), (PAGE, 2 * PAGE, True), (3 * PAGE - 1, 1, True),
    (PAGE - 1, 1, False), (PAGE - 1, 2, False), (3 * PAGE - 1, 2, False), (PAGE, 2 * PAGE + 1, False),
    (4 * PAGE, 1, False),
])  # fmt: skip
def test_bytes_of_two_pages_hit_and_no_byte_beside_them(first: int, size: int, hits: bool) -> None:
    """Pages 1 and 2 are there, and page 4 is coming; a read and a write by the fast path agree."""
    rig = filled(1, 2)
    rig.memory.fetch(rig.cache.set, rig.section, 4, 1, rig.caller)
    for asked in (rig.cache.read_now, rig.cache.write_now):
        rig.file.view = -1
        assert asked(rig.file, first, size) == (size * COPY + VIEW if hits else None)
        assert list(rig.cache.views._mapped) == ([(rig.section, 0)] if hits else [])
        rig.cache.views.unmap((rig.section, 0))
    pages = sorted({first // PAGE, (first + size - 1) // PAGE}) if hits else []
    assert list(rig.section.unwritten) == pages
    assert not hits or used(rig) == pages
    assert [number for number, page in rig.section.pages.items() if page.dirty] == pages
    assert (rig["sync_copy_reads"], rig["sync_fast_reads"]) == (hits, hits)
    assert (rig["copy_reads_hits"], rig["fast_reads_hits"], rig["async_copy_reads"]) == (hits, hits, 0)


def test_the_first_read_of_a_file_goes_by_the_file_system_though_its_pages_are_here() -> None:
    rig = filled(0)
    rig.file.cached = False
    assert rig.cache.read_now(rig.file, 0, 100) is None
    value(rig, rig.cache.read(rig.file, 0, 100, rig.caller))
    assert rig.cache.read_now(rig.file, 0, 100) is not None


def test_a_hit_costs_its_copy_its_view_and_a_soft_fault_for_each_page_that_was_trimmed() -> None:
    rig = filled(0, 1, VIEW_PAGES)
    hold = rig.cache.set
    for number in (0, 1):
        rig.memory.remove(hold, rig.section.pages[number])
    assert rig.cache.read_now(rig.file, 0, 2 * PAGE) == 2 * PAGE * COPY + VIEW + 2 * SOFT
    assert rig.cache.read_now(rig.file, 0, 2 * PAGE) == 2 * PAGE * COPY
    assert rig.cache.read_now(rig.file, VIEW_PAGES * PAGE, 8) == 8 * COPY + VIEW
    assert rig.cache.read_now(rig.file, 0, 8) == 8 * COPY, "its view is still mapped"
    assert (hold.faults, hold.soft_faults, sorted(used(rig))) == (2, 2, [0, 1, VIEW_PAGES])
    for number in (0, 1):
        rig.memory.remove(hold, rig.section.pages[number])
    assert rig.cache.write_now(rig.file, VIEW_PAGES * PAGE, 8) == 8 * COPY
    assert rig.cache.write_now(rig.file, 4, 2 * PAGE - 4) == pytest.approx((2 * PAGE - 4) * COPY + 2 * SOFT)
    assert (hold.faults, list(rig.section.unwritten)) == (4, [VIEW_PAGES, 0, 1])


@pytest.mark.parametrize(("fast", "waits", "more", "counted"), [
    (1, True, 0.0, {"sync_copy_reads": 2, "sync_fast_reads": 2, "copy_reads_hits": 2, "fast_reads_hits": 2}),
    (1, False, 0.0, {"async_copy_reads": 2, "async_fast_reads": 2, "copy_reads_hits": 2, "fast_reads_hits": 2}),
    (0, True, REQUEST, {"sync_copy_reads": 2, "copy_reads_hits": 2, "fast_read_not_possibles": 2}),
    (0, False, REQUEST, {"async_copy_reads": 2, "copy_reads_hits": 2, "fast_read_not_possibles": 2}),
])  # fmt: skip
def test_a_hit_is_a_fast_read_or_a_request(fast: int, waits: bool, more: float, counted: dict[str, float]) -> None:
    rig = filled(0, fast_reads=fast)
    rig.file.view = 0
    costs = [rig.cache.read_now(rig.file, 0, 8, waits) for _ in range(2)]
    assert costs == [8 * COPY + more] * 2
    names = {f"{of}{kind}" for kind in ("copy_reads", "fast_reads") for of in ("sync_", "async_")}
    read = {name: rig[name] for name in (*names, "copy_reads_hits", "fast_reads_hits", "fast_read_not_possibles")}
    assert read == {**dict.fromkeys(read, 0), **counted}


@pytest.mark.parametrize(("fast", "waits"), [(1, True), (1, False), (0, True), (0, False)])
def test_a_read_with_waiting_costs_its_copy_its_view_and_perhaps_a_request(fast: int, waits: bool) -> None:
    """The first of a file goes by way of the file system; a second that must wait is fast, if any is."""
    rig = Rig(**COSTS, fast_reads=fast)
    request = 0.0 if fast else REQUEST

    def read(first: int) -> Any:
        return value(rig, rig.cache.read(rig.file, first, 100, rig.caller, waits))

    assert not rig.file.cached
    assert read(9 * PAGE) == pytest.approx(100 * COPY + VIEW + request)
    assert (rig["fast_read_not_possibles"], rig["fast_reads"], rig.file.cached) == (1, 0, True)
    assert read(VIEW_PAGES * PAGE) == pytest.approx(100 * COPY + VIEW + request)
    assert read(9 * PAGE + 5) == pytest.approx(100 * COPY + request)
    read(9 * PAGE + 5)
    assert (rig["fast_read_not_possibles"], rig["fast_reads"]) == ((1, 3) if fast else (4, 0))
    assert (rig["sync_copy_reads"], rig["async_copy_reads"]) == ((4, 0) if waits else (0, 4))
    assert (rig["copy_reads_hits"], rig["fast_reads_hits"]) == (2, 2 * fast)
    assert (rig.file.first, rig.file.step) == (9 * PAGE + 5, 0)


def test_what_was_read_last_is_remembered_whoever_reads() -> None:
    rig = filled(*range(8))
    assert (rig.file.first, rig.file.step, rig.file.view, rig.file.ahead) == (-1, 0, -1, 0)
    rig.cache.read_now(rig.file, 3 * PAGE, 8)
    rig.cache.read_now(rig.file, PAGE, 8)
    assert (rig.file.first, rig.file.step) == (PAGE, -2 * PAGE)
    value(rig, rig.cache.read_by_list(rig.file, 6 * PAGE, 8, rig.caller))
    assert (rig.file.first, rig.file.step) == (6 * PAGE, 5 * PAGE)
    rig.cache.write_now(rig.file, 0, 8)
    assert (rig.file.first, rig.file.step) == (6 * PAGE, 5 * PAGE), "only reads make a pattern"


def test_reads_by_list_pins_and_maps_are_counted_each_in_its_place() -> None:
    rig = filled(0, soft_fault=0.0)
    for _ in range(2):
        for number, times in ((0, 1), (7, 1)):
            for _ in range(times):
                rig.do(rig.cache.read_by_list(rig.file, number * PAGE, PAGE, rig.caller))
                rig.do(rig.cache.read_pinned(rig.section, number * PAGE, PAGE, rig.caller))
                rig.do(rig.cache.map_data(rig.section, number * PAGE, PAGE, rig.caller, pins=number == 7))
    names = ("sync_mdl_reads", "mdl_reads_hits", "sync_pin_reads", "pin_reads_hits", "sync_data_maps", "data_maps_hits")
    assert [rig[name] for name in names] == [4, 3, 4, 4, 4, 4]
    assert [rig[f"async_{kind}"] for kind in READ_KINDS] == [0] * 5
    assert (rig["data_map_pins"], list(rig.section.unwritten)) == (2, [7])


def test_an_asynchronous_read_is_paid_by_the_caller_that_it_was_started_for() -> None:
    rig = filled(0)
    other = rig.caller._replace(level=3)
    rig.env.run(rig.cache.start_read(rig.file, 0, PAGE, other))
    assert rig.caller.account.seconds[Phase.CPU] == pytest.approx(PAGE * COPY + VIEW)
    assert (rig["async_copy_reads"], rig["copy_reads_hits"], rig.env.now) == (1, 1, pytest.approx(PAGE * COPY + VIEW))


# Writes.

def test_as_many_dirty_pages_as_may_be_are_no_room_for_another() -> None:
    rig = filled(0, 1, 2, throttle=2)
    assert rig.cache.write_now(rig.file, 0, 8) is not None
    assert rig.cache.write_now(rig.file, PAGE, 8) is not None
    assert rig.cache.write_now(rig.file, 0, 8) is None
    assert (rig["dirty_pages"], rig["throttled"]) == (2, 0)


def test_a_file_that_was_not_used_yet_is_written_by_way_of_the_file_system() -> None:
    rig = filled(0)
    rig.file.cached = False
    assert rig.cache.write_now(rig.file, 0, 8) is None
    value(rig, rig.cache.write(rig.file, 0, 8, rig.caller))
    assert rig.cache.write_now(rig.file, 0, 8) == 8 * COPY


@pytest.mark.parametrize(("first", "end", "read"), [
    (100, 2 * PAGE + 50, [0, 2]), (0, 2 * PAGE, []), (0, 2 * PAGE + 1, [2]), (PAGE - 1, 2 * PAGE, [0]),
    (1, PAGE, [0]), (PAGE, 2 * PAGE - 1, [1]), (5 * PAGE, 5 * PAGE + 9, []), (4 * PAGE + 9, 5 * PAGE + 9, [4]),
    (2 * PAGE + 9, 2 * PAGE + 19, [2]),
])  # fmt: skip
def test_of_a_write_only_pages_that_keep_something_are_read(first: int, end: int, read: list[int]) -> None:
    """Those written in part, of bytes that were written before: five pages of the file."""
    rig = Rig(**{**COSTS, "soft_fault": 0.0})
    rig.section.valid = 5 * PAGE
    pages = list(range(first // PAGE, -(-end // PAGE)))
    cost = value(rig, rig.cache.write(rig.file, first, end - first, rig.caller))
    assert cost == pytest.approx((end - first) * COPY + VIEW)
    assert sorted(rig.section.pages) == sorted(rig.section.unwritten) == pages
    assert rig.memory.pages_input == rig["pin_reads"] == len(read)
    assert rig.memory.demand_zero_faults == len(pages) - len(read)
    assert rig.section.valid == max(5 * PAGE, end)
    assert all(page.dirty for page in rig.section.pages.values())


def test_a_page_that_is_here_is_pinned_though_it_is_written_whole() -> None:
    rig = filled(0)
    assert value(rig, rig.cache.write(rig.file, 0, PAGE, rig.caller)) == PAGE * COPY + VIEW
    assert (rig["pin_reads"], rig["pin_reads_hits"], rig.memory.demand_zero_faults) == (1, 1, 0)
    assert rig["data_flushes"] == 0


def test_a_page_that_is_lost_while_another_is_brought_is_recovered_and_dirty() -> None:
    rig = filled(0)
    page = rig.section.pages[0]

    def lose() -> Wait:
        yield rig.env.timeout(DISC / 2)
        rig.memory.remove(rig.cache.set, page)

    rig.env.process(lose())
    value(rig, rig.cache.write(rig.file, 8, PAGE, rig.caller))
    assert page in rig.cache.set.pages
    assert (page.dirty, list(rig.section.unwritten), rig.cache.set.soft_faults) == (True, [0, 1], 1)


def test_pages_in_a_row_are_flushed_together_and_no_others() -> None:
    rig = filled(*range(9))
    for number in (0, 1, 2, 4, 6, 7):
        rig.cache.write_now(rig.file, number * PAGE, 8)
    rig.do(rig.cache.flush(rig.section, 8, 5 * PAGE, rig.caller))
    assert (rig["data_flushes"], rig["data_flush_pages"], list(rig.section.unwritten)) == (2, 4, [6, 7])
    rig.do(rig.cache.flush(rig.section, 5 * PAGE, 2 * PAGE, rig.caller))
    assert (rig["data_flushes"], list(rig.section.unwritten)) == (3, [7]), "the page behind is not asked for"
    assert rig.drive.reading()["bytes_written"] == 5 * PAGE


def test_a_flush_is_of_so_many_pages_at_most() -> None:
    rig = filled(*range(5), flush=2)
    for number in range(5):
        rig.cache.write_now(rig.file, number * PAGE, 8)
    rig.do(rig.cache.flush(rig.section, 0, 5 * PAGE, rig.caller))
    assert (rig["data_flushes"], rig["data_flush_pages"], rig.drive.reading()["writes"]) == (3, 5, 3)


# Views.

def test_a_view_that_gives_way_takes_its_pages_with_it() -> None:
    """Two views at most; a page of a third evicts those of the view used longest ago, and of no other."""
    rig = filled(0, VIEW_PAGES, 2 * VIEW_PAGES - 1, 2 * VIEW_PAGES, views=2)
    for number in (0, VIEW_PAGES, 0, 2 * VIEW_PAGES):
        rig.cache.read_now(rig.file, number * PAGE, 8)
    assert [page.number for page in rig.cache.set.pages] == [0, 2 * VIEW_PAGES]
    assert [page.number for page in rig.memory.lists.standby] == [VIEW_PAGES, 2 * VIEW_PAGES - 1]
    assert rig.cache.read_now(rig.file, VIEW_PAGES * PAGE, 8) == 8 * COPY + VIEW + SOFT
    assert rig["views_mapped"] == 4


def test_a_sequential_reader_keeps_the_last_views_and_one_that_he_used_again() -> None:
    rig = filled(*(view * VIEW_PAGES for view in range(4)), kept_views=2)
    rig.file = CachedFile(rig.section, sequential=True)
    rig.file.cached = True
    for view in (0, 1, 0, 2):
        rig.cache._look_at(rig.file, view)
    assert rig.file.trail == [0, 2]
    assert [page.number // VIEW_PAGES for page in rig.cache.set.pages] == [0, 2, 3]
    rig.file.view, rig.file.sequential = -1, False
    for view in (3, 1):
        rig.cache._look_at(rig.file, view)
    assert rig.file.trail == [0, 2], "who reads at random keeps no trail"
    assert (len(rig.cache.views), rig["views_mapped"], rig.cache.views.unmapped) == (4, 5, 1)


def test_what_is_flushed_behind_a_reader_leaves_and_what_he_came_back_to_stays() -> None:
    rig = filled(*range(4))
    for number in (0, 1):
        rig.cache._look_at(rig.file, number)
    rig.cache._let_go(rig.section, 0)
    rig.memory.populate(rig.cache.set, rig.section, [5, VIEW_PAGES], dirty=False)
    rig.cache._finish_flush(rig.section, VIEW_PAGES, 1)
    rig.cache._finish_flush(rig.section, 5, 1)
    assert [page.number for page in rig.cache.set.pages] == [VIEW_PAGES]
    rig.cache._look_at(rig.file, 0)
    rig.memory.populate(rig.cache.set, rig.section, [6], dirty=False)
    rig.cache._finish_flush(rig.section, 6, 1)
    assert [page.number for page in rig.cache.set.pages] == [VIEW_PAGES, 6]


def test_a_view_is_unmapped_once() -> None:
    views, section = Views(2), FileSection("file", Span(0, PAGE))
    views.use(section, 0)
    views.unmap((section, 0))
    views.unmap((section, 0))
    assert (views.mapped, views.unmapped, len(views)) == (1, 1, 0)
    views.use(section, 0)
    views.use(section, 1)
    assert views.use(section, 2) == (True, (section, 0))
    assert (views.mapped, views.unmapped, len(views)) == (4, 2, 2)


# Dirty pages and the lazy writer.

def test_a_page_is_dirty_once() -> None:
    rig = filled(0, 1)
    for number in (0, 1, 0, 0):
        rig.cache.dirty.add(rig.section, number)
    assert (rig.cache.dirty.count, list(rig.section.unwritten)) == (2, [0, 1])


def test_what_dirty_pages_read() -> None:
    dirty = Rig().cache.dirty
    names = {"flushes": "data_flushes", "flush_pages": "data_flush_pages", "lazy_flushes": "lazy_write_flushes",
             "lazy_pages": "lazy_write_pages", "already_clean": "already_clean", "throttled": "throttled",
             "count": "dirty_pages"}  # fmt: skip
    assert dirty.reading() == dict.fromkeys(names.values(), 0.0)
    for number, attribute in enumerate(names):
        setattr(dirty, attribute, 10 + number)
    assert dirty.reading() == {name: 10.0 + number for number, name in enumerate(names.values())}


def test_the_wait_of_a_writer_is_charged_to_him_alone() -> None:
    """Two wait for the first look, and of the second's wait only what he waits; one is throttled twice."""
    rig = filled(*range(6), throttle=2, flush=1, lazy_part=1, soft_fault=0.0)
    for number in range(2):
        rig.cache.write_now(rig.file, number * PAGE, 8)
    others = [rig.caller._replace(account=type(rig.caller.account)(str(number))) for number in range(2)]

    def write(late: float, number: int) -> Wait:
        yield rig.env.timeout(late)
        yield from rig.cache.write(rig.file, (2 + number) * PAGE, 8, others[number])

    for number, late in enumerate((0.5, 1.0)):
        rig.env.process(write(late, number))
    rig.env.run(3.0 + DISC / 2)
    assert [each.account.seconds[Phase.WRITE_WAIT] for each in others] == [0.0, 0.0]
    rig.env.run(3.5)
    assert [each.account.seconds[Phase.WRITE_WAIT] for each in others] == pytest.approx([2.5 + DISC, 2.0 + DISC])
    assert rig["throttled"] == 2


@pytest.mark.parametrize(("waking", "scans"), [(EachPeriod, [3.0, 4.0, 5.0]), (WhileWritersWait, [3.0, 4.0, 5.0])])
def test_looks_are_a_period_apart_however_long_they_take(waking: Any, scans: list[float]) -> None:
    """A look takes a quarter of a second and writes a page; nobody waits."""
    rig = filled(*range(0, 9, 2), lazy_scan=0.25, flush=1, lazy_part=9, waking=waking)
    for number in range(0, 9, 2):
        rig.cache.write_now(rig.file, number * PAGE, 8)
    for number, began in enumerate(scans):
        rig.env.run(began + 0.25 + DISC - 1e-6)
        assert rig["lazy_write_flushes"] == number
        rig.env.run(began + 0.25 + DISC + 1e-6)
        assert rig["lazy_write_flushes"] == number + 1
    assert rig.cache.lazy.account.seconds[Phase.CPU] == 0.75


def test_a_look_that_takes_longer_than_a_period_is_followed_by_another_at_once() -> None:
    for waking in (EachPeriod, WhileWritersWait):
        rig = filled(0, 2, 4, lazy_scan=1.5, flush=1, lazy_part=9, waking=waking)
        for number in (0, 2, 4):
            rig.cache.write_now(rig.file, number * PAGE, 8)
        rig.env.run(3.0 + 2 * (1.5 + DISC) + 1e-6)
        assert rig["lazy_write_flushes"] == 2


def test_a_page_may_be_dirty_before_the_lazy_writer_runs() -> None:
    rig = Rig()
    rig.cache.dirty.add(rig.section, 3)
    assert (rig["dirty_pages"], list(rig.cache.dirty.sections)) == (1, [rig.section])


def test_the_lazy_writer_waits_anew_for_a_first_dirty_page() -> None:
    rig = filled(0, flushing=MakesRoom)
    for began in (0.0, 10.0):
        rig.env.run(began or None if began else 0.001)
        rig.cache.write_now(rig.file, 0, 8)
        began = rig.env.now
        rig.env.run(began + 3.0 + DISC - 1e-6)
        assert rig["dirty_pages"] == 0
        assert rig.drive.reading()["completed"] == (began > 1.0)
        rig.env.run(began + 3.0 + DISC + 1e-6)
        assert rig.drive.reading()["completed"] == (2 if began > 1.0 else 1)
    assert list(rig.cache.set.pages) == []
    assert [page.number for page in rig.memory.lists.standby] == [0]


def test_what_was_flushed_meanwhile_is_not_flushed_again() -> None:
    """Of 0, 1, 2 and 5, 6 the lazy writer has chosen all; while it writes the first, somebody writes 1, 2 and 5."""
    rig = filled(*range(7), lazy_part=1, flush=1)
    for number in (0, 1, 2, 5, 6):
        rig.cache.write_now(rig.file, number * PAGE, 8)

    def write() -> Wait:
        yield rig.env.timeout(3.0 + DISC / 2)
        yield from rig.cache.flush(rig.section, PAGE, 5 * PAGE, rig.caller)

    rig.env.process(write())
    rig.env.run(3.0 + 5 * DISC + 1e-6)
    assert (rig["data_flushes"], rig["lazy_write_flushes"], rig["dirty_pages"]) == (5, rig["lazy_write_pages"], 0)
    assert rig.drive.reading()["writes"] == 5
    assert rig["data_flush_pages"] == 5


@pytest.mark.parametrize(("unwritten", "left"), [((4, 5, 6), 3), ((4, 6), 1), ((4, 5), 2), ((5, 6), 0)])
def test_of_a_row_of_pages_those_before_the_first_that_was_written_are_left(
    unwritten: tuple[int, ...], left: int
) -> None:
    rig = Rig()
    rig.section.unwritten = dict.fromkeys(unwritten)
    assert rig.cache.lazy._still(rig.section, 4, 3) == left
