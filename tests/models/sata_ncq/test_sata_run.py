"""Tests runs of Kim's drive with a cache against counts without a clock, each other, and the laws."""

import json
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from spindle.models.sata_ncq import run
from spindle.models.sata_ncq.machine import NcqOptions, in_host
from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.system import page
from spindle.sim.error import UserError
from spindle.sim.eviction.fac import Fac, Reading, count_alone
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lru import Lru
from spindle.sim.measure.timeline import Timeline
from spindle.sim.units import KIB, MIB, Bytes
from spindle.traces.curve.replay import replay
from spindle.traces.replay.storage import write_through
from spindle.workloads.pc import pc_trace

SOME = 1000
CACHE = Bytes(256 * KIB)
LRU = replace(NcqOptions(), policy=Lru)


def extras(**given: object) -> dict[str, float]:
    return dict(run(**{"requests": SOME, "cache": CACHE, **given}).extras)  # type: ignore[arg-type]


@pytest.mark.parametrize("choices", [LRU, replace(LRU, place=in_host), replace(LRU, write=write_through)])
def test_one_request_after_another_hits_as_often_as_without_a_clock(choices: NcqOptions) -> None:
    blocks = [record.first // 4096 for record in pc_trace(NcqParameters().load("pcfat32"), 1, SOME)]
    found = extras(choices=choices, depth=1, under_way=1)
    assert round(found["hit_ratio"] * SOME) == replay(Lru, blocks, CACHE // 4096)
    assert found["late_hit_ratio"] == 0.0


def test_fac_of_frequency_alone_is_lfu() -> None:
    """One request after another: of several, FAC takes the arrival of their bytes for when equals got their worth."""
    frequency = replace(NcqOptions(), policy=lambda: Fac(Reading(first=count_alone, again=count_alone)))
    alone = {"depth": 1, "under_way": 1}
    assert extras(choices=frequency, **alone) == extras(choices=replace(NcqOptions(), policy=Lfu), **alone)


def test_total_service_is_what_is_under_way_over_time() -> None:
    """Always 32 under way until the last have been asked: Little's law on the whole run."""
    found = extras(cache=Bytes(0), under_way=32)
    assert found["total_service"] == pytest.approx(32 * found["makespan"], rel=0.05)
    assert found["total_service"] < 32 * found["makespan"]
    assert found["disc_accesses"] == SOME


def test_responses_add_up_to_the_total_and_their_parts_to_them() -> None:
    result = run(requests=SOME, cache=CACHE)
    assert len(result.transactions) == SOME
    total = sum(row.responded - row.began for row in result.transactions)
    assert total == pytest.approx(result.extras["total_service"])
    assert sum(result.breakdown().values()) == pytest.approx(result.response()["response_mean"])
    assert result.extras["reads"] + result.extras["writes"] == SOME


def test_a_firmware_that_has_decided_takes_longer() -> None:
    """Not with one command at a time, where there is nothing to decide."""
    one, six = (extras(planned_ahead=ahead)["total_service"] for ahead in (1, 6))
    assert six > 1.1 * one
    alone = {"under_way": 1, "cache": Bytes(0)}
    assert extras(planned_ahead=6, **alone) == extras(planned_ahead=1, **alone)


def test_tags_shorten_services_without_a_cache() -> None:
    with_tags, without = extras(cache=Bytes(0), depth=32), extras(cache=Bytes(0), depth=1)
    assert with_tags["service_mean"] < 0.7 * without["service_mean"]
    assert with_tags["total_service"] < 0.7 * without["total_service"]


def test_a_cache_in_the_host_is_no_slower_where_everything_hits() -> None:
    """On the drive a hit costs the command and the link, in the host nothing."""
    every = {"cache": Bytes(8 * MIB), "depth": 1, "under_way": 1, "load": "smalldiskmon"}
    host, drive = (extras(choices=choices, **every) for choices in (replace(LRU, place=in_host), LRU))
    assert host["hit_ratio"] == drive["hit_ratio"] > 0.5
    assert host["read_median"] == pytest.approx(0.0, abs=1e-9)
    assert drive["read_median"] == pytest.approx(0.1e-3 + 4096 / 300e6, rel=0.01)


def test_written_through_the_medium_has_every_write() -> None:
    through, back = extras(choices=replace(LRU, write=write_through)), extras(choices=LRU)
    assert through["written_back"] == 0.0
    assert through["write_mean"] > back["write_mean"]
    assert through["disc_accesses"] > through["writes"]
    assert back["disc_accesses"] < through["disc_accesses"]


def test_timed_requests_wait_less_than_a_full_queue() -> None:
    assert extras(timed=True)["total_service"] < 0.4 * extras()["total_service"]


def test_the_same_seed_gives_the_same_run() -> None:
    assert extras(seed=3) == extras(seed=3) != extras(seed=4)


def test_a_warm_up_is_not_counted() -> None:
    whole = run(requests=SOME, cache=CACHE, timed=True)
    later = run(requests=SOME, cache=CACHE, timed=True, warm_up=0.25)
    assert 0 < later.response()["responses"] < whole.response()["responses"]
    assert later.extras["reads"] + later.extras["writes"] == later.response()["responses"]
    assert later.extras["disc_accesses"] < whole.extras["disc_accesses"]
    assert later.extras["hit_ratio"] > whole.extras["hit_ratio"]  # the cache is full by then


def test_a_file_gives_what_its_requests_would(tmp_path: Path) -> None:
    records = list(pc_trace(NcqParameters().load("pcfat32"), 1, 300))
    rows = [f"{record.time:.9f},{record.first // 512},{record.length // 512},{record.op.name[0]}" for record in records]
    path = tmp_path / "like.csv"
    path.write_text("\n".join(["time_s,lba_512,sectors,op", *rows, ""]))
    assert run(path, requests=300).extras == run(requests=300).extras
    assert run(path, requests=300).parameters["trace"] == "like.csv"
    assert run(path, requests=1000).parameters["requests"] == 300


def test_a_parameter_changes_the_load() -> None:
    assert extras(block=8 * KIB)["hit_ratio"] != extras()["hit_ratio"]
    assert extras(phases=8)["hit_ratio"] != extras()["hit_ratio"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"depth": 33}, "depth"), ({"depth": 0}, "depth"), ({"cache": -1}, "cache"), ({"requests": 0}, "requests"),
        ({"load": "pcfat16"}, "unknown load 'pcfat16'"), ({"warm_up": -1.0}, "warm_up"), ({"under_way": 0}, "way"),
        ({"under_way": 10**60}, "1 to 65536 requests under way, not 1000000"),
        ({"warm_up": 1e4}, "within the warm-up"), ({"spam": 1}, "unknown parameter 'spam'"), ({"cache": 100}, "room"),
        ({"trace": Path("nowhere.csv")}, "nowhere.csv"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        run(**{"requests": 50, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{}, {"cache": Bytes(0)}, {"cache": CACHE, "timed": True}])
def test_the_page_has_the_numbers_and_fits_a_screen(given: dict[str, object]) -> None:
    result = run(requests=200, **given)  # type: ignore[arg-type]
    lines = page(result).splitlines()
    assert f"total service time {result.extras['total_service']:.3f} s" in lines[1]
    assert max(map(len, lines[1:])) <= 80
    assert any(line.startswith("hits:") for line in lines) == bool(result.parameters["cache"])


def test_the_page_shows_what_was_given_with_its_unit() -> None:
    head = page(run(requests=50, timed=True, gap=0.02, link=3e6)).splitlines()[0]
    assert head == "pcfat32: cache of 2 MiB, requests 50, depth 32, timed true, gap 20 ms, link 3 MB/s, seed 1"


def test_one_write_that_the_host_keeps_takes_no_time() -> None:
    result = run(requests=1, choices=NcqOptions(place=in_host))
    summary = result.summary()
    assert (summary["responses"], summary["response_mean"], summary["disc_accesses"]) == (1, 0, 0)
    assert isnan(summary["throughput"])
    assert page(result).splitlines()[-1] == "every request was answered in no time"


def test_a_watch_is_told_of_the_time() -> None:
    told: list[tuple[float, float]] = []
    run(requests=500, cache=CACHE, watch=lambda now, end: told.append((now, end)))
    assert 40 <= len(told) <= 60
    assert told == sorted(told)
    assert all(now <= end for now, end in told)


def test_a_timeline_shows_the_drive_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "seen.json"
    with Timeline(path) as looking:
        seen = run(requests=100, cache=CACHE, watch=looking)
    assert seen.extras == run(requests=100, cache=CACHE).extras
    events = json.loads(path.read_text())
    named = [each["name"] for each in (events if isinstance(events, list) else events["traceEvents"]) if "name" in each]
    assert named.count("seek") > 10
