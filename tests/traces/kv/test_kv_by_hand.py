"""Tests a cache of keys and values step by step: links, places on drives, estimates, waits, and the numbers shown."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
import simpy

from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.error import UserError
from spindle.sim.parts import LawBroken
from spindle.sim.request import READ, WRITE, Access
from spindle.traces.curve.tiers import Inclusion
from spindle.traces.kv.hardware import ACCELERATORS, LANGUAGE_MODELS
from spindle.traces.kv.plan import (
    KvDrives,
    KvMemory,
    KvPlan,
    KvTier,
    Linked,
    LoadAlways,
    LoadCheaper,
    cache_room,
    room_of,
    sequential_rate,
)
from spindle.traces.kv.results import busy, first_token, numbers, page, table
from spindle.traces.kv.serving import Counts, KvResult, PromptTimes, Serving, all_of, serve
from spindle.traces.kv.stores import SPARE_PLACES, DriveStore, KvStore, Lane, LinkedStore
from spindle.workloads.prompts import Prompt, PromptTrace
from tests.traces.kv.test_serving import BLOCK, MODEL, RATE, TOKENS, conversations, plan, stack

GB = 10**9


def trace(*prompts: tuple[float, tuple[int, ...]]) -> PromptTrace:
    """Prompts of whole blocks, each with its time."""
    return PromptTrace("hand", tuple(Prompt(time, TOKENS * len(blocks), 7, blocks) for time, blocks in prompts), TOKENS)


# Plans.

def test_operations_of_a_prefill() -> None:
    """Two a parameter and token; four a layer, width and pair of tokens: 10 behind 100, and 50 among themselves."""
    assert MODEL.flops(10, 100) == 2 * 8.03e9 * 10 + 4 * 32 * 4096 * (10 * 100 + 10 * 10 / 2)
    assert MODEL.flops(7, 0) == 2 * 8.03e9 * 7 + 4 * 32 * 4096 * 24.5
    assert (MODEL.token_bytes, MODEL.weights) == (2 * 32 * 8 * 128 * 2, 16.06e9)


def test_a_drive_reads_as_fast_as_its_slowest_part() -> None:
    sheet = SAMSUNG_960_PRO
    sensed = sheet.nand.dies * sheet.nand.planes * sheet.nand.page_bytes / sheet.nand.read
    buses = sheet.nand.channels * sheet.nand.bus
    front = min(sensed, buses) / 2
    assert sequential_rate(replace(sheet, front=replace(sheet.front, rate=front))) == front
    quick = replace(sheet, front=replace(sheet.front, rate=1e15))
    assert sequential_rate(replace(quick, nand=replace(sheet.nand, bus=1e3))) == sheet.nand.channels * 1e3
    slow = replace(quick, nand=replace(sheet.nand, bus=1e15, read=1.0))
    assert sequential_rate(slow) == pytest.approx(sensed * sheet.nand.read)
    assert KvDrives("nvme", 1, sheet, 3).rate == 3 * sequential_rate(sheet)


def test_the_cheaper_is_the_least_and_of_equals_the_most_loaded() -> None:
    costs = {0: 3.0, 1: 2.0, 2: 2.0, 3: 2.5, 4: 0.0}
    assert LoadCheaper().blocks(3, costs.__getitem__) == 2
    assert LoadCheaper().blocks(0, costs.__getitem__) == 0
    assert LoadAlways().blocks(3, costs.__getitem__) == 3


@pytest.mark.parametrize(("rate", "latency", "right"), [
    (0.5, 0.0, True), (9.9e17, 9.9e5, True), (0.0, 0.0, False), (1e18, 0.0, False), (1.0, 1e6, False),
    (1.0, -1e-9, False), (float("nan"), 0.0, False),
])  # fmt: skip
def test_rates_and_latencies_of_links(rate: float, latency: float, right: bool) -> None:
    if right:
        Linked("dram", BLOCK, rate, latency)
    else:
        with pytest.raises(UserError, match="the rate must be positive, the latency not negative"):
            Linked("dram", BLOCK, rate, latency)


def test_limits_of_a_plan() -> None:
    hbm, sheet = KvMemory("hbm", BLOCK), SAMSUNG_960_PRO
    for name in ("accelerators", "instances"):
        plan(hbm, **{name: 100_000})
        for wrong in (0, 100_001):
            with pytest.raises(UserError, match=f"{name} must be from 1 to 100000, not {wrong}"):
                plan(hbm, **{name: wrong})
    KvDrives("nvme", 1024 * sheet.capacity, sheet, 1024)
    for count in (0, 1025):
        with pytest.raises(UserError, match=f"from 1 to 1024 drives, not {count}"):
            KvDrives("nvme", 1, sheet, count)
    with pytest.raises(UserError, match="do not fit"):
        KvDrives("nvme", sheet.capacity + 1, sheet)
    plan(hbm, Linked("dram", BLOCK, 1e9, 0.0), Linked("object", BLOCK, 1e9, 0.0))
    assert room_of(KvMemory("hbm", 2 * BLOCK - 1), BLOCK) == 1


def test_the_cache_has_the_room_beside_the_weights() -> None:
    tight = replace(ACCELERATORS["h100"], memory=MODEL.weights)
    prefill = plan(KvMemory("hbm", BLOCK)).prefill
    assert cache_room(MODEL, ACCELERATORS["h100"], 2, 3, prefill) == int(3 * (2 * 72e9 - 16.06e9))
    with pytest.raises(UserError, match="does not fit"):
        cache_room(MODEL, tight, 1, 1, replace(prefill, memory_share=1.0))
    assert plan(KvMemory("hbm", BLOCK, price=2.0), Linked("dram", BLOCK, 1e9, 0.0, price=0.5)).price == 2.5


# Stores.

def test_bytes_of_a_lane_follow_one_another(env: simpy.Environment) -> None:
    """100 bytes a second: two of 200 bytes at once, two of 100 at 10 s."""
    lane = Lane(env, 100.0)
    assert (lane.backlog(), lane.busy(), lane.waited) == (0.0, 0.0, 0.0)
    assert [lane.send(200), lane.send(200)] == [2.0, 4.0]
    assert (lane.backlog(), lane.busy(), lane.waited) == (4.0, 0.0, 2.0)
    env.run(1.0)
    assert (lane.backlog(), lane.busy()) == (3.0, 1.0)
    env.run(10.0)
    assert (lane.backlog(), lane.busy()) == (0.0, 4.0)
    assert [lane.send(100), lane.send(100)] == [11.0, 12.0]
    env.run(20.0)
    assert (lane.bytes, lane.busy(), lane.waited) == (600, 6.0, 3.0)


def test_a_link_of_each_instance_both_ways(env: simpy.Environment) -> None:
    store = LinkedStore(env, Linked("dram", 1000, 100.0, 0.5), 50, 2)
    assert store.estimate(4, 0) == 0.5 + 4 * 50 / 100.0
    store.read(1, 0)
    store.read(2, 0)
    store.write(0, 1)
    assert (store.estimate(4, 0), store.estimate(0, 1)) == (1.0 + 0.5 + 2.0, 0.5)
    env.run()
    assert store.reading() == {"bytes_read": 100.0, "bytes_written": 50.0, "busy": 1.0, "queue": 0.5}
    assert (store.keep(3), store.fetch(3)) == (0, ())


def test_what_all_instances_share_makes_them_wait_for_one_another(env: simpy.Environment) -> None:
    """Links of 100 bytes a second each, and 40 for all: two blocks of 50 at once end after 1.25 and 2.5 s."""
    store, arrived = LinkedStore(env, Linked("object", 1000, 100.0, 0.5, shared_rate=40.0), 50, 2), list[float]()
    assert store.estimate(4, 0) == 0.5 + 4 * 50 / 40.0
    for instance in range(2):
        (event,) = store.read(1, instance)
        assert event.callbacks is not None
        event.callbacks.append(lambda _: arrived.append(env.now))
    (event,) = store.write(0, 0)
    assert event.callbacks is not None
    event.callbacks.append(lambda _: arrived.append(env.now))
    assert store.estimate(0, 1) == 2.5 + 0.5
    env.run()
    assert arrived == [1.75, 1.75, 3.0], "reads and writes go opposite ways"
    assert store.reading() == {"bytes_read": 100.0, "bytes_written": 50.0, "busy": 2.5, "queue": 1.25}


def test_memory_takes_no_time() -> None:
    store = KvStore()
    assert (store.read(1, 0), store.write(1, 0), store.fetch(1), store.keep(1), store.estimate(9, 0),
            store.reading()) == ((), (), (), 0, 0.0, {})  # fmt: skip


def drives(env: simpy.Environment, blocks: int = 10, count: int = 2) -> tuple[DriveStore, list[tuple[int, Access]]]:
    """A store, and the list to which what it asks its drives for is added."""
    store, asked = DriveStore(env, KvDrives("nvme", blocks * BLOCK, SAMSUNG_960_PRO, count), BLOCK), []
    for number, drive in enumerate(store.drives):
        def noted(access: Access, number: int = number, start: Callable[[Access], Any] = drive.start) -> Any:
            asked.append((number, access))
            return start(access)

        drive.start = noted  # type: ignore[method-assign]
    return store, asked


def test_blocks_lie_on_one_drive_after_the_other(env: simpy.Environment) -> None:
    store, asked = drives(env)
    assert [drive.name for drive in store.drives] == ["nvme 0", "nvme 1"]
    assert [store.keep(block) for block in (7, 8, 9)] == [0, 1, 2]
    for place in range(3):
        store.write(place, 0)
    assert [(number, access.op, access.span.first // store._step, access.span.length) for number, access in asked] == [
        (0, WRITE, 0, store._step), (1, WRITE, 0, store._step), (0, WRITE, 1, store._step)]  # fmt: skip
    assert store.estimate(2, 0) == (3 * store._step + 2 * BLOCK) / (2 * sequential_rate(SAMSUNG_960_PRO))
    env.run()
    assert store.estimate(0, 0) == 0.0
    del asked[:]
    assert len(store.read(9, 0)) == 4
    assert [(number, access.op, access.account.name) for number, access in asked] == [(0, READ, "nvme")] * 4
    assert [access.span.first for _, access in asked] == [store._step + part * store._piece for part in range(4)]
    assert sum(access.span.length for _, access in asked) == store._step
    env.run()
    assert [access.span for _, access in asked] == [request.access.span for request in store.fetch(9)]  # type: ignore[attr-defined]
    assert {access.op for _, access in asked[4:]} == {READ}
    env.run()
    reading = store.reading()
    assert reading["busy"] == max(drive.busy() for drive in store.drives) > 0.0
    assert reading["bytes_written"] == 3 * store._step


def test_a_place_is_free_again_when_its_block_is_forgotten(env: simpy.Environment) -> None:
    store, _ = drives(env, blocks=3)
    discarded = list[int]()
    for number, drive in enumerate(store.drives):
        drive.discard = lambda span, number=number: discarded.append(2 * (span.first // store._step) + number)  # type: ignore[method-assign, misc]
    places = [store.keep(block) for block in range(3 + SPARE_PLACES)]
    assert places == list(range(3 + SPARE_PLACES))
    store.forget(5)
    store.forget(2)
    assert discarded == [5, 2]
    assert [store.keep(5000), store.keep(5001)] == [5, 2]


def test_drives_have_room_for_all_blocks_or_are_refused(env: simpy.Environment) -> None:
    alone = DriveStore(env, KvDrives("nvme", BLOCK, SAMSUNG_960_PRO), BLOCK)
    fit = alone.drives[0].capacity // alone._step
    DriveStore(env, KvDrives("nvme", fit * BLOCK, SAMSUNG_960_PRO), BLOCK)
    small = replace(SAMSUNG_960_PRO, capacity=SAMSUNG_960_PRO.capacity // (1 << 26) * (1 << 26))
    odd = BLOCK // 4 * 3 + 4096  # a block of this size takes more than its bytes, in whole units
    with pytest.raises(UserError, match="fit, not"):
        DriveStore(env, KvDrives("nvme", small.capacity, small), odd)


def test_all_of_several_happen_with_the_last(env: simpy.Environment) -> None:
    assert all_of(env, []) is None
    one = env.timeout(1.0)
    assert all_of(env, [one]) is one
    for times in ((1.0, 3.0), (3.0, 1.0, 2.0)):
        whole = all_of(env, [env.timeout(each) for each in times])
        assert whole is not None
        began = env.now
        env.run(whole)
        assert env.now == began + 3.0


# Serving.

def run(of: PromptTrace, *tiers: KvTier, **others: object) -> KvResult:
    return serve(plan(*tiers, **others), of)


def test_every_instance_has_prompts_that_waited() -> None:
    """Blocks of 512 tokens take 51.2 ms; four prompts at once for two instances, the last two after one of those."""
    block = TOKENS / RATE
    of = run(trace(*[(0.0, (each,)) for each in range(1, 5)]), *stack(10), instances=2)
    assert of.times.queue == pytest.approx([0.0, 0.0, block, block])
    assert of.times.first_token() == pytest.approx([block, block, 2 * block, 2 * block])
    assert (of.busy, of.seconds) == (pytest.approx(4 * block), pytest.approx(2 * block))
    assert busy(of) == pytest.approx(1.0)
    late = run(trace((1.0, (1,)), (3.0, (2,))), *stack(10), instances=2)
    assert late.times.queue == [0.0, 0.0]
    assert (late.busy, late.seconds) == (pytest.approx(2 * block), pytest.approx(3.0 + block))
    assert busy(late) == pytest.approx(2 * block / (2 * (3.0 + block)))


def test_instances_are_busy_for_the_part_of_a_prompt_within_the_window(env: simpy.Environment) -> None:
    serving = Serving(env, plan(*stack(10), instances=2), trace((0.0, (1, 2)), (0.0, (3, 4))))
    for number in range(2):
        env.process(serving.instance(number))
    env.run(0.05)
    assert serving.reading()["busy"] == pytest.approx(0.1)
    serving.check()
    env.run()
    assert serving.reading()["busy"] == pytest.approx(4 * TOKENS / RATE)
    serving._served_prompts += 1
    with pytest.raises(LawBroken, match="2 prompts were begun, 3 are served and 0 under way"):
        serving.check()
    serving._served_prompts -= 2
    with pytest.raises(LawBroken, match="2 prompts were begun, 1 are served and 0 under way"):
        serving.check()


def test_what_is_counted() -> None:
    of = run(trace((0.0, (1, 2, 3)), (9.0, (1, 2, 4)), (18.0, (1, 2, 3))), *stack(3, 2))
    counts = of.counts
    assert (counts.blocks, counts.tokens, counts.answer_tokens) == (9, 9 * TOKENS, 21)
    assert counts.hits == [4, 1]
    assert counts.found == 5
    assert (counts.computed, counts.recomputed) == (4 * TOKENS + 1, 0)
    env = simpy.Environment()
    serving = Serving(env, plan(*stack(1)), trace((0.0, (1, 2)), (9.0, (1, 2))))
    env.process(serving.instance(0))
    env.run()
    assert serving.reading() == {
        "hits_hbm": 0.0, "blocks": 4.0, "tokens": 4.0 * TOKENS, "busy": pytest.approx(4 * TOKENS / RATE),
        "computed": 4.0 * TOKENS, "recomputed": 2.0 * TOKENS}  # fmt: skip


def test_no_more_tokens_are_computed_again_than_are_computed() -> None:
    """The last block of a prompt is not full: of two blocks that were seen one token and a whole block is computed."""
    twice = PromptTrace("hand", tuple(Prompt(time, TOKENS + 1, 7, (1, 2)) for time in (0.0, 9.0)), TOKENS)
    counts = run(twice, *stack(1)).counts
    assert (counts.computed, counts.recomputed, counts.tokens) == (2 * (TOKENS + 1), TOKENS + 1, 2 * (TOKENS + 1))


def test_each_prompt_is_told_when_it_is_served(env: simpy.Environment) -> None:
    told: list[tuple[float, float, float, float]] = []
    serving = Serving(env, plan(*stack(10)), trace((0.0, (1,)), (0.0, (1,))), lambda prompt, *times: told.append(
        (env.now, *times)))  # fmt: skip
    env.process(serving.instance(0))
    env.run(0.01)
    assert (serving.times.load, serving.times.compute) == ([0.0], [0.0])
    env.run()
    block, one = TOKENS / RATE, 1 / RATE
    assert told == [pytest.approx((block, 0.0, 0.0, block)), pytest.approx((block + one, block, 0.0, one))]


def test_the_first_of_the_layers_is_what_a_load_leaves() -> None:
    """Of 32 layers the first has to be loaded: the rest of a load of 1 s is hidden behind 0.5 s of computing."""
    link = Linked("dram", 10 * BLOCK, BLOCK / 1.0, 0.0)
    of = run(trace((0.0, (1,)), (100.0, (2,)), (200.0, (1, 3, 4, 5))), *stack(1), link, layered=True)
    compute = 3 * TOKENS / RATE
    assert of.times.load[2] == pytest.approx(1.0)
    assert of.times.compute[2] == pytest.approx(compute / 32)
    quick = replace(link, rate=BLOCK / 0.1)
    of = run(trace((0.0, (1,)), (100.0, (2,)), (200.0, (1, 3, 4, 5))), *stack(1), quick, layered=True)
    assert of.times.compute[2] == pytest.approx(compute - 0.1 * 31 / 32)


def cost(layered: bool, loaded: int, places: Sequence[int]) -> float:
    """Estimate a prompt of three blocks above a link of a block a second and 0.25 s of latency."""
    link = Linked("dram", 10 * BLOCK, BLOCK / 1.0, 0.25)
    serving = Serving(simpy.Environment(), plan(*stack(5), link, layered=layered), trace((0.0, (1, 2, 3))))
    return serving._cost(0, Prompt(0.0, 3 * TOKENS, 1, (1, 2, 3)), places)(loaded)


def test_the_estimate_of_a_prompt() -> None:
    block = TOKENS / RATE
    assert cost(False, 0, (1, 1, 0)) == pytest.approx(3 * block)
    assert cost(False, 2, (1, 1, 0)) == pytest.approx(2.25 + block)
    assert cost(True, 2, (1, 1, 0)) == pytest.approx(2.25)
    assert cost(True, 0, (1, 1, 0)) == pytest.approx(3 * block)
    assert cost(False, 1, (0, 1, 1)) == pytest.approx(2 * block)
    assert cost(False, 3, (0, 0, 0)) == pytest.approx(1 / RATE)


def test_a_block_that_moves_down_is_there_when_it_has_been_read_and_written(env: simpy.Environment) -> None:
    """Pushed from one link to the next, a block comes when it is written; pushed from memory, at the link's speed."""
    first, second = Linked("dram", BLOCK, BLOCK / 1.0, 0.0), Linked("object", 9 * BLOCK, BLOCK / 10.0, 0.0)
    of = run(trace((0.0, (1,)), (5.0, (2,)), (10.0, (3,)), (12.0, (1,))), *stack(1), first, second)
    # The third pushes 2 to the first link, and 1 to the second from 10 s on: it is there at 20 s.
    assert of.counts.hits == [0, 0, 1]
    assert of.times.load[3] == pytest.approx(20.0 - 12.0)


