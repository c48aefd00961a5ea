"""Rules chosen without the drive that they are judged on: by hand, and on drives that are what a rule says."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from spindle.cli.main import main
from spindle.lab.drives.leave_one_out import (
    LEFT_OUT_LEGEND,
    RULES,
    Chosen,
    DriveRule,
    Gains,
    LeftOut,
    MeasuredDrive,
    RuledDrives,
    gains_by_others,
    holds,
    leave_each_out,
    left_out_table,
    numbers,
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
    assert not holds({"a": 0.0, "b": 1.0}), "as much as its error, 0.5"
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


SOURCED = [rule for rule in RULES if rule.source]


class Told(RuledDrives):
    """Drives of which the gains are known: by rule, of all drives, until the rule is chosen."""

    def __init__(self, gains: dict[str, Gains]) -> None:
        super().__init__({})
        self._gains = gains

    def gains(self, rule: DriveRule, before: Chosen = (), without: str | None = None) -> Gains:
        return {} if rule in before else self._gains.get(rule.name, {})


def test_the_best_rule_is_chosen_first_and_none_without_a_source() -> None:
    unsourced = next(rule.name for rule in RULES if not rule.source)
    some = {SOURCED[0].name: {"a": 0.1, "b": 0.2}, SOURCED[2].name: {"a": 0.3, "b": 0.4}, unsourced: {"a": 9.0, "b": 9}}
    assert Told(some).chosen() == (SOURCED[2], SOURCED[0])


def test_the_table_of_rules_by_hand() -> None:
    """Their mean is 10 % and their deviation 20: divided by the root of 3, 11.5."""
    known = Told({RULES[0].name: {"a": 0.1, "b": 0.3, "c": -0.1}, RULES[1].name: {"a": 0.2, "b": 0.4},
                  RULES[2].name: {"a": -0.5}})  # fmt: skip
    assert rules_table(known)[:5] == [
        "rule, alone                 about    helps hurts  gain, %  error  verdict",
        "a write begins with 3 KB    writes       2     1     10.0   11.5  does not hold",
        "no write settles sooner     writes       2     0     30.0   10.0  not judged",
        "a report as after a read    writes       0     1    -50.0      -  not judged",
        "a miss finds it at rest     reads        0     0        -      -  matters to no drive"]  # fmt: skip
    assert rules_table(known)[len(RULES) + 1] == ""
    assert numbers(known)["each_alone"][RULES[0].name] == {
        "about": "writes", "source": RULES[0].source, "gains": {"a": 0.1, "b": 0.3, "c": -0.1},
        "unsaid": {"a": 0.0, "b": 0.0, "c": -0.1}, "verdict": "does not hold"}  # fmt: skip


def test_the_table_of_drives_by_hand() -> None:
    """Model and DiskSim are as far off in all, the model is nearer in reads and DiskSim in writes."""
    model, disksim = ({group: {"demerit_percent": percent, "median_difference_ms": 0.25}
                       for group, percent in zip(("all", "reads", "writes"), percents, strict=True)}
                      for percents in ((5.0, 3.0, 9.0), (5.0, 4.0, 8.0)))  # fmt: skip
    table = left_out_table({"one": LeftOut((RULES[3], RULES[1]), {"predicted": model, "DiskSim": disksim}),
                            "two": LeftOut((), {"predicted": model})})  # fmt: skip
    assert table[:8] == [
        "demerit                 all, %    reads, %   writes, %    apart, ms chosen",
        "one                 5.00  5.00  3.00  4.00  9.00  8.00  0.250 0.250 ba",
        "two                 5.00     -  3.00     -  9.00     -  0.250     - -",
        "at most DiskSim              1           1           0", "",
        "a  no write settles sooner", "b  a miss finds it at rest", ""]  # fmt: skip
    assert left_out_table({"two": LeftOut((), {"predicted": model})})[2:] == ["", LEFT_OUT_LEGEND]


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
