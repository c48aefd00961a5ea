"""Tests RAID: places by md's rules, reads before a write, failed drives, and the cost of an array."""

from collections import Counter
from contextlib import suppress
from itertools import product

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.computer import Computer
from spindle.sim.disc.raid.array import Raid, rebuild
from spindle.sim.disc.raid.layout import CopiesLayout, ParityLayout, RaidType
from spindle.sim.disc.raid.stripes import WAYS, Band, bands_of, rows_of
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.sim.parts import parts_on
from spindle.sim.request import Op, Request, Span, access
from tests.sim.watched_arrays import CHUNK, WatchedRaid
from tests.sim.watched_drives import DISC, Watched

HOST = Account("host")


def asked(array: Raid, op: Op, first: int, length: int) -> Request:
    request = array.start(access(op, first, length, HOST))
    array.env.run()
    assert request.processed
    return request


def of_stripes(array: Raid) -> tuple[int, int, int]:
    """Bands written in full, by read-modify-write and by reconstruct-write."""
    assert array.stripes is not None
    full, modify, reconstruct = (array.stripes.ways[way] for way in WAYS)
    return full, modify, reconstruct


def test_left_symmetric_parity_moves_down_and_data_goes_on_behind_it() -> None:
    """As Documentation/admin-guide/md and ALGORITHM_LEFT_SYMMETRIC have it, for five drives."""
    layout = ParityLayout(5, 1)
    assert [layout.parity(row) for row in range(6)] == [[4], [3], [2], [1], [0], [4]]
    assert [layout.drive(0, index) for index in range(4)] == [0, 1, 2, 3]
    assert [layout.drive(1, index) for index in range(4)] == [4, 0, 1, 2]
    assert [layout.drive(4, index) for index in range(4)] == [1, 2, 3, 4]


def test_raid_6_has_q_behind_p() -> None:
    layout = ParityLayout(5, 2)
    assert [layout.parity(row) for row in range(3)] == [[4, 0], [3, 4], [2, 3]]
    assert [layout.drive(1, index) for index in range(3)] == [0, 1, 2]


def test_every_row_has_each_drive_once() -> None:
    for layout in (ParityLayout(4, 1), ParityLayout(7, 2)):
        for row in range(9):
            drives = [layout.drive(row, index) for index in range(layout.data)] + layout.parity(row)
            assert sorted(drives) == list(range(layout.drives))


def test_near_copies_lie_beside_each_other() -> None:
    layout = CopiesLayout(3, 2)
    assert [layout.places(chunk) for chunk in range(3)] == [[(0, 0), (1, 0)], [(2, 0), (0, 1)], [(1, 1), (2, 1)]]
    assert all(layout.chunk_at(drive, row) == chunk for chunk in range(30) for drive, row in layout.places(chunk))


def test_bands_of_a_write_over_two_chunks() -> None:
    got = [band for row, pieces in rows_of(Span(300, 1000), 2, 1024) for band in bands_of(row, pieces, 256)]
    assert got == [Band(0, 0, 256, (), (1,))._replace(whole=(1,), partly=()), Band(0, 256, 512, (), (0, 1)),
                   Band(0, 512, 1024, (0,), ())]  # fmt: skip


def test_a_small_write_reads_what_is_less(env: simpy.Environment) -> None:
    few, many = WatchedRaid(env, "5", 3), WatchedRaid(env, "5", 8)
    for array in (few, many):
        asked(array, Op.WRITE, 0, CHUNK)
    assert of_stripes(few) == (0, 0, 1)
    assert sum(len(drive.transferred) for drive in few.watched) == 1
    assert of_stripes(many) == (0, 1, 0)
    assert [len(drive.transferred) for drive in many.watched] == [1, 0, 0, 0, 0, 0, 0, 1]
    assert [len(drive.written) for drive in many.watched] == [1, 0, 0, 0, 0, 0, 0, 1]


def test_a_full_stripe_reads_nothing(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "6", 5)
    asked(array, Op.WRITE, 0, 3 * CHUNK)
    assert of_stripes(array) == (1, 0, 0)
    assert [(len(drive.transferred), len(drive.written)) for drive in array.watched] == [(0, 1)] * 5


def test_what_a_failed_drive_had_is_computed_from_the_others(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "5", 4)
    array.fail(0)
    asked(array, Op.READ, 0, 512)
    assert [len(drive.transferred) for drive in array.watched] == [0, 1, 1, 1]
    assert array.degraded_reads == 1


def test_raid_6_computes_without_q(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "6", 5)
    array.fail(1)
    asked(array, Op.READ, 0, CHUNK)  # drive 1 has the first chunk of row 0, drive 0 its Q
    assert [len(drive.transferred) for drive in array.watched] == [0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("level", "drives", "bears"), [("0", 3, 0), ("1", 3, 2), ("4", 4, 1), ("5", 4, 1), ("6", 5, 2), ("10", 4, 1),
                                    ("10f2", 4, 1), ("10o2", 5, 1)]
)
def test_an_array_bears_so_many_failures(env: simpy.Environment, level: str, drives: int, bears: int) -> None:
    array = WatchedRaid(env, level, drives)
    for drive in range(bears):
        array.fail(drive)
    asked(array, Op.READ, 0, 3 * CHUNK)
    asked(array, Op.WRITE, 100, 3 * CHUNK)
    with pytest.raises(UserError, match="data is lost"):
        array.fail(bears)


