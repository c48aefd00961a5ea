"""Tests that synthetic PC traces have the published numbers of the real ones, and the parameters asked for."""

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import groupby, pairwise
from statistics import fmean, pstdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from spindle.sim.error import UserError
from spindle.sim.request import READ
from spindle.sim.units import MS
from spindle.workloads.pc import LOADS, PcLoad, pc_trace, places
from spindle.workloads.traces.record import Record

FULL = 40_000


@lru_cache
def made(name: str) -> list[Record]:
    return list(pc_trace(LOADS[name], 1, FULL))


def uses(records: list[Record]) -> Counter[int]:
    return Counter(record.first for record in records)


@pytest.mark.parametrize(("name", "random"), [("pcfat32", 0.697), ("smalldiskmon", 0.795)])
def test_the_share_of_random_requests_is_the_published_one(name: str, random: float) -> None:
    records = made(name)
    jumps = 1 + sum(two.first != one.first + one.length for one, two in pairwise(records))
    assert jumps / FULL == pytest.approx(random, abs=0.01)


@pytest.mark.parametrize("name", LOADS)
def test_reads_and_times_are_those_of_the_pc_that_was_described(name: str) -> None:
    records = made(name)
    gaps = [two.time - one.time for one, two in pairwise(records) if one.time is not None and two.time is not None]
    assert len(gaps) == FULL - 1
    assert min(gaps) >= 0.0
    assert sum(record.op is READ for record in records) / FULL == pytest.approx(0.48, abs=0.02)
    assert fmean(gaps) == pytest.approx(32 * MS, rel=0.1)
    assert pstdev(gaps) == pytest.approx(229 * MS, rel=0.2)  # which nothing was chosen for


@pytest.mark.parametrize("name", LOADS)
def test_three_quarters_of_the_requests_go_to_a_quarter_of_the_places(name: str) -> None:
    counts = sorted(uses(made(name)).values(), reverse=True)
    assert sum(counts[: round(0.26 * len(counts))]) / FULL == pytest.approx(0.74, abs=0.03)


@pytest.mark.parametrize("name", LOADS)
def test_runs_and_single_clusters_are_used_once_alike(name: str) -> None:
    """8.6 % of the requests go to places that are used once; all of a run but its first request is sequential."""
    load = LOADS[name]
    made = places(load, FULL)
    sequential = sum(place.uses * (place.length - 1) for place in made) / FULL
    assert sequential == pytest.approx(1.0 - load.random, abs=0.003)
    for runs in (True, False):
        mine = [place for place in made if (place.length > 1) is runs]
        once = sum(place.uses == 1 for place in mine) / sum(place.uses for place in mine)
        assert once == pytest.approx(load.once, abs=0.01)
    assert {place.length for place in made} == {1, 47}


