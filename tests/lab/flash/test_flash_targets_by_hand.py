"""Tests by hand what fio is told and on what: its command, its failures, devices in use, exports of NBD, mounts."""

import os
import stat
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spindle.lab.flash import run_fio
from spindle.lab.flash import target as targets
from spindle.lab.flash.fio_answer import FioAnswer, MeasuredFlash
from spindle.lab.flash.fio_job import GRID, FioJob
from spindle.lab.flash.knobs import FlashKnobs
from spindle.lab.flash.page import sheet_sections
from spindle.lab.flash.run_fio import check_armless, check_fio, command, measure
from spindle.lab.flash.target import FlashTarget
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.sim.units import KIB, MIB, MS, US
from tests.lab.flash.known import KNOWN, fio

BIG = FlashTarget("big", 100 * MIB + 5000, ("--ioengine=libaio", "--direct=1"))


def test_what_fio_is_told() -> None:
    """Whole requests of the target, and a fifth of the time before it counts."""
    assert command(BIG, FioJob(READ, 64 * KIB, 4), 2.5, Path("/x/fio.json")) == [
        "fio", "--name=randread", "--ioengine=libaio", "--direct=1", "--readonly", "--rw=randread", "--bs=65536",
        "--iodepth=4", "--norandommap", "--randrepeat=0", "--size=104857600", "--time_based", "--runtime=2500ms",
        "--ramp_time=500ms", "--output-format=json", "--output=/x/fio.json"]  # fmt: skip
    words = command(BIG, FioJob(WRITE, 4 * KIB, 1, False), 0.0004, Path("out"))
    assert "--readonly" not in words
    assert {"--rw=write", "--size=104861696", "--runtime=1ms", "--ramp_time=1ms", "--output=out"} <= {*words}


def ran(monkeypatch: pytest.MonkeyPatch, status: int = 0, out: str = "", err: str = "") -> list[dict[str, Any]]:
    """A subprocess that ends so, and how it was started."""
    started: list[dict[str, Any]] = []

    def run(words: list[str], **how: Any) -> subprocess.CompletedProcess[str]:
        started.append({"words": words, **how})
        return subprocess.CompletedProcess(words, status, out, err)

    monkeypatch.setattr(subprocess, "run", run)
    return started


