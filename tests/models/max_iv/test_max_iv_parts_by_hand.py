"""Tests by hand the parts of the Modcomp: handlers, file work, habits, samples, shots, and the counts of a run."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isnan
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import simpy

from spindle.models.max_iv.cache import Buckets, Fhl, SectorCache
from spindle.models.max_iv.cache_code import CacheCodeCosts, Cpus, Io, NoCache
from spindle.models.max_iv.disc_address import disc_address, reversed_bits, track_low, track_of, unit_of
from spindle.models.max_iv.eligibility import AS_BUILT, FpiFilter, ReadsAlone
from spindle.models.max_iv.file_work import FileWork
from spindle.models.max_iv.files import FileDirectory, FileSystem
from spindle.models.max_iv.habits import LibraryLoop, NoHabit, PathLoop, PrivateLoops, SeveralHabits
from spindle.models.max_iv.handlers import DiscHandler, InputOutput
from spindle.models.max_iv.lines import Lines, LockOut, LockOuts, _count_lost, count_lost
from spindle.models.max_iv.machine import MaxIvOptions, Modcomp, _room
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.requests import NoErrors, RandomErrors, RequestKind, errors
from spindle.models.max_iv.run import cache_extras, extras, likeness, lines_of, losses, run
from spindle.models.max_iv.shot import Partition, shots
from spindle.models.max_iv.shot import Sequence as Shooting
from spindle.models.max_iv.space import AtTheEdge, InTheMiddle
from spindle.models.max_iv.turns import GOING_ON_LEVEL, TASK_LEVEL, GoingOn, taking_turns
from spindle.models.max_iv.variants import FhlReadingAhead
from spindle.models.max_iv.volumes import SYSTEM, Home, used_first
from spindle.sim.clock import Account, Ledger, Phase, Wait
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.scheduling import CLook
from spindle.sim.disc.sheets import HITACHI_7K1000C, IBM_2314, MODCOMP_4134, MODCOMP_4138
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.policy import fixed_capacity
from spindle.sim.parameter import change
from spindle.sim.parts import LawBroken, credits_of, parts_on
from spindle.sim.request import WRITE, Access
from spindle.sim.streams import pick, stream
from spindle.workloads.software_tools import users

DISC, COMPARE, COPY, REX = 0.5, 0.03125, 0.125, 0.25
TRACK = 10
"""Sectors of a track."""
R, W, WEOF = RequestKind.READ, RequestKind.WRITE, RequestKind.WEOF


class Rig:
    """Two discs of half a second a request, which are disc 0 and disc 3, without a cache unless one is given."""

    def __init__(self, code: Any = None, strikes: Sequence[bool] = ()) -> None:
        self.env = simpy.Environment()
        self.cpu = FcfsCpu(self.env)
        self.drives = [Drive(self.env, FixedService(DISC), name=f"disc {number}") for number in (0, 3)]
        failing = iter(strikes)
        failures: Any = SimpleNamespace(strike=lambda: next(failing, False)) if strikes else None
        self.cache = SectorCache(8, 10)
        made = code or (lambda env, cpu, cache: NoCache())
        self.code = made(self.env, self.cpu, self.cache)
        self.handlers = [DiscHandler(self.env, drive, unit, TRACK, self.code, failures)
                         for drive, unit in zip(self.drives, (0, 3), strict=True)]  # fmt: skip
        self.io = InputOutput(self.cpu, self.handlers, REX, TASK_LEVEL)
        self.account = Account("task")
        self.asked = [self._note(drive) for drive in self.drives]

    @staticmethod
    def _note(drive: Drive) -> list[Access]:
        accesses: list[Access] = []
        start = drive.start

        def noted(access: Access) -> Any:
            accesses.append(access)
            return start(access)

        drive.start = noted  # type: ignore[method-assign]
        return accesses

    def do(self, work: Wait) -> float:
        """The seconds that *work* takes alone."""
        began = self.env.now
        self.env.run(self.env.process(work))
        return float(self.env.now) - began

    def sectors(self, drive: int = 0) -> list[tuple[str, float, float]]:
        return [(each.op.value, each.span.first / 256, each.span.length / 256) for each in self.asked[drive]]


def with_fhl(env: simpy.Environment, cpu: FcfsCpu, cache: SectorCache) -> Fhl:
    return Fhl(Cpus(env, cpu), cache, CacheCodeCosts(COMPARE, COPY))


# Handlers, and the trap by which they are asked.

@pytest.mark.parametrize(("kind", "words", "op", "sectors"), [
    (R, 128, "read", 1), (R, 129, "read", 2), (R, 0, "read", 1), (W, 1, "write", 1), (W, 256, "write", 2),
    (WEOF, 0, "write", 1), (RequestKind.AVR, 0, "read", 1), (RequestKind.AVF, 0, "read", 1),
    (RequestKind.BKR, 0, "read", 1), (RequestKind.BKF, 0, "read", 1), (W, 257, "write", 3),
])  # fmt: skip
def test_a_request_is_one_of_whole_sectors(kind: RequestKind, words: int, op: str, sectors: int) -> None:
    rig = Rig()
    assert rig.do(rig.io.transfer(kind, 1, 37, rig.account, words)) == REX + DISC
    assert (rig.sectors(0), rig.sectors(1)) == ([], [(op, 37, sectors)])
    assert rig.handlers[1].reading() == {each.name.lower(): float(each is kind) for each in RequestKind}
    assert (rig.account.seconds[Phase.CPU], rig.account.total()) == (REX, REX + DISC)
    assert rig.asked[1][0].account is rig.account


def test_a_sector_has_its_address() -> None:
    handler = Rig().handlers[1]
    io = Io(R, 300, 37, handler.dpi(37), 0, Account("task"))
    assert handler.dpi(37) == disc_address(3, 3, 7) == 3 * 2**24 + 3 * 2**8 + 7
    assert handler.dpis(io) == tuple(handler.dpi(sector) for sector in (37, 38, 39))
    assert handler.dpis(io) is handler.dpis(io), "it is remembered"
    assert [handler.left_on_track(io._replace(sector=sector)) for sector in (30, 37, 39)] == [10, 3, 1]
    assert [handler._sectors(io._replace(words=words)) for words in (0, 1, 128, 129, 256, 257)] == [1, 1, 1, 2, 2, 3]
    assert isinstance(handler.errors, NoErrors)


def test_an_address_leads_back_to_its_sector() -> None:
    rig = Rig()
    handler, other = rig.handlers[1], Account("other")
    rig.env.run(handler.write_sector(handler.dpi(37), other))
    assert rig.sectors(1) == [("write", 37, 1)]
    assert rig.asked[1][0].account is other
    rig.env.run(handler.read_on(Io(R, 128, 37, handler.dpi(37), 0, other), 3))
    rig.env.run(handler.begin(Io(W, 256, 37, handler.dpi(37), 0, other)))
    assert rig.sectors(1)[1:] == [("read", 37, 3), ("write", 37, 2)]


def test_what_the_cache_is_told_of_a_request() -> None:
    told: list[Io] = []

    class Told:
        def perform(self, io: Io, disc: Any) -> Wait:
            told.append(io)
            yield disc.begin(io)
            return False

    rig = Rig(lambda *_: Told())
    rig.do(rig.io.transfer(W, 1, 37, rig.account, 300, 4))
    rig.do(rig.io.transfer(W, 1, 37, rig.account))
    dpi = disc_address(3, 3, 7)
    assert told == [Io(W, 300, 37, dpi, 4, rig.account), Io(W, 128, 37, dpi, 0, rig.account)]


def test_a_request_is_repeated_until_the_disc_does_not_fail() -> None:
    rig = Rig(strikes=(True, True, False))
    assert rig.do(rig.io.transfer(R, 0, 5, rig.account)) == REX + 3 * DISC
    assert rig.handlers[0].requests[R] == 3


def test_sectors_are_read_and_written_in_turn_each_at_its_place_in_the_file() -> None:
    places: list[tuple[RequestKind, int, int]] = []

    class Told:
        def perform(self, io: Io, disc: Any) -> Wait:
            places.append((io.kind, io.sector, io.position))
            yield disc.begin(io)
            return False

    rig = Rig(lambda *_: Told())
    assert rig.do(rig.io.read(0, [5, 9, 7], rig.account, 2)) == 3 * (REX + DISC)
    rig.do(rig.io.write(1, [5, 9], rig.account, 1))
    rig.do(rig.io.read(1, [3, 4], rig.account))
    assert places == [(R, 5, 0), (R, 9, 2), (R, 7, 4), (W, 5, 0), (W, 9, 1), (R, 3, 0), (R, 4, 0)]
    assert [len(asked) for asked in rig.asked] == [3, 4]


@pytest.mark.parametrize(("buffers", "seconds"), [(1, 3 * (REX + DISC)), (2, REX + 3 * DISC), (3, REX + 3 * DISC),
                                                  (9, REX + 3 * DISC)])  # fmt: skip
def test_a_file_is_read_ahead_with_so_many_requests_under_way(buffers: int, seconds: float) -> None:
    """The disc takes twice as long as the trap, so that with two it never waits."""
    places: list[int] = []

    class Told(NoCache):
        def perform(self, io: Io, disc: Any) -> Wait:
            places.append(io.position)
            return super().perform(io, disc)

    rig = Rig(lambda *_: Told())
    assert rig.do(rig.io.read_ahead(1, [5, 6, 7], rig.account, buffers)) == pytest.approx(seconds)
    assert rig.sectors(1) == [("read", 5, 1), ("read", 6, 1), ("read", 7, 1)]
    assert places == [0, 1, 2]
    assert rig.account.total() == pytest.approx(seconds)


def test_the_trap_works_at_the_level_of_tasks() -> None:
    rig, levels = Rig(), list[int]()
    burst = rig.cpu.burst

    def noted(seconds: float, level: int, kind: Phase, account: Account) -> Any:
        levels.append(level)
        return burst(seconds, level, kind, account)

    rig.cpu.burst = noted  # type: ignore[method-assign, assignment]
    rig.do(rig.io.transfer(R, 0, 5, rig.account))
    rig.do(rig.io.quick(R, 0, 5, rig.account))
    assert levels == [TASK_LEVEL, TASK_LEVEL]


def test_a_request_in_quick_mode_is_returned_at_once_and_waited_for_later() -> None:
    rig = Rig()

    def begun() -> Wait:
        request = yield from rig.io.quick(W, 1, 37, rig.account, 4)
        assert rig.env.now == REX
        return request

    request = rig.env.run(rig.env.process(begun()))
    assert not request.processed
    rig.env.run(request)
    assert rig.env.now == REX + DISC
    assert request.access.span.first == 37 * 256
    assert (request.access.op, request.access.span.length) == (WRITE, 256)
    assert isinstance(request.access.account, Ledger)
    assert request.access.account.name == "disc 3 in quick mode"


def test_a_request_in_quick_mode_is_of_the_first_sector_of_a_file_unless_it_is_said() -> None:
    places: list[tuple[int, int]] = []

    class Told(NoCache):
        def perform(self, io: Io, disc: Any) -> Wait:
            places.append((io.words, io.position))
            return super().perform(io, disc)

    rig = Rig(lambda *_: Told())
    rig.handlers[0].start(R, 5)
    rig.do(rig.io.quick(R, 0, 5, rig.account))
    assert places == [(128, 0), (128, 0)]


# The cache.

def test_a_cache_of_another_size_is_of_the_same_kind() -> None:
    cache = SectorCache(4, 10, Fifo, lambda dpi: dpi > 5, lambda dpi: dpi + 1)
    other = cache.resize(7)
    assert (other.sectors, type(other.policy), len(other), len(other.lengths())) == (7, Fifo, 0, 10)
    for dpi in (5, 15):
        other.install(dpi)
    assert (other.queue(6), other.counted) == ((15, 5), 1)
    assert Buckets(10, lambda dpi: dpi + 1)[8] == 9
    assert SectorCache(1).lengths() == [0] * 251
    assert SectorCache(65536).sectors == 65536


def test_installing_says_who_went_and_what_is_here_is_installed_again() -> None:
    cache = SectorCache(2, 10, counted=lambda dpi: dpi == 3)
    assert [cache.install(dpi) for dpi in (3, 13, 3, 23)] == [None, None, None, 3]
    assert (cache.installed, cache.replaced, cache.evicted, cache.counted) == (4, 1, 0, 0)
    assert (cache.queue(3), cache.lengths()[3], len(cache)) == ((23, 13), 2, 2)


def test_forgetting_searches_for_each_of_them() -> None:
    """Of ten lists: 13 is second on its list, 23 is not there, 20 is on list 0 behind which lie the unused entries."""
    cache = SectorCache(8, 10)
    for dpi in (13, 33, 10):
        cache.install(dpi)
    assert cache.search(13) == 2
    assert cache.forget([13, 23, 20, 10]) == 2 + 1 + (1 + 6) + 1
    assert (cache.searches, cache.comparisons, cache.evicted) == (5, 13, 2)
    assert (sorted(cache.resident), cache.queue(3)) == ([33], (33,))


def test_what_a_full_cache_forgets_has_no_unused_entries_behind_it() -> None:
    cache = SectorCache(2, 10)
    cache.install(10)
    cache.install(13)
    assert (cache.comparisons_to(20), cache.comparisons_to(10), cache.comparisons_to(23)) == (1, 1, 1)
    assert cache.forget([20]) == 1
    assert (cache.searches, cache.comparisons) == (1, 1)
    assert cache.forget([13, 20]) == 1 + 2, "13 leaves one unused"


class Spy(Lru):
    """Notes what it is told, as a policy that needs the number of entries."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[Any, ...]] = []

    def insert(self, key: Any, size: int = 1, cost: float = 0.0) -> None:
        self.told.append(("insert", key, size, cost))
        super().insert(key, size, cost)

    def choose(self, incoming: Any, may_go: Any = None) -> Any:
        self.told.append(("choose", incoming))
        return super().choose(incoming) if may_go is None else super().choose(incoming, may_go)

    def remove(self, key: Any, replaced: bool) -> None:
        self.told.append(("remove", key, replaced))
        super().remove(key, replaced)


