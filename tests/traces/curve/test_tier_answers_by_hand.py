"""Tests tiers of a curve by hand: prices, times, shares of the mean, responses above drives, sizes as shares."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.questions.storage import DriveOptions, TierOptions
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.lru import Lru
from spindle.sim.request import READ
from spindle.sim.units import Bytes
from spindle.traces import curve_responses
from spindle.traces.blocks import collect_references
from spindle.traces.curve.answer import _Plan
from spindle.traces.curve.lru import lru_curve
from spindle.traces.curve.question import CurveQuestion
from spindle.traces.curve.tier_answer import MAX_STACKS_SHOWN, AskedTiers, _frontier_lines, _tier_lines, stack_of
from spindle.traces.curve.tiers import Inclusion, Tier, TierAnswer
from spindle.traces.curve_responses import mean_responses, storage_below
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.hosts import Closed
from spindle.traces.replay.replay import Times
from spindle.traces.replay.storage import CachePlan, write_back, write_through
from spindle.workloads.traces.record import Record

TWO = TierOptions("4000000B:10us,1GB:1ms")


def asked(**more: Any) -> CurveQuestion:
    return CurveQuestion(layers=more.pop("layers", TWO), block=Bytes(1000), **more)


def test_a_price_is_of_a_gigabyte() -> None:
    """4 MB at 500 and 1 GB at 3 a GB."""
    found = stack_of(asked(prices="500,3", below="10ms"))
    assert [(tier.blocks, tier.seconds) for tier in found.tiers] == [(4000, 1e-5), (1_000_000, 1e-3)]
    assert [tier.price for tier in found.tiers] == pytest.approx([2.0, 3.0])
    assert (found.block, found.below, found.inclusion, found.priced) == (1000, 0.01, Inclusion.EXCLUSIVE, True)


def test_without_prices_and_a_time_below_none_is_said() -> None:
    found = stack_of(asked(layers=replace(TWO, inclusion="inclusive")))
    assert (found.below, found.inclusion, found.priced) == (None, Inclusion.INCLUSIVE, False)
    assert [tier.price for tier in found.tiers] == [0.0, 0.0]


@pytest.mark.parametrize(("more", "says"), [
    ({"prices": "1"}, "prices names 1 prices for 2 tiers"), ({"prices": "1,-1"}, "prices must be a number from 0 to"),
    ({"below": "0"}, "below takes positive numbers"), ({"prices": "1,x"}, "prices must be a number, not 'x'"),
])  # fmt: skip
def test_prices_are_not_negative_times_positive_and_there_is_one_for_each(more: dict[str, str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        stack_of(asked(**more))


TIERS = [Tier(4, 1e-3, 2.0), Tier(8, 1e-2, 3.0)]


def test_lines_of_tiers() -> None:
    """Half in 1 ms, a quarter in 10, a quarter in 100: 0.5 + 2.5 + 25 = 28 ms."""
    lines = _tier_lines(TierAnswer(TIERS, (0.5, 0.25, 0.25), 0.1), 1024, "exclusive tiers, lru")
    assert [line.split() for line in lines] == [
        [], ["exclusive", "tiers,", "lru", "time", "share", "of", "the", "mean"],
        ["4", "KiB", "1", "ms", "50.00%", "1.8%"], ["8", "KiB", "10", "ms", "25.00%", "8.9%"],
        ["below", "100", "ms", "25.00%", "89.3%"], ["mean", "28", "ms"]]  # fmt: skip


def test_lines_of_tiers_without_a_time_below() -> None:
    lines = _tier_lines(TierAnswer(TIERS, (0.5, 0.25, 0.25), None), 1024, "x")
    assert lines[4].split() == ["below", "?", "25.00%"]
    assert lines[5].split()[:3] == ["mean", "4", "ms"]
    assert lines[5].endswith("   of hits alone: --below TIME sets the time of the rest")


def test_lines_of_a_frontier_are_some_of_it_with_both_ends() -> None:
    answers = [TierAnswer([Tier(4 + number, 1e-3, 2.0 + number)], (1.0, 0.0), 0.1) for number in range(40)]
    lines = _frontier_lines(answers, 1024)
    assert lines[:2] == ["", f"{'money':>10}{'mean':>12}   tiers"]
    assert len(lines) == 2 + MAX_STACKS_SHOWN
    assert [lines[place].split() for place in (2, -1)] == [["2", "1", "ms", "4", "KiB"], ["41", "1", "ms", "43", "KiB"]]


# Responses above drives.

def test_the_storage_below_is_what_was_asked_for() -> None:
    question = CurveQuestion(device=DriveOptions("hp7933", head=7), write="through", block=Bytes(512), response=True)
    plan, cache = storage_below(question)
    assert (plan.sheet, plan.head, plan.cache, plan.count) == (DriveSheet(HP7933, None), 7, None, None)
    assert cache(3, Arc) == CachePlan(1536, 512, Arc, write_through)


def test_each_policy_is_replayed_at_some_sizes_and_its_mean_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[CachePlan | None] = []
    hosts: list[object] = []

    class Done:
        def __init__(self) -> None:
            self.tally = self
            self.storage = SimpleNamespace(drives=[])
            self.all_times = Times()
            for seconds in (1.0, 2.0, 6.0):
                self.all_times.add(seconds)

    def replay(records: Any, storage: Any, host: object) -> Done:
        assert list(records) == [Record(None, "", READ, 0, 512)]
        plans.append(storage._cache)
        hosts.append(host)
        return Done()

    monkeypatch.setattr(curve_responses, "replay_trace", replay)
    cache: Callable[..., CachePlan] = lambda blocks, kind: CachePlan(blocks * 4096, 4096, kind, write_back)  # noqa: E731
    found = list(mean_responses(lambda: [Record(None, "", READ, 0, 512)], StoragePlan(DriveSheet(HP7933, None), Fcfs),
                                cache, ["lru", "belady", "arc"], range(1, 21)))  # fmt: skip
    sizes = [blocks for policy, blocks, _ in found if policy == "lru"]
    assert (len(sizes), sizes[0], sizes[-1]) == (curve_responses.MAX_SIMULATED, 1, 20)
    assert found == [*(("lru", blocks, 3.0) for blocks in sizes), *(("arc", blocks, 3.0) for blocks in sizes)]
    assert plans == [cache(blocks, kind) for kind in (Lru, Arc) for blocks in sizes]
    assert {*hosts} == {Closed}


# Sizes.

def test_sizes_are_shares_of_the_whole_or_as_they_are_given() -> None:
    plan = _Plan(["lru"], [4, 2], [0.001, 0.5, 0.256], None, None)
    assert plan.sizes_of(100) == [1, 26, 50]
    assert plan._replace(shares=[]).sizes_of(100) == [4, 2]


def test_lines_of_each_policy_with_deletes_and_a_frontier() -> None:
    """a b a c a, a is deleted, b c: in two FIFO hits a once, and c, for which b has not to leave; LRU as it is told."""
    steps = [*((key, False) for key in "abaca"), ("a", True), ("b", False), ("c", False)]
    string = collect_references([Record(None, "", READ, 0, 1, keys=(key,), delete=gone) for key, gone in steps], 512)
    answers: Any = SimpleNamespace(curve=lru_curve([0, 1, 0, 2, 0, 3, 3]), early=0)
    tiers = AskedTiers([Tier(2, 1e-3, 2.0)], 1024, 10e-3, Inclusion.INCLUSIVE, True)
    found, best_stacks = tiers.answers(string, answers, ["fifo", "lru"]), tiers.frontier(answers)
    lines = tiers.lines(found, best_stacks)
    heads = [line.split()[:3] for line in lines if line.startswith("inclusive")]
    assert heads == [["inclusive", "tiers,", "fifo"], ["inclusive", "tiers,", "lru"]]
    assert [line.split()[4] for line in lines if line.startswith("2 KiB")] == [f"{2 / 7:.2%}", f"{3 / 7:.2%}"]
    at = lines.index(f"{'money':>10}{'mean':>12}   tiers")
    best = [line.split() for line in lines[at + 1 :]]
    # One block hits b; two hit a as well: 1/7 and 3/7 in 1 ms, the rest in 10.
    assert [each[:3] for each in best] == [["1", f"{61 / 7:.4g}", "ms"], ["2", f"{43 / 7:.4g}", "ms"]]
    assert [each[3:] for each in best] == [["1", "KiB"], ["2", "KiB"]]
    data = tiers.data(found, best_stacks)
    assert data["tiers"][:2] == [
        {"policy": "fifo", "bytes": 2048, "time": 1e-3, "share": 2 / 7, "mean": pytest.approx(52e-3 / 7)},
        {"policy": "fifo", "bytes": None, "time": 10e-3, "share": 5 / 7, "mean": pytest.approx(52e-3 / 7)}]
    assert [(row["policy"], row["bytes"]) for row in data["tiers"][2:]] == [("lru", 2048), ("lru", None)]
    assert data["frontier"] == [{"money": 1.0, "mean": pytest.approx(61e-3 / 7), "bytes": [1024]},
                                {"money": 2.0, "mean": pytest.approx(43e-3 / 7), "bytes": [2048]}]


def test_without_prices_there_is_no_frontier() -> None:
    nothing: Any = None
    for without in (AskedTiers([], 512, 1.0, Inclusion.INCLUSIVE, False),
                    AskedTiers([], 512, None, Inclusion.INCLUSIVE, True)):  # fmt: skip
        assert (without.answers(nothing, nothing, []), without.frontier(nothing)) == ({}, [])
        assert (without.lines({}, []), without.data({}, [])) == ([], {"tiers": [], "frontier": []})
