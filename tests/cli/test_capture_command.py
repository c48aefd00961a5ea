"""Tests ``spindle capture`` with stand-ins for its tools: the trace, its description, and missing tools."""

import os
import subprocess
from pathlib import Path
from struct import pack
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import capture
from spindle.cli.main import main
from spindle.sim.error import UserError

READ_QUEUED = 1 | 1 << 20 | 1 << 16
EVENTS = [(second * 10**9 // 100, 8 * (second % 10)) for second in range(40)]
"""Nanoseconds and sectors: ten blocks that are read again and again."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a device, and a folder of tools that is all of PATH."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "sdz").touch()
    monkeypatch.setenv("PATH", str(tmp_path / "tools"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tool(place: Path, name: str, script: str) -> None:
    path = place / "tools" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def blktrace(place: Path) -> None:
    """Copies two files that were made before to where it is told to write."""
    for processor in range(2):
        records = [pack("<IIQQIIIIIHH", 0x65617407, 0, time, sector, 4096, READ_QUEUED, 1, 8 << 20, processor, 0, 0)
                   for number, (time, sector) in enumerate(EVENTS) if number % 2 == processor]  # fmt: skip
        (place / "tools" / f"made.{processor}").write_bytes(b"".join(records))
    copied = "".join(f'/bin/cat "{place}/tools/made.{each}" > "$6/$8.blktrace.{each}"\n' for each in range(2))
    tool(place, "blktrace", f'[ "$1 $2 $3 $4 $5 $7" = "-d sdz -w 7 -D -o" ] || exit 3\n{copied}')


def test_the_trace_its_character_and_the_curve(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blktrace(place)
    assert main(["capture", "sdz", "--seconds", "7"]) == 0
    page = capsys.readouterr().out
    assert "sdz.blktrace.0, blktrace\n2 files are read as one trace" in page
    assert "40 requests of 1 device in 0.39 s" in page
    assert "at most 75.0% can hit" in page
    assert main(["capture", "sdz", "--seconds", "7"]) == 2
    assert "is there already" in capsys.readouterr().err


def test_a_page_is_the_character_of_the_trace_and_then_its_curve(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(capture, "_record", lambda *told: Path("_".join(map(str, told))))
    monkeypatch.setattr(capture, "character_lines", lambda name: [f"character of {name}"])
    monkeypatch.setattr(capture, "watch", lambda: "with bars")
    monkeypatch.setattr("spindle.traces.curve.answer.answer_curve", lambda *told: told)
    monkeypatch.setattr(capture, "page", lambda name, answer: [
        "head", *map(str, answer[1:]), f"curve of {name}"])  # fmt: skip
    assert main(["capture", str(place / "sdz"), "--seconds=7"]) == 0
    name = f"{place / 'sdz'}_sdz_7"
    assert capsys.readouterr().out.splitlines() == [f"character of {name}", "", name, "with bars", f"curve of {name}"]


def test_bpftrace_where_it_alone_is_there(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{time},8.0,RA,{sector},8\n" for time, sector in EVENTS)
    (place / "tools" / "made").write_text(f"Attached 3 probes\ntime_ns,device,op,lba_512,sectors\n{rows}\n")
    tool(place, "bpftrace", f'[ "$1" = -e ] && /bin/cat {place}/tools/made')
    assert main(["capture", "sdz", "--out", "monday"]) == 0
    assert "monday.csv, csv\n40 requests of 1 device in 0.39 s" in capsys.readouterr().out


@pytest.mark.parametrize(("script", "arguments", "says"), [
    ("", ["sdz"], "capture needs blktrace or bpftrace, and neither is installed"),
    ("", ["/dev/null"], "capture needs blktrace or bpftrace, and neither is installed"),
    ("exit 0", ["nowhere"], "there is no such device"),
    ("echo 'BLKTRACESETUP: Permission denied' >&2; exit 1", ["sdz"], "has failed: BLKTRACESETUP: Permission denied"),
    ("exit 0", ["sdz"], "has written no sdz.blktrace.0"),
    ("exit 0", ["sdz", "--seconds", "0"], "--seconds must be"),
    ("exit 0", ["sdz", "--out", "no/where"], "there is no folder no"),
])  # fmt: skip
def test_what_is_missing_is_said_in_a_line(
    place: Path, capsys: pytest.CaptureFixture[str], script: str, arguments: list[str], says: str
) -> None:
    if script:
        tool(place, "blktrace", script)
    assert main(["capture", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err


def test_other_systems_are_told_so(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert main(["capture", "sdz"]) == 2
    assert "on Linux only" in capsys.readouterr().err


def test_the_program_of_bpftrace_knows_the_device(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(place, "bpftrace", f'echo "$2" > {place}/program; echo')
    assert main(["capture", "sdz", "--seconds", "9"]) == 2
    program = (place / "program").read_text()
    number = os.stat("sdz").st_rdev
    assert f"args.dev == {os.major(number) << 20 | os.minor(number)} " in program
    assert "interval:s:9" in program


@pytest.mark.parametrize(("script", "says"), [
    ('echo "Thread 0 failed open /sys/trace0: Operation not permitted" >&2; exit 0',
     "blktrace has written no sdz.blktrace.0: Thread 0 failed open /sys/trace0: Operation not permitted"),
    ("exit 0", "blktrace has written no sdz.blktrace.0: it does not say why"),
    ('echo; echo "no debugfs" >&2; exit 1', "blktrace has failed: no debugfs"),
])  # fmt: skip
def test_the_reason_of_blktrace_is_passed_on(
    place: Path, capsys: pytest.CaptureFixture[str], script: str, says: str
) -> None:
    tool(place, "blktrace", script)
    assert main(["capture", "sdz"]) == 2
    assert says in capsys.readouterr().err


def test_a_recording_lies_where_it_is_told_and_replaces_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def run(command: list[str], seconds: int) -> Any:
        asked.append((command, seconds))
        Path("there", f"mine.blktrace.{len(asked) - 1}").touch()
        return SimpleNamespace(stdout=b"", stderr=b"")

    monkeypatch.setattr(capture, "_run", run)
    monkeypatch.setattr(capture, "which", lambda name: name if name == "blktrace" else None)
    with pytest.raises(UserError, match=r"^--out: there is no folder there$"):
        capture._record(place / "sdz", Path("there/mine"), 7)
    Path("there").mkdir()
    assert capture._record(place / "sdz", Path("there/mine"), 7) == Path("there/mine.blktrace.0")
    assert asked == [(["blktrace", "-d", str(place / "sdz"), "-w", "7", "-D", "there", "-o", "mine"], 7)]
    for name in ("mine.blktrace.0", "mine.blktrace.7", "mine.csv"):
        for each in Path("there").iterdir():
            each.unlink()
        Path("there", name).touch()
        with pytest.raises(UserError, match=f"^there/{name} is there already; --out gives the trace another name$"):
            capture._record(place / "sdz", Path("there/mine"), 7)
    assert len(asked) == 1


@pytest.mark.parametrize(("outcome", "root", "says"), [
    (subprocess.TimeoutExpired("tool", 67.0), True, "tool has not ended 60 s after its time"),
    (PermissionError(13, "Permission denied"), True, "tool cannot be run: Permission denied"),
    ((1, b" \n a \x07b \nc", b"out"), True, r"tool has failed: a \x07b"),
    ((1, b"caf\xc3\xa9 \xff\n", b""), True, "tool has failed: caf\u00e9 \ufffd"),
    ((1, b"", b"\nout\n"), False, "tool has failed: out; it needs root"),
    ((3, b" ", b"out"), True, "tool has failed: status 3"),
])  # fmt: skip
def test_a_tool_that_fails_says_why(
    outcome: Any, root: bool, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: list[str], *, capture_output: bool, timeout: float, check: bool) -> Any:
        assert (command, capture_output, timeout, check) == (["tool", "x"], True, 67.0, False)
        if isinstance(outcome, Exception):
            raise outcome
        return SimpleNamespace(returncode=outcome[0], stderr=outcome[1], stdout=outcome[2])

    monkeypatch.setattr(capture.subprocess, "run", run)
    monkeypatch.setattr(capture.os, "geteuid", lambda: 0 if root else 1000)
    with pytest.raises(UserError) as error:
        capture._run(["tool", "x"], 7)
    assert str(error.value) == says


def test_the_lines_of_a_tracer_alone_are_kept_of_its_device(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the device 259:5: its number in the kernel is 259 times 2^20 and 5."""
    asked: list[Any] = []
    out = b"Attached 3 probes\ntime_ns,device,op,lba_512,sectors\n1,259.5,R,8,8\n1,2,3,4\na,b,c,d,e,f\n"
    monkeypatch.setattr(capture, "_run", lambda *told: asked.append(told) or SimpleNamespace(stdout=out))
    monkeypatch.setattr(capture, "which", lambda name: name if name == "bpftrace" else None)
    monkeypatch.setattr(capture, "os", SimpleNamespace(
        stat=lambda path: SimpleNamespace(st_rdev=os.makedev(259, 5)), major=os.major, minor=os.minor))  # fmt: skip
    assert capture._record(place / "sdz", Path("mine"), 9) == Path("mine.csv")
    assert (place / "mine.csv").read_bytes() == b"time_ns,device,op,lba_512,sectors\n1,259.5,R,8,8\n"
    (((tool, option, program), seconds),) = asked
    assert (tool, option, seconds) == ("bpftrace", "-e", 9)
    kept = f'args.dev == {259 << 20 | 5} && args.nr_sector > 0 && strncmp(args.rwbs, "D", 1) != 0'
    assert f"tracepoint:block:block_rq_issue /{kept}/" in program, "no discard, as a request is issued"
    assert 'printf("%lld,259.5,%s,%lld,%d\\n", nsecs, args.rwbs, args.sector, args.nr_sector)' in program
    assert "interval:s:9 {" in program