def test_blocks_go_from_drives_to_a_store_below_through_no_accelerator() -> None:
    nvme = KvDrives("nvme", 2 * BLOCK, SAMSUNG_960_PRO)
    below = Linked("object", 50 * BLOCK, 1e8, 0.0)
    of = run(trace(*[(10.0 * each, (each,)) for each in range(1, 7)]), *stack(1)[:1], nvme, below)
    step = of.stores[1]["bytes_written"] / 5
    assert of.stores[1]["bytes_read"] == 3 * step, "six prompts: five are pushed down, three of them further"
    assert of.stores[2]["bytes_written"] == 3 * BLOCK
    lost = run(trace(*[(10.0 * each, (each,)) for each in range(1, 7)]), *stack(1)[:1], nvme)
    assert lost.stores[1]["bytes_read"] == 0.0, "what leaves the last tier is read by nobody"
    assert lost.stores[1]["bytes_written"] == 5 * step


def test_inclusive_tiers_write_what_is_computed_when_it_is() -> None:
    block = TOKENS / RATE
    of = run(trace((0.0, (1,)), (0.0, (2,))), *stack(9, 9), inclusion=Inclusion.INCLUSIVE)
    assert of.stores[1]["bytes_written"] == 2 * BLOCK
    assert of.stores[1]["busy"] == pytest.approx(min(block, BLOCK / 60e9)), "the second is written after the end"


