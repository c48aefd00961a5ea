"""What tests share: a clock, a log, the folder of reference data, and examples that are the same on every run."""

import gc
import logging
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
import simpy
from hypothesis import settings

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

gc.disable()  # until all tests are collected

settings.register_profile("repeatable", max_examples=30, derandomize=True, deadline=None)
settings.load_profile("repeatable")

ROOT = Path(__file__).parents[1]
LONGEST = ["test_types", "test_tasks", "test_notebooks"]


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
