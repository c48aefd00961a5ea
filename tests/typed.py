"""Types of the package as it is installed: mypy --strict over links under build/.

`python -m tests.typed` is what `make lint` runs. mypy knows no package in two places; what it knows of unchanged files
is kept in .mypy_cache.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
TREE = ROOT / "build" / "typed"
OUTER = ("sim", "models", "workloads")


def link_tree() -> None:
    """Make the folder that looks like the installed package."""
    package = TREE / "spindle"
    package.mkdir(parents=True, exist_ok=True)
    for link in package.iterdir():
        link.unlink()
    inner = [path for path in (ROOT / "spindle").iterdir() if path.name != "__pycache__"]
    for path in (*inner, *(ROOT / name for name in OUTER)):
        (package / path.name).symlink_to(path)


def mypy(options: Sequence[str] = ()) -> int:
    """Run mypy as pyproject.toml says; return its exit status."""
    link_tree()
    return subprocess.run([sys.executable, "-m", "mypy", *options], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(mypy(sys.argv[1:]))