def test_a_tier_that_is_written_after_the_end_is_not_busier_than_always() -> None:
    slow = Linked("object", 500 * BLOCK, BLOCK / 5.0, 0.0)
    of = numbers(run(conversations("slow", 60), *stack(3), slow))
    assert 0.9 < of["tiers"]["object"]["disc_busy"] <= 1.0


# What is shown.

def hand_made() -> KvResult:
    """Two prompts on two instances for 10 s, with a link and drives below."""
    tiers = [KvMemory("hbm", 2 * BLOCK, price=1.5), Linked("dram", 4 * BLOCK, 60e9, 1e-5, price=0.25),
             KvDrives("nvme", 100 * GB, SAMSUNG_960_PRO, 2)]
    counts = Counts([5, 3, 2], blocks=40, found=12, tokens=20_480, answer_tokens=30, computed=15_000, recomputed=512)
    times = PromptTimes(queue=[0.0, 1.0], load=[0.5, 0.25], compute=[2.5, 0.75])
    capacity = 2 * SAMSUNG_960_PRO.capacity
    stores = [{}, {"bytes_read": 3e9, "bytes_written": 4e9, "busy": 2.5, "queue": 0.125},
              {"bytes_read": 5e9, "bytes_written": capacity / 1e4, "busy": 4.0, "queue": 7.0, "units_written": 100.0,
               "units_copied": 25.0, "blocks_erased": 3.0}]  # fmt: skip
    return KvResult(plan(*tiers, instances=2), trace((0.0, (1,)), (1.0, (2,))), counts, times, stores, 10.0, 15.0)


