"""``spindle drives``, ``policies``, ``explain`` and ``new``: every name and measure, files that work."""

import json
from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.cli.new import NEXT_COMMANDS
from spindle.cli.templates.policy import Mine
from spindle.sim.disc.registry import STORES
from spindle.sim.eviction.registry import POLICIES


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_every_drive_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    table = said(capsys, "drives")
    assert [line.split()[0] for line in table.splitlines()[1 : len(STORES) + 1]] == list(STORES)
    rows = {row["name"]: row for row in json.loads(said(capsys, "drives", "--json"))}
    assert (rows["hp7933"]["rpm"], rows["intels3700"]["kind"]) == (2700, "flash")
    assert rows["hp7933"]["capacity"] == 404_458_496


def test_drives_have_the_years_of_their_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drives"]) == 0
    listed = {line.split()[0]: line.split()[1] for line in capsys.readouterr().out.splitlines() if line}
    assert (listed["name"], listed["hp7958b"], listed["intels3700"], listed["hp7933"]) == ("year", "1987", "2012", "-")


def test_every_policy_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "policies").splitlines()
    named = [name for line in lines[: lines.index("")] if not line.startswith(" ") for name in line.split(", ")]
    assert sorted(named) == sorted(POLICIES)


def test_a_measure_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "explain", "stop_rate").startswith("stop_rate   [1/s]\n    Cached accesses a second")
    for words in (["stop rate"], ["stop", "rate"]):
        assert said(capsys, "explain", *words) == said(capsys, "explain", "stop_rate")
    assert "response_p99   [s]" in said(capsys, "explain")
    assert main(["explain", "stop_rat"]) == 2
    assert "did you mean stop_rate or" in (said_of := capsys.readouterr().err)
    assert said_of.endswith("? spindle explain lists all\n")


def test_what_new_writes_works_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind in NEXT_COMMANDS:
        assert said(capsys, "new", kind).startswith(f"{kind}: next spindle ")
    short = ("--minutes", "0.2", "--warm-up", "0")
    assert "Machine from parts" in said(capsys, "run", "machine.py:MACHINE", *short, "--policy", "policy.py:Mine")
    assert "drive drive.yaml" in said(capsys, "run", "machine.py:MACHINE", *short, "--drive", "drive.yaml")
    assert said(capsys, "tepe", "check", "script.tepe").startswith("script.tepe: ")
    assert main(["new", "policy.py"]) == 2
    assert "is not overwritten" in capsys.readouterr().err
    assert main(["new", "polic.py"]) == 2
    assert "did you mean policy.py" in capsys.readouterr().err


def test_a_policy_to_begin_with_keeps_what_every_policy_promises(capsys: pytest.CaptureFixture[str]) -> None:
    place = Path(__file__).parents[2] / "spindle/cli/templates/policy.py"
    assert "9 of 9 promises are kept" in said(capsys, "check", f"{place}:{Mine.__name__}")
