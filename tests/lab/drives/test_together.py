"""All rules chosen at once without the drive that they are judged on: by hand, and on drives that follow one."""

from dataclasses import replace

import pytest

from spindle.lab.drives.left_out import (
    RULES,
    Choices,
    MeasuredDrive,
    RuledScores,
    chosen_together,
    left_out,
    ruled,
    table,
)
from spindle.lab.drives.timed import answered
from spindle.sim.units import MS
from tests.lab.drives.test_left_out import DISC, asked

SETTLE, MISS, HOLDS = "settling before a write", "a miss", "medium begins a write"


def test_rules_that_help_only_together_are_found_one_after_the_other_and_a_change_can_be_taken_back() -> None:
    means = {
        (): 8.0, ("as before a read",): 4.0, ("as in a row",): 6.0, ("as before a read", "as in a row"): 3.0,
        ("as in a row", "as written"): 2.0,
    }  # fmt: skip

    def mean(choices: Choices) -> float:
        return means.get(tuple(sorted(choices.values())), 9.0)

    assert chosen_together(RULES, mean) == {MISS: "as in a row", SETTLE: "as written"}
    assert chosen_together(RULES, lambda choices: 1.0) == {}


def test_a_drive_is_judged_by_what_the_others_are() -> None:
    known = RuledScores({name: MeasuredDrive(DISC, asked(seed), asked(seed).measured + 1 * MS)
                         for seed, name in enumerate("abc")})  # fmt: skip
    found = left_out(known)
    assert {name: each.choices for name, each in found.items()} == {
        name: {SETTLE: "as before a read"} for name in "abc"}  # fmt: skip
    assert all(each.figures["predicted"]["all"]["demerit_percent"] == pytest.approx(0.0) for each in found.values())
    lines = table(found)
    assert lines[1].endswith(" a")
    assert lines[4].split() == ["at", "most", "DiskSim", "3", "3", "3"]
    assert lines[5] == "within 5 % of the mean: 3 of 3"
    assert lines[7] == "a  settling before a write: as before a read"


def test_without_disksims_answers_none_is_said_to_be_nearer() -> None:
    one = left_out(RuledScores({name: MeasuredDrive(DISC, asked(seed)) for seed, name in enumerate("abc")}))["a"]
    assert not one.nearer("all")
    assert not any(line.startswith("at most DiskSim") for line in table({"a": one}))


def test_rules_that_come_to_the_same_drive_ask_it_once() -> None:
    known = RuledScores({"a": MeasuredDrive(DISC, asked(0))})
    assert ruled(DISC, {SETTLE: "as before a read"}) != ruled(DISC, {})
    assert ruled(DISC, {HOLDS: "with all"}) == ruled(DISC, {})
    assert known.score("a", {SETTLE: "as before a read"}) == pytest.approx(0.0)
    assert (known.answers("a", {}) == answered(ruled(DISC, {}).mechanism(), asked(0))).all()
    assert replace(DISC, write_settle=0.0) == ruled(DISC, {SETTLE: "as before a read"}).disc