def test_the_policy_is_told_of_every_sector_and_why_it_goes() -> None:
    cache = SectorCache(2, 10, Spy)
    cache.install(5, 0.25)
    for dpi in (6, 7):
        cache.install(dpi)
    cache.evict(6)
    assert isinstance(cache.policy, Spy)
    assert cache.policy.told == [("insert", 5, 1, 0.25), ("insert", 6, 1, 0.0), ("choose", 7), ("remove", 5, True),
                                 ("insert", 7, 1, 0.0), ("remove", 6, False)]  # fmt: skip
    assert fixed_capacity(SectorCache(8, policy=Arc).policy) == 8


def test_a_large_read_that_fails_leaves_the_cache_as_it_was() -> None:
    rig = Rig(with_fhl, strikes=(False, True, False))
    rig.do(rig.handlers[0].perform(R, 5, 128, rig.account))
    rig.do(rig.handlers[0].perform(R, 5, 256, rig.account))
    assert (list(rig.cache.resident), rig.cache.evicted, rig.code.failures) == ([5], 0, 1)
    assert rig.code.oversize_reads == 2, "it is repeated"


def test_the_cost_of_a_sector_is_its_access() -> None:
    costs: list[float] = []

    class Kept(SectorCache):
        def install(self, dpi: int, cost: float = 0.0) -> int | None:
            costs.append(cost)
            return super().install(dpi, cost)

    rig = Rig()
    handler = rig.handlers[0]
    handler.cache = Fhl(Cpus(rig.env, rig.cpu), Kept(8, 10), CacheCodeCosts(COMPARE, COPY))
    for sector in (5, 9):
        rig.do(handler.perform(R, sector, 128, rig.account))
    assert costs == pytest.approx([DISC, DISC])