@pytest.mark.parametrize(("level", "drives", "failed"), [
    ("0", 3, 1), ("1", 2, 2), ("5", 3, 2), ("6", 4, 3), ("10", 2, 2)])  # fmt: skip
@pytest.mark.parametrize("op", [Op.READ, Op.WRITE])
def test_what_is_lost_is_refused_to_whoever_goes_on(level: str, drives: int, failed: int, op: Op) -> None:
    array = WatchedRaid(simpy.Environment(), level, drives)
    for drive in range(failed):
        with suppress(UserError):
            array.fail(drive)
    with pytest.raises(UserError, match=r"data (of drive \d )?is lost"):
        asked(array, op, 0, 100)


def test_raid_10_bears_a_drive_of_each_pair(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "10", 4)
    array.fail(1)
    array.fail(2)
    asked(array, Op.READ, 0, 6 * CHUNK)
    assert [bool(drive.transferred) for drive in array.watched] == [True, False, False, True]


def test_a_rebuild_writes_all_of_the_spare(env: simpy.Environment) -> None:
    array, spare = WatchedRaid(env, "5", 3), Watched(env)
    array.fail(2)
    env.process(rebuild(array, 2, spare, unit=CHUNK))
    env.run()
    assert all(array.members.is_readable(drive, array.members.capacity) for drive in range(3))
    assert sum(span.length for span, _ in spare.written) == array.members.capacity == array.rebuilt_bytes
    asked(array, Op.READ, 0, array.capacity)
    assert spare.transferred


@pytest.mark.parametrize(("slowest", "longest"), [(1.0, 0.02), (1e9, 0.06)])
def test_a_rebuild_gives_way_to_the_host(env: simpy.Environment, slowest: float, longest: float) -> None:
    array = Raid(env, RaidType("5", 3, CHUNK, stripes=8), [Watched(env) for _ in range(3)])
    array.fail(1)
    env.process(rebuild(array, 1, Watched(env), slowest, 2e9, unit=CHUNK))
    times = []
    for _ in range(6):
        request = array.start(access(Op.READ, 0, 256, HOST))
        env.run(until=request)
        times.append(env.now - request.submitted)
    # Behind one request of the rebuild, or behind all that the stripe cache has room for.
    assert max(times[2:]) == pytest.approx(longest)


def test_a_rebuild_has_a_limit(env: simpy.Environment) -> None:
    array = Raid(env, RaidType("5", 3, CHUNK, stripes=1), [Watched(env) for _ in range(3)])
    array.fail(1)
    env.run(env.process(rebuild(array, 1, Watched(env), 1.0, 10_000.0, unit=CHUNK)))
    assert DISC.layout.capacity == 51_200
    assert 4.0 <= env.now < 6.0  # md takes a begun second for a whole one, and sleeps half a second


@pytest.mark.parametrize(("level", "drives", "failed", "which"), [
    ("0", 2, 0, []), ("1", 3, 2, [0, 1]), ("5", 4, 1, [0]), ("6", 4, 2, [0, 1]), ("10", 4, 2, [0, 2]),
    ("10", 5, 2, [0, 2]), ("4", 4, 1, [0]), ("10f2", 4, 2, [0, 2]), ("10o2", 5, 2, [0, 2]),
])  # fmt: skip
def test_drives_may_have_failed_from_the_beginning(
    env: simpy.Environment, level: str, drives: int, failed: int, which: list[int]
) -> None:
    kind = RaidType(level, drives, CHUNK, failed=failed)
    members = [Watched(env) for _ in range(drives)]
    array = Raid(env, kind, members)
    assert list(kind.failed_drives) == which
    asked(array, Op.READ, 0, array.capacity)
    assert [number for number, each in enumerate(members) if not each.transferred] == which
    with pytest.raises(UserError, match=f"failed must be from 0 to {failed}, not {failed + 1}"):
        RaidType(level, drives, CHUNK, failed=failed + 1)


def test_two_spares_are_rebuilt_from_one_reading_of_the_others(env: simpy.Environment) -> None:
    members = [Watched(env) for _ in range(5)]
    array = Raid(env, RaidType("6", 5, CHUNK, failed=2, rebuild=1000), members)
    env.run()
    each = array.members.capacity
    assert [sum(span.length for span, _ in drive.transferred) for drive in members] == [0, 0, each, each, each]
    assert [sum(span.length for span, _ in drive.written) for drive in members] == [each, each, 0, 0, 0]
    assert array.rebuilt_bytes == 2 * each
    assert not array.members.is_degraded


