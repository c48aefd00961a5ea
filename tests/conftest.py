"""What tests share: a clock, a log, the folder of reference data, and examples that are the same on every run."""

import builtins
import gc
import logging
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import simpy
from hypothesis import settings

from spindle.questions import field
from tests.samples import FULL_SAMPLES

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Whoever starts the tests in the background hands this on to every process, and none could be interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ["MPLBACKEND"] = "Agg"
os.environ["LOKY_MAX_CPU_COUNT"] = "1"  # where no test says more, sweeps need no processes of their own

# Loops are optimised less, into a folder of their own. Without any optimisation numba keeps none that calls another.
os.environ["NUMBA_OPT"] = "1"
os.environ["NUMBA_CACHE_DIR"] = str(Path(__file__).parents[1] / ".pytest_cache" / "loops")

MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 1 << 30:
    # Of what is kept safely on a disc, the disc takes most of the time: temporary folders lie in memory.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# jsonschema would build a grammar of addresses from it, for two seconds whatever is tested; nothing here asks for one.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# What a library logs is not printed into what a test reads.
logging.getLogger().addHandler(logging.NullHandler())


def refuse_truth(part: object) -> bool:
    """Stand in for the truth of an object with a length, which would be false while it is empty."""
    raise AssertionError(f"a truth test of {type(part).__name__}, which has a length: ask len(...) or `is None`")


def build_class(body: Callable[[], object], name: str, *bases: object, **words: object) -> object:
    """Build a class as Python does; a class of Spindle that has a length gets no truth."""
    made = make_class(body, name, *bases, **words)
    own = made.__module__.partition(".")[0] == "spindle" and not getattr(made, "_is_protocol", False)
    if own and "__len__" in vars(made) and not {"__bool__", "__getitem__", "__iter__"} & {*dir(made)}:
        made.__bool__ = refuse_truth
    return made


make_class = builtins.__build_class__
builtins.__build_class__ = build_class

gc.disable()  # until all tests are collected

for name, examples in (("repeatable", 30), ("full", 50)):
    settings.register_profile(name, max_examples=examples, derandomize=True, deadline=None)
settings.load_profile("full" if os.environ.get(FULL_SAMPLES) else "repeatable")

pytest_plugins = ["tests.durations"]

ROOT = Path(__file__).parents[1]
LONGEST = ["test_packages", "test_tasks", "test_notebooks"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first: at the end no process waits for the other."""
    items.sort(key=lambda item: [*LONGEST, item.path.stem].index(item.path.stem))


def pytest_collection_finish() -> None:
    """No collection of garbage needs to look through thousands of tests, which stay until the end.

    Afterwards it comes seldom: it took a tenth of the time of a simulation.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(500_000, 50, 100)


@pytest.fixture(autouse=True)
def plain_names() -> None:
    """Messages name fields as Python writes them, whatever parser a test has asked before."""
    field._spelling.set(str)


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Install the package spindle-mine with a text of entry points in tmp_path, as pip leaves one behind."""
    from spindle.sim import offers

    def install(entry_points: str) -> None:
        about = tmp_path / "spindle_mine-1.0.dist-info"
        about.mkdir(exist_ok=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: spindle-mine\nVersion: 1.0\n", "utf-8")
        (about / "entry_points.txt").write_text(entry_points, "utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        offers._offers.cache_clear()

    yield install
    monkeypatch.undo()
    offers._offers.cache_clear()


@pytest.fixture
def env() -> simpy.Environment:
    return simpy.Environment()


@pytest.fixture
def log() -> list[object]:
    """An empty list, for the processes of a test to write (time, what) into."""
    return []


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of other people's measurements; the product never needs it, some tests compare with it."""
    folder = Path(os.environ.get("SPINDLE_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"reference data is not at {folder}; name its folder in SPINDLE_SHARED")
    return folder