def test_what_the_cache_code_reads() -> None:
    rig = Rig(with_fhl)
    fhl = rig.code
    for number, name in enumerate(("hits", "late_hits", "failures", "oversize_reads"), 1):
        setattr(fhl, name, number)
    for number, name in enumerate(("searches", "comparisons", "installed", "replaced", "evicted"), 10):
        setattr(rig.cache, name, number)
    fhl.misses[:] = range(20, 27)
    rig.cache.install(5)
    assert fhl.reading() == {
        "hits": 1, "late_hits": 2, "failures": 3, "oversize_reads": 4, "searches": 10, "comparisons": 11,
        "installed": 13, "replaced": 13, "evicted": 14,
        **{f"misses_{kind.name.lower()}": 20 + kind for kind in RequestKind}}  # fmt: skip
    assert fhl.levels() == {"resident_sectors": 1.0}


def test_a_reader_who_waits_is_under_way() -> None:
    rig = Rig(with_fhl)
    for _ in range(3):
        rig.env.process(rig.handlers[0].perform(R, 5, 128, rig.account))
    rig.env.run(DISC / 2)
    assert (rig.code.waiting, list(rig.code.arriving)) == (2, [5])
    rig.env.run()
    assert (rig.code.waiting, rig.code.arriving, rig.code.late_hits, rig.code.hits) == (0, {}, 2, 0)
    assert rig.code.misses == [1, 0, 0, 0, 0, 0, 0]


def test_only_what_will_be_kept_is_waited_for() -> None:
    """A short read is not kept: a reader of the sector who comes meanwhile goes to the disc himself."""
    rig = Rig(with_fhl)
    for words in (50, 128):
        rig.env.process(rig.handlers[0].perform(R, 5, words, rig.account))
    rig.env.run()
    assert (rig.code.late_hits, len(rig.asked[0]), rig.code.misses[R]) == (0, 2, 2)
    assert rig.code.oversize_reads == 0


def test_a_sector_that_was_written_meanwhile_is_still_coming() -> None:
    """The read that was first to come ends before the write of the same sector, which readers wait for."""
    rig = Rig(with_fhl)
    for kind in (R, W):
        rig.env.process(rig.handlers[0].perform(kind, 5, 128, rig.account))
    rig.env.run(1.5 * DISC)
    assert list(rig.code.arriving) == [5]
    rig.env.run()
    assert rig.code.arriving == {}


# Errors, addresses, turns.

def test_a_share_of_requests_fails() -> None:
    assert isinstance(errors(0.0, Random(1)), NoErrors)
    some = errors(0.25, Random(1))
    assert isinstance(some, RandomErrors)
    draws = Random(1)
    assert [some.strike() for _ in range(50)] == [draws.random() < 0.25 for _ in range(50)]
    exact: Any = SimpleNamespace(random=lambda: 0.25)
    assert not RandomErrors(0.25, exact).strike()
    assert not NoErrors().strike()


def test_addresses_have_units_and_tracks() -> None:
    dpi = disc_address(5, 0xABCD, 0x7F)
    assert (unit_of(dpi), track_of(dpi)) == (5, 0xABCD)
    assert track_low(dpi) == 5 << 24 | 0x7F << 16 | 0xABCD
    assert reversed_bits(1 << 27) == 1
    assert reversed_bits(0b1011) == 0b1101 << 24


