"""Rules chosen without the drive that they are judged on: by hand, and on drives that are what a rule says."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from spindle.cli.main import main
from spindle.lab.drives.leave_one_out import (
    RULES,
    MeasuredDrive,
    RuledDrives,
    gains_by_others,
    holds,
    leave_each_out,
    left_out_table,
    rules_table,
    verdict,
)
from spindle.lab.drives.timed_requests import TimedRequests, answer_times
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS
from tests.cli.test_drive_command import CLOSED, SHEET

DISC = DiscType("Small", uniform(100, 2, 20, 512), 6000, LinearSeek(2 * MS, 8 * MS, 100), write_settle=-1 * MS)
SETTLES = next(rule for rule in RULES if rule.name == "no write settles sooner")


def asked(seed: int) -> TimedRequests:
    """As a drive answers that settles before a write as before a read, whatever its sheet says."""
    random, ops, spans, first = Random(seed), [], [], 0
    for _ in range(250):
        first = first + 4 if random.random() < 0.5 else random.randrange(3900)
        ops.append(READ if random.random() < 0.5 else WRITE)
        spans.append(Span(512 * min(first, 3990), 2048))
    gaps = np.array([random.random() * 20 * MS for _ in ops])
    requests = TimedRequests(ops, spans, gaps, np.zeros(len(ops)))
    return replace(requests, measured=answer_times(mechanism_of(replace(DISC, write_settle=0.0)), requests))


def drives(*names: str) -> RuledDrives:
    requests = {name: asked(seed) for seed, name in enumerate(names)}
    return RuledDrives({name: MeasuredDrive(DISC, each, each.measured + 1 * MS) for name, each in requests.items()})


def test_a_rule_holds_by_more_than_its_standard_error_on_two_drives_at_least() -> None:
    assert holds({"a": 0.1, "b": 0.3})
    assert not holds({"a": -0.1, "b": 0.5})
    assert not holds({"a": 9.0})
    assert not holds({})


def test_a_drive_has_no_say_in_what_it_is_judged_by() -> None:
    """Without a, b and c differ too much to tell; without one of those, the other two agree."""
    assert gains_by_others({"a": 0.5, "b": 0.6, "c": -5.0}) == {"a": 0.0, "b": 0.0, "c": -5.0}
    assert verdict(SETTLES, {"a": 0.5, "b": 0.6, "c": -5.0}) == "does not hold"
    assert verdict(SETTLES, {"a": 0.5, "b": 0.6, "c": 0.5}) == "holds"
    assert verdict(replace(SETTLES, source=""), {"a": 0.5, "b": 0.6, "c": 0.5}) == "has no source"
    assert verdict(SETTLES, {"a": 0.5, "b": 0.5}) == "not judged"
    assert verdict(SETTLES, {}) == "matters to no drive"


def test_a_rule_that_all_drives_follow_is_chosen_by_the_others() -> None:
    known = drives(*"abc")
    found = leave_each_out(known)
    assert {name: each.rules for name, each in found.items()} == dict.fromkeys("abc", (SETTLES,))
    assert all(each.figures["predicted"]["all"]["demerit_percent"] == pytest.approx(0.0) for each in found.values())
    assert (known.answers("a", (SETTLES,)) == known.drives["a"].asked.measured).all()
    lines = left_out_table(found)
    assert lines[1].endswith(" a")
    assert lines[4].split() == ["at", "most", "DiskSim", "3", "3", "3"]
    assert "a  no write settles sooner" in lines
    road = {line[:28].strip(): line.split()[-1] for line in rules_table(known)[1 : 1 + len(RULES)]}
    assert road["no write settles sooner"] == "holds"
    assert set(road.values()) == {"holds", "drive"}  # the others bear on no drive


def test_rules_are_chosen_without_the_drive_that_is_left_out() -> None:
    known = drives(*"ab")
    assert [set(known.gains(SETTLES, without=name)) for name in (None, "a", "b", "c")] == [
        {"a", "b"}, {"b"}, {"a"}, {"a", "b"}]  # fmt: skip
    assert known.chosen() == (SETTLES,)
    assert known.chosen(without="a") == ()  # one drive alone is too few
    assert {name: each.rules for name, each in leave_each_out(known).items()} == {"a": (), "b": ()}


def test_without_disksims_answers_none_is_said_to_be_nearer() -> None:
    known = drives(*"abc")
    alone = RuledDrives({name: drive._replace(disksim=None) for name, drive in known.drives.items()})
    one = leave_each_out(alone)["a"]
    assert not one.is_nearer("all")
    assert not any(line.startswith("at most DiskSim") for line in left_out_table({"a": one}))


def test_the_command_prints_a_table_and_refuses_too_few(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "drive.yaml").write_text(SHEET)
        (tmp_path / name / "requests.csv").write_text(CLOSED)
    assert main(["drive", "--all", str(tmp_path), "--rules"]) == 0
    assert "matters to no drive" in capsys.readouterr().out
    assert main(["drive", "--all", str(tmp_path), "--rules", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["each_alone"]) == {rule.name for rule in RULES}
    assert {name: of["chosen"] for name, of in found["all_at_once"].items()} == {"a": [], "b": [], "c": []}
    (tmp_path / "c" / "drive.yaml").unlink()
    assert main(["drive", "--all", str(tmp_path), "--rules"]) == 2
    assert "to leave one out takes at least 3" in capsys.readouterr().err
    assert main(["drive", "--rules"]) == 2
    assert "--rules is for a FOLDER of drives" in capsys.readouterr().err
