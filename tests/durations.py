"""Duration of tests in seconds of CPU: those above QUICK_SECONDS are left out of the quick suite, `make test`.

tests/durations.txt has a line for each of them, which `make test FULL=1` writes anew. A pytest plugin, of conftest.py.
A fixture that tests share is there too, by its file and its name, and leaves out the tests that use it. A test marked
`always` is run however long it takes; so is every test that is named on the command line.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from tests.samples import FULL_SAMPLES

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_suffix(".txt")
QUICK_SECONDS = 0.2
STAY_SECONDS = 0.1
"""A test in the table stays there until it takes less: near the bound it would come and go with every run."""
SHARED_SECONDS = 2.0
"""A shared fixture that takes more is in the table."""
BROWSER = "chromium"
"""The fixture whose own process takes the time, which is not counted here."""
SECONDS = "cpu_seconds"
DESELECTED = pytest.StashKey[int]()


def read_durations(text: str) -> dict[str, float]:
    """Return seconds by the name of a test."""
    return {name: float(seconds) for seconds, _, name in (line.partition(" ") for line in text.splitlines())}


def table_of(before: Mapping[str, float], measured: Mapping[str, float]) -> str:
    """Return the table of what is *measured* and slow, or was *before* and nearly is, in order of their names."""
    slow = {name: seconds for name, seconds in measured.items()
            if seconds > (STAY_SECONDS if name in before else QUICK_SECONDS)}  # fmt: skip
    return "".join(f"{seconds:.1f} {name}\n" for name, seconds in sorted(slow.items()))


def is_quick(item: pytest.Function, slow: Mapping[str, float]) -> bool:
    """Tell if neither the test nor a fixture that it uses is slow; one that is marked `always` passes for quick."""
    file = item.nodeid.partition("::")[0]
    names = {item.nodeid, *(f"{file}::{name}" for name in item.fixturenames)}
    found = slow.keys() & names or BROWSER in item.fixturenames
    return not found or item.get_closest_marker("always") is not None


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="slow tests too; their durations are written anew")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--full"):  # before a module of tests is imported, and for the processes of xdist
        os.environ[FULL_SAMPLES] = "1"
        settings.load_profile("full")
    worker = getattr(config, "workerinput", None)
    named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS if worker is None else worker["named"]
    config.pluginmanager.register(Durations(config, bool(named)), "durations")


class Durations:
    """Leaves out slow tests, unless they are *named* or --full is given, and measures those that run."""

    def __init__(self, config: pytest.Config, named: bool, clock: Callable[[], float] = cpu_seconds) -> None:
        self._config = config
        self._named = named
        self._clock = clock
        self._full = bool(config.getoption("--full"))
        self._before = read_durations(TABLE.read_text("utf-8"))
        self._measured: dict[str, float] = {}
        self._shared: dict[str, float] = {}

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: object) -> None:
        """Tell a process of xdist, whose tests are all named."""
        node.workerinput["named"] = self._named  # type: ignore[attr-defined]

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        if not self._full and not self._named:
            quick = [item for item in items if is_quick(item, self._before)]
            self._config.stash[DESELECTED] = len(items) - len(quick)
            items[:] = quick

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[object]:
        """Measure a fixture of a file without those that it uses, which have been set up before."""
        begin = self._clock()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                self._shared[f"{fixturedef.baseid}::{fixturedef.argname}"] = self._clock() - begin

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        begin = self._clock()
        try:
            return (yield)
        finally:
            shared = {name: seconds * (seconds > SHARED_SECONDS) for name, seconds in self._shared.items()}
            item.user_properties.append((SECONDS, {item.nodeid: self._clock() - begin, **shared}))
            self._shared.clear()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self._measured |= dict(report.user_properties)[SECONDS]

    def pytest_sessionfinish(self) -> None:
        """Write the table of a whole suite, once: in the process that xdist's report to."""
        if self._full and not self._named and not hasattr(self._config, "workerinput"):
            there = {name: seconds for name, seconds in self._before.items() if (ROOT / name.split("::")[0]).exists()}
            TABLE.write_text(table_of(self._before, {**there, **self._measured}), "utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._full and not self._named:
            terminalreporter.write_line(f"{len(self._before)} tests that take more than {QUICK_SECONDS} s were left "
                                        "out, but for some of each kind: make test FULL=1 runs all")  # fmt: skip
