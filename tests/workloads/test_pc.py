"""Tests synthetic PC traces by hand: which places there are, how often each is used, and when requests come."""

from dataclasses import replace

import pytest

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.sim.streams import Exponential, stream
from spindle.sim.units import KIB, MS
from spindle.workloads.pc import LOADS, ClusterRun, PcLoad, _bursts, _pause, _Use, _uses, pc_trace, places
from spindle.workloads.traces.record import Record

SHARES = ("random", "reads", "hot_places", "hot_uses", "once", "skew", "busy_rare", "busy_40", "busy_60", "busy_80")
SMALL = PcLoad(random=1.0, hot_places=0.2, hot_uses=0.72, once=0.1, skew=0.5, file=16 * KIB, span=9 * 40 * KIB)
"""One place of 22 requests is used again: the hottest fifth of all places has 0.8 squared of such uses."""


@pytest.mark.parametrize(("load", "places"), [
    (SMALL, 0.2 * 0.1 / (0.64 - 0.2)),
    (PcLoad(hot_places=0.5, hot_uses=0.6, once=0.5), (1.0 - 0.25 - 0.6) / 0.5),  # more than all places used again have
])  # fmt: skip
def test_places_used_again_follow_from_the_share_of_the_hot_ones(load: PcLoad, places: float) -> None:
    assert load.reused_places == pytest.approx(places)


@pytest.mark.parametrize(("file", "run"), [(1, 2), (4096, 2), (4097 * 2, 2), (189 * KIB, 47), (10 * KIB + 1, 3)])
def test_a_run_is_a_file_in_whole_clusters(file: int, run: int) -> None:
    assert PcLoad(file=file).run == run


@pytest.mark.parametrize(("uses", "busy"), [(1, 0.1), (39, 0.1), (40, 0.2), (59, 0.2), (60, 0.3), (79, 0.3), (80, 0.4)])
def test_the_share_in_bursts_depends_on_the_number_of_uses(uses: int, busy: float) -> None:
    assert PcLoad(busy_rare=0.1, busy_40=0.2, busy_60=0.3, busy_80=0.4).busy(uses) == busy


def test_single_clusters_have_uses_by_zipfs_law() -> None:
    """Of 44 requests 10 % are of places used once; two places share 39.6 as 0.5 ** -0.5 to 1.5 ** -0.5: 25 and 15."""
    found = places(SMALL, 44)
    assert [(place.uses, place.length) for place in found] == [(25, 1), (15, 1), (1, 1), (1, 1), (1, 1), (1, 1)]
    assert {type(place.first) for place in found} == {int}
    assert [place.first / (60 * KIB) for place in found] == [0, 5, 4, 3, 2, 1]  # of 2 to 5 only 5 goes round all six


def test_files_and_clusters_are_used_again_alike() -> None:
    """Runs of 4: half of all requests do not jump if two thirds belong to runs, so 88 of 132, or 22 uses of a file."""
    found = places(replace(SMALL, random=0.5), 132)
    assert [(place.uses, place.length) for place in found] == [
        (25, 1), (20, 4), (15, 1), (1, 4), (1, 4), (1, 1), (1, 1), (1, 1), (1, 1)]
    assert [place.first / (40 * KIB) for place in found] == [0, 4, 8, 3, 7, 2, 6, 1, 5]
    assert sum(place.uses * place.length for place in found) == 132


def test_nothing_is_used_again_where_there_is_too_little_for_two_uses() -> None:
    assert {place.uses for place in places(replace(SMALL, random=0.999), 22)} == {1, 20}
    assert {place.uses for place in places(PcLoad(hot_places=0.5, hot_uses=0.6, once=0.5, random=1.0), 60)} == {1}


def test_places_that_are_used_three_times_or_less_are_used_again() -> None:
    """Six places share 17.1 of 19 uses: up to them are 5.6, 8.9, 11.4, 13.5, 15.4 and 17.1."""
    load = PcLoad(random=1.0, hot_places=0.3, hot_uses=0.9 * 0.4**0.5, once=0.1, skew=0.5)
    assert load.reused_places == pytest.approx(0.3)
    assert [place.uses for place in places(load, 19)] == [6, 3, 3, 2, 2, 1, 1, 1]


def test_places_just_fit_into_the_span() -> None:
    fits = replace(SMALL, random=0.5, span=9 * 16 * KIB)
    assert {place.first for place in places(fits, 132)} == {number * 16 * KIB for number in range(9)}
    with pytest.raises(UserError, match="room for 9 places of 4096 bytes, which 132 requests have at least, not be"):
        places(replace(fits, span=9 * 16 * KIB - 1), 132)


def all_in_bursts(load: PcLoad, share: float) -> PcLoad:
    return replace(load, busy_rare=share, busy_40=share, busy_60=share, busy_80=share)


def test_bursts_come_at_one_instant_and_keep_the_mean_gap() -> None:
    """44 requests in bursts of 20: three, of which the last has 4; three pauses have 44 gaps."""
    records = list(pc_trace(all_in_bursts(SMALL, 1.0), 7, 44))
    times = sorted({record.time for record in records if record.time is not None})
    pause, random = Exponential(44 * 32 * MS / 3), stream(7, "pc trace/gaps")
    first = pause.draw(random)
    assert times == pytest.approx([0.0, first, first + pause.draw(random)])
    assert [[record.time for record in records].count(time) for time in times] == [20, 20, 4]