def test_tasks_take_turns_of_a_slice() -> None:
    env = simpy.Environment()
    plain, going = taking_turns(env, 0.25), GoingOn(env, 0.5)
    assert isinstance(plain, PreemptiveCpu)
    assert (plain._slices, going._slices) == ({TASK_LEVEL: 0.25}, {GOING_ON_LEVEL: 0.5, TASK_LEVEL: 0.5})
    assert (GOING_ON_LEVEL, TASK_LEVEL) == (1, 2)


# Files.

def disc(lists: int = 1, names: int = 8) -> FileSystem:
    return FileSystem(AtTheEdge().label(100, TRACK, 20, Random("disc")), TRACK, names, lists)


def test_creating_a_directory_within_nothing_or_twice_is_refused() -> None:
    files = disc()
    made = files.make_directory(("a",))
    assert files.walk(("a",))[0] is made
    for path in (("a",), ("none", "b")):
        with pytest.raises(KeyError, match=f"{'/'.join(path)} cannot be made"):
            files.make_directory(path)
    for path in (("a",), ("b",), ("a", "b")):
        with pytest.raises(KeyError, match=f"no file at {'/'.join(path)}"):
            files.open(path)
    files.create(("a", "file"), 1)
    assert files.walk(("a", "file", "more")) == (None, files.walk(("a", "file"))[1])


@pytest.mark.parametrize(("sectors", "tracks"), [(0, 1), (1, 1), (10, 1), (11, 2), (30, 3), (31, 4)])
def test_a_file_takes_whole_tracks(sectors: int, tracks: int) -> None:
    files = disc()
    file, reads, writes = files.create(("one",), sectors)
    assert (file.tracks, file.sectors, file.first) == (tracks, sectors, file.track * TRACK)
    (link,) = files.root.lists[0]
    assert (reads, writes) == ([files.root.head], [link.sector, file.descriptor, file.map])
    assert (link.names, files.root.nodes) == (["one"], {"one": file})
    assert files.root.sectors() == [files.root.head, link.sector]
    taken = len(files._tracks._taken)
    begin = files.reserve(sectors)
    assert (begin % TRACK, len(files._tracks._taken) - taken) == (0, tracks)


def test_a_list_has_so_many_names_a_sector_and_a_deleted_one_leaves_room() -> None:
    files = disc(names=2)
    for name in ("a", "b", "c"):
        files.create((name,), 1)
    (links,) = files.root.lists
    assert [link.names for link in links] == [["a", "b"], ["c"]]
    file, opened = files.open(("a",))
    assert files.delete(("a",)) == (opened, [links[0].sector, file.descriptor])
    assert [link.names for link in links] == [["b"], ["c"]]
    assert files.find(files.root, "c")[1] == [files.root.head, links[0].sector, links[1].sector]
    assert files.find(files.root, "b")[1] == [files.root.head, links[0].sector]
    assert files.find(files.root, "a") == (None, [files.root.head, links[0].sector, links[1].sector])
    files.create(("d",), 1)
    assert [link.names for link in links] == [["b", "d"], ["c"]]


# The work of tools on files.

