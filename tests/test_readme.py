"""The README is true: its Python runs, its commands are understood, its links lead somewhere."""

import re
from pathlib import Path
from shlex import split
from typing import Any

import pandas as pd
import pytest

import models.commands.results as results_command
import models.commands.sensitivity as sensitivity_command
import models.commands.sweep as sweep_command
from models.__main__ import main
from models.commands.arguments import find_system
from models.commands.run_options import arguments_of
from sim.claims import sensitivity
from sim.claims.variant import variants
from sim.claims.verdicts import COLUMNS
from sim.sweep import sweep

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
SHEET = """\
{name: small, sector_bytes: 512, cylinders: 10, heads: 2, sectors_per_track: 20, capacity_sectors: 400, rpm: 6000,
 head_switch_ms: 1, seek: {points_cyl_ms: [[1, 2], [9, 5]]}}
"""
CLOSED = "gap_before_ms,lba,sectors,op,measured_ms\n0,7,1,R,9\n5,100,4,W,12\n"
TRACE = "time_s,op,lba_512,sectors\n0,R,0,8\n0.1,W,64,8\n0.2,R,0,8\n"
COMMANDS = re.findall(r"^    \.venv/bin/spindle (.*)$", README, re.MULTILINE)


def test_python_of_the_readme_runs() -> None:
    """As it stands, but for its minutes."""
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        names: dict[str, object] = {}
        shorter, changed = re.subn(r"minutes=\d+", "minutes=0.5, warm_up=0.2", block)
        assert changed
        exec(compile(shorter, "README.md", "exec"), names)
        assert names["result"].transactions  # type: ignore[attr-defined]


def test_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) >= 6
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_readme_are_understood(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Each one runs as it stands, or with less simulated time where it would take long, in a copy of what it reads."""
    (tmp_path / "workloads").symlink_to(ROOT / "workloads")
    (tmp_path / "drive.yaml").write_text(SHEET)
    (tmp_path / "requests.csv").write_text(CLOSED)
    (tmp_path / "trace.csv").write_text(TRACE)
    (tmp_path / "mine.py").write_text((ROOT / "examples" / "lru2" / "spindle_lru2.py").read_text("utf-8"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sweep_command, "sweep", shortened)
    monkeypatch.setattr(results_command, "replicate", lambda studies, *_: {study.name: 1 for study in studies})
    monkeypatch.setattr(results_command, "score", unjudged)
    monkeypatch.setattr(sensitivity, "variants", lambda parameters: variants(parameters)[:1])
    monkeypatch.setitem(sensitivity_command.SEEDS, True, 1)
    words = split(command)
    timed = words[0] == "run" and "minutes" in arguments_of(find_system(words[1]))
    short = ["--minutes", "1", "--warm-up", "1"] if timed else ["--seeds", "2", "--most", "2"] * (words[0] == "find")
    assert main([*words, *short]) == 0
    assert capsys.readouterr().out


def shortened(run: object, **grid: Any) -> pd.DataFrame:
    return sweep(run, **grid | {"minutes": [0.2], "warm_up": [0.2], "seed": [1], "progress": False})


def unjudged(*_: object) -> pd.DataFrame:
    return pd.DataFrame([dict.fromkeys(COLUMNS, "")])
