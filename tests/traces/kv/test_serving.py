"""Tests a cache of keys and values in time: hits as in a program of ten lines, waits by hand, bytes moved once only."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Fifo
from spindle.sim.eviction.s3_fifo import S3Fifo
from spindle.traces.curve.tiers import Inclusion
from spindle.traces.kv.hardware import ACCELERATORS, LANGUAGE_MODELS
from spindle.traces.kv.plan import KvDrives, KvMemory, KvPlan, KvTier, Linked, LoadCheaper, Prefill
from spindle.traces.kv.results import first_token, numbers
from spindle.traces.kv.serving import KvResult, serve
from spindle.workloads.prompts import Prompt, PromptTrace
from tests.samples import sample

MODEL = LANGUAGE_MODELS["llama-3.1-8b"]
TOKENS = 512
BLOCK = MODEL.token_bytes * TOKENS
RATE = 10_000.0


def conversations(seed: str, prompts: int = sample(200, 400)) -> PromptTrace:
    """Users who go on where they were, all behind the same first block; some begin anew."""
    random, users, fresh, time, made = Random(seed), [[0] for _ in range(30)], 1, 0.0, []
    for _ in range(prompts):
        time += random.expovariate(4.0)
        user = random.choice(users)
        if random.random() < 0.1:
            del user[1:]
        for _ in range(random.randrange(1, 6)):
            user.append(fresh)
            fresh += 1
        made.append(Prompt(time, TOKENS * len(user) - random.randrange(TOKENS), 20, tuple(user)))
    return PromptTrace(seed, tuple(made), TOKENS)


def oracle(trace: PromptTrace, capacity: int) -> tuple[int, int]:
    """Blocks found, and those of prefixes, in one list by last use."""
    held: OrderedDict[int, None] = OrderedDict()
    found = leading = 0
    for prompt in trace.prompts:
        whole = True
        for block in prompt.blocks:
            whole = whole and block in held
            found, leading = found + (block in held), leading + whole
            held[block] = None
            held.move_to_end(block)
            if len(held) > capacity:
                held.popitem(last=False)
    return found, leading


def plan(*tiers: KvTier, **others: object) -> KvPlan:
    usual = {"accelerators": 1, "prefill": Prefill(prefill_rate=RATE, overhead=0.0)}
    return KvPlan(MODEL, ACCELERATORS["h100"], tiers, **{**usual, **others})  # type: ignore[arg-type]


def stack(*blocks: int) -> list[KvTier]:
    """Memory, a link and drives, each of its number of *blocks*."""
    makers = (lambda size: KvMemory("hbm", size), lambda size: Linked("dram", size, 60e9, 1e-5),
              lambda size: KvDrives("nvme", size, SAMSUNG_960_PRO, 2))
    return [make(count * BLOCK) for make, count in zip(makers, blocks, strict=False)]


def run(trace: PromptTrace, *tiers: KvTier, **others: object) -> KvResult:
    return serve(plan(*tiers, **others), trace)


@pytest.mark.parametrize("blocks", [(10,), (40, 60), (20, 30, 100), (5, 5, 400)])
@pytest.mark.parametrize("instances", [1, 7])
def test_hits_are_those_of_ten_lines(blocks: Sequence[int], instances: int) -> None:
    trace = conversations("hits")
    counts = run(trace, *stack(*blocks), instances=instances).counts
    assert (counts.found, sum(counts.hits)) == oracle(trace, sum(blocks))
    assert counts.blocks == sum(len(prompt.blocks) for prompt in trace.prompts)


def test_inclusive_tiers_hit_what_the_largest_does() -> None:
    trace = conversations("inclusive")
    counts = run(trace, *stack(20, 60, 200), inclusion=Inclusion.INCLUSIVE).counts
    assert counts.found == oracle(trace, 200)[0]


def test_a_gap_ends_the_prefix() -> None:
    """Of 1, 4, 3 the second is in no tier: the third is there, and spares nothing."""
    prompts = (Prompt(0.0, 1024, 1, (1, 2)), Prompt(9.0, 512, 1, (3,)), Prompt(18.0, 1536, 1, (1, 4, 3)))
    result = run(PromptTrace("gap", prompts, TOKENS), replace(stack(3)[0], policy=Fifo))
    assert (result.counts.found, sum(result.counts.hits)) == (2, 1)
    assert (result.counts.computed, result.counts.recomputed) == (1024 + 512 + 1024, 512)


def test_waits_by_hand() -> None:
    """The second prompt waits for the first; a whole hit computes one token, and what is beyond it."""
    prompts = (Prompt(0.0, 1000, 1, (1, 2)), Prompt(0.05, 1000, 1, (1, 2)), Prompt(5.0, 1500, 1, (1, 2, 3)))
    result = run(PromptTrace("hand", prompts, TOKENS), *stack(10))
    assert result.times.queue == pytest.approx([0.0, 0.05, 0.0])
    assert result.times.compute == pytest.approx([0.1, 1 / RATE, (1500 - 1024) / RATE])
    assert result.times.load == [0.0, 0.0, 0.0]
    assert result.counts.computed == 1000 + 1 + 476


def test_an_instance_waits_for_what_another_computes() -> None:
    prompts = (Prompt(0.0, 1000, 1, (1, 2)), Prompt(0.05, 1000, 1, (1, 2)))
    result = run(PromptTrace("two", prompts, TOKENS), *stack(10), instances=2)
    assert result.times.load == pytest.approx([0.0, 0.05])
    assert result.times.queue == [0.0, 0.0]


def test_a_link_is_one_block_after_another() -> None:
    prompts = (Prompt(0.0, 2048, 1, (1, 2, 3, 4)), Prompt(9.0, 1024, 1, (5, 6)), Prompt(18.0, 1024, 1, (1, 2)))
    result = run(PromptTrace("link", prompts, TOKENS), *stack(2, 10))
    assert result.times.load[2] == pytest.approx(2 * BLOCK / 60e9 + 1e-5)
    assert result.stores[1]["bytes_read"] == 2 * BLOCK
    assert result.stores[1]["bytes_written"] == 6 * BLOCK


def test_what_is_evicted_is_written_to_drives_and_what_is_read_is_as_fast_as_they_are() -> None:
    blocks = tuple(range(1, 41))
    prompts = (Prompt(0.0, 40 * TOKENS, 1, blocks), Prompt(50.0, TOKENS, 1, (99,)),
               Prompt(100.0, 40 * TOKENS, 1, blocks))
    drives = KvDrives("nvme", 60 * BLOCK, SAMSUNG_960_PRO, 2)
    result = run(PromptTrace("drives", prompts, TOKENS), *stack(1)[:1], drives)
    read = result.stores[1]["bytes_read"]
    assert read == pytest.approx(40 * BLOCK, rel=0.01)
    rate = 2 * SAMSUNG_960_PRO.front.rate
    assert 40 * BLOCK / rate < result.times.load[2] < 1.3 * 40 * BLOCK / rate
    assert numbers(result)["tiers"]["nvme"]["write_amplification"] >= 1.0


def test_inclusive_tiers_write_everything_once() -> None:
    trace = conversations("writes", 100)
    result = run(trace, *stack(10, 500), inclusion=Inclusion.INCLUSIVE)
    distinct = len({block for prompt in trace.prompts for block in prompt.blocks})
    assert result.stores[1]["bytes_written"] == BLOCK * distinct


def test_the_cheaper_is_to_compute_where_a_link_is_slow() -> None:
    trace = conversations("cheaper", 200)
    slow = [*stack(20), Linked("object", 500 * BLOCK, 0.5e9, 0.1)]
    always, cheaper = run(trace, *slow), run(trace, *slow, loading=LoadCheaper())
    assert cheaper.counts.computed > always.counts.computed
    assert first_token(cheaper)["mean"] < first_token(always)["mean"]
    assert cheaper.counts.found == always.counts.found


def test_layers_hide_loads_behind_computing() -> None:
    trace = conversations("layers", 200)
    tiers = [*stack(20), Linked("dram", 500 * BLOCK, 5e9, 1e-5)]
    whole, layered = run(trace, *tiers), run(trace, *tiers, layered=True)
    assert first_token(layered)["mean"] < first_token(whole)["mean"]
    assert np.min(layered.times.compute) >= 0.0


@pytest.mark.parametrize("policy", [Fifo, S3Fifo])
def test_each_tier_has_a_policy(policy: type) -> None:
    tiers = [replace(tier, policy=policy) for tier in stack(20, 30, 100)]  # type: ignore[type-var]
    result = run(conversations("policy"), *tiers, instances=3)
    assert 0 < result.counts.found < result.counts.blocks


def test_same_trace_same_numbers() -> None:
    one, other = (numbers(run(conversations("same"), *stack(20, 30, 100), instances=3)) for _ in range(2))
    assert one == other
    shares = sum(tier["hit_share"] for tier in one["tiers"].values())
    assert shares == pytest.approx(one["hit_share"])
    assert sum(one[f"part_{name}"] for name in ("queue", "load", "compute")) == pytest.approx(one["response_mean"])


def test_arithmetic_of_a_large_model() -> None:
    """Two operations a parameter and token, 70.6e9 parameters, 8 H100 at half of 989e12: 28,020 tokens a second."""
    large = KvPlan(LANGUAGE_MODELS["llama-3.1-70b"], ACCELERATORS["h100"], [KvMemory("hbm", 10**11)])
    assert large.seconds(1000, 0) == pytest.approx(0.02 + 1000 / 28_020, rel=0.02)
    assert large.seconds(1000, 100_000) > 2 * large.seconds(1000, 0)
    assert LANGUAGE_MODELS["llama-3.1-70b"].token_bytes == 327_680


@pytest.mark.parametrize(("make", "says"), [
    (lambda: plan(KvMemory("hbm", 10**12)), "of cache do not fit: beside the weights"),
    (lambda: plan(KvMemory("hbm", BLOCK), Linked("dram", BLOCK, 1e9, 0.0), Linked("object", BLOCK, 2e9, 0.0)),
     "wrong order"),
    (lambda: KvDrives("nvme", 10**13, SAMSUNG_960_PRO), "10,000.0 GB do not fit on 1 x Samsung 960 Pro of 512.1 GB"),
    (lambda: Linked("dram", BLOCK, 0.0, 0.0), "the rate must be positive"),
    (plan, "one tier at least"),
    (lambda: plan(KvMemory("hbm", BLOCK), instances=0), "instances must be from 1"),
    (lambda: KvPlan(LANGUAGE_MODELS["llama-3.1-405b"], ACCELERATORS["h100"], [KvMemory("hbm", BLOCK)]),
     "llama-3.1-405b does not fit: its weights take 811.8 GB"),
])  # fmt: skip
def test_mistakes(make: Callable[[], object], says: str) -> None:
    with pytest.raises(UserError, match=says):
        make()


def test_a_tier_too_small_for_a_block() -> None:
    with pytest.raises(UserError, match="no room for a block of 64 MiB"):
        run(conversations("small", 3), KvMemory("hbm", BLOCK - 1))