class Kept:
    """Takes no time, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def transfer(self, *given: Any) -> Iterator[Any]:
        self.asked.append(("transfer", *given))
        return iter(())

    def read(self, unit: int, sectors: Sequence[int], account: object, step: int = 0) -> Iterator[Any]:
        self.asked.append(("read", unit, list(sectors), account, step))
        return iter(())

    def write(self, unit: int, sectors: Sequence[int], account: object, step: int = 0) -> Iterator[Any]:
        self.asked.append(("write", unit, list(sectors), account, step))
        return iter(())

    def read_ahead(self, unit: int, sectors: Sequence[int], account: object, buffers: int) -> Iterator[Any]:
        self.asked.append(("read ahead", unit, list(sectors), account, buffers))
        return iter(())


def returned(work: Wait) -> Any:
    """What *work*, which waits for nothing, returns."""
    try:
        while True:
            next(work)
    except StopIteration as ended:
        return ended.value


ME: Any = Account("me")


def test_file_work_asks_for_each_sector_and_counts() -> None:
    io, files = Kept(), disc()
    work = FileWork(io, [disc(), files])  # type: ignore[arg-type]
    file, _, writes = files.create(("one",), 3)
    files.delete(("one",))
    reads = files.walk(("one",))[1]
    returned(work.make(1, ("one",), 3, ME))
    assert io.asked == [
        ("read", 1, reads, ME, 0), ("write", 1, writes, ME, 0), ("transfer", WEOF, 1, file.first, ME, 0),
        ("write", 1, [file.first, file.first + 1, file.first + 2], ME, 1),
        ("transfer", WEOF, 1, file.first + 3, ME, 0, 3),
    ]  # fmt: skip
    assert work.reading() == {"opens": 0, "open_accesses": 0, "probe_accesses": 0, "data_sectors": 3, "creates": 1}
    io.asked.clear()
    opened = files.open(("one",))[1]
    returned(work.read(1, ("one",), ME))
    assert io.asked == [("read", 1, opened, ME, 0), ("read", 1, list(range(file.first, file.first + 4)), ME, 1)]
    assert returned(work.open(1, ("one",), ME)) is files.open(("one",))[0]
    assert work.reading() == {"opens": 2, "open_accesses": 2 * len(opened), "probe_accesses": 0, "data_sectors": 6,
                              "creates": 1}  # fmt: skip
    io.asked.clear()
    assert [returned(work.probe(1, (name,), ME)) for name in ("one", "two")] == [True, False]
    looked = [files.walk((name,))[1] for name in ("one", "two")]
    assert io.asked == [("read", 1, each, ME, 0) for each in looked]
    assert work.reading()["probe_accesses"] == sum(map(len, looked))
    io.asked.clear()
    read, written = opened, [files.root.lists[0][0].sector, file.descriptor]
    returned(work.delete(1, ("one",), ME))
    assert io.asked == [("read", 1, read, ME, 0), ("write", 1, written, ME, 0)]


def test_with_several_buffers_files_are_read_ahead() -> None:
    io, files = Kept(), disc()
    work = FileWork(io, [files], 2)  # type: ignore[arg-type]
    file = files.create(("one",), 3)[0]
    returned(work.read(0, ("one",), ME))
    assert io.asked[-1] == ("read ahead", 0, list(range(file.first, file.first + 4)), ME, 2)


def test_every_command_reads_the_files_of_the_home() -> None:
    io, files = Kept(), disc()
    work = FileWork(io, [disc(), files])  # type: ignore[arg-type]
    files.make_directory(("van",))
    firsts = [files.create(("van", name), 1)[0].first for name in (":AR", ":VA")]
    returned(work.read_home(Home(1, files, ("van",), 0), ME))
    assert [asked[1:3] for asked in io.asked if asked[-1] == 1] == [(1, [first, first + 1]) for first in firsts]
    assert work.opens == 2


# Habits.

@pytest.fixture
def home() -> Home:
    files = disc(names=8)
    files.make_directory(("tools",))
    files.make_directory(("van",))
    return Home(0, files, ("van",), 0)


def session(draw: float) -> Any:
    return SimpleNamespace(random=SimpleNamespace(random=lambda: draw), account=ME)


def test_habits_have_their_lengths_and_are_scaled() -> None:
    assert NoHabit().times(3.0) == NoHabit()
    assert PathLoop() == PathLoop(25, 40, 0.5)
    assert PrivateLoops() == PrivateLoops(130, 1.0)
    assert LibraryLoop() == LibraryLoop(230, 0.5)
    for factor, lengths in ((0.1, (2, 13, 23)), (2.0, (50, 260, 460)), (0.001, (1, 1, 1))):
        scaled = SeveralHabits((PathLoop(), PrivateLoops(), LibraryLoop())).times(factor)
        assert scaled == SeveralHabits((PathLoop(lengths[0]), PrivateLoops(lengths[1]), LibraryLoop(lengths[2])))


def test_habits_make_their_files_once_and_read_them_from_end_to_end(home: Home) -> None:
    habit = SeveralHabits((PathLoop(2, 3), PrivateLoops(4), LibraryLoop(5), NoHabit()))
    for _ in range(2):
        habit.prepare(home.files, home)
    io = Kept()
    work = FileWork(io, [home.files])  # type: ignore[arg-type]
    returned(habit.sweep(work, home, session(0.25)))
    wide = [home.files.walk(("tools", f"wide{number}"))[0] for number in (0, 1)]
    directories = [each for each in wide if isinstance(each, FileDirectory)]
    assert [sorted(each.nodes) for each in directories] == [["name0", "name1", "name2"]] * 2
    own, shared = (home.files.open(path)[0] for path in (("van", "library"), ("tools", "library")))
    assert (own.sectors, shared.sectors) == (4, 5)
    data = [asked for asked in io.asked if asked[-1] == 1]
    ranges = range(own.first, own.first + 5), range(shared.first, shared.first + 6)
    assert [asked[2] for asked in data] == [list(each) for each in ranges]
    assert [asked[1:3] for asked in io.asked[:2]] == [(SYSTEM, each.sectors()) for each in directories]
    assert work.probe_accesses == sum(len(each.sectors()) for each in directories)
    assert all(asked[3] is ME for asked in io.asked)


@pytest.mark.parametrize(("habit", "draw", "reads"), [
    (PathLoop(1, 1, 0.5), 0.5, False), (PathLoop(1, 1, 0.5), 0.49, True), (LibraryLoop(1, 0.5), 0.5, False),
    (LibraryLoop(1, 0.5), 0.49, True), (PrivateLoops(1, 0.5), 0.5, False), (PrivateLoops(1, 0.5), 0.49, True),
    (PrivateLoops(1, 1.0), 1.0, True),
], ids=str)  # fmt: skip
def test_a_share_of_tools_has_a_habit(home: Home, habit: Any, draw: float, reads: bool) -> None:
    habit.prepare(home.files, home)
    io = Kept()
    returned(habit.sweep(FileWork(io, [home.files]), home, session(draw)))  # type: ignore[arg-type]
    assert bool(io.asked) is reads


# Lines.

def test_lines_lose_what_comes_while_their_receivers_are_full() -> None:
    """A character a second, of which the first comes at a half; the CPU is free after 3.2 s, and takes 0.1 s each."""
    half: Any = SimpleNamespace(random=lambda: 0.5)
    lines = Lines(2, baud=10.0, interrupt=0.1, buffer=2)
    assert lines.character == 1.0
    assert _count_lost(3.2, lines, half) == 2, "the third of each"
    assert [_count_lost(seconds, lines, half) for seconds in (2.35, 2.45, 2.55)] == [0, 1, 2]
    assert _count_lost(0.4, lines, half) == 0
    assert _count_lost(2.0, Lines(1, baud=10.0, interrupt=0.9, buffer=3), half) == 0
    assert _count_lost(0.0, Lines(1, baud=10.0), half) == 0


def test_the_receivers_are_emptied_in_the_order_in_which_characters_came() -> None:
    """From 0.95 s on, one each 0.33 s: the last line's first is taken at 1.61, and its second comes at 1.6."""
    draws = iter((0.0, 0.3, 0.6))
    drawn: Any = SimpleNamespace(random=lambda: next(draws))
    assert _count_lost(0.95, Lines(3, baud=10.0, interrupt=0.33), drawn) == 1


def test_a_character_finds_a_receiver_that_is_emptied_at_the_same_instant() -> None:
    """A character each 1/1024 s, of which the first comes at once."""
    first: Any = SimpleNamespace(random=lambda: 0.0)
    assert [_count_lost(seconds / 1024, Lines(1, baud=10240.0, interrupt=0.0), first) for seconds in (1.0, 1.5)] == [
        0, 1]  # fmt: skip


def test_lines_are_served_from_whichever_is_first() -> None:
    """From 0.85 s on, one each 0.24 s: the last line's first is taken at 1.33, and its second comes at 1.3."""
    draws = iter((0.9, 0.1, 0.2, 0.3))
    drawn: Any = SimpleNamespace(random=lambda: next(draws))
    assert _count_lost(0.85, Lines(4, baud=10.0, interrupt=0.24), drawn) == 1


@pytest.mark.parametrize(("level", "masked", "lost"), [(12, False, 0), (12, True, 2), (13, False, 2), (14, False, 2)])
def test_only_a_level_that_is_not_more_urgent_is_locked_out(level: int, masked: bool, lost: int) -> None:
    half: Any = SimpleNamespace(random=lambda: 0.5)
    lines = Lines(1, 10.0, 0.1, 1, level, masked)
    assert count_lost([LockOut(0.0, 2.0), LockOut(9.0, 2.0)], lines, half) == lost


