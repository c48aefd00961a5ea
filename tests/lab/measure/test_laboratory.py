"""The laboratory on small files: what it leaves out and says so, and that nothing stays behind, whatever happens."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from spindle.lab.measure import laboratory
from spindle.lab.measure import programs as loops
from spindle.lab.measure.laboratory import Laboratory, environment, in_memory, summarise, terminable
from spindle.lab.measure.libc import Took
from spindle.lab.measure.programs import TimedCalls
from spindle.lab.measure.scratch import Scratch
from spindle.lab.measure.table import Cell, ProgramStart, cells
from spindle.sim.error import UserError
from spindle.sim.units import MIB
from spindle.workloads.stdio import Flag

SIZE = 2 * MIB
EVERY = {cell.title: cell for cell in cells(SIZE)}
MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where programs have their temporary files, which is on a disc more often than those of tests are."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


def test_a_row_is_the_median_of_runs() -> None:
    runs = [
        TimedCalls(10, reached, Took(elapsed, 0.5 * elapsed), 11)
        for reached, elapsed in ((10, 3.0), (5, 1.0), (10, 2.0))
    ]
    row = summarise(EVERY["w04 512"], runs, "by hand")
    assert (row.runs, row.calls, row.reached, row.system_calls) == (3, 30, 10, 33)
    assert (row.low, row.median, row.high, row.undisturbed, row.seconds) == pytest.approx((0.15, 0.2, 0.25, 0.1, 0.1))
    row = summarise(EVERY["w01 1 O_SYNC"], [*runs, TimedCalls(10, 10, Took(4.0, 0.1), None)], "by hand")
    assert (row.undisturbed, row.system_calls) == (None, None)
    assert row.seconds == row.median == pytest.approx(0.25)
    row = summarise(EVERY["w04 512"], [TimedCalls(10, 10, Took(-1.0, -1.0), None)], "by hand")
    assert row.seconds == row.low == row.median == row.high == 1e-10


def test_drives_that_refuse_are_left_out_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laboratory, "in_memory", lambda folder: False)
    monkeypatch.setitem(loops.OPEN_FLAGS, Flag.DIRECT, os.O_DIRECTORY)  # which no file is
    found = Laboratory(tmp_path, SIZE, 0.1).work()
    direct = [cell for cell in EVERY.values() if cell.program.direct]
    by_reason = [line.split(": ") for line in found.left_out]
    assert {reason for _, reason in by_reason} <= {"Not a directory", "Invalid argument"}  # kernels differ
    assert all(titles.count("O_DIRECT") == 3 and titles.endswith(" more") for titles, _ in by_reason)
    assert sum(3 + int(titles.split()[-2]) for titles, _ in by_reason) == len(direct)
    assert {row.cell for row in found.rows} == {cell for cell in EVERY.values() if not cell.program.direct}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not MEMORY.is_dir() or not in_memory(MEMORY), reason="there is no folder in memory")
def test_a_folder_in_memory_has_no_drive() -> None:
    with TemporaryDirectory(dir=MEMORY) as folder:
        found = Laboratory(Path(folder), SIZE, 0.1).work()
        assert list(Path(folder).iterdir()) == []
    assert found.left_out == [laboratory.NO_DISC]
    assert {row.cell for row in found.rows} == {cell for cell in EVERY.values() if not cell.waits}
    assert environment(MEMORY)["file system"].startswith("tmpfs")


def test_time_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that shows a second more at each look, two rounds of cells do not fit into 60."""
    seconds = iter(range(10_000))
    monkeypatch.setattr(laboratory, "monotonic", lambda: next(seconds))
    ran: list[Cell] = []

    class Bench:
        def __init__(self, *_: Any) -> None: ...

        def run(self, cell: Cell, seconds: float) -> TimedCalls:
            ran.append(cell)
            return TimedCalls(1, 1, Took(1.0, 1.0), None)

    monkeypatch.setattr(laboratory, "MeasureBench", Bench)
    found = Laboratory(tmp_path, SIZE, 60.0).work()
    assert len(ran) == 60
    assert len(found.rows) == len(EVERY)
    ran.clear()
    found = Laboratory(tmp_path, SIZE, 10.0).work()
    assert len(ran) == len(found.rows) == 30
    (line,) = found.left_out
    assert line.endswith(f" and {len(EVERY) - 30 - 3} more: no time was left for it")


def test_what_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="cannot write a file of 2097152 bytes: No space left on device"):
        Laboratory(tmp_path, SIZE, 0.1).work()
    assert list(tmp_path.iterdir()) == []


WORKING = """
import os, sys, time
from pathlib import Path
from spindle.lab.measure.laboratory import terminable
from spindle.lab.measure.scratch import Scratch

for folder in sys.argv[1:]:
    if not os.fork():  # a process for each, but what takes a second to import is there
        with terminable(), Scratch(Path(folder), 1).file(named=True):
            os.write(1, f"{Path(folder).name} {os.getpid()}\\n".encode())  # at once, for others write there, too
            time.sleep(60)
        os._exit(0)
for _ in sys.argv[1:]:
    process, status = os.wait()
    print(process, os.waitstatus_to_exitcode(status), flush=True)
"""
ENDED = {signal.SIGINT: 1, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
"""The signals that end a laboratory, and with which status where it is not the signal."""


def test_nothing_stays_of_a_laboratory_that_is_ended(tmp_path: Path) -> None:
    folders = {how: tmp_path / how.name for how in ENDED}
    for folder in folders.values():
        folder.mkdir()
    command = [sys.executable, "-c", WORKING, *map(str, folders.values())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        assert parent.stdout is not None
        working = dict(parent.stdout.readline().split() for _ in ENDED)
        assert [len(list(folder.iterdir())) for folder in folders.values()] == [1] * len(ENDED)
        for how in ENDED:
            os.kill(int(working[how.name]), how)
        ended = dict(parent.stdout.readline().split() for _ in ENDED)
    for how, folder in folders.items():
        assert int(ended[working[how.name]]) in (ENDED[how], -how)
        left = len(list(folder.iterdir()))
        assert left == (how is signal.SIGKILL)
        assert Scratch(folder, 1).sweep() == left
        assert list(folder.iterdir()) == []


def test_handlers_are_what_they_were() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended, terminable():
        signal.raise_signal(signal.SIGTERM)
    assert ended.value.code == 143
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_environment_says_nothing_of_its_user(tmp_path: Path) -> None:
    said = environment(tmp_path)
    assert said["kernel"].startswith("Linux ")
    assert {"file system", "processors"} <= set(said)
    assert all(0 < len(text) <= 120 and len(text.splitlines()) == 1 for text in said.values())
    assert os.uname().nodename not in " ".join(said.values()).split()
    assert str(tmp_path) not in str(said)
    assert EVERY["r01 1 warm"].start is ProgramStart.WARM
