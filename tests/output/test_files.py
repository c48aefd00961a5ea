"""Tests files written whole or not at all: through links, never over a device or an input, and without drafts left."""

import os
import signal
import socket
import stat
import subprocess
import sys
from contextlib import nullcontext
from contextvars import copy_context
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH
from pathlib import Path
from typing import BinaryIO

import pytest

from spindle.output import files
from spindle.output.files import DRAFT_NAME, draft, growing, lock, same_file, target, write_whole, write_within
from spindle.sim.error import UserError
from spindle.sim.inputs import protect_inputs

ROOT = Path(__file__).parents[2]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_and_raise(path: Path, error: Exception) -> None:
    with draft(path) as file:
        file.write(b"half")
        raise error


def test_no_link_leads_out_of_a_folder_in_which_the_user_gave_no_names(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    write_within(tmp_path / "folder", "deep/page.html", b"page")
    assert (tmp_path / "folder" / "deep" / "page.html").read_bytes() == b"page"
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "folder" / "index.html").symlink_to(tmp_path / "mine")
    (tmp_path / "folder" / "out").symlink_to(tmp_path)
    (tmp_path / "alias").symlink_to(tmp_path / "folder")  # which the user may have named
    write_within(tmp_path / "alias", "deep/page.html", b"new page")
    assert (tmp_path / "folder" / "deep" / "page.html").read_bytes() == b"new page"
    for name in ("index.html", "out/mine"):
        with pytest.raises(UserError, match="is a link, and leads elsewhere: remove it"):
            write_within(tmp_path / "folder", name, b"page")
    assert (tmp_path / "mine").read_bytes() == b"mine"


def test_what_fails_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("of old")
    with pytest.raises(UserError, match=r"^broken$"):
        write_and_raise(path, UserError("broken"))
    assert path.read_text() == "of old"
    assert names(tmp_path) == ["rows.csv"]


def test_a_full_disc_is_named_as_the_cause(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^cannot write .*rows\.csv: No space left on device$"):
        write_and_raise(tmp_path / "rows.csv", OSError(28, "No space left on device"))
    assert names(tmp_path) == []


def test_what_is_written_is_on_the_disc_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        done.append(f"sync {Path(f'/proc/self/fd/{descriptor}').readlink().name[:8]}")
        fsync(descriptor)

    def replaced(source: str, place: Path) -> None:
        assert Path(source).read_bytes() == b"all of it"
        done.append("rename")
        replace(source, place)

    monkeypatch.setattr("spindle.output.files.os.fsync", synced)
    monkeypatch.setattr("spindle.output.files.os.replace", replaced)
    (tmp_path / "folder").mkdir()
    write_whole(tmp_path / "folder" / "x.csv", b"all of it")
    assert done == ["sync .spindle", "rename", "sync folder"]
    done.clear()
    before = os.listdir("/proc/self/fd")
    with growing(tmp_path / "folder" / "log") as log:
        log.file.write(b"all of it")
        log.appear()
        log.file.write(b", and more")
    assert done == ["rename", "sync folder", "sync log"]
    assert os.listdir("/proc/self/fd") == before


def test_what_is_behind_the_name_is_on_the_disc_when_a_file_that_grows_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".spindle-0123456789abcdef.part").touch()
    synced: list[int] = []
    monkeypatch.setattr("spindle.output.files.os.fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_size))
    with growing(tmp_path / "log") as log:
        log.file.write(b"head")
    assert synced == [4]
    assert names(tmp_path) == []


def test_a_draft_that_was_taken_for_left_behind_is_closed_and_another_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[BinaryIO] = []

    def take_the_first(file: BinaryIO) -> bool:
        opened.append(file)
        if len(opened) == 1:
            Path(file.name).unlink()
        return True

    monkeypatch.setattr(files, "_lock", take_the_first)
    write_whole(tmp_path / "x", b"x")
    assert [file.closed for file in opened] == [True, True]
    assert names(tmp_path) == ["x"]


def test_where_a_system_has_no_locks_none_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "CAN_LOCK", False)
    with (tmp_path / "x").open("wb") as file, pytest.raises(OSError, match="posix has no locks of files"):
        lock(file)
    write_whole(tmp_path / "x", b"x")
    assert names(tmp_path) == ["x"]