def test_lines_may_take_99_percent_of_the_cpu() -> None:
    assert Lines(99, baud=10.0, interrupt=0.01).count == 99
    with pytest.raises(UserError, match="100 lines of 10 baud take 100% of the CPU, at 10 ms"):
        Lines(100, baud=10.0, interrupt=0.01)
    usual = Lines(1)
    assert (usual.baud, usual.buffer, usual.level, usual.masked) == (9600.0, 1, 13, False)
    assert usual.interrupt == pytest.approx(100e-6)


# Counts of a run.

def test_lines_are_those_of_the_parameters() -> None:
    values = change(MaxIvParameters(), lines=3, line_baud=300.0, character=0.002, line_buffer=5, line_level=12)
    assert lines_of(values) == Lines(3, 300.0, 0.002, 5, 12)
    assert lines_of(MaxIvParameters()) is None


def test_losses_are_for_a_thousand_lock_outs() -> None:
    seen = LockOuts()
    lines = Lines(1, baud=10.0, interrupt=0.1)
    assert losses(seen, None, 1) == {}
    assert losses(seen, lines, 1) == {"lost_characters": 0.0, "lock_out_ms": 0.0}
    seen.seen = [LockOut(0.0, 3.0), LockOut(9.0, 0.001), LockOut(19.0, 2.0), LockOut(29.0, 0.001)]
    found = losses(seen, lines, 1)
    assert found == {"lost_characters": 1000.0 * 3 / 4, "lock_out_ms": 3000.0}
    seen.seen = [LockOut(float(number), 1.5) for number in range(40)]
    for seed in (1, 2):
        lost = count_lost(seen.seen, lines, stream(seed, "lines"))
        assert losses(seen, lines, seed)["lost_characters"] == 25.0 * lost


COUNTERS: dict[str, float] = {
    "software.opens": 10.0, "software.open_accesses": 85.0, "software.data_sectors": 60.0, "software.creates": 2.0,
    "software.commands": 4.0, "cpu.busy": 25.0, "cpu.busy_cache": 5.0, "drive1.busy": 10.0, "drive2.busy": 30.0,
    "drive1.number_seconds": 50.0, "drive2.number_seconds": 70.0,
    **{f"handler{unit}.{kind.name.lower()}": float(unit * 2**kind) for unit in (1, 2) for kind in RequestKind},
    "fhl.hits": 3.0, "fhl.late_hits": 1.0, "fhl.oversize_reads": 5.0, "fhl.searches": 40.0, "fhl.comparisons": 100.0,
    "fhl.replaced": 16.0, **{f"fhl.misses_{kind.name.lower()}": float(2**kind) for kind in RequestKind},
    "sampler.samples": 2.0, "sampler.queues": 8.0, "sampler.short_queues": 6.0, "sampler.longest": 10.0,
    "sampler.resident": 20.0, "sampler.management": 5.0, "sampler.neighbours": 60.0, "sampler.squares": 80.0,
    "sampler.probes": 50.0,
}  # fmt: skip


def test_counts_of_a_run() -> None:
    """Twice and four times 127 requests make 381; 100 s."""
    modcomp = Modcomp(simpy.Environment(), MaxIvParameters(discs=2), MaxIvOptions(), 64, 1)
    found = extras(modcomp, COUNTERS, 100.0)
    cached = cache_extras(COUNTERS, 381.0, 3.0, MaxIvParameters().compare)
    assert {name: value for name, value in found.items() if name not in cached} == {
        "op_rate": 3.81, "cpu_busy": 0.25, "cpu_cache": 0.05, "disc_busy": 0.2, "busiest_disc": 0.3, "disc_queue": 0.6,
        "read_share": 3 / 381, "accesses_per_open": 8.5, "data_sectors_per_open": 5.0, "requests_per_command": 381 / 4,
    }  # fmt: skip
    assert cached == {
        "hit_ratio": 3 / 381, "late_hit_ratio": 1 / 381, "read_hit_ratio": 1.0, "miss_reads": 1 / 127,
        "miss_writes": 2 / 127, "miss_weofs": 4 / 127, "oversize_share": 5.0, "writes_per_weof": 0.5,
        "search_mean": 2.5 * MaxIvParameters().compare, "turnover_requests": 20 * 381 / (2 * 16),
        "management_share": 0.25, "chain_mean": 2.5, "chain_max": 5.0, "chain_at_most_3": 0.75,
        "chains_alike": pytest.approx((60 / 6 - 6.25) / (10 - 6.25)), "probes_mean": 2.5,
    }  # fmt: skip
    assert {name: found[name] for name in cached} == cached


def test_without_a_cache_nothing_is_hit_and_there_are_no_queues() -> None:
    found = cache_extras({}, 10.0, 5.0, 0.5)
    assert [found[name] for name in ("hit_ratio", "late_hit_ratio", "read_hit_ratio")] == [0.0] * 3
    assert all(isnan(value) for name, value in found.items() if not name.endswith("hit_ratio"))


def test_the_likeness_of_neighbouring_lists_is_their_correlation() -> None:
    """Lists of 1, 1, 3 and 3: the mean is 2, the variance 1; of three pairs the products are 1, 3 and 9."""
    lengths = [1, 1, 3, 3]
    counts = {"sampler.resident": 8.0, "sampler.queues": 4.0, "sampler.samples": 1.0, "sampler.squares": 20.0,
              "sampler.neighbours": float(sum(one * two for one, two in pairwise(lengths)))}  # fmt: skip
    assert likeness(counts.__getitem__) == pytest.approx(13 / 3 - 4)


# The machine.

def test_the_room_of_a_drive() -> None:
    """Flash is labelled as the 4138 is, as far as it goes."""
    layout = MODCOMP_4138.layout
    whole = layout.cylinders * layout.heads, layout.zones[0].sectors_per_track
    assert _room(MODCOMP_4138) == whole == (7407, 42)
    assert _room(INTEL_S3700) == whole
    assert _room(HITACHI_7K1000C)[0] == 65536, "no more have an address"
    for sheet in (MODCOMP_4134, IBM_2314):
        tracks, sectors = _room(sheet)
        assert sectors == min(sheet.layout.zones[0].sectors_per_track, 256)
        assert tracks <= 65536
        assert tracks * sectors * 256 <= sheet.layout.capacity


