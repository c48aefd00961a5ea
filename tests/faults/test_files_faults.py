"""Files on a disc that is full, or fails: the old one or the new one, whole, one line, and no draft left behind."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spindle.cli.main import main
from tests.faults.faulty import ROOT, perform

TRACE = "time_s,op,lba_512,sectors\n" + "".join(f"{n / 100},R,{n * 977 % 5000},8\n" for n in range(3000))


@pytest.mark.timeout(900)
def test_each_file_outlives_each_call_that_fails(shim: Path, tmp_path: Path) -> None:
    assert int(perform(shim, "tests.faults.files_faults", tmp_path)) > 30


@contextmanager
def limited(most: int) -> Iterator[None]:
    """No file of this process may have more bytes, as with a quota: the system counts them, whoever writes them.

    Python, which would keep what it compiles that short, compiles for itself meanwhile.
    """
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, usual[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)


@pytest.mark.parametrize("words", [
    ("run", "max_iv", "--minutes=1", "--warm-up=0", "--timeline=out.pftrace"),
    ("sweep", "max_iv", "--set=users=1,2", "--set=minutes=1", "--set=warm_up=0", "--workers=1", "--out=out.csv"),
    ("convert", "trace.csv", "out.fio", "--to=fio2"),
    ("curve", "trace.csv", "--out=out.csv"),
], ids=lambda words: words[0])  # fmt: skip
def test_a_file_that_may_not_be_so_long_is_a_mistake_in_one_line(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trace.csv").write_text(TRACE)
    with limited(100):
        status = main(words)
    said = capsys.readouterr().err
    assert (status, said.count("\n")) == (2, 1), said
    assert said.startswith("spindle: cannot ")
    assert ".part" not in said, "the name of a draft says nothing to anybody"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(("out", ".")) and path.is_file()] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here, which Linux has")
@pytest.mark.parametrize("words", [("parameters", "max_iv"), ("--help",)], ids=" ".join)
def test_what_cannot_be_printed_is_no_success(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run([sys.executable, "-m", "spindle", *words], cwd=ROOT, stdout=full, stderr=subprocess.PIPE,
                               text=True, check=False)  # fmt: skip
    assert (ended.returncode, ended.stderr) == (2, "spindle: standard output: No space left on device\n")


def test_a_working_directory_that_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    command = 'cd "$1" && rmdir "$1" && exec "$2" -m spindle convert a b --to csv'
    there = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(["sh", "-c", command, "sh", tmp_path / "gone", sys.executable], env=there,
                           capture_output=True, text=True, check=False)  # fmt: skip
    assert (ended.returncode, ended.stderr) == (2, "spindle: the working directory: No such file or directory\n")
