"""What a run needs beside Python: SimPy and lark. What computes and draws with its numbers is not imported for it."""

import json
import subprocess
import sys
from pathlib import Path

from tests.models.one_run import RUNS

ROOT = Path(__file__).parents[2]
NOT_NEEDED = ("matplotlib", "numba", "numpy", "pandas", "pyarrow", "scipy", "zstandard")
PROGRAM = """
import sys
from runpy import run_module

sys.modules.update(dict.fromkeys(sys.argv[1:]))  # None: an import of it fails
sys.argv[1:] = []
run_module("tests.models.one_run", run_name="__main__")
"""


def runs_without(*packages: str) -> subprocess.CompletedProcess[str]:
    """One run of each machine in a Python that cannot import *packages*."""
    return subprocess.run([sys.executable, "-c", PROGRAM, *packages], cwd=ROOT, capture_output=True, text=True)


def test_every_machine_runs_without_what_computes_and_draws() -> None:
    ran = runs_without(*NOT_NEEDED)
    assert ran.returncode == 0, ran.stderr
    assert set(json.loads(ran.stdout)) == set(RUNS)


def test_what_is_kept_from_a_run_is_missed() -> None:
    ran = runs_without("simpy")
    assert ran.returncode == 1
    assert "simpy" in ran.stderr.splitlines()[-1]


def test_the_help_of_commands_on_traces_needs_neither_tables_nor_pictures() -> None:
    asked = "import sys; from spindle.cli.main import main; [main([each, '--help']) for each in sys.argv[1:]]"
    command = [sys.executable, "-c", f"{asked}; print(*sys.modules)", "curve", "characterise", "replay", "convert"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(f"usage: spindle {each} " in ran.stdout for each in command[3:])
    assert not {"matplotlib", "pandas", "spindle.studies.study"} & set(ran.stdout.split())