def test_a_machine_is_built_of_its_parameters_and_parts() -> None:
    values = change(MaxIvParameters(), discs=3, slice=0.125, request_cpu=0.25, errors=0.5, compare=0.5, copy=0.25,
                    hash_entries=11, buffers=3, management=0.02, names_a_sector=5, lists=7)  # fmt: skip
    env = simpy.Environment()
    machine = Modcomp(env, values, MaxIvOptions(drive=MODCOMP_4134, scheduler=CLook, policy=Fifo, rules=ReadsAlone(),
                                                order=track_low, placing=InTheMiddle(), tools_order=used_first,
                                                code=FhlReadingAhead), 64, 9)  # fmt: skip
    assert isinstance(machine.cpu, GoingOn)
    assert machine.cpu._slices[TASK_LEVEL] == 0.125
    assert [drive.name for drive in machine.drives] == ["disc 1", "disc 2", "disc 3"]
    assert all(isinstance(drive.scheduler, CLook) for drive in machine.drives)
    assert set(machine.machine.parts) == {"cpu", "software", "fhl", "sampler", *(
        f"{part}{unit}" for part in ("drive", "handler") for unit in (1, 2, 3))}  # fmt: skip
    assert [machine.machine.parts[f"drive{unit + 1}"] for unit in range(3)] == machine.drives
    assert [machine.machine.parts[f"handler{unit + 1}"] for unit in range(3)] == machine.handlers
    assert [(handler._unit, handler.drive, handler.cache) for handler in machine.handlers] == [
        (unit, machine.drives[unit], machine.code) for unit in range(3)]  # fmt: skip
    assert all(handler._env is env for handler in machine.handlers)
    assert {handler.track_sectors for handler in machine.handlers} == {_room(MODCOMP_4134)[1]}
    for unit, handler in enumerate(machine.handlers, 1):
        assert isinstance(handler.errors, RandomErrors)
        assert handler.errors._share == 0.5
        assert handler.errors._random.random() == stream(9, f"disc {unit}/errors").random()
    code = machine.code
    assert isinstance(code, FhlReadingAhead)
    assert (code.costs, code.rules, code.cache.sectors) == (CacheCodeCosts(0.5, 0.25), ReadsAlone(), 64)
    assert (type(code.cache.policy), len(code.cache.lengths())) == (Fifo, 11)
    assert Fifo in credits_of(env)
    code.cache.install(disc_address(0, 13, 5))
    assert code.cache.lengths()[track_low(disc_address(0, 13, 5)) % 11] == 1
    region = machine.discs[SYSTEM].region
    tracks = _room(MODCOMP_4134)[0]
    managed = [track for track in range(tracks) if region.is_management(track)]
    assert len(managed) == round(tracks * 0.02)
    code.cache.install(disc_address(0, managed[0], 0))
    assert code.cache.counted == 1
    assert [(each.unit, each.files) for each in machine.volumes] == [(1, machine.discs[1]), (2, machine.discs[2])]
    assert all((files._names_a_sector, files._lists) == (5, 7) for files in machine.discs)
    assert (machine.io._request_cpu, machine.io._level) == (0.25, TASK_LEVEL)
    assert machine.software.files.io is machine.io
    assert machine.software.files._buffers == 3


@pytest.mark.parametrize(("share", "tracks"), [(0.001, 1), (0.024, 2), (0.027, 3)])
def test_a_disc_has_a_share_of_management_and_a_track_at_least(share: float, tracks: int) -> None:
    """Of a hundred tracks."""
    machine = Modcomp(simpy.Environment(), MaxIvParameters(discs=1), MaxIvOptions(), 0, 1)
    machine._tracks, machine.parameters = 100, change(MaxIvParameters(), management=share)
    assert machine._label_region(AtTheEdge(), 42, Random(1)).region.management == tracks


def test_without_sectors_there_is_no_cache_and_one_disc_has_all() -> None:
    machine = Modcomp(simpy.Environment(), MaxIvParameters(discs=1), MaxIvOptions(), 0, 1)
    assert isinstance(machine.code, NoCache)
    assert set(machine.machine.parts) == {"cpu", "software", "drive1", "handler1"}
    assert [each.unit for each in machine.volumes] == [0]
    machine.check()


def test_discs_are_laid_out_each_by_its_own_stream() -> None:
    def places(seed: object) -> list[int]:
        machine = Modcomp(simpy.Environment(), MaxIvParameters(discs=3), MaxIvOptions(), 0, seed)
        return [files.reserve(1) for files in machine.discs]

    assert places(1) == places(1)
    assert len(set(places(1))) == 3
    assert places(1) != places(2)
    drawn = list[float]()

    def order(used: list[str], others: list[str], random: Random) -> list[str]:
        drawn.append(random.random())
        return used

    choices = MaxIvOptions(habit=LibraryLoop(), tools_order=order)
    machine = Modcomp(simpy.Environment(), MaxIvParameters(discs=3, loops=2.0), choices, 0, 7)
    management = machine.discs[SYSTEM].region.management * 42
    assert [files.root.head for files in machine.discs] == [
        pick(stream(7, f"disc {unit}/layout"), management) for unit in (1, 2, 3)]  # fmt: skip
    assert drawn == [stream(7, "tools").random()]
    assert machine.software._habit == LibraryLoop().times(2.0)


def test_a_request_that_is_neither_hit_nor_miss_breaks_the_law() -> None:
    machine = Modcomp(simpy.Environment(), MaxIvParameters(), MaxIvOptions(), 64, 1)
    assert isinstance(machine.code, Fhl)
    machine.check()
    machine.handlers[1].requests[R] += 1
    with pytest.raises(LawBroken, match="fhl"):
        machine.check()
    assert machine in parts_on(machine.machine.env), "so that every run is checked"
    machine.code.waiting += 1
    machine.check()
    for name in ("hits", "late_hits"):
        setattr(machine.code, name, 1)
        with pytest.raises(LawBroken):
            machine.check()
        setattr(machine.code, name, 0)
    machine.code.misses[W] += 1
    with pytest.raises(LawBroken):
        machine.check()


def test_users_are_terminals_with_lines_of_their_speed() -> None:
    machine = Modcomp(simpy.Environment(), change(MaxIvParameters(), character=0.5), MaxIvOptions(), 64, 1)
    load = machine.load([users(3, 30.0)])
    assert sum(script.terminals for script in load._scripts) == 3
    assert (load._perform, load._interrupt) == (machine.software.perform, 0.5)