def test_a_bad_read_of_a_rebuild_is_lost_without_another_parity() -> None:
    counts = {"5": Counter[str](), "6": Counter[str]()}
    for level, seed in product(counts, range(12)):
        env = simpy.Environment()
        kind = RaidType(level, 5, CHUNK, failed=1, rebuild=1000, unrecoverable=1e-7, seed=seed)
        array = Raid(env, kind, [Watched(env) for _ in range(5)])
        env.run()
        counts[level].update(array.reading())
    five, six = counts["5"], counts["6"]
    assert five["read_errors"] == five["lost"] > 0 == five["corrected"]
    assert six["read_errors"] == six["corrected"] > 0 == six["lost"]


def test_an_unrecoverable_read_is_computed_and_written_again(env: simpy.Environment) -> None:
    drives = [Watched(env) for _ in range(3)]
    array = Raid(env, RaidType("5", 3, CHUNK, unrecoverable=1e-6, seed=2), drives)
    for number in range(300):
        asked(array, Op.READ, number % 10 * CHUNK, CHUNK)
    reading = array.reading()
    assert reading["read_errors"] == reading["corrected"] + reading["lost"] > 0
    assert sum(len(drive.written) for drive in drives) == reading["corrected"]


def test_without_redundancy_it_is_lost(env: simpy.Environment) -> None:
    array = Raid(env, RaidType("0", 2, CHUNK, unrecoverable=1e-6), [Watched(env) for _ in range(2)])
    for number in range(300):
        asked(array, Op.READ, number % 10 * CHUNK, CHUNK)
    assert array.reading()["lost"] == array.reading()["read_errors"] > 0


@pytest.mark.parametrize(("level", "drives"), [("0", 2), ("1", 2), ("4", 3), ("5", 3), ("6", 4), ("10", 4), ("10f2", 3),
                                               ("10o2", 4)])
def test_an_array_costs_no_event_of_its_own(level: str, drives: int) -> None:
    env = simpy.Environment()
    array = WatchedRaid(env, level, drives)
    for number in range(50):
        array.start(access(Op.WRITE if number % 2 else Op.READ, number * 700, 900, HOST))
    events = 0
    while env.peek() < float("inf"):
        env.step()
        events += 1
    assert events == sum(drive.counts.completed for drive in array.watched)
    array.check()


def test_an_idle_mirror_reads_else_the_nearest(env: simpy.Environment) -> None:
    array = WatchedRaid(env, "1", 2)
    for first in (0, 40 * 256, 41 * 256, 256):
        array.start(access(Op.READ, first, 256, HOST))
    env.run()
    read = [[span.first for span, _ in drive.transferred] for drive in array.watched]
    assert read == [[0, 256], [40 * 256, 41 * 256]]


def test_a_computer_has_files_on_an_array() -> None:
    mine = Computer()
    array = mine.raid("5", *(mine.drive(HP7933) for _ in range(4)))
    file = mine.file(array, 1 << 20)
    assert file.name == "file1"
    with pytest.raises(UserError, match="or in an array"):
        mine.raid("5", *array.members.drives)
    with pytest.raises(UserError, match="or in an array"):
        mine.file(array.members.drives[0], 1 << 20)  # type: ignore[arg-type]


@pytest.mark.parametrize(("wrong", "said"), [
    (lambda: RaidType("7", 4), "no level"), (lambda: RaidType("5", 2), "takes 3 to 384 drives"),
    (lambda: RaidType("5", 3, 5000), "whole pages"), (lambda: RaidType("5", 3, stripes=0), "stripe cache"),
    (lambda: RaidType("5", 3, unrecoverable=1.0), "unrecoverable"),
    (lambda: RaidType("5", 3, rebuild=1), "failed says how many"),
    (lambda: RaidType("5", 3, failed=1, rebuild=-1), "positive speed"),
])  # fmt: skip
def test_what_is_no_array(wrong: object, said: str) -> None:
    with pytest.raises(UserError, match=said):
        wrong()  # type: ignore[operator]


def test_what_does_not_fit(env: simpy.Environment) -> None:
    with pytest.raises(UserError, match="different drives"):
        Raid(env, RaidType("0", 2), [Watched(env)])
    with pytest.raises(UserError, match="does not fit"):
        Raid(env, RaidType("0", 2, 1 << 20), [Watched(env), Watched(env)])
    coarse = [Watched(env), Watched(env)]
    coarse[1].sector_bytes = 3 * CHUNK
    with pytest.raises(UserError, match=rf"a chunk of {CHUNK} bytes must be whole sectors of {3 * CHUNK}$"):
        Raid(env, RaidType("0", 2, CHUNK), coarse)
    array = WatchedRaid(env, "5", 3)
    assert array in parts_on(env)
    with pytest.raises(UserError, match="not on an array"):
        asked(array, Op.READ, array.capacity, 1)
    assert array.capacity == 2 * (DISC.layout.capacity // CHUNK * CHUNK)


def test_a_rebuild_has_its_limit_while_the_host_asks_too(env: simpy.Environment) -> None:
    array = Raid(env, RaidType("5", 3, CHUNK, stripes=1), [Watched(env) for _ in range(3)])
    array.fail(1)
    done = env.process(rebuild(array, 1, Watched(env), 1.0, 10_000.0, unit=CHUNK))
    while not done.processed:
        env.run(array.start(access(Op.READ, 0, 256, HOST)) | done)
    assert env.now >= 4.0
