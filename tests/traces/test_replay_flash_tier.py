"""Tests a flash tier in front of the drives of a replay by hand: its plan, places, contents and writes."""

from dataclasses import replace
from math import inf

import pytest
import simpy

from spindle.questions.storage import CacheOptions, DriveOptions, FlashTierOptions
from spindle.sim.cache.write_policy import CacheWriteBack, WriteThrough
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.request import READ, Access, Request, access
from spindle.sim.units import Bytes
from spindle.traces.replay.answer_page import load_lines
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed
from spindle.traces.replay.load import answer_load
from spindle.traces.replay.load_question import LoadOptions, LoadQuestion
from spindle.traces.replay.measures import measures
from spindle.traces.replay.replay import TraceReplayed, replay_trace, totals_of
from spindle.traces.replay.storage import (
    DIRTY_PERIOD,
    FLASH_WRITING,
    CachePlan,
    FlashInFront,
    FlashPlan,
    Storage,
    flash_write_back,
    top_cache,
    write_through,
)
from spindle.workloads.traces.record import Record

BLOCK = 4096
KEPT = CachePlan(4 * BLOCK, BLOCK, Lru, write_through)
SMALL = replace(KEPT, size=BLOCK)
TIER = FlashPlan(SAMSUNG_960_PRO, KEPT)
BARE = StoragePlan(DriveSheet(HP7933, None), Fcfs)


def replayed(plan: StoragePlan, *blocks: int, device: str = "a") -> TraceReplayed:
    """Reads of those *blocks* one after another."""
    records = [Record(None, device, READ, BLOCK * block, BLOCK) for block in blocks]
    return replay_trace(records, Storage(simpy.Environment(), plan), Closed)


def test_a_tenth_may_be_dirty_and_seven_tenths_make_writers_wait() -> None:
    made = flash_write_back(1000)
    assert isinstance(made, CacheWriteBack)
    assert (made._period, made._expiry, made._background, made._limit) == (DIRTY_PERIOD, inf, 100, 700)
    assert FLASH_WRITING["back"] is flash_write_back
    assert isinstance(FLASH_WRITING["through"](1000), WriteThrough)


def test_a_tier_fits_on_its_drive() -> None:
    most = SAMSUNG_960_PRO.layout.capacity
    FlashPlan(SAMSUNG_960_PRO, replace(KEPT, size=most))
    with pytest.raises(UserError, match=f"has {most} bytes, and no room for a flash tier of {most + 1}"):
        FlashPlan(SAMSUNG_960_PRO, replace(KEPT, size=most + 1))


def test_tiers_in_front_of_several_devices_share_a_drive_and_its_places(env: simpy.Environment) -> None:
    """Four blocks in all: one is kept of the first device, three of the other, and a fifth takes the place of that."""
    front, asked = FlashInFront(env, TIER), list[Access]()
    start = front.drive.start

    def noted(access: Access) -> Request:
        asked.append(access)
        return start(access)

    front.drive.start = noted  # type: ignore[method-assign]
    tiers = [front.tier_of(Drive(env, FixedService(0.01, capacity=1 << 20)), name) for name in ("a", "")]
    assert [tier.name for tier in tiers] == ["flash tier a", "flash tier"]
    assert (front.tiers, front.drive.name) == (tiers, "flash tier")

    def read() -> simpy.events.ProcessGenerator:
        for tier, block in ((0, 0), (1, 0), (1, 1), (1, 2), (1, 3), (0, 0)):
            yield from tiers[tier].read(access(READ, BLOCK * block, BLOCK, Account("")))

    env.run(env.process(read()))
    assert [tier.reading()["misses"] for tier in tiers] == [2.0, 4.0]
    env.run(env.now + 1.0)
    assert [each.span.first // BLOCK for each in asked] == [0, 1, 2, 3, 0, 1]
    assert {each.span.length for each in asked} == {BLOCK}


def test_what_flash_has_does_not_come_from_the_drive() -> None:
    found = replayed(replace(BARE, flash=TIER), 0, 1, 0, 1, 1)
    assert totals_of(found.storage.drives.values())["reads"] == 2.0
    tier = totals_of(found.storage.flash_tiers)
    assert (tier["hits"], tier["misses"], totals_of(found.storage.flash_drives)["reads"]) == (3.0, 2.0, 3.0)
    assert measures(found)["flash_hit_ratio"] == 0.6
    assert measures(found)["flash_busy"] == pytest.approx(found.storage.flash_drives[0].busy() / found.seconds)
    assert found.tally.all_times.quantile(0.5) < 0.001 < found.tally.all_times.longest, "three come from flash"
    none = replayed(BARE, 0, 1).storage
    assert (totals_of(none.flash_drives), totals_of(none.flash_tiers), none.flash_drives) == ({}, {}, [])


def test_below_a_cache_a_tier_sees_what_the_cache_misses() -> None:
    """The cache has one block, the tier four."""
    both = replace(BARE, flash=TIER, cache=SMALL)
    found = replayed(both, 0, 0, 1, 0).storage
    cache, tier, drives = map(totals_of, (found.caches, found.flash_tiers, found.drives.values()))
    assert (cache["hits"], tier["hits"], drives["reads"]) == (1.0, 1.0, 2.0)


@pytest.mark.parametrize(("cache", "flash", "top"), [
    (None, None, None), (SMALL, None, SMALL), (None, TIER, KEPT), (SMALL, TIER, SMALL),
])  # fmt: skip
def test_requests_come_to_the_cache_first_or_else_to_the_tier(
    cache: CachePlan | None, flash: FlashPlan | None, top: CachePlan | None
) -> None:
    assert top_cache(replace(BARE, cache=cache, flash=flash)) == top


def test_devices_on_a_tier_begin_at_whole_blocks_of_it() -> None:
    tier = FlashPlan(SAMSUNG_960_PRO, replace(KEPT, block=1 << 16, size=1 << 18))
    plan = replace(BARE, flash=tier, count=1, wrap=True)
    storage = Storage(simpy.Environment(), plan)
    assert [storage.places[name]._offset % (1 << 16) for name in ("a", "b")] == [0, 0]
    assert storage.places["b"]._offset > 0


def test_the_page_of_a_load_names_the_tier() -> None:
    front = FlashTierOptions("samsung960pro", Bytes(1 << 20), "arc")
    question = LoadQuestion(LoadOptions(requests=2), DriveOptions("hp7933"), front=front)
    assert "; flash tier on samsung960pro, arc, write through" in load_lines(answer_load(question))[1]
    both = replace(question, memory=CacheOptions(Bytes(1 << 20)))
    assert "; cache of 1 MiB, lru, write back; flash tier on" in load_lines(answer_load(both))[1]