def test_numbers_by_hand() -> None:
    assert numbers(hand_made()) == {
        "prompts": 2, "blocks": 40, "block_tokens": 512, "block_bytes": BLOCK, "makespan": 10.0,
        "response_mean": 2.5, "response_median": 2.0, "response_p95": 3.0, "response_p99": 3.0,
        "part_queue": 0.5, "part_load": 0.375, "part_compute": 1.625,
        "hit_share": 0.25, "found_share": 0.3,
        "prompt_tokens": 20_480, "answer_tokens": 30, "computed_tokens": 15_000, "recomputed_tokens": 512,
        "instances_busy": 0.75, "price": 1.75,
        "tiers": {
            "hbm": {"bytes": 2 * BLOCK, "capacity_blocks": 2, "capacity_tokens": 1024, "hit_share": 0.125,
                    "price": 1.5},
            "dram": {"bytes": 4 * BLOCK, "capacity_blocks": 4, "capacity_tokens": 2048, "hit_share": 0.075,
                     "price": 0.25, "bytes_read": 3e9, "bytes_written": 4e9, "disc_busy": 0.25, "queue": 0.125},
            "nvme": {"bytes": 100 * GB, "capacity_blocks": 1490, "capacity_tokens": 762_880,
                     "hit_share": 0.05, "price": 0.0, "bytes_read": 5e9,
                     "bytes_written": 2 * SAMSUNG_960_PRO.capacity / 1e4, "disc_busy": 0.4, "queue": 7.0,
                     "write_amplification": 1.25, "blocks_erased": 3.0,
                     "capacity_writes_a_day": pytest.approx(0.864)}},
    }  # fmt: skip


