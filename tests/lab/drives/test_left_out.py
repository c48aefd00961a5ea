"""Rules chosen without the drive that they are judged on: by hand, and on drives that are what a rule says."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from spindle.cli.main import main
from spindle.lab.drives.left_out import (
    RULES,
    STANDS,
    DriveRule,
    MeasuredDrive,
    RuledScores,
    RuleJudged,
    all_judged,
    left_out_table,
)
from spindle.lab.drives.timed import TimedRequests, answered
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.request import READ, WRITE, Span
from spindle.sim.units import MS
from tests.cli.test_drive_command import CLOSED, SHEET

DISC = DiscType("Small", uniform(100, 2, 20, 512), 6000, LinearSeek(2 * MS, 8 * MS, 100), write_settle=-1 * MS)
RULE = DriveRule("made up", {"other": lambda drive: drive})


def asked(seed: int) -> TimedRequests:
    """As a drive answers that settles before a write as before a read, whatever its sheet says."""
    random, ops, spans, first = Random(seed), [], [], 0
    for _ in range(250):
        first = first + 4 if random.random() < 0.5 else random.randrange(3900)
        ops.append(READ if random.random() < 0.5 else WRITE)
        spans.append(Span(512 * min(first, 3990), 2048))
    gaps = np.array([random.random() * 20 * MS for _ in ops])
    requests = TimedRequests(ops, spans, gaps, np.zeros(len(ops)))
    return replace(requests, measured=answered(mechanism_of(replace(DISC, write_settle=0.0)), requests))


def test_a_drive_has_no_say_in_what_it_is_judged_by() -> None:
    scores = {STANDS: {"a": 1.0, "b": 1.0, "c": 1.0}, "other": {"a": 0.5, "b": 0.5, "c": 5.0}}
    each = RuleJudged(RULE, scores)
    assert [each.chosen(name) for name in "abc"] == [STANDS, STANDS, "other"]
    assert [each.ratio(name) for name in "abc"] == [1.0, 1.0, 5.0]
    assert left_out_table([each])[1:3] == [f"{'made up':<27}{STANDS:<26}      2      0     0   1.00",
                                  f"{'':<27}{'other':<26}      1      0     1   5.00"]  # fmt: skip


def test_a_rule_that_all_drives_show_is_chosen_and_one_that_they_never_use_bears_on_none() -> None:
    known = RuledScores({name: MeasuredDrive(DISC, asked(seed)) for seed, name in enumerate("abc")})
    rules = {each.rule.name: each for each in all_judged(known)}
    settling = rules["settling before a write"]
    assert {settling.chosen(name) for name in "abc"} == {"as before a read"}
    assert all(settling.ratio(name) == 0.0 for name in "abc")
    assert rules["a read at rest"].bears_on() == []


def test_the_command_prints_a_table_and_refuses_too_few(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "drive.yaml").write_text(SHEET)
        (tmp_path / name / "requests.csv").write_text(CLOSED)
    assert main(["drive", "--all", str(tmp_path), "--rules"]) == 0
    assert "bears on no drive" in capsys.readouterr().out
    assert main(["drive", "--all", str(tmp_path), "--rules", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["each_alone"]) == {rule.name for rule in RULES}
    assert {name: of["chosen"] for name, of in found["all_at_once"].items()} == {"a": {}, "b": {}, "c": {}}
    (tmp_path / "c" / "drive.yaml").unlink()
    assert main(["drive", "--all", str(tmp_path), "--rules"]) == 2
    assert "to leave one out takes at least 3" in capsys.readouterr().err
    assert main(["drive", "--rules"]) == 2
    assert "--rules needs --all" in capsys.readouterr().err
