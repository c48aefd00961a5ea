"""What a command imports before it works: a help text needs no numbers, and a curve of LRU no drive."""

import subprocess
import sys
from pathlib import Path

import pytest

from spindle.cli.main import COMMANDS
from tests.conftest import ROOT

HEAVY = ("numpy", "pandas", "matplotlib", "spindle.sim.disc.mechanism", "spindle.workloads.traces.reader")
PROGRAM = """\
import sys
from spindle.cli.main import main
assert main(sys.argv[1:]) == 0
print("\\n".join(sys.modules), file=sys.stderr)
"""


def imported(*words: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stderr.splitlines())


@pytest.mark.parametrize("command", COMMANDS)
def test_help_imports_no_numbers_and_no_drives(command: str) -> None:
    assert imported(command, "--help").isdisjoint(HEAVY)


def test_a_curve_of_lru_imports_no_drive_and_no_other_policy() -> None:
    modules = imported("curve", str(Path("examples/trace.csv")), "--policy", "lru")
    own = {name for name in modules if name.startswith("spindle.")}
    assert {name for name in own if name.startswith(("spindle.sim.disc.kernel", "spindle.sim.disc.sheet_file",
                                                     "spindle.traces.replay."))} == set()  # fmt: skip
    assert {name for name in own if name.startswith("spindle.sim.eviction.")} <= {
        "spindle.sim.eviction.policy", "spindle.sim.eviction.registry", "spindle.sim.eviction.lru"}
    assert {"pandas", "matplotlib"}.isdisjoint(modules)