def test_nothing_is_divided_by_no_time_and_no_block() -> None:
    of = hand_made()
    none = replace(of, seconds=0.0, busy=0.0, counts=Counts([0, 0, 0]),
                   stores=[{}, *[{**each, "busy": 0.5, "units_written": 0.0} for each in of.stores[1:]]])
    shown = numbers(none)
    assert (shown["instances_busy"], shown["hit_share"], shown["found_share"]) == (0.0, 0.0, 0.0)
    assert shown["tiers"]["nvme"]["disc_busy"] == 0.5
    assert shown["tiers"]["nvme"]["write_amplification"] == 1.0
    one = numbers(replace(of, counts=Counts([1, 0, 0], blocks=1, found=1)))
    assert (one["hit_share"], one["found_share"], one["tiers"]["hbm"]["hit_share"]) == (1.0, 1.0, 1.0)


PAGE = """\
llama-3.1-8b on 2 x 1 h100; 2 prompts, 40 blocks of 512 tokens (64 MiB)

time to first token             mean         p50         p95         p99
                               2.5 s         2 s         3 s         3 s
of the mean                    queue        load     compute
                               0.5 s     0.375 s     1.625 s

tier            size     hits       read    written    busy      money
hbm           0.1 GB   12.50%          -          -       -        1.5
dram          0.3 GB    7.50%       3 GB       4 GB   25.0%       0.25
nvme        100.0 GB    5.00%       5 GB       0 GB   40.0%          0
all                    25.00%                                     1.75

hbm holds 2 blocks, 1,024 tokens
dram holds 4 blocks, 2,048 tokens
nvme holds 1,490 blocks, 762,880 tokens

of 20,480 tokens 15,000 are computed, 512 of them again; 30 are answered
instances are busy 75.0%
nvme drives are written 0.86 times a day, write amplification 1.25"""
TABLE = """\
dram  drives      hits      mean       p50       p95       p99    again  busiest tier     money
4G    2         25.00%     2.5 s       2 s       3 s       3 s    2.50%    nvme 40.0%      1.75
16G   2         25.00%     2.5 s       2 s       3 s       3 s    2.50%    nvme 40.0%      1.75

mean to p99: time to first token; again: tokens computed before, of all; money: by --prices"""