def test_a_result_says_what_was_asked() -> None:
    result = run(users=3, sectors=32, seed=4, minutes=0.2, warm_up=0.0, mix="ls=1", compare=0.0)
    assert result.parameters == {"users": 3, "sectors": 32, "mix": "ls=1", "compare": 0.0}
    assert (result.system, result.seed, result.end) == ("max_iv", 4, 12.0)
    most = MaxIvParameters().memory // 256
    for sectors in (-1, most + 1, 1.5):
        with pytest.raises(UserError, match=f"sectors must be a whole number up to {most}, which is all of memory"):
            run(sectors=sectors, minutes=0.2)  # type: ignore[arg-type]
    assert run(users=1, sectors=most, minutes=0.1, warm_up=0.0).parameters == {"users": 1, "sectors": most}


# Shots.

class Draws(Random):
    """Draws what it is told to, over and over."""

    def __init__(self, *values: float) -> None:
        super().__init__(1)
        self._told, self._turn = values, 0

    def random(self) -> float:
        self._turn += 1
        return self._told[(self._turn - 1) % len(self._told)]


def test_a_partition_has_tables_and_results_in_order() -> None:
    """Of 100 sectors from 50 on: tables at a quarter and a half, results from the middle to the end, and again."""
    made = Partition(50, 150, 4, Draws(0.25, 0.5))
    assert made.tables == [75, 100, 75, 100]
    results = [made.result() for _ in range(51)]
    assert results[0] == 101
    assert results[48:] == [149, 50, 51]
    assert made.draw_sector() == 75
    made.tables = [1, 2, 3, 4]
    for draw, table in ((0.0, 1), (0.43, 1), (0.44, 2), (0.68, 2), (0.69, 3), (0.86, 3), (0.87, 4), (1 - 2**-53, 4)):
        made._random = Draws(draw)
        assert made.table() == table


def test_the_requests_of_a_shot_are_tables_results_and_other_sectors() -> None:
    values = change(MaxIvParameters(), shot_tables=0.5, shot_writes=0.25, shot_requests=80, shot_tasks=8, shot_cpu=16.0,
                    tables=3, shot_space=0.5)  # fmt: skip
    machine = Modcomp(simpy.Environment(), values, MaxIvOptions(placing=InTheMiddle()), 0, 1)
    sequence = Shooting(machine, 1)
    partition = sequence._partition
    first = machine.discs[SYSTEM].region.first + machine.discs[SYSTEM].region.management
    sectors = machine.drives[0].capacity // 256
    assert (partition.first, len(partition.tables)) == (first * 42, 3)
    assert partition._end == first * 42 + int(0.5 * (sectors - first * 42))
    assert (sequence._requests, sequence._bursts.mean) == (10, 16.0 / 8 / 10)
    drawn = stream(1, "shots")
    assert partition.tables == [first * 42 + pick(drawn, partition._end - first * 42) for _ in range(3)]
    assert sequence._random.random() == drawn.random()
    few = Modcomp(simpy.Environment(), change(values, shot_requests=7), MaxIvOptions(), 0, 1)
    assert Shooting(few, 1)._requests == 1, "each task asks once at least"
    partition._random = Draws(0.0)
    for mark, kind, sector in ((0.0, R, partition.tables[0]), (0.49, R, partition.tables[0]), (0.5, W, None),
                               (0.74, W, None), (0.75, R, partition.first), (0.99, R, partition.first)):  # fmt: skip
        sequence._random = Draws(mark)
        found, where = sequence._next()
        assert found is kind
        assert where == (partition._next if sector is None else sector)


def test_a_shot_is_all_its_tasks_and_is_followed_by_a_pause() -> None:
    """Two tasks of three requests each; without computing only the disc takes time, and the trap."""
    values = change(MaxIvParameters(), shot_requests=6, shot_tasks=2, shot_cpu=1e-4, shot_pause=100.0, request_cpu=0.0)
    machine = Modcomp(simpy.Environment(), values, MaxIvOptions(), 0, 1)
    sequence = Shooting(machine, 1)
    machine.machine.env.run(machine.machine.env.process(sequence.run(2)))
    one, two = sequence.shots
    for shot in (one, two):
        assert sum(shot.counters[f"handler1.{kind.name.lower()}"] for kind in RequestKind) == 6
        assert shot.counters["drive1.busy"] == pytest.approx(shot.seconds, abs=1e-3)
    assert machine.machine.env.now == pytest.approx(one.seconds + two.seconds + 200.0)
    assert sum(machine.handlers[0].requests) == 12


def test_a_sector_of_a_partition_has_its_place_in_it() -> None:
    """To Max-IV the partition is one file, of which the filter keeps the beginning only, or all."""
    values = change(MaxIvParameters(), shot_requests=40, shot_tasks=1, shot_tables=0.0, shot_writes=0.0)
    size = partition_of(values)
    for limit, kept in ((0.5, 0), (size, 40)):
        machine = Modcomp(simpy.Environment(), values, MaxIvOptions(rules=FpiFilter(limit)), 64, 1)
        machine.machine.env.run(machine.machine.env.process(Shooting(machine, 1).run(1)))
        assert isinstance(machine.code, Fhl)
        assert machine.code.cache.installed + machine.code.hits == kept
    assert AS_BUILT.keeps(R, 128, 9)


def partition_of(values: MaxIvParameters) -> int:
    partition = Shooting(Modcomp(simpy.Environment(), values, MaxIvOptions(), 64, 1), 1)._partition
    return partition._end - partition.first


def test_all_shots_but_the_first_are_measured() -> None:
    small: dict[str, Any] = {"shot_requests": 16, "shot_tasks": 4, "tables": 4, "errors": 0.25}
    found = shots(64, 3, 3, **small)
    machine = Modcomp(simpy.Environment(), change(MaxIvParameters(), **small), MaxIvOptions(), 64, 3)
    sequence = Shooting(machine, 3)
    machine.machine.env.run(machine.machine.env.process(sequence.run(3)))
    sequences = sequence.shots[1:]
    seconds = sum(shot.seconds for shot in sequences)
    assert found.seconds == pytest.approx(seconds / 2)
    assert found.cpu_busy == pytest.approx(sum(shot.counters["cpu.busy"] for shot in sequences) / seconds)
    assert found.disc_busy == pytest.approx(sum(shot.counters["drive1.busy"] for shot in sequences) / seconds)
    asked = sum(shot.counters[f"handler1.{kind}"] for shot in sequences for kind in ("read", "write"))
    assert asked > 32, "some failed"
    assert found.hit_ratio == sum(shot.counters["fhl.hits"] for shot in sequences) / asked
    assert found.summary() == found._asdict()
    assert shots(64, 3, 1, **small) == shots(64, 3, 2, **small)
    assert shots(64, count=2, **small) == shots(64, 1, 2, **small)
