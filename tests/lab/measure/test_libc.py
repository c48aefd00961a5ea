"""Work that has a table of open files of its own: it alone has it."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from spindle.lab.measure import call_cost, libc
from spindle.lab.measure.libc import LIBRARY, Memory, Took, measure_time, run_in_thread, stream


def test_what_is_opened_later_is_open_to_threads_that_were_there_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"6")
    with ThreadPoolExecutor(1) as other:
        other.submit(int).result()
        assert run_in_thread(lambda: 7) == 7
        with (tmp_path / "file").open("rb") as file:
            assert other.submit(os.pread, file.fileno(), 1, 0).result() == b"6"


@pytest.mark.skipif(not hasattr(LIBRARY, "unshare"), reason="tables of open files are parted on Linux alone")
def test_what_is_opened_alone_is_open_to_nobody_else(tmp_path: Path) -> None:
    descriptor = run_in_thread(partial(os.open, tmp_path, os.O_RDONLY))
    with pytest.raises(OSError, match=os.strerror(errno.EBADF)):
        os.fstat(descriptor)


def test_what_it_raises_is_raised(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run_in_thread(partial(os.open, tmp_path / "nothing", os.O_RDONLY))


def test_where_a_table_of_files_cannot_be_private_work_is_done_with_that_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(libc, "LIBRARY", object())
    assert run_in_thread(lambda: 6) == 6


def test_a_file_that_cannot_be_opened_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=os.strerror(errno.ENOENT)), stream(str(tmp_path / "nothing")):
        pass
    (tmp_path / "file").touch()
    before = os.listdir("/proc/self/fd")
    with stream(str(tmp_path / "file")):
        assert len(os.listdir("/proc/self/fd")) == len(before) + 1
    assert os.listdir("/proc/self/fd") == before


def test_a_stream_without_a_file_is_closed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    closed, close = list[object](), libc.FCLOSE
    monkeypatch.setattr(libc, "FCLOSE", lambda stream: closed.append(stream) or close(stream))
    with pytest.raises(KeyError), call_cost._endless() as stream:
        raise KeyError
    assert closed == [stream]


def test_work_takes_time_on_the_clock_and_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = {"perf_counter": iter([10.0, 13.0]), "thread_time": iter([1.0, 1.5])}
    for name, times in clocks.items():
        monkeypatch.setattr(libc, name, partial(next, times))
    done, took = measure_time(lambda: "done")
    assert (done, took) == ("done", Took(elapsed=3.0, cpu=0.5))
    assert took.plus(Took(1.0, 2.0)) == Took(4.0, 2.5)
    assert took.minus(Took(1.0, 0.25)) == Took(2.0, 0.25)
    monkeypatch.setattr(call_cost, "measure_time", lambda work: (work(), Took(9.0, 8192.0)))
    assert call_cost._time_call(lambda: 4096) == 2.0
    with pytest.raises(OSError, match="cannot be read"):
        call_cost._time_call(lambda: 4095)


def test_memory_begins_with_a_page_and_has_sixes() -> None:
    memory = Memory(5)
    assert bytes(memory.view) == b"66666"
    assert memory.address.value is not None
    assert memory.address.value % 4096 == 0
