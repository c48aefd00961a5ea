"""Everyday tasks, each of at most ten lines typed in an empty folder where Spindle is installed from a wheel."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

import spindle
from tests.installed import fresh_python, install, output

ROOT = Path(__file__).parents[1]
SCRIPTS = {path.stem: path for path in sorted((ROOT / "tests" / "tasks").glob("*.sh"))}
MAX_LINES = 10
PACKED = ("spindle", "sim", "workloads", "models", "notebooks")
FILES = ("pyproject.toml", "requirements.txt", "requirements-notebooks.txt", "README.md", "LICENSE", "setup.py")
PORT = "8786"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment into which wheels of this tree and of the example of a policy were installed."""
    folder = tmp_path_factory.mktemp("installed")
    tree, example = folder / "tree", folder / "lru2"
    for name in PACKED:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, tree)
    built = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    shutil.copytree(ROOT / "examples" / "lru2", example, ignore=built)
    python = fresh_python(folder)
    install(python, tree, example)
    shutil.rmtree(tree)
    dask = python.with_name("dask")  # as pip would have made it, were Dask installed here and not beside
    dask.write_text(f"#!{python}\nfrom dask.__main__ import main\nif __name__ == '__main__':\n    main()\n")
    dask.chmod(0o755)
    return python


def typed(script: Path, folder: Path, python: Path) -> str:
    """What *script* prints in *folder*; it ends at the first command that fails, and nothing that it began stays."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        text = script.read_text().replace(PORT, str(free.getsockname()[1]))
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"PATH": path, "CHECKOUT": str(ROOT)}
    with tempfile.TemporaryFile("w+") as page:  # no pipe: what the script left behind would hold it open
        shell = subprocess.Popen(["bash", "-e", "-c", text], cwd=folder, env=environment, stdout=page,
                                 stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
        try:
            status = shell.wait(timeout=300)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
        page.seek(0)
        printed = page.read()
    assert status == 0, printed
    return printed


def number(pattern: str, page: str) -> float:
    """The one number in *page* where *pattern* has a group."""
    (text,) = re.findall(pattern, page, re.MULTILINE)
    return float(text.replace(",", ""))


def transaction(page: str, folder: Path) -> None:
    assert "till.tepe: OK\nTILLS: 12 terminals" in page
    parts = map(float, re.findall(r"^ +[a-z ]+ ([\d.]+) s *#*$", page, re.MULTILINE))
    mean, responses = map(float, re.findall(r"^ +([\d.]+) .* ([\d,]+)$", page, re.MULTILINE)[0])
    assert sum(parts) == pytest.approx(mean, abs=0.002)
    assert 200 < responses < 12 * 180 / 5  # as many as twelve could give who only think


def trace(page: str, folder: Path) -> None:
    """The curve and the replay count the same hits."""
    rows = [[float(each) for each in row] for row in re.findall(r"^ +(\d+) +[\d.]+ +([\d.]+)% +([\d.]+)% +([\d.]+)%",
                                                               page, re.MULTILINE)]  # fmt: skip
    assert [row[0] for row in rows] == [100, 400, 1600]
    assert all(belady >= max(lru, arc) for _, lru, arc, belady in rows)
    reads, writes = (number(rf"^{kind} +[\d,]+ +([\d.]+)% ", page) for kind in ("reads", "writes"))
    assert 0.8 * reads + 0.2 * writes == pytest.approx(rows[1][2], abs=0.5)
    assert "Hitachi 7K1000.C" in page


def drive(page: str, folder: Path) -> None:
    assert number(r"^all +3 measured +([\d.]+)", page) == (20.1 + 22.4 + 31.0) / 3
    assert number(r"([\d.]+) of 1 promises are kept", page) == 1
    seeks, rotations = (re.findall(rf"^ +{part} +([\d.]+) ", page, re.MULTILINE) for part in ("seek", "rotation"))
    assert seeks[0] == seeks[1]
    assert float(rotations[0]) / float(rotations[1]) == pytest.approx(2, rel=0.1)


def policy(page: str, folder: Path) -> None:
    assert "9 of 9 promises are kept" in page
    hits = pd.read_csv(folder / "hits.csv").set_index("policy")["hit_ratio"]
    assert hits["mine.py:Mru"] < hits["lru"]


def cluster(page: str, folder: Path) -> None:
    """The script ends where the two tables differ."""
    assert "far.csv: 4 rows" in page
    assert list(pd.read_csv(folder / "far.csv")["policy"]) == ["lru2", "lru2", "lru", "lru"]


def wheel(page: str, folder: Path) -> None:
    assert page.startswith(f"Spindle {spindle.__version__}")
    where = re.search(r"^(\S+)/spindle/__init__.py (\S+)/spindle/models/__init__.py (\d+)$", page, re.MULTILINE)
    assert where is not None
    assert where[1] == where[2] != str(ROOT)
    assert int(where[3]) == len(spindle.__all__)
    assert "where the time goes" in page
    assert "33.33%" in page
    there, copies = (len(list(place.rglob("*.ipynb"))) for place in (ROOT / "notebooks", folder / "lessons"))
    assert page.count(".ipynb: ") == copies == there


def interrupted(page: str, folder: Path) -> None:
    """The script ends where the two tables differ."""
    assert "\npoints.sqlite\n" in f"\n{page}"
    assert page.count("cut.csv: 4 rows") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["cut.csv", "whole.csv"]


def sweep(page: str, folder: Path) -> None:
    frame = pd.read_csv(folder / "sizes.csv")
    hits = frame.groupby(["fetch_random", "memory"])["hit_ratio"].mean()
    assert list(hits.index) == [(1024, 2e6), (1024, 8e6), (16384, 2e6), (16384, 8e6)]
    assert hits[16384, 8e6] > hits[1024, 8e6]


def capacity(page: str, folder: Path) -> None:
    """The answer parts the values that were probed into those that meet the condition and those that do not."""
    answer = number(r"largest terminals .*: (\d+) \(", page)
    probed = {int(users): float(mean) for users, mean in re.findall(r"^ +(\d+) +([\d.]+) s ", page, re.MULTILINE)}
    assert {users for users, mean in probed.items() if mean <= 0.5} == {users for users in probed if users <= answer}
    assert 20 < answer < 60


def course(page: str, folder: Path) -> None:
    predicted, slip, right = page.splitlines()
    assert predicted == "Written down: 3. Now run it."
    assert slip.endswith("A user's cycle is thinking and waiting; take the waiting off.")
    assert right.startswith("Right. Your prediction was ")


def certificates(page: str, folder: Path) -> None:
    assert len(pd.read_csv(folder / "far.csv")) == 2


def plot(page: str, folder: Path) -> None:
    assert "total service time, s\n" in page
    assert re.search(r"64 KiB +cache +1 MiB", page)
    assert "policy: ● lru   ▲ fac" in page
    assert (folder / "hits.png").read_bytes().startswith(b"\x89PNG")
    assert "as a share of hits, late hits and misses" in " ".join(page.split())


def over_trace(page: str, folder: Path) -> None:
    """Flash is faster than a disc, and a cache helps it; the cache that is found lies between those searched."""
    means = pd.read_csv(folder / "answers.csv").groupby(["drive", "cache"])["response_mean"].mean()
    assert means["intels3700", 0] < means["hp7933", 0]
    assert means["hp7933", 1 << 20] < means["hp7933", 0]
    assert "smallest cache with response_mean <= 20 ms: " in page


def own_machine(page: str, folder: Path) -> None:
    frame = pd.read_csv(folder / "mine.csv")
    means = frame.groupby("drive")["response_mean"].mean()
    assert means["intels3700"] < means["hp7933"]
    assert set(frame["policy"]) == {"lru", "s3-fifo"}


def picture(page: str, folder: Path) -> None:
    assert all((folder / name).read_bytes().startswith(b"\x89PNG") for name in ("users.png", "responses.png"))


def raid(page: str, folder: Path) -> None:
    """A small write of RAID 5 waits for what it has to read; a read does not."""
    five, ten = [float(mean) for mean in re.findall(r"^writes +200 simulated +([\d.]+)", page, re.MULTILINE)]
    assert five > 1.5 * ten


def by_device(page: str, folder: Path) -> None:
    slowest = {name: float(ms) for name, ms in re.findall(r"^(disk\d) +([\d.]+)$", page, re.MULTILINE)}
    assert set(slowest) == {"disk0", "disk1", "disk2"}
    assert slowest["disk0"] < min(slowest["disk1"], slowest["disk2"])


def kv_tiers(page: str, folder: Path) -> None:
    """More memory hits more; a table of tiers for each policy."""
    hits = pd.read_csv(folder / "kv.csv").groupby("dram")["hit_share"].min()
    assert hits["1G"] < hits["16G"]
    assert re.findall(r"^exclusive tiers, (\S+)", page, re.MULTILINE) == ["lru", "s3-fifo"]


def cite(page: str, folder: Path) -> None:
    used = (folder / "used.bib").read_text()
    assert [used.count(entry) for entry in ("@software{spindle", "McBride", "{ARC}")] == [1, 1, 1]
    assert "Jacobson" in page


def beside(page: str, folder: Path) -> None:
    theirs, sim, ours = page.splitlines()[-1].split()
    assert Path(theirs).parent == folder / "models"
    assert Path(sim) == folder / "sim.py"
    assert "site-packages/spindle/models/max_iv" in ours
    assert "where the time goes" in page


def docker(page: str, folder: Path) -> None:
    assert "33.33%" in page


def builds_images() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True).returncode == 0


CHECKS: Mapping[str, Callable[[str, Path], None]] = {
    each.__name__: each for each in (
        capacity, transaction, sweep, trace, drive, policy, cluster, certificates, wheel, interrupted, course,
        plot, over_trace, own_machine, picture, raid, by_device, kv_tiers, cite, beside, docker,
    )
}


def test_every_script_is_checked() -> None:
    assert set(SCRIPTS) == set(CHECKS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_states_its_task_and_takes_ten_lines(name: str) -> None:
    task, *lines = SCRIPTS[name].read_text("utf-8").splitlines()
    assert task.startswith("# ")
    assert 1 <= len(lines) <= MAX_LINES
    assert [line for line in lines if line.startswith("#") or len(line) > 126] == []


@pytest.mark.timeout(600)  # wheels are built, and an environment is made
@pytest.mark.parametrize("name", CHECKS)
def test_a_task_is_done(name: str, installed: Path, tmp_path: Path) -> None:
    if name == "docker" and not builds_images():
        pytest.skip("no docker that answers, to build the image with")
    CHECKS[name](typed(SCRIPTS[name], tmp_path, installed), tmp_path)


def test_an_installed_spindle_knows_what_the_report_needs(installed: Path, tmp_path: Path) -> None:
    """Its template, the claims and the scripts; the whole report takes minutes."""
    code = ("from spindle.systems import systems\n"
            "from spindle.studies.report.report import _template\n"
            "pages = [_template(page) for page in ('report.html', 'system.html')]\n"
            "print(all(each.claims.is_file() for each in systems(None)), *(len(page.blocks) for page in pages))")
    assert output(installed, tmp_path, "-c", code) == "True 1 2\n"
