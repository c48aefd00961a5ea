"""What is installed from a wheel works in an empty folder, far from any checkout."""

import shutil
from pathlib import Path

import pytest

import sim
import spindle
from tests.installed import fresh_python, install, output

ROOT = Path(__file__).parents[1]
PACKED = ("spindle", "sim", "workloads", "models", "notebooks")
FILES = ("pyproject.toml", "requirements.txt", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment into which a wheel of this tree was installed."""
    folder = tmp_path_factory.mktemp("wheel")
    tree = folder / "tree"
    tree.mkdir()
    for name in PACKED:
        shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, tree)
    python = fresh_python(folder)
    install(python, tree)
    shutil.rmtree(tree)
    return python


@pytest.mark.timeout(600)  # a wheel is built, and an environment made
def test_an_installed_spindle_needs_no_checkout(installed: Path, tmp_path: Path) -> None:
    command = str(installed.with_name("spindle"))
    where = output(installed, tmp_path, "-c", "import spindle, models; print(spindle.__file__, models.__file__)")
    assert where.count(str(installed.parents[1])) == 2
    assert output(installed, tmp_path, command, "--version").startswith(f"Spindle {spindle.__version__}")
    names = "from spindle import Computer, Lru, __all__; print(len(__all__))"
    assert int(output(installed, tmp_path, "-c", names)) == len(sim.__all__) + 1
    page = output(installed, tmp_path, command, "run", "max_iv", "--minutes=2min", "--warm-up=0", "--seed=2")
    assert "where the time goes" in page
    (tmp_path / "trace.csv").write_text("op,lba,sectors\n" + "".join(f"R,{8 * (n % 7)},8\n" for n in range(60)))
    assert "lru" in output(installed, tmp_path, command, "curve", "trace.csv", "--policy", "lru", "--sizes", "4,8")
    copied = output(installed, tmp_path, command, "notebooks", "lessons").splitlines()
    there, copies = (list(folder.rglob("*.ipynb")) for folder in (ROOT / "notebooks", tmp_path / "lessons"))
    assert len(copied) == len(copies) == len(there)


def test_an_installed_spindle_knows_what_the_report_needs(installed: Path, tmp_path: Path) -> None:
    """Its template, the claims and the scripts; the whole report takes minutes, the pages of the reference a second."""
    assert "max_iv" in output(installed, tmp_path, "-m", "models", "list")
    output(installed, tmp_path, "-m", "models", "reference", "pages")
    assert (tmp_path / "pages" / "index.html").is_file()
    claims = ("from models.commands.arguments import systems\n"
              "print(all(each.claims.is_file() for each in systems(None)))")  # fmt: skip
    assert output(installed, tmp_path, "-c", claims) == "True\n"
    template = "from sim.report.report import _template; print(len(_template().blocks))"
    assert output(installed, tmp_path, "-c", template) == "0\n"
