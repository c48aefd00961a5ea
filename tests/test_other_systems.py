"""What imports must not need: modules that only Unix has, and folders or files of the user's with names of ours."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.imports import MODULES, ROOT

UNIX_ONLY = ("fcntl", "resource", "termios", "pwd", "grp")
FOR_UNIX = ("spindle.lab.measure", "spindle.cli.measure")
"""Measures real programs by calls that only Unix has."""


def test_without_modules_of_unix_everything_else_is_imported() -> None:
    names = [name for name in MODULES if not name.startswith(FOR_UNIX) and not name.endswith("__main__")]
    code = ("import sys\nfrom importlib import import_module\n"
            f"sys.modules.update(dict.fromkeys({UNIX_ONLY!r}))\n"
            f"for name in {names!r}:\n    import_module(name)\n")  # fmt: skip
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("statement", ["import spindle; spindle.Computer", "from spindle.models.hp3000 import run"])
def test_names_beside_a_script_do_not_matter(statement: str, tmp_path: Path) -> None:
    for name in ("models", "workloads"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('this is not Spindle')\n")
    (tmp_path / "sim.py").write_text("raise RuntimeError('this is not Spindle')\n")
    script = tmp_path / "script.py"
    script.write_text(f"import sys\nsys.path.append({str(ROOT)!r})\n{statement}\nprint('found')\n")
    ran = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True)
    assert ran.stdout == "found\n", ran.stderr
