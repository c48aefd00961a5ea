"""Installed files are the same, whatever they are made of: a clone, one without links, a forge's zip, the sdist."""

import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.installed import done, fresh_python, output

ROOT = Path(__file__).parents[1]
BUILD = "import sys; from setuptools.build_meta import build_{0}; build_{0}(sys.argv[1])"
USER = """
from spindle import Computer, simulate
from spindle.sim.disc.drive import Drive
reveal_type(simulate)
reveal_type(Computer)
reveal_type(Drive)
"""
OTHERS = "[mypy]\ncache_dir=/dev/null\n[mypy-numpy.*,pandas.*,matplotlib.*,scipy.*,IPython.*]\nfollow_imports=skip\n"
"""Settings of mypy, which need not read the types of large packages anew: nothing here has one."""

pytestmark = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no clone: what git has cannot be asked")


def git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True)


def build(what: str, source: Path, folder: Path) -> Path:
    """Build a *what*, wheel or sdist, of *source* into *folder*, without a word of warning."""
    folder.mkdir()
    ran = subprocess.run([sys.executable, "-P", "-c", BUILD.format(what), str(folder)], cwd=source, capture_output=True,
                         text=True)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "Warning" not in ran.stderr, ran.stderr
    (made,) = folder.iterdir()
    return made


def clone(folder: Path) -> Path:
    git("clone", "--quiet", str(ROOT), str(folder))
    return folder


def clone_without_links(folder: Path) -> Path:
    git("clone", "--quiet", "--config", "core.symlinks=false", str(ROOT), str(folder))
    return folder


def forge_zip(folder: Path) -> Path:
    archive = folder.with_suffix(".zip")
    git("archive", "--format=zip", "--prefix=spindle-main/", f"--output={archive}", "HEAD")
    with ZipFile(archive) as files:
        files.extractall(folder)
    return folder / "spindle-main"


def source_distribution(folder: Path) -> Path:
    made = build("sdist", clone(folder / "clone"), folder / "made")
    with tarfile.open(made) as files:
        files.extractall(folder, filter="data")
    (top,) = folder.glob("spindle_sim-*")
    assert not (top / "tests").exists()
    return top


SOURCES: tuple[Callable[[Path], Path], ...] = (clone, clone_without_links, forge_zip, source_distribution)


def contents(wheel: Path) -> Mapping[str, str]:
    with ZipFile(wheel) as files:
        return {name: sha256(files.read(name)).hexdigest() for name in files.namelist() if "dist-info" not in name}


@pytest.mark.timeout(600)
def test_every_source_gives_the_same_wheel_which_runs_and_has_types(tmp_path: Path) -> None:
    wheels = [build("wheel", source(tmp_path / source.__name__), tmp_path / f"wheel-{source.__name__}")
              for source in SOURCES]  # fmt: skip
    first, *others = map(contents, wheels)
    for source, other in zip(SOURCES[1:], others, strict=True):
        assert other == first, source.__name__
    modules = {path.relative_to(ROOT).as_posix() for top in ("sim", "models", "workloads") for path in
               (ROOT / top).rglob("*.py")}  # fmt: skip
    assert {f"spindle/{name}" for name in modules} <= set(first)
    assert sum(name.endswith(".ipynb") for name in first) == len(list((ROOT / "notebooks").rglob("*.ipynb")))
    python = fresh_python(tmp_path)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "install", "--quiet"]
    done([*pip, "--no-compile", "--no-deps", str(wheels[-1])], tmp_path)
    page = output(python, tmp_path, "-m", "spindle", "run", "hp3000", "--terminals", "5", "--minutes", "1")
    assert "where the time goes" in page
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "mypy.ini").write_text(OTHERS)
    types = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python), "user.py"],
                           cwd=tmp_path, capture_output=True, text=True).stdout  # fmt: skip
    assert 'Revealed type is "def (' in types
    assert "error:" not in types
    assert 'Any"' not in types


@pytest.mark.parametrize("name", ["sim.disc.drive", "models.hp3000.run", "workloads.tepe"])
def test_a_folder_of_a_checkout_says_how_it_is_imported(name: str) -> None:
    ran = subprocess.run([sys.executable, "-c", f"import {name}"], cwd=ROOT, capture_output=True, text=True)
    top = name.partition(".")[0]
    assert ran.stderr.splitlines()[-1] == f"ImportError: {top} is a part of Spindle: import spindle.{top}"


def test_a_traceback_names_the_file_that_git_has() -> None:
    code = "import spindle.sim.cpu as cpu, spindle.models.hp3000.machine as hp; print(cpu.__file__, hp.__file__)"
    paths = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in paths.split():
        git("ls-files", "--error-unmatch", str(Path(path).relative_to(ROOT)))


def test_two_checkouts_do_not_mix(tmp_path: Path) -> None:
    other = clone(tmp_path / "other")
    code = ("import sys; sys.path.insert(0, '.'); import spindle.sim.cpu as cpu, spindle; "
            "print(spindle.__file__, cpu.__file__)")
    paths = subprocess.run([sys.executable, "-c", code], cwd=other, capture_output=True, text=True, check=True).stdout
    assert all(Path(path).is_relative_to(other) for path in paths.split())


def test_git_has_no_links() -> None:
    listed = subprocess.run(["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [line for line in listed.splitlines() if line.startswith("120000")] == []