def test_a_page_by_hand() -> None:
    assert "\n".join(page(hand_made())) == PAGE
    one = replace(hand_made(), plan=replace(hand_made().plan, instances=1), seconds=1.0,
                  stores=[{}, *[{**each, "busy": 0.5} for each in hand_made().stores[1:]]])
    assert page(replace(one, busy=0.98))[-1].startswith("nvme drives")
    assert page(replace(one, busy=0.981))[-1] == (
        "more prompts come than the instances can prefill: the wait grows to the end of the trace")


def test_a_table_by_hand() -> None:
    of = hand_made()
    assert "\n".join(table([of, of], ["dram", "drives"], [["4G", "2"], ["16G", "2"]])) == TABLE
    quick = replace(of, times=PromptTimes([0.0], [0.0005], [0.001]))
    assert table([of, quick], ["dram"], [["4G"], ["16G"]])[2].split()[2:4] == ["0.0015", "s"], "all in one unit"
    alone = replace(of, plan=plan(*stack(2)), counts=Counts([0], blocks=3), stores=[{}], busy=5.0)
    assert table([alone], ["dram"], [["0"]])[1].split() == ["0", "0.00%", "2.5", "s", "2", "s", "3", "s", "3", "s",
                                                            "0.00%", "-", "0"]  # fmt: skip


def test_first_tokens_by_hand() -> None:
    assert first_token(hand_made()) == {"mean": 2.5, "p50": 2.0, "p95": 3.0, "p99": 3.0}, "as replay has percentiles"
    assert KvPlan(LANGUAGE_MODELS["mistral-7b"], ACCELERATORS["a100"], [KvMemory("hbm", GB)]).seconds(0, 0) == 0.02
