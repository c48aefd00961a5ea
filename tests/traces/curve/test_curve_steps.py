"""Tests references shown one by one: frames as textbooks print them, and as many hits as the curve counts."""

import json
from pathlib import Path
from random import Random

import pytest

from spindle.sim.error import UserError
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.request import READ
from spindle.traces.curve.question import BOUNDS
from spindle.traces.curve.replay import belady_hits, replay
from spindle.traces.curve.steps import CacheStep, KnowsFuture, cache_steps, named_references, policy_for, step_lines
from spindle.workloads.traces.record import Record
from tests.samples import sample
from tests.traces.conftest import Said

STRING = ["0", "1", "2", "0", "1", "3", "0", "3", "1", "2", "1"]
"""Arpaci-Dusseau, chapter 22, figures 22.1 to 22.5: three frames."""


def shown(name: str, size: int = 3) -> str:
    """For each reference the block that left, - for a hit and . for a miss into an empty frame."""
    policy = policy_for(name, POLICIES[name] if name not in BOUNDS else POLICIES["lru"], STRING, size)
    return "".join("-" if step.hit else step.evicted or "." for step in cache_steps(STRING, size, policy))


def test_a_book_s_figures() -> None:
    assert shown("opt") == "...--2---3-"
    assert shown("fifo") == "...--01-23-"
    assert shown("lru") == "...--2---0-"


def test_what_is_not_asked_for_again_puts_nothing_out_that_is_not_either() -> None:
    steps = [*cache_steps("ab", 1, KnowsFuture("ab", bypass=True))]
    assert [(step.evicted, step.frames) for step in steps] == [("", ("a",)), ("", ("a",))]
    assert [step.evicted for step in cache_steps("ab", 1, KnowsFuture("ab", bypass=False))] == ["", "a"]


def test_frames_keep_their_place() -> None:
    steps = [*cache_steps(STRING, 3, policy_for("fifo", POLICIES["fifo"], STRING, 3))]
    assert [step.frames for step in steps[:6]] == [
        ("0", "", ""), ("0", "1", ""), ("0", "1", "2"), ("0", "1", "2"), ("0", "1", "2"), ("3", "1", "2")]


@pytest.mark.parametrize("name", [*POLICIES, *BOUNDS])
@pytest.mark.parametrize("draw", range(sample(2, 20)))
def test_hits_are_those_of_the_curve(name: str, draw: int) -> None:
    random = Random(f"steps {draw}")
    string = [int(12 * random.random() ** 2) for _ in range(80)]
    for size in (3, 5, 20):
        if name in BOUNDS:
            hits, kind = belady_hits(string, [size], bypass=BOUNDS[name])[size], POLICIES["lru"]
        else:
            hits, kind = replay(POLICIES[name], string, size), POLICIES[name]
        assert sum(step.hit for step in cache_steps(string, size, policy_for(name, kind, string, size))) == hits


def test_the_command_shows_each_policy_at_each_size(said: Said, place: Path) -> None:
    (place / "pages.txt").write_text("\n".join(STRING) + "\n")
    asked = ("curve", "pages.txt", "--columns", "key=1", "--policy", "opt,random", "--sizes", "3,4", "--steps")
    page = said(*asked)
    assert "opt, 3 frames: 6 hits, 5 misses, of 11\n" in page
    assert "    6          3  miss            2   0 1 3\n" in page
    assert [*json.loads(said(*asked, "--json"))["steps"]] == ["opt, 3 frames", "opt, 4 frames", "random, 3 frames",
                                                             "random, 4 frames"]  # fmt: skip


def test_what_cannot_be_shown_is_refused(refused: Said) -> None:
    assert "give --sizes" in refused("curve", "trace.csv", "--steps")
    assert "give --sizes" in refused("curve", "trace.csv", "--steps", "--sizes", "3", "--sample", "0.5")


def test_a_long_trace_is_refused(said: Said, refused: Said, place: Path) -> None:
    (place / "long.csv").write_text("op,lba_512,sectors\n" + "R,7,1\n" * 1001)
    asked = ("curve", "long.csv", "--steps", "--sizes", "3")
    assert "at most 1,000 references are shown one by one; --limit" in refused(*asked)
    assert "999 hits, 1 miss, of 1,000" in said(*asked, "--limit", "1000")


def test_a_page_of_steps_by_hand() -> None:
    steps = [CacheStep("a", False, "", ("a", "")), CacheStep("bb", True, "a", ("a", "bb"))]
    assert step_lines("lru", steps) == [
        "",
        "lru: 1 hit, 1 miss, of 2",
        "       reference            evicted  frames",
        "    1          a  miss                 a",
        "    2         bb  hit             a    a bb",
    ]
    assert step_lines("lru", []) == ["", "lru: 0 hits, 0 misses, of 0", "       reference            evicted"]


def test_blocks_are_named_by_their_device_and_objects_by_their_key() -> None:
    records = [Record(None, "", READ, 512, 1024), Record(None, "sda", READ, 0, 512), Record(None, "sda", READ, 511, 2),
               Record(None, "sda", READ, 0, 1, keys=("k", "l"))]  # fmt: skip
    assert named_references(records, 512) == ["1", "2", "sda:0", "sda:0", "sda:1", "k", "l"]
    assert len(named_references([Record(None, "", READ, 0, 1000 * 512)], 512)) == 1000
    with pytest.raises(UserError, match="at most 1,000 references are shown"):
        named_references([Record(None, "", READ, 0, 1001 * 512)], 512)
    with pytest.raises(UserError, match="a trace with deletes is not shown"):
        named_references([Record(None, "", READ, 0, 1, keys=("k",), delete=True)], 512)


def test_names_are_cut_to_24_letters() -> None:
    (line,) = step_lines("lru", [CacheStep("a" * 30, False, "b" * 30, ())])[3:]
    assert line == f"    1  {'a' * 24}  miss    {'b' * 24}"


@pytest.mark.parametrize(("letters", "frames", "shows"), [(1, 16, True), (1, 17, False), (4, 8, True), (4, 9, False)])
def test_frames_are_shown_where_a_line_has_room(letters: int, frames: int, shows: bool) -> None:
    page = step_lines("lru", [CacheStep("a", False, "b", ("x" * letters,) * frames)])
    assert [page[2].endswith("frames"), page[3].count("x") == letters * frames] == [shows, shows]
    assert shows or page[3] == f"{1:>5}{'a':>11}  miss  {'b':>11}"