@pytest.mark.parametrize(("out", "err", "says"), [
    ("one\n", "two\n three \n\n", "three"), ("one\n \n", "", "one"), ("", "", "it ended with status 3"),
])  # fmt: skip
def test_fio_that_fails_is_told_by_its_last_line(
    out: str, err: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = ran(monkeypatch, 3, out, err)
    with pytest.raises(UserError) as told:
        measure(BIG, GRID[:2], 10.0, list)
    assert str(told.value) == f"fio, randread 4 KiB, 1 under way: {says}"
    (how,) = started
    assert how["timeout"] == pytest.approx(1.2 * 10.0 + 120.0)
    assert how["cwd"].name.startswith("spindle-fio-")
    assert not how["cwd"].exists()
    assert how["stdin"] is subprocess.DEVNULL


@pytest.mark.parametrize(("error", "says"), [
    (subprocess.TimeoutExpired("fio", 1.0), "fio, randread 4 KiB, 1 under way: it did not end 120 s after its time"),
    (OSError(8, "Exec format error"), "fio cannot be run: Exec format error"),
])  # fmt: skip
def test_fio_that_cannot_be_run_or_does_not_end(error: Exception, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(UserError) as told:
        measure(BIG, GRID[:1], 1.0, list)
    assert str(told.value) == says


def test_fio_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(UserError, match="runs fio, which is not here: apt install fio"):
        check_fio()
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}" if name == "fio" else None)
    check_fio()


def test_a_measurement_is_of_each_job_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = dict(zip(GRID[:3], fio(KNOWN, GRID[:3]), strict=True))
    monkeypatch.setattr(run_fio, "_run", lambda target, job, seconds, folder: texts[job])
    found = measure(BIG, GRID[:3], 1.0, lambda jobs: jobs[::2])
    assert (found.name, found.capacity, [each.job for each in found.answers]) == (
        "big", BIG.capacity, [GRID[0], GRID[2]])  # fmt: skip
    assert found.texts == [texts[GRID[0]], texts[GRID[2]]]
    looked: list[int] = []
    monkeypatch.setattr(run_fio, "check_armless", lambda drive: looked.append(len(drive.answers)))
    measure(BIG, GRID[:3], 1.0, lambda jobs: jobs)
    assert looked == [1, 2, 3]  # after each job


@pytest.mark.parametrize(("alone", "faster", "arm"), [
    (1.51, 3.99, True), (1.5, 3.99, False), (1.49, 3.99, False), (1.51, 4.01, False),
])  # fmt: skip
def test_a_drive_with_an_arm_is_slow_and_hardly_faster_with_more_under_way(
    alone: float, faster: float, arm: bool
) -> None:
    one, many = (FioJob(READ, 4 * KIB, depth) for depth in (1, 32))
    drive = MeasuredFlash("sda", 1 << 30, [], [FioAnswer(one, 99, alone * MS),
                                               FioAnswer(many, 99, 32 * alone / faster * MS)])  # fmt: skip
    if not arm:
        check_armless(drive)
        return
    with pytest.raises(UserError, match=r"sda is like a disc with an arm: 4 KB take 1\.51 ms, and .* 4 times as fast"):
        check_armless(drive)
    for some in drive.answers:
        check_armless(replace(drive, answers=[some]))


# Devices and exports.

@pytest.mark.parametrize(("block", "overwritten", "flags"), [
    (False, False, os.O_RDONLY), (False, True, os.O_RDWR), (True, False, os.O_RDONLY),
    (True, True, os.O_RDWR | os.O_EXCL),
])  # fmt: skip
def test_a_device_is_opened_alone_to_be_overwritten(
    block: bool, overwritten: bool, flags: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "device"
    path.write_bytes(b"6" * 1234)
    opened: list[int] = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, flags: opened.append(flags) or real(path, os.O_RDONLY))
    monkeypatch.setattr(stat, "S_ISBLK", lambda mode: block)
    before = set(os.listdir("/proc/self/fd"))
    assert targets._capacity(path, overwritten) == 1234
    assert opened == [flags]
    assert set(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(("error", "says"), [
    (PermissionError(13, "Permission denied"), "Permission denied; a device is read by root, or by those of its group"),
    (OSError(16, "Device or resource busy"), "Device or resource busy; it is mounted, or in use otherwise"),
    (OSError(5, "Input/output error"), "Input/output error"),
])  # fmt: skip
def test_why_a_device_cannot_be_opened(
    error: OSError, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise error

    path = tmp_path / "device"
    path.write_bytes(b"6")
    monkeypatch.setattr(targets, "_capacity", refuse)
    with pytest.raises(UserError) as told:
        targets.target(str(path), True)
    assert str(told.value) == f"--drive: cannot open {path}: {says}"


def test_a_file_becomes_a_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "MIN_CAPACITY", 10_000)
    monkeypatch.setattr(targets, "MOUNTS", tmp_path / "none")
    monkeypatch.setattr(targets, "BLOCKS", tmp_path)
    path = tmp_path / "a:b"
    path.write_bytes(b"6" * 10_000)
    (tmp_path / "link").symlink_to(path)
    escaped = str(path.resolve()).replace(":", "\\:")
    for overwritten in (False, True):
        assert targets.target(str(tmp_path / "link"), overwritten) == FlashTarget(
            str(tmp_path / "link"), 10_000, ("--ioengine=libaio", "--direct=1", f"--filename={escaped}"))
    path.write_bytes(b"6" * 9_999)
    with pytest.raises(UserError, match="would be read from memory"):
        targets.target(str(path), False)


def test_a_file_of_which_a_twentieth_is_not_there_has_holes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"6" * 80 * 4096)
    for size, holes in ((84 * 4096, False), (85 * 4096, True), (160 * 4096, True)):
        os.truncate(path, size)
        if holes:
            with pytest.raises(UserError, match=r"^--drive: only 320 KiB of .* are on its drive; write all of it "):
                targets._check_holes(path)
        else:
            targets._check_holes(path)


def test_what_is_mounted_and_no_device_is_no_file_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mounts").write_text("tmpfs /run tmpfs rw\n")
    monkeypatch.setattr(targets, "MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(targets, "BLOCKS", tmp_path)
    targets._check_unused(Path("tmpfs"))


@pytest.mark.parametrize(("mounted", "used"), [
    ("/dev/sdx", True), ("/dev/sdx1", True), ("/dev/sdx12", True), ("/dev/sdxp3", True), ("/dev/sdxa", False),
    ("/dev/sdy", False), ("/dev/sd", False), ("proc", False), ("/dev/sdxp", False),
])  # fmt: skip
def test_a_device_is_in_use_if_it_or_a_partition_is_mounted(
    mounted: str, used: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mounts").write_bytes(f"proc /proc proc rw\n/dev/\xff /x\n{mounted} /mnt ext4 rw\n".encode("latin-1"))
    monkeypatch.setattr(targets, "MOUNTS", tmp_path / "mounts")
    monkeypatch.setattr(targets, "BLOCKS", tmp_path)
    if not used:
        targets._check_unused(Path("/dev/sdx"))
        return
    with pytest.raises(UserError, match=f"^--drive: {mounted} is mounted on /mnt, and writes would destroy it$"):
        targets._check_unused(Path("/dev/sdx"))


def test_a_file_behind_a_loop_device_is_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backing = tmp_path / "loop7" / "loop" / "backing_file"
    backing.parent.mkdir(parents=True)
    backing.write_text("/data/image\n")
    monkeypatch.setattr(targets, "MOUNTS", tmp_path / "none")
    monkeypatch.setattr(targets, "BLOCKS", tmp_path)
    with pytest.raises(UserError, match="/data/image is mounted on /dev/loop7, and writes"):
        targets._check_unused(Path("/data/image"))
    targets._check_unused(Path("/data/other"))


def test_an_export_is_asked_for_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    started = ran(monkeypatch, 0, f"{100 * MIB}\n", "0")
    for name in ("nbd://host/disc0", "nbd+unix:///disc0?socket=x"):
        assert targets.target(name, True) == FlashTarget(name, 100 * MIB, ("--ioengine=nbd", f"--uri={name}"))
    assert all(each["capture_output"] and each["text"] for each in started)
    assert [each["words"] for each in started] == [["nbdinfo", "--size", name] for name in (
        "nbd://host/disc0", "nbd+unix:///disc0?socket=x")]  # fmt: skip
    ran(monkeypatch, 0, "1000\n")
    with pytest.raises(UserError, match="less than 64 MiB would be read from memory"):
        targets.target("nbd://host/disc0", False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(UserError, match=r"asked by nbdinfo, which is not here: apt install libnbd-bin$"):
        targets.target("nbd://host/disc0", False)


@pytest.mark.parametrize(("status", "out", "err", "says"), [
    (1, "", "nbdinfo: one\nConnection refused\n", "Connection refused"), (1, "5", "", "it says nothing"),
    (0, "many", "", "it says nothing"), (0, "", "odd\n", "odd"),
])  # fmt: skip
def test_an_export_without_a_size(
    status: int, out: str, err: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    ran(monkeypatch, status, out, err)
    with pytest.raises(UserError) as told:
        targets.target("nbd://host/disc0", False)
    assert str(told.value) == f"--drive: {says}"


def test_a_drive_file_says_what_is_flushed_together_and_handled() -> None:
    sheet = FlashKnobs(10 * US, 50 * US, 8 * US, 400e6, 1, 2, 2, 8).sheet("mine", 64 * MIB)
    front = replace(sheet.front, write_handling=0.123456789 * US, write_rate=300e6, write_command=20 * US)
    said = sheet_sections(replace(sheet, flush=4, buffer=1 << 21, front=front), [])
    assert (said["flush_units"], said["buffer_bytes"], said["sources"]) == (4, 1 << 21, {})
    handling = said["front"].pop("write_handling_us")
    assert handling == pytest.approx(0.1235, abs=1e-4)
    assert len(str(handling)) < 10
    assert said["front"] == {"kind": "SATA", "rate_mb_s": 400, "command_us": 10, "write_rate_mb_s": 300,
                             "write_command_us": 20}  # fmt: skip
