"""Tests requests shown one by one: phases as in a textbook, hits, evicted blocks; and percentiles of few requests."""

import csv
import json
from io import BytesIO
from math import ceil
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.sim.eviction.lru import Lru
from spindle.sim.request import READ, WRITE, Op
from spindle.traces.replay.replay import MAX_EXACT, Times
from spindle.traces.replay.steps import STEP_COLUMNS, ReplayStep, _logging, _number, step_lines, step_rows_into
from tests.traces.conftest import Said, trace_of

OSTEP = """\
name: OSTEP disk
sector_bytes: 512
capacity_sectors: 36
cylinders: 3
heads: 1
sectors_per_track: 12
rpm: 166.6666666667
head_switch_ms: 0
seek: {points_cyl_ms: [[1, 40.0], [2, 80.0]]}
"""
"""A track turns in 360 ms, a sector passes in 30; the arm needs 40 ms a track (Arpaci-Dusseau, chapter 37)."""


@pytest.fixture
def ostep(place: Path) -> None:
    (place / "ostep.yaml").write_text(OSTEP)
    (place / "three.csv").write_text(trace_of(*((0.195, "R", sector, 1) for sector in (7, 30, 8))))


@pytest.mark.usefixtures("ostep")
def test_each_request_has_its_seek_rotation_and_transfer(said: Said) -> None:
    page = said("replay", "three.csv", "--drive", "ostep.yaml", "--scheduler", "sstf", "--steps").splitlines()
    assert [line.split() for line in page[-4:]] == [
        ["op", "byte", "asked", "queue", "seek", "rotation", "transfer", "response"],
        ["1", "R", "3,584", "195.000", "0.000", "0.000", "15.000", "30.000", "45.000"],
        ["3", "R", "4,096", "195.000", "45.000", "0.000", "0.000", "30.000", "75.000"],
        ["2", "R", "15,360", "195.000", "75.000", "80.000", "190.000", "30.000", "375.000"]]


@pytest.mark.usefixtures("ostep")
@pytest.mark.parametrize("options", [(), ("--steps",), ("--by-device",), ("--steps", "--by-device", "--json")])
def test_rows_have_the_number_that_steps_have(said: Said, place: Path, options: tuple[str, ...]) -> None:
    """Of three requests that come at once, the nearest come first: 7, 8, and then 30."""
    said("replay", "three.csv", "--drive=ostep.yaml", "--scheduler=sstf", "--out=o.csv", *options)
    rows = list(csv.DictReader((place / "o.csv").open()))
    assert [row["request"] for row in rows] == ["1", "3", "2"]
    assert [float(row["response_ms"]) for row in rows] == pytest.approx([45.0, 75.0, 375.0])


@pytest.mark.usefixtures("ostep")
def test_numbers_are_those_of_the_trace_where_a_chain_submits_in_another_order(said: Said, place: Path) -> None:
    """Request 2 follows the read before it, which is slow here, so that it is submitted after request 3."""
    head, rest = "time_s,device,op,lba_512,sectors,response_s", ("0,a,R,30", "0.012,a,R,7", "0.02,b,R,7")
    (place / "chain.csv").write_text("\n".join([head, *(f"{line},1,0.01" for line in rest)]))
    shown = said("replay", "chain.csv", "--drive=ostep.yaml", "--chains=5ms", "--steps", "--out=o.csv", "--json")
    rows = list(csv.DictReader((place / "o.csv").open()))
    assert sorted((row["request"], row["byte"], row["device"]) for row in rows) == [
        ("1", "15360", "a"), ("2", "3584", "a"), ("3", "3584", "b")]  # fmt: skip
    asked = {step["number"]: step["asked"] for step in json.loads(shown)["steps"]}
    assert asked[2] > asked[3]


@pytest.mark.usefixtures("ostep")
def test_hits_and_what_left_the_cache_are_told(said: Said, place: Path) -> None:
    (place / "five.csv").write_text("op,lba_512,sectors\n" + "".join(f"R,{at},1\n" for at in (7, 8, 7, 9, 8)))
    cache = ("--cache", "1024", "--block", "512")
    said("replay", "five.csv", "--drive", "ostep.yaml", *cache, "--steps", "--out", "o.csv")
    rows = list(csv.DictReader((place / "o.csv").open()))
    assert [(row["result"], row["evicted"]) for row in rows] == [
        ("miss", ""), ("miss", ""), ("hit", ""), ("miss", "8"), ("miss", "7")]
    phases = ("queue_ms", "seek_ms", "rotation_ms", "transfer_ms", "other_ms")
    for row in rows:
        assert sum(float(row[name]) for name in phases) == pytest.approx(float(row["response_ms"]), abs=1e-5)


def step(number: int, op: Op, **more: Any) -> ReplayStep:
    phases = dict.fromkeys(STEP_COLUMNS, 0.0) | {"seek": 0.004}
    device, result, evicted = more.get("device", "a"), more.get("result", ""), more.get("evicted", ())
    return ReplayStep(number, device, op, 4096 * number, 512, 0.5, phases, 0.0125, result, evicted)


def lines_of(*steps: ReplayStep) -> list[str]:
    seen: Any = SimpleNamespace(steps=steps, count=len(steps))
    return step_lines(seen)[2:]


