"""Tests by hand the statistics of access times on Kim's drive."""

import pytest

from spindle.models.sata_ncq.fac_readings import READINGS, longest, maxima
from spindle.models.sata_ncq.studies.access_times import (
    BlockAccess,
    by_block,
    by_group,
    entropy,
    is_random,
    recent,
    shares,
)
from spindle.models.sata_ncq.studies.partitions import low_share, measure_chances, numbers, variation
from spindle.sim.disc.sheets import HITACHI_7K1000C
from spindle.sim.eviction.fac import StaticMaximum
from spindle.sim.request import READ
from spindle.sim.units import MS
from spindle.studies.study import SeedRows
from spindle.workloads.traces.record import Record


def test_a_block_counts_once_however_often_it_is_used() -> None:
    assert shares([[5 * MS], [15 * MS, 25 * MS, 35 * MS, 45 * MS]]) == [0.5, 0.125, 0.125, 0.25]


def test_edges_belong_to_the_interval_below() -> None:
    assert shares([[10 * MS], [20 * MS], [30 * MS], [30.1 * MS]]) == [0.25] * 4


def test_blocks_are_grouped_by_their_uses() -> None:
    uses = (1, 19, 20, 59, 79, 80, 500)
    found = [BlockAccess(block, 1.0, 1.0) for block, count in enumerate(uses) for _ in range(count)]
    sizes = {name: [len(each) for each in blocks] for name, blocks in by_group(by_block(found)).items()}
    assert sizes == {"below 20": [1, 19], "20 to 40": [20], "40 to 60": [59], "60 to 80": [79], "above 80": [80, 500]}


def test_lately_is_within_ten_accesses() -> None:
    blocks = [0, *range(1, 10), 0, *range(10, 20), 0]
    assert recent(BlockAccess(block, float(time), 0.0) for time, block in enumerate(blocks)) == [10.0]


def test_entropy_of_what_is_even_and_of_what_is_not() -> None:
    assert entropy({1: 5, 2: 5, 3: 5, 4: 5}) == 2.0
    assert entropy({7: 3}) == 0.0


def test_partitions_of_a_static_maximum() -> None:
    counts = numbers([0.5, 1.0, 1.5, 9.5, 30.0], StaticMaximum(10.0))
    assert counts == {1: 2, 2: 1, 10: 2}
    assert low_share(counts) == 0.6


def test_the_longest_access_is_a_stroke_and_a_revolution() -> None:
    assert longest(HITACHI_7K1000C) == pytest.approx(0.1 * MS + 18 * MS + 60 / 7200, rel=1e-6)


def test_a_maximum_that_follows_spreads_what_is_short_against_the_longest() -> None:
    times = [0.001 * (1 + number % 7) for number in range(700)]
    bits = {name: entropy(numbers(times, maximum())) for name, maximum in maxima(HITACHI_7K1000C).items()}
    assert bits["dynamic"] > 2.5 > bits["static"]


def test_readings_of_fac_add_what_they_are_called_for() -> None:
    worth = {}
    for name, reading in READINGS.items():
        policy = reading()
        policy.insert("block", cost=10 * MS)
        first = policy.worth("block")
        policy.touch("block")
        worth[name] = (first, policy.worth("block") - first)
    assert worth["fac-count"] == (1.0, 1.0)
    assert worth["fac-time"] == (10.0, 10.0)
    assert worth["fac-hits"] == (1.0, 11.0)
    assert worth["fac-all"] == worth["fac-last"] == worth["fac-each"] == (11.0, 11.0)
    assert worth["fac-halves"] == (3.0, 3.0)
    assert worth["fac-static"] == (5.0, 5.0)  # 10 ms of 26.4


def test_services_vary_about_the_mean_of_their_block() -> None:
    """1, 3, 1, 3, 1, 3 s: deviation 1 of a mean of 2; and a block of constant services, whatever its mean."""
    found = [BlockAccess(0, 9.0, 1.0 + 2.0 * (number % 2)) for number in range(6)]
    found += [BlockAccess(1, 9.0, 50.0) for _ in range(6)]
    assert variation(found) == 0.25
    assert variation([*found, BlockAccess(2, 1.0, 1.0), BlockAccess(2, 1.0, 9.0)]) == 0.25  # used too seldom


def test_a_request_is_random_if_it_begins_elsewhere() -> None:
    first, second = (Record(0.0, "", READ, place, 10) for place in (100, 110))
    assert [is_random(first, None), is_random(second, first), is_random(first, second)] == [True, False, True]


def test_tags_save_more_of_random_requests_if_their_services_are_shortened_more() -> None:
    def measures(random: float, going_on: float) -> float:
        rows = [{"depth": 1, "random": 8.0, "going_on": 8.0}, {"depth": 32, "random": random, "going_on": going_on}]
        return measure_chances(SeedRows(rows))["more_for_random"]

    assert (measures(2.0, 4.0), measures(4.0, 2.0)) == (1.0, 0.0)
