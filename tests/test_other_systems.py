"""What imports must not need: modules that only Unix has, and folders or files of the user's with names of ours."""

import re
import subprocess
import sys
from pathlib import Path

from tests.imports import MODULES, ROOT, imports_at_once

UNIX_ONLY = ("fcntl", "resource", "termios", "pwd", "grp")
FOR_UNIX = ("spindle.lab.measure", "spindle.cli.measure_drive")
"""Measures real programs by calls that only Unix has."""


def test_without_modules_of_unix_everything_else_is_imported() -> None:
    """Nothing else imports them, or what is for Unix, before a function asks for it."""
    named = re.compile("|".join(rf"\b{each}\b" for each in (*UNIX_ONLY, *FOR_UNIX)).replace(".", r"\."))
    others = [name for name in MODULES if not name.startswith(FOR_UNIX)]
    suspects = [name for name in others if named.search(MODULES[name].read_text("utf-8"))]
    assert len(suspects) > 1
    at_once = [(name, each) for name in suspects for each in imports_at_once(name)]
    assert [pair for pair in at_once if pair[1] in UNIX_ONLY or pair[1].startswith(FOR_UNIX)] == []


def test_names_beside_a_script_do_not_matter(tmp_path: Path) -> None:
    for name in ("models", "workloads"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('this is not Spindle')\n")
    (tmp_path / "sim.py").write_text("raise RuntimeError('this is not Spindle')\n")
    script = tmp_path / "script.py"
    script.write_text(f"import sys\nsys.path.append({str(ROOT)!r})\nimport spindle\nspindle.Computer\n"
                      "from spindle.models.hp3000 import run\nprint('found')\n")  # fmt: skip
    ran = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert ran.stdout == "found\n", ran.stderr
