"""Work that has a table of open files of its own: it alone has it."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from spindle.lab.measure.libc import LIBRARY, run_in_thread, stream


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


def test_a_file_that_cannot_be_opened_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=os.strerror(errno.ENOENT)), stream(str(tmp_path / "nothing")):
        pass
