"""Tests a write-intent bitmap and delayed writes by hand: which drives are read and written, and when."""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import pytest
import simpy

from spindle.sim.clock import Account, Phase
from spindle.sim.disc.raid.array import Raid
from spindle.sim.disc.raid.bitmap import RUNS_UNTIL_CLEARED, Bitmap
from spindle.sim.disc.raid.delayed import DelayedStripes
from spindle.sim.disc.raid.layout import BITMAP_REGION, PAGE, RaidType
from spindle.sim.disc.raid.stripes import WAYS, Band, Piece
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.write_cache import WriteCache
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op, Request, Span, access
from tests.sim.watched_arrays import CHUNK, WatchedRaid
from tests.sim.watched_drives import Watched

HOST = Account("host")
REGION = 4 * CHUNK
RUN = 5.0
"""Seconds between runs of the daemon."""


def ask(array: Raid, first: int, length: int, op: Op = WRITE, durable: bool = False) -> Request:
    return array.start(access(op, first, length, HOST)._replace(durable=durable))


def counts(array: WatchedRaid) -> tuple[list[int], list[int]]:
    """Reads and writes of each drive."""
    return [len(each.transferred) for each in array.watched], [len(each.written) for each in array.watched]


def ways(array: Raid) -> tuple[int, ...]:
    assert array.stripes is not None
    return tuple(array.stripes.ways[way] for way in WAYS)


# Delayed writes, in rows of three chunks and one of parity.

def test_what_one_process_asks_for_is_a_full_row(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, delayed=True)
    asked = [ask(array, index * CHUNK, CHUNK) for index in range(3)]
    env.run()
    assert all(each.processed for each in asked)
    assert counts(array) == ([0, 0, 0, 0], [1, 1, 1, 1])
    assert ways(array) == (1, 0, 0)


def test_direct_writes_are_not_joined(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)
    for index in range(3):
        ask(array, index * CHUNK, CHUNK)
    env.run()
    # Each chunk reads itself and the parity, or the two others: as many, so the row is computed anew.
    assert counts(array) == ([2, 2, 2, 0], [1, 1, 1, 3])
    assert ways(array) == (0, 0, 3)


def test_a_lone_delayed_write_reads_at_once(env: simpy.Environment) -> None:
    array, direct = WatchedRaid(env, "5", 4, delayed=True), WatchedRaid(env, "5", 4)
    late, early = ask(array, 0, CHUNK), ask(direct, 0, CHUNK)
    env.run()
    assert counts(array) == counts(direct) == ([0, 1, 1, 0], [1, 0, 0, 1])
    assert sum(end - begin for _, begin, end in late.pieces()) == sum(end - begin for _, begin, end in early.pieces())


def test_writes_that_come_while_another_row_is_read_are_joined(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, delayed=True)
    ask(array, 0, CHUNK)
    for index in range(3):
        env.timeout(0.001 * (index + 1)).callbacks.append(lambda _, index=index: ask(
            array, (3 + index) * CHUNK, CHUNK))  # type: ignore[misc]  # fmt: skip
    env.run()
    assert ways(array) == (1, 0, 1)
    assert sum(counts(array)[0]) == 2


def test_delayed_rows_are_read_when_the_reads_before_a_write_are_over(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, delayed=True)
    ask(array, 0, CHUNK)
    env.run(0.001)
    ask(array, 3 * CHUNK, CHUNK)
    ask(array, 9 * CHUNK, CHUNK)
    env.run()
    first_read = max(when for each in array.watched for span, when in each.transferred if span.first < CHUNK)
    others = [when for each in array.watched for span, when in each.transferred if span.first >= CHUNK]
    assert len(others) == 4
    assert min(others) > first_read
    first_written = max(when for each in array.watched for span, when in each.written if span.first < CHUNK)
    assert min(others) < first_written, "and not only when it is written"


