"""The same run gives the same bytes on every Python that is installed, and those that were kept."""

import json
import os
import platform
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.models.one_run import KEPT, RUNS, SHORTER, digest

ROOT = Path(__file__).parents[2]
PURE = ("simpy", "lark")
KEPT_ON = ("Linux", "x86_64", "glibc")


def pythons() -> list[str]:
    """Every other Python from 3.11 on that can be found, one of each minor release."""
    folders = [*os.environ["PATH"].split(os.pathsep), *map(str, Path.home().glob(".pyenv/versions/3.*/bin"))]
    others = [f"3.{minor}" for minor in range(11, 30) if minor != sys.version_info[1]]
    places = [[found for folder in folders if (found := shutil.which(f"python{other}", path=folder))]
              for other in others]  # fmt: skip
    # A shim of pyenv's is there and runs nothing.
    works = [[each for each in of if not subprocess.run([each, "-c", ""], capture_output=True).returncode]
             for of in places]  # fmt: skip
    return [of[0] for of in works if of]


def test_kept_runs_are_of_systems() -> None:
    assert set(SHORTER) <= set(json.loads(KEPT.read_text("utf-8"))) <= set(RUNS)


@pytest.mark.parametrize("system", RUNS)
def test_a_run_gives_the_bytes_that_were_kept(system: str) -> None:
    if (platform.system(), platform.machine(), platform.libc_ver()[0]) != KEPT_ON:
        pytest.skip(f"kept on {' '.join(KEPT_ON)}: logarithms of another library may differ in the last digit")
    kept = json.loads(KEPT.read_text("utf-8")).get(system)
    if kept is None:
        pytest.skip("nothing is kept of it yet: python -m tests.models.one_run --write")
    assert digest(system) == kept, "if it is meant to: python -m tests.models.one_run --write"


@pytest.mark.parametrize("python", pythons())
def test_another_python_gives_the_same_bytes(python: str, tmp_path: Path) -> None:
    for name in PURE:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        (tmp_path / name).symlink_to(Path(spec.origin).parent)
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)]), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, "-m", "tests.models.one_run"]
    ran = subprocess.run(command, env=paths, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {system: digest(system) for system in RUNS}
