"""The README is true: its Python runs, its commands are understood, its links lead somewhere."""

import re
from pathlib import Path
from shlex import split
from typing import Any

import pandas as pd
import pytest

from spindle.cli import results as results_command
from spindle.cli import sensitivity as sensitivity_command
from spindle.cli import sweep as sweep_command
from spindle.cli.main import main
from spindle.settings import settings_of_run
from spindle.studies.claims import sensitivity
from spindle.studies.claims.sensitivity import scored, variants
from spindle.studies.claims.verdicts import COLUMNS
from spindle.studies.sweep import sweep
from spindle.systems import find_system

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
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
    for folder in ("workloads", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sweep_command, "sweep", shortened)
    monkeypatch.setattr(results_command, "replicate", lambda studies, *_: {study.name: 1 for study in studies})
    monkeypatch.setattr(results_command, "score", unjudged)
    monkeypatch.setattr(sensitivity, "variants", lambda parameters: variants(parameters)[:1])
    monkeypatch.setattr(sensitivity, "scored", lambda system: scored(system)[:1])
    monkeypatch.setitem(sensitivity_command.SEEDS, True, 1)
    words = split(command)
    timed = words[0] == "run" and "minutes" in settings_of_run(find_system(words[1]).run)
    few = ["--seeds", "2", "--most", "2", "--requests", "800"] if words[0] == "find" else []
    short = ["--minutes", "0.5", "--warm-up", "1"] if timed else few
    rough = ["--precision", "0.9"] * ("--precision" in words)
    assert main([*words, *short, *rough]) == 0
    assert capsys.readouterr().out


def shortened(run: object, **grid: Any) -> pd.DataFrame:
    return sweep(run, **grid | {"minutes": [0.2], "warm_up": [0.2], "seed": [1], "progress": False})


def unjudged(*_: object) -> pd.DataFrame:
    return pd.DataFrame([dict.fromkeys(COLUMNS, "")])