def test_a_pipe_and_a_socket_stay_what_they_are(tmp_path: Path) -> None:
    pipe, name = tmp_path / "pipe", str(tmp_path / "socket")
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(name)
        for path in (pipe, Path(name), tmp_path, Path("/dev/null")):
            with pytest.raises(UserError, match=rf"^cannot write {path}: it is no regular file$"):
                target(path)
        with pytest.raises(UserError, match=r"it is no regular file$"):
            write_whole(pipe, b"x")
        assert pipe.is_fifo()


def test_a_protected_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "precious.csv"
    path.write_text("mine")
    monkeypatch.setattr("spindle.output.files.os.access", lambda place, _: place != path)
    with pytest.raises(UserError, match=r"the file that is there is protected$"):
        write_whole(path, b"x")
    assert path.read_text() == "mine"


def test_a_private_file_stays_private(tmp_path: Path) -> None:
    path = tmp_path / "private.csv"
    path.touch(0o600)
    write_whole(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "link.csv"
    link.symlink_to(tmp_path / "there" / "real.csv")
    for content in (b"new", b"newer"):
        write_whole(link, content)
        assert (tmp_path / "there" / "real.csv").read_bytes() == content
        assert link.is_symlink()


def test_a_file_that_is_not_there_is_no_other(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    assert not same_file(tmp_path / "nowhere", tmp_path / "there")
    assert not same_file(tmp_path / "there", tmp_path / "nowhere")
    assert same_file(tmp_path / "nowhere", tmp_path / "x" / ".." / "nowhere")


@pytest.mark.parametrize("inputs", [(), (Path("in.csv"),)])
def test_a_name_that_no_file_can_have_is_a_mistake(inputs: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "protected_inputs", lambda: inputs)
    with pytest.raises(UserError, match=r"^cannot write a.*: .*null"):
        target(Path("a\0b"))


def test_where_standard_output_is_closed_nothing_goes_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "STANDARD_OUTPUT", 1 << 20)
    write_whole(tmp_path / "x", b"old")
    write_whole(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"new"


def test_a_lock_is_one_process_s_unless_it_is_shared(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    for shared in (False, True):
        with (tmp_path / "x").open() as one, (tmp_path / "x").open() as other:
            lock(one.fileno(), shared=shared)
            with nullcontext() if shared else pytest.raises(OSError, match="unavailable"):
                lock(other.fileno(), shared=True, wait=False)
            with pytest.raises(OSError, match="unavailable"):
                lock(other.fileno(), wait=False)


def test_a_lock_is_waited_for_unless_that_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr("fcntl.flock", lambda file, flags: asked.append((file, flags)))
    lock(7)
    lock(7, shared=True)
    lock(7, wait=False)
    lock(7, shared=True, wait=False)
    assert asked == [(7, LOCK_EX), (7, LOCK_SH), (7, LOCK_EX | LOCK_NB), (7, LOCK_SH | LOCK_NB)]


def test_a_draft_that_nobody_has_locked_goes_with_the_next_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / ".spindle-0123456789abcdef.part.csv"
    left.touch()
    with draft(tmp_path / "x.csv") as file:
        assert not left.exists()
        mine = Path(file.name)
        assert DRAFT_NAME.fullmatch(mine.name)
        assert mine.suffix == ".csv"
        write_whole(tmp_path / "y.csv", b"y")
        assert mine.exists()
    left.touch()

    def gone(path: Path) -> None:
        raise FileNotFoundError(path)  # another process was first

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", gone)
        write_whole(tmp_path / "z.csv", b"z")
    assert names(tmp_path) == [left.name, "x.csv", "y.csv", "z.csv"]


def test_what_a_system_cannot_do_to_a_folder_or_a_file_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders that cannot be opened or synced, and files without modes."""
    def refuse(*_: object) -> int:
        raise OSError(22, "Invalid argument")

    for number, name in enumerate(("open", "fsync")):
        with monkeypatch.context() as patch:
            sync = os.fsync
            patch.setattr(files.os, name, refuse if name == "open" else
                          lambda place, sync=sync: refuse() if stat.S_ISDIR(os.fstat(place).st_mode) else sync(place))
            patch.delattr(files.os, "fchmod")
            write_whole(tmp_path / "x", bytes([number]))
        assert (tmp_path / "x").read_bytes() == bytes([number])


def test_a_circle_of_links_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(UserError, match=r"^cannot write .*/a: Too many levels of symbolic links$"):
        write_whole(tmp_path / "a", b"x")


def test_what_is_read_is_spared_by_whatever_name(tmp_path: Path) -> None:
    read = tmp_path / "read"
    read.write_text("mine")
    (tmp_path / "hard").hardlink_to(read)
    (tmp_path / "soft").symlink_to(read)
    (tmp_path / "folder").symlink_to(tmp_path)

    def command() -> None:
        protect_inputs(read)
        for name in ("read", "hard", "soft", "folder/read", "other/../read"):
            with pytest.raises(UserError, match=r"^cannot write .*: it is to be read$"):
                write_whole(tmp_path / name, b"x")

    (tmp_path / "other").mkdir()
    copy_context().run(command)
    assert read.read_text() == "mine"
    write_whole(read, b"of the next command")
    assert read.read_text() == "of the next command"
    assert not same_file(read, tmp_path / "hard"), "the new file has only the name that was given"


KILLED = """
import os, signal, sys
from pathlib import Path
from spindle.output.files import draft

with draft(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print(file.name, flush=True)
    os.kill(os.getpid(), signal.SIGKILL) if sys.argv[2] == "killed" else sys.stdin.read()
"""


def test_the_draft_of_a_process_that_was_killed_goes_and_that_of_one_at_work_stays(tmp_path: Path) -> None:
    others = [".spindle-notes", ".spindle-0123456789abcdef.part.d", ".spindle-0123456789abcde.part"]
    (tmp_path / others[0]).touch()
    (tmp_path / others[1]).mkdir()
    (tmp_path / others[2]).touch()
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "mine").touch()
    (tmp_path / ".spindle-00000000000000ff.part").symlink_to(kept / "mine")

    def start(how: str) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-c", KILLED, tmp_path / "rows.csv", how], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})

    with start("killed") as killed:
        left = Path((killed.communicate()[0]).strip())
    assert killed.returncode == -signal.SIGKILL
    assert left.parent == tmp_path
    assert left.read_bytes() == b"half"
    with start("at work") as working:
        assert working.stdout is not None
        draft_at_work = Path(working.stdout.readline().strip())
        write_whole(tmp_path / "another.csv", b"whole")
        assert not left.exists()
        assert draft_at_work.exists()
        working.communicate("")
    assert (working.returncode, (tmp_path / "rows.csv").read_bytes()) == (0, b"half")
    assert names(tmp_path) == sorted(["another.csv", "kept", "rows.csv", *others, ".spindle-00000000000000ff.part"])
    assert (kept / "mine").exists()


def test_what_is_standard_output_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "page").open("w") as page:
        monkeypatch.setattr(files, "STANDARD_OUTPUT", page.fileno())
        with pytest.raises(UserError, match="what the command prints goes there"):
            write_whole(tmp_path / "page", b"x")


def test_what_the_command_prints_is_not_replaced(tmp_path: Path) -> None:
    code = ("import sys; from pathlib import Path; from spindle.output.files import write_whole\n"
            "print('page', flush=True); write_whole(Path(sys.argv[1]), b'x')")
    page = tmp_path / "page.txt"
    with page.open("w") as out:
        run = subprocess.run([sys.executable, "-c", code, page], stdout=out, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert run.stderr.endswith("page.txt: what the command prints goes there\n")
    assert page.read_text() == "page\n"


def test_a_file_that_grows_has_its_name_once_it_appears(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("old")
    with growing(path) as log:
        log.file.write(b"head\n")
        assert path.read_text() == "old"
        log.appear()
        assert path.read_text() == "head\n"
        log.file.write(b"row\n")
        log.file.flush()
        assert path.read_text() == "head\nrow\n"
    assert [each.name for each in tmp_path.iterdir()] == ["log.csv"]


def test_a_file_that_never_appears_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with growing(tmp_path / "log.csv") as log:
            log.file.write(b"head\n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not list(tmp_path.iterdir())
