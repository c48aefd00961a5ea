"""Tests that tiers in a timed replay answer the references that the curve predicts, whatever the queues."""

from functools import partial
from random import Random

import numpy as np
import pytest
import simpy

from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.parts import parts_on
from spindle.sim.request import READ, WRITE, Span
from spindle.traces.blocks import references
from spindle.traces.curve.lru import lru_curve
from spindle.traces.curve.tier_contents import TierBlocks, TierStack
from spindle.traces.curve.tiers import Inclusion, Tier, tier_answer
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed
from spindle.traces.replay.replay import replay_trace, totals_of
from spindle.traces.replay.tiers import TieredDrive, TieredStorage, TierPlan, TierServer
from spindle.workloads.traces.record import Record

BLOCK = 4096
SIZES = ((3, 10, 40), (10, 3, 40), (1,))
"""The second of the middle stack is smaller than the one above it, and so adds nothing where it is inclusive."""


def records() -> list[Record]:
    random = Random("tiers")
    return [Record(None, "ab"[random.random() < 0.3], READ if random.random() < 0.8 else WRITE,
                   BLOCK * int(80 * random.random() ** 3), BLOCK * (1 + int(3 * random.random()))) for _ in range(400)]


@pytest.mark.parametrize("inclusion", Inclusion)
@pytest.mark.parametrize("sizes", SIZES)
def test_a_replay_and_the_curve_agree_on_who_answers(sizes: tuple[int, ...], inclusion: Inclusion) -> None:
    tiers = [Tier(blocks, 0.001) for blocks in sizes]
    storage = TieredStorage(simpy.Environment(), StoragePlan(DriveSheet(HP7933, None), Fcfs),
                            TierPlan(tiers, BLOCK, inclusion))  # fmt: skip
    replayed = replay_trace(records(), storage, partial(Closed, depth=3))
    blocks = np.concatenate(list(references(records(), BLOCK)))
    shares = np.array(tier_answer(lru_curve(blocks), tiers, 1.0, inclusion).shares) * len(blocks)
    counted = [server.answered for server in storage.servers] + [sum(drive.below for drive in storage.caches)]
    assert counted == np.rint(shares).astype(int).tolist()
    assert replayed.tally.all_times.count == 400
    assert sum(totals_of(replayed.storage.caches).values()) == 400


def test_a_block_that_is_fetched_again_is_on_its_way_until_the_later_fetch_is_done() -> None:
    """One place, and reads of 25 ms: 0 comes at 25 ms, when 1 has had its place, and again at 75 ms."""
    env = simpy.Environment()
    drive = Drive(env, FixedService(0.025, capacity=2 * BLOCK))
    tiered = TieredDrive(drive, BLOCK, 0, TierStack([TierBlocks(1, Lru)], Inclusion.EXCLUSIVE),
                         [TierServer(env, Tier(1, 0.001))])  # fmt: skip
    assert tiered in parts_on(env)
    done: list[float] = []
    for block, at in ((0, 0.0), (1, 0.001), (0, 0.002), (0, 0.030), (0, 0.080)):
        env.run(at) if at else None
        request = tiered(READ, Span(block * BLOCK, BLOCK))
        request.callbacks.append(lambda _: done.append(round(env.now, 6)))
    env.run()
    assert tiered.reading() == {"hits": 1, "late_hits": 1, "misses": 3, "write_hits": 0, "write_late_hits": 0,
                                "write_misses": 0}  # fmt: skip
    assert done == [0.025, 0.05, 0.075, 0.075, 0.081]


def test_a_write_goes_into_the_first_tier_wherever_its_block_was() -> None:
    """0 has left the first tier for the second, which takes half a second; the drive takes 25 ms beside the first."""
    env = simpy.Environment()
    drive = Drive(env, FixedService(0.025, capacity=2 * BLOCK))
    tiers = [Tier(1, 0.001), Tier(1, 0.5)]
    tiered = TieredDrive(drive, BLOCK, 0, TierStack([TierBlocks(1, Lru) for _ in tiers], Inclusion.EXCLUSIVE),
                         [TierServer(env, tier) for tier in tiers])  # fmt: skip
    done: list[float] = []
    for op, block in ((READ, 0), (READ, 1), (WRITE, 0)):
        request = tiered(op, Span(block * BLOCK, BLOCK))
        request.callbacks.append(lambda _: done.append(round(env.now, 6)))
        env.run()
    assert done == [0.025, 0.05, 0.075]


def test_tiers_are_some_and_lie_above_drives() -> None:
    with pytest.raises(UserError, match="a stack has one tier at least"):
        TierPlan([], BLOCK, Inclusion.EXCLUSIVE)
    plan = StoragePlan(DriveSheet(HP7933, None), Fcfs, raid=RaidType("0", 2))
    with pytest.raises(UserError, match="tiers lie above drives, and not above an array of them"):
        TieredStorage(simpy.Environment(), plan, TierPlan([Tier(1, 0.001)], BLOCK, Inclusion.EXCLUSIVE))