def test_delayed_rows_let_a_full_one_go_first(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, delayed=True)
    ask(array, 9 * CHUNK, CHUNK)
    ask(array, 0, 3 * CHUNK)
    env.run()
    written = max(when for each in array.watched for span, when in each.written if span.first < CHUNK)
    assert min(when for each in array.watched for _, when in each.transferred) > written


def test_two_halves_of_a_page_are_one_whole(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 3, delayed=True)
    for half in range(4):
        ask(array, half * CHUNK // 2, CHUNK // 2)
    env.run()
    assert counts(array) == ([0, 0, 0], [1, 1, 1])


def test_a_durable_write_takes_its_row_along(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, delayed=True)
    ask(array, 9 * CHUNK, CHUNK)
    env.run(0.001)
    waits, durable = ask(array, 0, CHUNK), ask(array, CHUNK, CHUNK, durable=True)
    env.run(0.002)
    assert array.stripes is not None
    assert len(array.stripes._active) == 2
    env.run()
    assert waits.processed
    assert durable.processed
    assert sum(counts(array)[0]) == 2 + 1  # the third chunk of the row makes it whole


def test_what_finds_no_room_waits_and_ends(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, delayed=True)  # room for 16 rows of pages
    asked = [ask(array, 3 * row * CHUNK, CHUNK) for row in range(40)]
    env.run()
    assert array.stripes is not None
    assert array.stripes.waits == 24
    assert array.stripes._used == 0
    assert all(each.processed for each in asked)
    array.check()


def test_two_rows_may_pass_what_is_delayed(env: simpy.Environment) -> None:
    """md's preread_bypass_threshold is 1: one row that passes changes nothing, and the second begins all that wait."""
    array = WatchedRaid(env, "5", 4, delayed=True)
    stripes = array.stripes
    assert stripes is not None
    for _ in range(2):  # and once more: what has passed is forgotten when the delayed ones begin
        began, under_way = env.now, []
        ask(array, 9 * CHUNK, CHUNK)
        ask(array, 0, 3 * CHUNK)
        for row in (1, 2):
            env.run(began + row * 0.001)
            under_way.append(len(stripes._active))
            ask(array, 3 * row * CHUNK, CHUNK)
        env.run(began + 0.003)
        assert [*under_way, len(stripes._active)] == [1, 1, 4]
        env.run()


def test_a_row_with_one_durable_write_is_written_durably(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, delayed=True)
    for index in range(3):
        ask(array, index * CHUNK, CHUNK, durable=index == 1)
    ask(array, 3 * CHUNK, 3 * CHUNK)
    env.run()
    for each in array.watched:
        assert [(access.span.first, access.durable) for access in each.asked] == [(0, True), (CHUNK, False)]


def test_direct_writes_go_to_the_drives_as_durable_as_they_came(env: simpy.Environment) -> None:
    for level in ("1", "5"):
        array = WatchedRaid(env, level, 3)
        for row, durable in enumerate((True, False)):
            ask(array, row * 2 * CHUNK, 2 * CHUNK, durable=durable)
            env.run()
        for each in array.watched:
            assert {access.span.first // CHUNK // (2 if level == "1" else 1): access.durable
                    for access in each.asked} == {0: True, 1: False}


def test_what_finds_no_room_comes_in_its_order_and_counts_rows_of_pages(env: simpy.Environment) -> None:
    """Of 16 rows of pages 15 are taken. Two more of one row fit as one; two rows do not, and nobody passes them."""
    array = WatchedRaid(env, "5", 4, delayed=True)
    stripes = array.stripes
    assert stripes is not None
    for row in range(15):
        ask(array, 3 * row * CHUNK, CHUNK)
    for at in (15 * 3, 15 * 3 + 1, 16 * 3, 0):
        ask(array, at * CHUNK, CHUNK)
    assert (stripes._used, stripes.waits) == (16, 2), "the last is of a row that has room, but must not pass"
    env.run()
    assert (stripes._used, stripes.waits) == (0, 2)


def pages_of_rows(env: simpy.Environment, delayed: bool, stripes: int = 16) -> tuple[Raid, list[Watched]]:
    """An array whose chunks are two pages."""
    drives = [Watched(env) for _ in range(4)]
    return Raid(env, RaidType("5", 4, 2 * PAGE, stripes, delayed=delayed), drives), drives


@pytest.mark.parametrize("delayed", [False, True])
def test_a_write_takes_room_for_its_own_pages_of_a_row(env: simpy.Environment, delayed: bool) -> None:
    array, drives = pages_of_rows(env, delayed)
    assert array.stripes is not None
    ask(array, PAGE, PAGE)
    assert array.stripes._used == 1
    env.run()
    assert array.stripes._used == 0
    assert {one.span for each in drives for one in each.asked} == {Span(PAGE, PAGE)}
    assert [[one.op for one in each.asked] for each in drives] == [[WRITE], [READ], [READ], [WRITE]]
    assert {one.account for each in drives for one in each.asked} == {HOST}


def test_what_joins_a_row_takes_room_for_the_pages_that_it_adds(env: simpy.Environment) -> None:
    array, _ = pages_of_rows(env, True, stripes=2)
    assert array.stripes is not None
    ask(array, 0, PAGE)
    ask(array, 6 * PAGE, PAGE)
    ask(array, 2 * PAGE, PAGE)
    assert (array.stripes._used, array.stripes.waits) == (2, 0), "the same page of the row, another chunk"
    ask(array, PAGE, PAGE)
    assert (array.stripes._used, array.stripes.waits) == (2, 1)
    env.run()
    assert array.stripes._used == 0


def test_all_that_find_room_come_when_there_is_room(env: simpy.Environment) -> None:
    array, _ = pages_of_rows(env, True, stripes=2)
    assert array.stripes is not None
    first = ask(array, 0, 6 * PAGE)
    for row in (1, 2):
        ask(array, 6 * row * PAGE, PAGE)
    assert (array.stripes._used, array.stripes.waits) == (2, 2)
    env.run(first)
    assert array.stripes._used == 2
    env.run()


def test_pieces_of_a_row_lie_in_a_band_or_beside_it(env: simpy.Environment) -> None:
    array, _ = pages_of_rows(env, True)
    stripes = array.stripes
    assert isinstance(stripes, DelayedStripes)
    ask(array, 0, PAGE + 512)
    ask(array, 3 * PAGE, PAGE)
    ask(array, 4 * PAGE, PAGE)
    first, second = Band(0, 0, PAGE, (0, 2), ()), Band(0, PAGE, 2 * PAGE, (1,), (0,))
    assert list(stripes._bands(0)) == [first, second]
    inside = [[each.piece for each in stripes._waiting_in(band)] for band in (first, second)]
    beside = [[each.piece for each in stripes._waiting_beside(band)] for band in (first, second)]
    low, high = [Piece(0, 0, PAGE), Piece(2, 0, PAGE)], [Piece(0, PAGE, PAGE + 512), Piece(1, PAGE, 2 * PAGE)]
    assert inside == [low, high]
    assert beside == [high, low]


def test_a_full_row_goes_on_when_its_pages_are_free_whatever_else_is_written(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, delayed=True)
    first = ask(array, 0, 3 * CHUNK)
    ask(array, 9 * CHUNK, 3 * CHUNK)
    env.run(0.001)
    ask(array, 0, 3 * CHUNK)
    env.run(first)
    env.run(env.now + 1e-6)
    assert [[one.span.first // CHUNK for one in each.asked] for each in array.watched] == [[0, 3, 0]] * 4
    env.run()


def test_without_parity_nothing_is_counted_as_a_way(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)
    array.fail(3)
    ask(array, 0, CHUNK)
    env.run()
    assert array.stripes is not None
    assert array.stripes.ways == {}
    assert counts(array) == ([0, 0, 0, 0], [1, 0, 0, 0])


# The bitmap.

def test_a_first_write_in_a_region_costs_one_more_on_each_drive_before_its_data(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, bitmap=REGION)
    request = ask(array, 0, 3 * CHUNK)
    env.run(1.0)
    first = array.members.first
    assert first == 3 * CHUNK  # superblock and bitmap, in pages of a chunk
    assert [[span.first for span, _ in each.written] for each in array.watched] == [[2 * CHUNK, first]] * 4
    bits, data = ([each.written[number][1] for each in array.watched] for number in (0, 1))
    assert max(bits) < min(data)
    pieces = [(part, end) for part, _, end in request.pieces()]
    assert pieces[0] == (Phase.WRITE_WAIT, max(bits))
    ask(array, 3 * CHUNK, 3 * CHUNK)  # the second row of the same region
    env.run(2.0)
    assert counts(array)[1] == [3] * 4
    assert array.bitmap is not None
    assert array.bitmap.written == 1


def test_the_daemon_clears_a_bit_at_its_second_run_and_writes_it_at_the_third(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, bitmap=REGION)
    assert array.bitmap is not None
    ask(array, 0, 3 * CHUNK)
    seen = []
    for when in (2 * RUN - 0.1, 2 * RUN + 0.1, 3 * RUN + 1.0):
        env.run(when)
        seen.append((len(array.bitmap._left), array.bitmap.written))
    assert seen == [(1, 1), (0, 1), (0, 2)]
    env.run()
    assert env.now == 3 * RUN + 1.0
    ask(array, 0, 3 * CHUNK)
    env.run(env.now + 1.0)
    assert array.bitmap.written == 3


def test_a_write_within_two_runs_keeps_the_bit(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "1", 2, bitmap=REGION)
    for _ in range(4):
        ask(array, 0, CHUNK)
        env.run(env.now + 1.5 * RUN)
    assert array.bitmap is not None
    assert array.bitmap.written == 1
    assert [len(each.written) for each in array.watched] == [5, 5]


def test_writes_that_come_while_pages_are_written_are_the_next_batch(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "1", 2, bitmap=REGION)
    assert array.bitmap is not None
    for region in range(3):
        ask(array, region * REGION, CHUNK)
    env.run(1.0)
    assert array.bitmap.written == 2
    assert [[span.first // CHUNK for span, _ in each.written] for each in array.watched] == [[2, 3, 2, 7, 11]] * 2


def test_no_bit_is_cleared_while_a_drive_has_failed(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, bitmap=REGION)
    array.fail(1)
    for region in range(4):  # each write lets the daemon run once more: often enough to clear the first bit
        ask(array, 3 * region * REGION, 3 * CHUNK)
        env.run(env.now + RUN + 1.0)
    env.run()
    assert array.bitmap is not None
    assert array.bitmap._left == dict.fromkeys(range(4), RUNS_UNTIL_CLEARED)
    assert counts(array)[1] == [8, 0, 8, 8]


def test_a_page_that_is_written_for_a_new_bit_takes_the_cleared_ones_along(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "1", 2, bitmap=REGION)
    assert array.bitmap is not None
    ask(array, 0, CHUNK)
    env.run(2 * RUN + 1.0)
    assert array.bitmap._left == {}, "the bit is cleared, and its page not yet written"
    ask(array, REGION, CHUNK)
    env.run(3 * RUN + 1.0)
    assert array.bitmap.written == 2


def test_the_daemon_writes_no_page_while_another_is_written(env: simpy.Environment) -> None:
    """The first page has 256 bytes of a header and the bits of 30,720 regions."""
    page, beyond = 4096, (4096 - 256) * 8
    drives = [Watched(env, disc=HP7933) for _ in range(2)]
    array = Raid(env, RaidType("1", 2, page, bitmap=page), drives)
    assert array.bitmap is not None
    assert (array.kind.bitmap_page(beyond - 1), array.kind.bitmap_page(beyond)) == (0, 1)
    ask(array, 0, page)
    env.run(3 * RUN - 0.001)
    ask(array, beyond * page, page)
    env.run(3 * RUN + 1.0)
    assert array.bitmap.written == 2
    env.run(4 * RUN + 1.0)
    assert array.bitmap.written == 3
    assert [one.span.first // page for one in drives[0].asked if one.durable] == [2, 3, 2]


def test_a_write_to_a_region_whose_bit_is_set_waits_for_no_page_of_the_daemon(env: simpy.Environment) -> None:
    """The bit of another page is cleared meanwhile."""
    kind = RaidType("1", 2, bitmap=PAGE)
    far = next(region for region in range(1 << 20) if kind.bitmap_page(region) != kind.bitmap_page(0))
    asked: list[Callable[[Request | None], None]] = []
    members = SimpleNamespace(is_degraded=False, write_reserved=lambda spans, account, then: asked.append(then))
    bitmap, begun = Bitmap(env, kind, members), []  # type: ignore[arg-type]
    for region in (0, far):
        bitmap.begin([region], partial(begun.append, region))
        asked.pop()(None)
    bitmap.end([0])
    env.run(3 * RUN + 1.0)
    assert len(asked) == 1
    bitmap.begin([far], partial(begun.append, "at once"))
    assert begun == [0, far, "at once"]


def test_a_write_waits_for_all_pages_of_its_bits(env: simpy.Environment) -> None:
    page, beyond = 4096, (4096 - 256) * 8
    drives = [Watched(env, disc=HP7933) for _ in range(2)]
    array = Raid(env, RaidType("1", 2, page, bitmap=page), drives)
    request = ask(array, (beyond - 1) * page, 2 * page)
    env.run(1.0)
    bits = [when for each in drives for span, when in each.written if span.first < 4 * page]
    assert len(bits) == 4
    part, _, end = next(iter(request.pieces()))
    assert (part, end) == (Phase.WRITE_WAIT, max(bits))


def test_a_step_waits_for_a_new_bit_while_the_daemon_writes(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "1", 2, bitmap=REGION)
    assert array.bitmap is not None
    taken: list[float] = []
    ask(array, 0, CHUNK)
    env.run(3 * RUN + 1e-4)
    assert array.bitmap.written == 2, "the daemon has begun to write"
    ask(array, REGION, CHUNK)
    array.bitmap.step(lambda: taken.append(env.now))
    env.run(4 * RUN)
    pages = sorted({when for each in array.watched for span, when in each.written if span.first == 2 * CHUNK})
    assert taken == [pages[-1]]


def test_bits_are_written_when_what_was_reported_is_on_the_medium(env: simpy.Environment) -> None:
    drives = [Watched(env) for _ in range(2)]
    array = Raid(env, RaidType("1", 2, CHUNK, bitmap=REGION), [WriteCache(each, 8) for each in drives])
    ask(array, 0, CHUNK)
    env.run(1.0)
    ask(array, CHUNK, CHUNK)
    ask(array, 5 * REGION, CHUNK)
    env.run(1.0 + 1e-6)
    assert [[one.durable for one in each.asked] for each in drives] == [[True, False, False]] * 2
    env.run(2.0)
    assert [[one.durable for one in each.asked] for each in drives] == [[True, False, False, True, False]] * 2


def test_the_next_step_of_a_write_waits_for_the_pages_under_way_and_not_for_the_next(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, bitmap=REGION)
    ask(array, 0, CHUNK)
    env.run(1.0)
    before = len(array.watched[0].written)
    ask(array, 0, CHUNK)  # its bit is set: it reads at once
    ask(array, 3 * REGION, 3 * CHUNK)
    ask(array, 6 * REGION, 3 * CHUNK)
    env.run(2.0)
    first, bits = array.members.first, 2 * CHUNK
    places = [span.first for span, _ in array.watched[0].written[before:]]
    assert places == [bits, first + REGION, first, bits, first + 2 * REGION]


def test_a_step_waits_for_a_bit_that_is_to_be_written(env: simpy.Environment) -> None:
    """Between a new bit and its page nothing begins; with neither, a step is taken at once."""
    array = WatchedRaid(env, "1", 2, bitmap=REGION)
    assert array.bitmap is not None
    taken: list[float] = []

    def step() -> None:
        taken.append(env.now)

    array.bitmap.step(step)
    assert taken == [0.0]
    ask(array, 0, CHUNK)
    array.bitmap.step(step)
    assert taken == [0.0]
    env.run(1.0)
    assert taken == [0.0, max(each.written[0][1] for each in array.watched)]


def test_a_bitmap_asks_in_its_own_name_and_durably(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, bitmap=REGION)
    ask(array, 0, 3 * CHUNK)
    env.run(1.0)
    for each in array.watched:
        assert [(access.account.name, access.durable) for access in each.asked] == [("bitmap", True), ("host", False)]
        assert each.flushed == [Span(0, each.capacity)]


@pytest.mark.parametrize(("level", "first", "length", "regions"), [
    ("1", 0, 4, [0]), ("1", 3, 2, [0, 1]), ("1", 4, 1, [1]), ("1", 7, 5, [1, 2]),
    # Three data chunks a row, four rows a region: a bit of parity covers all drives.
    ("5", 0, 12, [0]), ("5", 11, 1, [0]), ("5", 11, 2, [0, 1]), ("5", 12, 1, [1]), ("5", 2, 11, [0, 1]),
])  # fmt: skip
def test_bits_are_of_the_drives_with_parity_and_else_of_the_array(
    env: simpy.Environment, level: str, first: int, length: int, regions: list[int]
) -> None:
    array = WatchedRaid(env, level, 2 if level == "1" else 4, bitmap=REGION)
    ask(array, first * CHUNK, length * CHUNK)
    assert array.bitmap is not None
    assert sorted(array.bitmap._left) == regions
    env.run(1.0)
    assert array.bitmap._under_way.total() == 0


def test_the_last_bytes_of_a_chunk_decide_which_region_is_touched(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, bitmap=REGION)
    assert array._regions(Span(9 * CHUNK, 1)) == range(0, 1)
    assert array._regions(Span(9 * CHUNK, 3 * CHUNK)) == range(0, 1)
    assert array._regions(Span(9 * CHUNK, 3 * CHUNK + 1)) == range(0, 2)
    assert array._regions(Span(12 * CHUNK + 100, 1)) == range(1, 2)


def test_a_bitmap_is_written_behind_all_that_a_drive_has_reported(env: simpy.Environment) -> None:
    drives = [Watched(env) for _ in range(2)]
    array = Raid(env, RaidType("1", 2, CHUNK, bitmap=REGION), [WriteCache(each, 8) for each in drives])
    ask(array, 0, CHUNK)
    env.run(1.0)
    early = [ask(array, each * CHUNK, CHUNK) for each in range(1, 4)]
    env.run(env.now + 1e-6)
    assert all(each.processed for each in early), "of a region whose bit is set: reported at once"
    ask(array, 5 * REGION, CHUNK)
    env.run(2.0)
    bits = 2 * CHUNK
    for each in drives:
        places = [span.first for span, _ in each.written]
        assert places.index(bits, 1) == 5  # the bit, its data, three that were reported, the second bit


def test_a_read_waits_for_no_bitmap(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, bitmap=REGION)
    ask(array, 0, CHUNK, READ)
    env.run()
    assert counts(array) == ([1, 0, 0, 0], [0, 0, 0, 0])


def test_a_bitmap_is_as_large_as_it_must_be() -> None:
    kind = RaidType("5", 8, bitmap=BITMAP_REGION)
    assert kind.bitmap_page(29_807) == 0  # the last region of 2 TB: one page
    assert kind.reserved_bytes(2 * 10**12) == kind.chunk
    assert RaidType("5", 8).reserved_bytes(2 * 10**12) == 0


@pytest.mark.parametrize("options", [{"bitmap": REGION}, {"delayed": True}, {"bitmap": REGION, "delayed": True}])
def test_at_most_one_event_more_per_request(options: dict[str, int]) -> None:
    env, requests = simpy.Environment(), 50
    array = WatchedRaid(env, "5", 4, **options)  # type: ignore[arg-type]
    for number in range(requests):
        ask(array, number * 700, 900)
    events = 0
    while env.peek() < float("inf"):
        env.step()
        events += 1
    assert events <= sum(drive.counts.completed for drive in array.watched) + requests
    array.check()


@pytest.mark.parametrize(("wrong", "said"), [
    ({"level": "0", "drives": 2, "bitmap": REGION}, "of copies or parity"),
    ({"level": "1", "drives": 2, "bitmap": 5000}, "power of two"), ({"level": "1", "drives": 2, "bitmap": 512}, "4096"),
    ({"level": "10", "drives": 4, "delayed": True}, "levels 4, 5, 6"),
])  # fmt: skip
def test_what_is_no_such_array(wrong: dict[str, str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        RaidType(**wrong)  # type: ignore[arg-type]


def test_a_drive_that_its_bitmap_would_fill_is_too_small(env: simpy.Environment) -> None:
    drives = [Watched(env), Watched(env)]
    with pytest.raises(UserError, match="does not fit"):
        Raid(env, RaidType("1", 2, 32 * CHUNK, bitmap=4096), drives)


def test_bits_are_on_a_spare_that_is_being_rebuilt_too(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, bitmap=REGION)
    array.fail(1)
    array.members.rebuilt(1, CHUNK)
    ask(array, 0, 3 * CHUNK)
    env.run(1.0)
    assert [[span.first // CHUNK for span, _ in each.written] for each in array.watched] == [[2, 3]] * 4


def test_nothing_is_kept_of_rows_that_are_written(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4, delayed=True)
    for row in range(3):
        ask(array, 3 * row * CHUNK, CHUNK)
    env.run()
    assert isinstance(array.stripes, DelayedStripes)
    assert array.stripes._rows == array.stripes._held == {}


def test_a_row_whose_process_has_not_waited_yet_is_not_begun_by_reads_that_end(env: simpy.Environment) -> None:
    """At one instant: the first chunk of a row, the end of another row's reads, and the rest of the row."""
    alone = WatchedRaid(env, "5", 4, delayed=True)
    ask(alone, 9 * CHUNK, CHUNK)
    env.run()
    read = max(when for each in alone.watched for _, when in each.transferred)
    env = simpy.Environment()
    array = WatchedRaid(env, "5", 4, delayed=True)
    ask(array, 9 * CHUNK, CHUNK)
    come_around(array, read)
    assert ways(array) == (1, 0, 1)


def come_around(array: Raid, instant: float, durable: bool = False) -> None:
    """Ask for the first chunk of a row before, and for the two others behind, all else that happens at *instant*."""
    env, when = array.env, list[float]()

    def later(seconds: float, *chunks: int) -> None:
        def come(_: simpy.Event) -> None:
            when.append(env.now)
            for chunk in chunks:
                ask(array, chunk * CHUNK, CHUNK, durable=durable)

        event = env.timeout(seconds)
        assert event.callbacks is not None
        event.callbacks.append(come)

    later(instant, 0)
    env.run(instant / 2)
    later(instant / 2, 1, 2)
    env.run()
    assert when == [instant, instant]


def test_a_row_whose_process_has_not_waited_yet_is_not_begun_by_a_write_of_it_that_ends(env: simpy.Environment) -> None:
    """All is durable, so that none is delayed: only the process that has yet to wait holds the row back."""
    alone = WatchedRaid(env, "5", 4, delayed=True)
    ask(alone, 0, 3 * CHUNK, durable=True)
    env.run()
    written = max(when for _, when in alone.written)
    array = WatchedRaid(simpy.Environment(), "5", 4, delayed=True)
    ask(array, 0, 3 * CHUNK, durable=True)
    come_around(array, written, durable=True)
    assert ways(array) == (2, 0, 0)
