"""A fresh environment beside what Spindle runs on, for tests of what is installed."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path


def fresh_python(folder: Path, *beside: Path) -> Path:
    """The Python of a new environment in *folder*, which sees the libraries of this one, and what lies in *beside*."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    python = folder / "env" / "bin" / "python"
    where = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
                           check=True, capture_output=True, text=True).stdout.strip()  # fmt: skip
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    Path(where, "beside.pth").write_text("\n".join([*map(str, beside), *libraries]) + "\n")
    return python


def core_python(folder: Path, requirements: Sequence[str]) -> Path:
    """The Python of a new environment in *folder* that has *requirements* and what these need, and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "core")], check=True)
    python = folder / "core" / "bin" / "python"
    (place,) = (folder / "core").glob("lib/python*/site-packages")
    wanted, found = [*requirements], set[str]()
    while wanted:
        name = re.split(r"[^\w.-]", wanted.pop(), maxsplit=1)[0]
        if name in found:
            continue
        found.add(name)
        package = distribution(name)
        wanted += [each for each in package.requires or [] if ";" not in each]
        for top in {Path(file).parts[0] for file in package.files or []} - {"..", "__pycache__"}:
            (place / top).symlink_to(package.locate_file(top))
    return python


BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"


def install(python: Path, *sources: Path) -> None:
    """Build the projects in *sources* into wheels, with the setuptools that is here, and install those.

    The builder is asked as pip asks it, but without pip's questions before. What is imported of them is compiled then,
    as what never is need not be.
    """
    wheels = python.parents[2] / "wheels"
    wheels.mkdir()
    for source in sources:
        done([sys.executable, "-P", "-c", BUILD, str(wheels)], source)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "install", "--quiet"]
    done([*pip, "--no-compile", "--no-deps", "--ignore-installed", *map(str, wheels.iterdir())], wheels)


def done(command: list[str], folder: Path) -> None:
    """Run *command* in *folder*; it must end well."""
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def output(python: Path, folder: Path, *arguments: str) -> str:
    """What *python* prints with *arguments* in *folder*."""
    ran = subprocess.run([python, *arguments], cwd=folder, capture_output=True, text=True,
                         env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"})  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