def test_runs_are_not_broken_by_bursts_which_end_with_the_run_that_fills_them() -> None:
    load = replace(all_in_bursts(SMALL, 1.0), random=0.01, burst=5)
    records = list(pc_trace(load, 1, 400))
    times = [record.time for record in records]
    counts = [times.count(time) for time in dict.fromkeys(times)]
    assert set(counts[:-1]) <= {5, 8}
    assert 8 in counts
    assert {records[at].first - records[at - 1].first for at in (1, 2, 3)} == {4 * KIB}


def test_calm_requests_come_one_by_one() -> None:
    records = list(pc_trace(all_in_bursts(SMALL, 0.001), 7, 44))
    random, now = stream(7, "pc trace/gaps"), 0.0
    for record in records[:10]:
        assert record.time == pytest.approx(now)
        now += 9 * MS * (1.0 + 2.0 * random.random())


def test_a_pause_makes_up_for_what_calm_requests_are_too_fast_and_is_a_calm_gap_at_least() -> None:
    """Half of the requests keep 18 ms; the others are 50 bursts with 9 ms behind each, or more."""
    load = replace(all_in_bursts(SMALL, 0.5), span=1 << 30)
    for gap, last in ((20 * MS, 2000 * 20 * MS), (1 * MS, 1000 * 18 * MS + 50 * 9 * MS)):
        records = list(pc_trace(replace(load, gap=gap), 1, 2000))
        assert records[-1].time == pytest.approx(last, rel=0.05)


def test_uses_of_a_place_come_at_random_in_the_part_of_the_trace_that_is_its_own() -> None:
    for phases in (1, 4):
        load = replace(all_in_bursts(SMALL, 0.001), phases=phases)
        uses, bursts = _uses(load, 7, 44)
        assert ([use.when for use in uses], bursts) == (sorted(use.when for use in uses), [])
        orders, kinds = stream(7, "pc trace/order"), stream(7, "pc trace/kind")
        for place in places(load, 44):
            part = int(orders.random() * phases)
            here = sorted([((part + orders.random()) / phases, kinds.random() < load.reads) for _ in range(place.uses)])
            assert here == [(use.when, use.op is READ) for use in uses if use.place is place]


def test_a_burst_begins_with_its_first_use_and_the_only_one_has_all_of_the_pause() -> None:
    load, place = replace(SMALL, gap=1.0), ClusterRun(9, 1, 0)
    groups = list(_bursts([_Use(when, READ, place) for when in (0.1, 0.2, 0.3)], 2))
    assert [(group.when, len(group.uses)) for group in groups] == [(0.1, 2), (0.3, 1)]
    assert (_pause(load, groups[:1]), _pause(load, groups)) == (2.0, 1.5)


def test_records_are_of_one_drive_and_a_cluster_long_and_as_many_as_asked_for() -> None:
    for requests in (1, 2, 7, 44, 200):
        records = list(pc_trace(LOADS["pcfat32"], 1, requests))
        assert [(record.device, record.length) for record in records] == [("", 4 * KIB)] * requests


def test_reads_are_drawn_one_by_one() -> None:
    kinds = [record.op for record in pc_trace(replace(SMALL, reads=1.0), 1, 44)]
    assert kinds == [READ] * 44
    few = [record.op for record in pc_trace(replace(SMALL, reads=0.001), 1, 44)]
    assert few.count(WRITE) >= 43


def test_a_seed_is_of_the_order_of_the_kind_and_of_the_times() -> None:
    """Of each of them another seed makes another."""
    traces = [list(pc_trace(SMALL, seed, 44)) for seed in (1, 2, 1)]
    assert traces[0] == traces[2]
    for part in ("first", "op", "time"):
        assert [getattr(each, part) for each in traces[0]] != [getattr(each, part) for each in traces[1]]
    assert isinstance(traces[0][0], Record)


@pytest.mark.parametrize("name", SHARES)
def test_shares_have_limits(name: str) -> None:
    most = "0.999" if name in ("hot_places", "once", "skew") else "1"
    for value in (0.0009, float(most) + 1e-6, float("nan")):
        with pytest.raises(UserError, match=rf"^{name} of a PC's trace must be a share from 0.001 to {most}, not"):
            replace(LOADS["pcfat32"], **{name: value})
    for value in (0.001, float(most)):
        if name not in ("hot_places", "hot_uses", "once", "skew"):
            assert getattr(replace(LOADS["pcfat32"], **{name: value}), name) == value


def test_the_uses_of_hot_places_lie_between_what_the_others_leave() -> None:
    """From 0.9 x 0.2 ** 0.5 = 0.402 to 1 - 0.1 x 0.8 = 0.92."""
    for hot in (0.4026, 0.9199):
        assert replace(SMALL, hot_uses=hot).hot_uses == hot
    for hot in (0.4024, 0.92):
        with pytest.raises(UserError, match=r"^hot_uses of a PC's trace must be between 0.402 and 0.92, which once"):
            replace(SMALL, hot_uses=hot)
    with pytest.raises(UserError, match=r"and 0\.75, which once"):
        PcLoad(hot_places=0.5, once=0.5, hot_uses=0.75)


@pytest.mark.parametrize("name", ["cluster", "file", "span", "gap", "calm", "burst", "phases"])
def test_sizes_and_times_are_positive(name: str) -> None:
    wrong = [0, -1, float("inf"), float("nan"), *([1.5] if name not in ("gap", "calm") else [])]
    for value in wrong:
        with pytest.raises(UserError, match=rf"^{name} of a PC's trace must be positive, not {value}"):
            replace(SMALL, **{name: value})