@pytest.mark.parametrize("name", LOADS)
def test_every_group_of_frequency_has_places(name: str) -> None:
    groups = Counter(min(4, count // 20) for count in uses(made(name)).values())
    assert all(groups[group] >= 10 for group in range(5)), groups


@pytest.mark.parametrize(("least", "most", "busy"), [(1, 40, 0.39), (40, 60, 0.55), (60, 80, 0.59), (80, 9999, 0.48)])
def test_so_much_of_the_uses_of_each_group_is_in_bursts(least: int, most: int, busy: float) -> None:
    """A burst is what comes at one instant. Runs are left out, because they make groups where they end."""
    load = replace(LOADS["pcfat32"], random=1.0)
    records = list(pc_trace(load, 1, FULL))
    counts, together, all_of_them = uses(records), 0, 0
    for _, group in groupby(records, key=lambda record: record.time):
        members = list(group)
        mine = sum(least <= counts[record.first] < most for record in members)
        all_of_them += mine
        together += mine if len(members) > 1 else 0
    assert together / all_of_them == pytest.approx(busy, abs=0.03)


@pytest.mark.parametrize("requests", [10, 999, 20_000])
def test_no_place_lies_over_another(requests: int) -> None:
    load = LOADS["pcfat32"]
    ends = sorted((place.first, place.first + place.length * load.cluster) for place in places(load, requests))
    assert all(one[1] < two[0] for one, two in pairwise(ends))


def test_requests_are_clusters_within_the_span() -> None:
    load = LOADS["pcfat32"]
    for record in made("pcfat32"):
        assert (record.length, record.first % load.cluster, record.device) == (load.cluster, 0, "")
        assert 0 <= record.first < load.span + 64 * load.cluster


def test_the_same_seed_gives_the_same_requests_and_another_others() -> None:
    one, again, other = (list(pc_trace(LOADS["pcfat32"], seed, 500)) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_phases_change_the_order_alone() -> None:
    load = LOADS["smalldiskmon"]
    phased = replace(load, phases=4)
    plain, moved = list(pc_trace(load, 1, 8000)), list(pc_trace(phased, 1, 8000))
    assert places(load, 8000)[0] == places(phased, 8000)[0]
    assert abs(len(uses(plain)) - len(uses(moved))) < 0.02 * len(uses(plain))
    assert max(reach(plain)) > 0.9
    assert fmean(reach(plain)) > 0.7
    assert max(reach(moved)) < 0.6  # phases are as long as their places are used often
    assert fmean(reach(moved)) < 0.4


def reach(records: list[Record]) -> list[float]:
    """From the first use to the last of each place that is used often, as a share of the trace."""
    numbers: dict[int, list[int]] = {}
    for number, record in enumerate(records):
        numbers.setdefault(record.first, []).append(number)
    return [(each[-1] - each[0]) / len(records) for each in numbers.values() if len(each) > 10]


@given(
    requests=some.integers(1, 300), random=some.floats(0.05, 1.0), hot=some.floats(0.5, 0.9),
    burst=some.integers(1, 50), phases=some.integers(1, 5),
)  # fmt: skip
@settings(max_examples=40)
def test_there_are_as_many_requests_as_were_asked_for(
    requests: int, random: float, hot: float, burst: int, phases: int
) -> None:
    load = PcLoad(random, hot_uses=hot, burst=burst, phases=phases)
    records = list(pc_trace(load, "any", requests))
    assert len(records) == requests
    times = [record.time for record in records if record.time is not None]
    assert times == sorted(times)


def test_places_that_the_span_has_no_room_for_are_refused() -> None:
    """They would all lie over one another."""
    load = replace(LOADS["pcfat32"], span=4096 * 100)
    assert len({record.first for record in pc_trace(load, 1, 200)}) > 50
    with pytest.raises(UserError, match=r"^span of a PC's trace must have room for \d+ places of 4096 bytes"):
        next(pc_trace(load, 1, 2000))


@pytest.mark.parametrize(("hot_places", "hot_uses"), [(0.001, 0.03), (0.001, 0.91), (0.999, 0.914), (0.999, 0.999)])
def test_the_edges_of_locality(hot_places: float, hot_uses: float) -> None:
    load = replace(LOADS["pcfat32"], hot_places=hot_places, hot_uses=hot_uses)
    assert load.reused_places > 0.0
    assert len(list(pc_trace(load, 1, 100))) == 100


@pytest.mark.parametrize(
    ("name", "value"),
    [("random", 0.0), ("random", 1e-17), ("random", 1.1), ("span", 0), ("gap", float("nan")), ("burst", -1),
     ("phases", 0), ("hot_places", 1.0), ("hot_places", 0.75), ("hot_uses", 0.4), ("hot_uses", 0.94),
     ("once", 1.0), ("file", 0)],
)
def test_what_cannot_be_is_refused(name: str, value: float) -> None:
    with pytest.raises(UserError, match=name):
        replace(LOADS["pcfat32"], **{name: value})  # type: ignore[arg-type]
