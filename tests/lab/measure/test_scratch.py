"""Scratch files: none stays, whatever happens, and those of killed processes are found by the next."""

import fcntl
import os
from pathlib import Path

import pytest

from spindle.lab.measure.scratch import Scratch
from spindle.sim.error import UserError

LEFT = "spindle-measure.0123456789abcdef.scratch"


def test_a_file_has_no_name_and_can_be_opened_again(tmp_path: Path) -> None:
    with Scratch(tmp_path, 1).file() as path:
        assert list(tmp_path.iterdir()) == []
        Path(path).write_bytes(b"kept")
        assert Path(path).read_bytes() == b"kept"


def test_a_file_that_needs_its_name_has_one_as_long_as_it_is_used(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path, 1)
    with scratch.file(named=True) as path:
        (found,) = tmp_path.iterdir()
        Path(path).write_bytes(b"kept")
        assert found.read_bytes() == b"kept"
        assert found.stat().st_mode & 0o777 == 0o600
        assert scratch.sweep() == 0  # it is in use
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, OSError])
def test_it_is_gone_however_its_use_ends(tmp_path: Path, named: bool, end: type[BaseException]) -> None:
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(end), Scratch(tmp_path, 1).file(named=named):
        raise end
    assert list(tmp_path.iterdir()) == []
    assert set(os.listdir("/proc/self/fd")) == before


def test_what_was_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / LEFT).write_bytes(b"left")
    (tmp_path / "spindle-measure.notes.scratch").write_bytes(b"somebody's")
    (tmp_path / LEFT.replace("0", "1")).symlink_to(tmp_path / "spindle-measure.notes.scratch")
    (tmp_path / LEFT.replace("0", "2")).mkdir()
    assert Scratch(tmp_path, 1).sweep() == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["spindle-measure.notes.scratch", LEFT.replace("0", "1"), LEFT.replace("0", "2")]
    )


def test_what_somebody_works_with_is_not_swept(tmp_path: Path) -> None:
    with (tmp_path / LEFT).open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert Scratch(tmp_path, 1).sweep() == 0
    assert Scratch(tmp_path, 1).sweep() == 1


def test_it_needs_a_folder_that_can_be_written_and_has_room(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for place in ("file", "nowhere"):
        with pytest.raises(UserError, match=f"measure needs a folder .* which {tmp_path}/{place} is not"):
            Scratch(tmp_path / place, 1)
    with pytest.raises(UserError, match=r"bytes free; files of \d+ need \d+ \(--size makes them smaller\)"):
        Scratch(tmp_path, 1 << 60)


def test_a_folder_that_nothing_can_be_made_in_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)  # root may write everywhere
        with pytest.raises(UserError, match="nothing can be written into"):
            Scratch(tmp_path, 1)
    scratch = Scratch(tmp_path, 1)
    tmp_path.rmdir()
    with pytest.raises(UserError, match="cannot make a file in"), scratch.file():
        pass
    tmp_path.mkdir()
