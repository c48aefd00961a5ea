"""Tests variants of FHL, Jacobson's cache, by hand: read-ahead, write-back, whole tracks, core images."""

from collections.abc import Callable
from functools import partial
from random import Random

import pytest
import simpy

from spindle.models.max_iv.cache import Fhl, SectorCache
from spindle.models.max_iv.cache_code import CacheCodeCosts, Cpus
from spindle.models.max_iv.eligibility import AS_BUILT, Eligibility, FpiFilter, MarksCached
from spindle.models.max_iv.handlers import DiscHandler
from spindle.models.max_iv.requests import Errors, RandomErrors, RequestKind
from spindle.models.max_iv.variants import SYNC_PERIOD, FhlOfUnits, FhlReadingAhead, FhlWithChunks, FhlWritingBack
from spindle.sim.clock import Account
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import Access

DISC, COPY = 0.040, 320e-6
TRACK = 42
CHUNKS = partial(FhlWithChunks, chunks=1, words=1280)


class Rig:
    """A disc of constant service behind a handler with another cache code; searching takes no time."""

    def __init__(
        self, env: simpy.Environment, code: Callable[..., Fhl], sectors: int = 100, rules: Eligibility = AS_BUILT,
        errors: Errors | None = None, compare: float = 0.0,
    ) -> None:
        self.env = env
        self.drive = Drive(env, FixedService(DISC))
        self.asked, self.kept = list[Access](), list[tuple[int, float]]()
        start, cache = self.drive.start, SectorCache(sectors)
        install = cache.install
        self.drive.start = lambda access: (self.asked.append(access), start(access))[1]  # type: ignore
        cache.install = lambda dpi, cost=0.0: (self.kept.append((dpi, cost)), install(dpi, cost))[1]  # type: ignore
        self.fhl = code(Cpus(env, FcfsCpu(env)), cache, CacheCodeCosts(compare, COPY), rules)
        self.handler = DiscHandler(env, self.drive, 0, TRACK, self.fhl, errors)

    def do(self, kind: RequestKind, sector: int, words: int = 128, position: int = 0) -> float:
        """Perform one request alone; the seconds it took, all of which its account knows."""
        began, account = self.env.now, Account("test")
        self.env.run(self.env.process(self.handler.perform(kind, sector, words, account, position)))
        assert account.total() == pytest.approx(self.env.now - began)
        return float(self.env.now) - began

    def begin(self, kind: RequestKind, sector: int, words: int = 128) -> None:
        """Begin one request among others."""
        self.env.process(self.handler.perform(kind, sector, words, Account("test"), 0))

    def here(self, *sectors: int) -> list[bool]:
        return [self.handler.dpi(sector) in self.fhl.cache for sector in sectors]

    def written(self) -> float:
        return self.drive.reading()["writes"]

    def counted(self, *names: str) -> list[float]:
        return [self.fhl.reading()[name] for name in names]

    def places(self) -> list[tuple[int, int]]:
        """First sector and sectors of each request of the drive."""
        return [(access.span.first // 256, access.span.length // 256) for access in self.asked]


@pytest.mark.parametrize("code", [FhlReadingAhead, FhlWritingBack, FhlOfUnits, CHUNKS])
def test_a_variant_has_the_rules_and_costs_that_it_is_given(env: simpy.Environment, code: Callable[..., Fhl]) -> None:
    rig = Rig(env, code, rules=(rules := FpiFilter(3)), compare=0.5)
    assert rig.fhl.rules is rules
    assert (rig.fhl.costs, rig.fhl.env) == (CacheCodeCosts(0.5, COPY), env)


def test_reading_ahead_brings_the_rest_of_the_track_and_no_more(env: simpy.Environment) -> None:
    rig = Rig(env, FhlReadingAhead)
    assert rig.do(RequestKind.READ, TRACK - 3) == pytest.approx(DISC + COPY)
    assert rig.here(TRACK - 4, TRACK - 3, TRACK - 2, TRACK - 1, TRACK) == [False, True, True, True, False]
    assert rig.drive.reading()["bytes_read"] == 3 * 256
    assert rig.do(RequestKind.READ, TRACK - 1) == pytest.approx(COPY)


def test_reading_ahead_may_be_short_and_leaves_writes_alone(env: simpy.Environment) -> None:
    rig = Rig(env, partial(FhlReadingAhead, sectors=2))
    rig.do(RequestKind.READ, 0)
    rig.do(RequestKind.WRITE, 10)
    assert rig.here(0, 1, 2, 10, 11) == [True, True, False, True, False]


def test_what_failed_or_lies_far_within_its_file_is_not_read_ahead(env: simpy.Environment) -> None:
    rig = Rig(env, FhlReadingAhead, errors=RandomErrors(1.0, Random(1)))
    env.process(rig.handler.perform(RequestKind.READ, 0, 128, Account("test")))
    env.run(1.5 * DISC)  # the first try has failed, and the second is under way
    assert rig.here(0, 1, 2) == [False, False, False]
    env = simpy.Environment()
    rig = Rig(env, FhlReadingAhead, rules=FpiFilter(2))
    for position, kept in ((2, False), (1, True)):
        rig.do(RequestKind.READ, 10, position=position)
        assert rig.here(10, 11) == [kept, kept]


def test_what_is_ahead_costs_a_search_each_and_is_kept_once(env: simpy.Environment) -> None:
    """A read of sector 10 brings 11 and 13 as well, 12 is here; each list is empty before."""
    compare = 2.0**-6
    rig = Rig(env, partial(FhlReadingAhead, sectors=4), compare=compare)
    rig.do(RequestKind.READ, TRACK - 1)
    rig.fhl.cache.install(12)
    assert rig.do(RequestKind.READ, 10) == pytest.approx(DISC + COPY + compare), "of which only 12 is compared with"
    assert rig.kept[-3:] == [(10, pytest.approx(DISC)), (11, 0.0), (13, 0.0)]
    assert rig.counted("searches", "installed", "misses_read") == [2 + 5, 5.0, 2.0]
    rig.do(RequestKind.WRITE, 10, 400)
    assert rig.here(10, 11, 12, 13, 14) == [False] * 4 + [False]


def test_what_comes_for_somebody_else_is_not_brought_ahead(env: simpy.Environment) -> None:
    """A write of sector 11 is under way while the disc reads 10 and on."""
    rig = Rig(env, FhlReadingAhead)
    rig.begin(RequestKind.READ, 10)
    rig.begin(RequestKind.WRITE, 11)
    env.run(1.5 * DISC)
    assert rig.here(10, 11, 12) == [True, False, True]
    env.run()
    assert rig.here(11) == [True]


def test_a_write_that_stays_in_memory_takes_a_copy_and_goes_out_later(env: simpy.Environment) -> None:
    rig = Rig(env, FhlWritingBack)
    for _ in range(3):
        assert rig.do(RequestKind.WRITE, 5) == pytest.approx(COPY)
    assert rig.written() == 0.0
    assert rig.do(RequestKind.READ, 5) == pytest.approx(COPY)
    env.run(SYNC_PERIOD + 1.0)
    assert rig.written() == 1.0
    assert (rig.fhl.reading()["absorbed"], rig.fhl.reading()["written_back"]) == (2.0, 1.0)


def test_a_round_writes_in_the_order_of_the_disc_on_its_own_account(env: simpy.Environment) -> None:
    compare = 2.0**-6
    rig = Rig(env, FhlWritingBack, compare=compare)
    assert rig.do(RequestKind.WRITE, 7) == pytest.approx(COPY)
    assert rig.do(RequestKind.WRITE, 7) == pytest.approx(COPY + compare), "it is found"
    rig.do(RequestKind.WRITE, 5)
    assert rig.kept == [(7, 0.0), (7, 0.0), (5, 0.0)]
    env.run(SYNC_PERIOD - 0.001)
    assert rig.asked == []
    env.run(2 * SYNC_PERIOD + 1.0)
    assert rig.places() == [(5, 1), (7, 1)]
    assert [access.account.name for access in rig.asked if access.account] == ["write-back"] * 2
    assert rig.counted("absorbed", "written_back", "misses_write", "searches") == [1.0, 2.0, 3.0, 3.0]
    rig.do(RequestKind.READ, 9)
    assert rig.kept[-1] == (9, pytest.approx(DISC))


def test_a_write_of_what_is_coming_goes_to_the_disc(env: simpy.Environment) -> None:
    rig = Rig(env, FhlWritingBack)
    for kind in (RequestKind.READ, RequestKind.WRITE):
        rig.begin(kind, 5)
    env.run(1.0)
    assert (rig.written(), rig.counted("absorbed", "misses_write")) == (1.0, [0.0, 1.0])


def test_what_is_written_again_is_the_last_to_go(env: simpy.Environment) -> None:
    rig = Rig(env, FhlWritingBack, sectors=2)
    for sector in (1, 2, 1, 3):
        rig.do(RequestKind.WRITE, sector)
    assert rig.here(1, 2, 3) == [True, False, True]


def test_a_dirty_sector_that_must_go_is_written_first(env: simpy.Environment) -> None:
    rig = Rig(env, FhlWritingBack, sectors=2)
    for sector in (1, 2, 3):
        rig.do(RequestKind.WRITE, sector)
    env.run(env.now + 1.0)
    assert (rig.here(1, 2, 3), rig.written()) == ([False, True, True], 1.0)
    for sector in (4, 5, 6):
        rig.do(RequestKind.READ, sector)
    assert (rig.here(4, 5, 6), rig.written()) == ([False, True, True], 3.0), "of what was read nothing is written"


def test_a_large_write_makes_what_was_dirty_needless(env: simpy.Environment) -> None:
    rig = Rig(env, FhlWritingBack)
    rig.do(RequestKind.WRITE, 1)
    rig.do(RequestKind.WRITE, 0, 512)
    env.run(SYNC_PERIOD + 1.0)
    assert rig.written() == 1.0


def test_marks_stay_in_memory_only_where_the_rules_keep_them(env: simpy.Environment) -> None:
    assert Rig(env, FhlWritingBack).do(RequestKind.WEOF, 5, 0) == pytest.approx(DISC)
    assert Rig(env, FhlWritingBack, rules=MarksCached()).do(RequestKind.WEOF, 5, 0) == pytest.approx(COPY)


def test_a_cache_of_tracks_reads_a_track_for_every_sector(env: simpy.Environment) -> None:
    rig = Rig(env, FhlOfUnits, sectors=2 * TRACK)
    rig.do(RequestKind.READ, TRACK + 5)
    assert rig.drive.reading()["bytes_read"] == TRACK * 256
    assert rig.do(RequestKind.READ, 2 * TRACK - 1) == pytest.approx(COPY)
    assert rig.do(RequestKind.READ, 2 * TRACK) == pytest.approx(DISC + COPY)
    rig.do(RequestKind.READ, 0)
    assert rig.do(RequestKind.READ, TRACK) == pytest.approx(DISC + COPY)  # two tracks are all there is room for
    assert rig.do(RequestKind.WRITE, TRACK) == pytest.approx(DISC + COPY)


def test_only_whole_tracks_have_room_and_what_is_kept_is_the_rules_choice(env: simpy.Environment) -> None:
    rig = Rig(env, FhlOfUnits, sectors=3 * TRACK - 1)
    for track in (0, 1, 2):
        rig.do(RequestKind.READ, track * TRACK)
    assert rig.here(0, TRACK, 2 * TRACK) == [False, True, True]
    rig = Rig(env, FhlOfUnits, sectors=2 * TRACK, rules=FpiFilter(2))
    rig.do(RequestKind.READ, 0, position=2)
    assert rig.here(0) == [False]


def test_a_cylinder_is_so_many_tracks(env: simpy.Environment) -> None:
    rig = Rig(env, partial(FhlOfUnits, tracks=3), sectors=3 * TRACK)
    rig.do(RequestKind.READ, 5 * TRACK)
    assert rig.drive.reading()["bytes_read"] == 3 * TRACK * 256
    assert rig.do(RequestKind.READ, 3 * TRACK) == pytest.approx(COPY)


def test_a_unit_begins_at_its_first_track_and_is_counted_as_what_it_is(env: simpy.Environment) -> None:
    """Cylinders of two tracks; what is written or too long goes by the cache, after a search that finds nothing."""
    compare = 2.0**-6
    rig = Rig(env, partial(FhlOfUnits, tracks=2), sectors=4 * TRACK, compare=compare)
    rig.do(RequestKind.READ, 3 * TRACK + 5)
    assert rig.do(RequestKind.WRITE, 5) == pytest.approx(DISC + compare)
    assert rig.do(RequestKind.WRITE, 2 * TRACK + 1) == pytest.approx(DISC + COPY)
    for _ in range(2):
        rig.do(RequestKind.READ, 7, 256)
    assert rig.places() == [(2 * TRACK, 2 * TRACK), (5, 1), (2 * TRACK + 1, 1), (7, 2), (7, 2)]
    assert rig.counted("misses_read", "misses_write", "oversize_reads", "hits") == [3.0, 2.0, 2.0, 0.0]
    assert rig.fhl.cache.sectors == 2
    assert Rig(env, FhlOfUnits, sectors=TRACK - 1).fhl.cache.sectors == 1
    assert Rig(env, FhlOfUnits, sectors=2 * TRACK).fhl.cache.sectors == 2
    assert Rig(env, partial(FhlOfUnits, track_sectors=21), sectors=2 * TRACK).fhl.cache.sectors == 4


def test_writes_of_a_cache_of_tracks_fail_as_the_disc_does(env: simpy.Environment) -> None:
    rig = Rig(env, FhlOfUnits, errors=RandomErrors(1.0, Random(1)))
    rig.begin(RequestKind.WRITE, 5)
    env.run(2.5 * (DISC + COPY))
    assert len(rig.asked) == 3


def test_of_core_images_the_one_used_last_stays_and_none_that_failed(env: simpy.Environment) -> None:
    code = partial(FhlWithChunks, chunks=2, words=1280)
    rig = Rig(env, code, compare=(compare := 2.0**-6))
    for sector in (100, 200):
        rig.do(RequestKind.READ, sector, 1280)
    assert rig.do(RequestKind.READ, 100, 1280) == pytest.approx(compare + 10 * COPY)
    rig.do(RequestKind.READ, 300, 1280)
    rig.do(RequestKind.READ, 100, 1280)
    assert rig.counted("chunk_hits", "hits") == [2.0, 2.0]
    rig.do(RequestKind.READ, 200, 1280)
    assert len(rig.asked) == 4
    for _ in range(2):
        rig.begin(RequestKind.READ, 500, 1280)
    env.run()
    assert len(rig.asked) == 6, "both went to the disc"
    assert rig.do(RequestKind.READ, 100, 1280) == pytest.approx(DISC + 10 * COPY + compare)
    rig = Rig(simpy.Environment(), code, errors=RandomErrors(1.0, Random(1)))
    rig.begin(RequestKind.READ, 100, 1280)
    rig.env.run(2.5 * DISC)
    assert len(rig.asked) == 3, "it is asked for again"


def test_core_images_have_room_of_their_own(env: simpy.Environment) -> None:
    rig = Rig(env, CHUNKS)
    assert rig.do(RequestKind.READ, 100, 1280) == pytest.approx(DISC + 10 * COPY)
    assert rig.do(RequestKind.READ, 100, 1280) == pytest.approx(10 * COPY)
    assert rig.do(RequestKind.READ, 200, 640) == pytest.approx(DISC)  # no core image, by its length
    rig.do(RequestKind.READ, 300, 1280)
    assert rig.do(RequestKind.READ, 100, 1280) == pytest.approx(DISC + 10 * COPY)
    assert rig.do(RequestKind.READ, 100, 1280) == pytest.approx(10 * COPY)
    assert (rig.fhl.reading()["chunk_hits"], rig.fhl.hits) == (2.0, 2)