def test_lines_have_the_columns_that_are_not_empty_in_all() -> None:
    head = f"{'':>5}{'op':>3}{'byte':>14}{'asked':>11}{'seek':>9}{'response':>10}"
    line = f"{1:>5}{'R':>3}{'4,096':>14}{'500.000':>11}{'4.000':>9}{'12.500':>10}"
    assert lines_of(step(1, READ)) == [head, line]
    kept = step(1, READ, result="miss", evicted=(7, 8), device="b")
    assert lines_of(kept, step(2, WRITE)) == [
        f"{head}  result    evicted  device", f"{line}  miss      7 8      b",
        f"{2:>5}{'W':>3}{'8,192':>14}{'500.000':>11}{'4.000':>9}{'12.500':>10}                     a"]  # fmt: skip
    assert lines_of(step(1, READ, result="late hit")) == [f"{head}  result", f"{line}  late hit"]


def test_rows_have_all_columns() -> None:
    file = BytesIO()
    write = step_rows_into(file)
    write(step(1, READ, result="miss", evicted=(7, 8), device="a,b"))
    write(step(2, WRITE))
    head, *rows = file.getvalue().decode().splitlines()
    assert head == ("request,device,op,asked_s,response_ms,byte,length,queue_ms,seek_ms,rotation_ms,transfer_ms,"
                    "other_ms,result,evicted")  # fmt: skip
    assert rows == [
        '1,"a,b",R,0.500000000,12.500000,4096,512,0.000000,4.000000,0.000000,0.000000,0.000000,miss,7 8',
        "2,a,W,0.500000000,12.500000,8192,512,0.000000,4.000000,0.000000,0.000000,0.000000,,"]  # fmt: skip


@pytest.mark.usefixtures("ostep")
def test_a_policy_of_the_cache_knows_its_size_and_writes_hit_and_miss_too(said: Said, place: Path) -> None:
    (place / "w.csv").write_text("op,lba_512,sectors\nW,7,1\nW,7,1\nR,7,1\nR,8,1\n")
    cache = ("--cache", "2048", "--block", "512", "--policy", "arc", "--steps", "--out", "w-out.csv")
    said("replay", "w.csv", "--drive", "ostep.yaml", *cache)
    rows = list(csv.DictReader((place / "w-out.csv").open()))
    assert [(row["op"], row["result"]) for row in rows] == [("W", "miss"), ("W", "hit"), ("R", "hit"), ("R", "miss")]


def test_a_policy_is_told_as_before_whether_a_block_was_evicted() -> None:
    told, log = list[tuple[object, bool]](), list[object]()
    policy = Lru()
    policy.remove = lambda key, evicted: told.append((key, evicted))  # type: ignore[method-assign]
    noted = _logging(policy, log)  # type: ignore[arg-type]
    noted.remove("a", True)
    noted.remove("b", False)
    assert (told, log) == ([("a", True), ("b", False)], ["a"])


def test_blocks_are_numbers_with_or_without_the_name_of_their_cache() -> None:
    assert (_number(("cache 0", 7)), _number(8), _number("9")) == (7, 8, 9)


def test_steps_change_no_number(said: Said) -> None:
    cached = ("replay", "trace.csv", "--drive", "small.yaml", "--cache", "16K", "--json")
    plain, steps = json.loads(said(*cached)), json.loads(said(*cached, "--steps"))
    assert len(steps.pop("steps")) == 60
    assert steps == plain


def test_a_film_and_steps_go_together(said: Said, place: Path) -> None:
    alone, both = (said("replay", "trace.csv", "--drive", "small.yaml", "--cache", "16K", "--steps", *more)
                   for more in ((), ("--html", "f.html")))  # fmt: skip
    assert "requests by number in the trace, in the order in which they were done; ms" in both
    assert "evicted" in both
    assert both == alone
    assert (place / "f.html").stat().st_size > 10_000


def test_more_than_a_page_holds_are_counted(said: Said, place: Path) -> None:
    (place / "many.csv").write_text("op,lba_512,sectors\n" + "R,7,1\n" * 1003)
    page = said("replay", "many.csv", "--drive", "small.yaml", "--steps")
    assert page.endswith("and 3 requests more; --out FILE.csv has all\n")


def test_percentiles_of_few_are_times_that_there_were() -> None:
    random = Random("few")
    values = [random.expovariate(1.0) for _ in range(MAX_EXACT)]
    times, halves = Times(), [Times(), Times()]
    for place, value in enumerate(values):
        times.add(value)
        halves[place % 2].add(value)
    ordered = sorted(values)
    for share, place in ((0.5, 499), (0.95, 949), (0.99, 989), (0.001, 0), (0.0011, 1), (1.0, 999)):
        assert times.quantile(share) == ordered[place]
        assert halves[0].merge(halves[1]).quantile(share) == ordered[place]


def test_percentiles_of_more_are_within_a_thousandth_whichever_way_they_are_added() -> None:
    values = [0.001 * (place + 1) for place in range(MAX_EXACT + 1)]
    times, one, other = Times(), Times(), Times()
    for place, value in enumerate(values):
        times.add(value)
        (one if place < 600 else other).add(value)
    for share in (0.01, 0.5, 0.999, 1.0):
        assert times.quantile(share) == pytest.approx(values[ceil(share * len(values)) - 1], rel=1.1e-3)
        assert one.merge(other).quantile(share) == other.merge(one).quantile(share) == times.quantile(share)
