"""Checks the target of a measurement: a block device, a file on it, or an export of NBD (network block device)."""

import errno
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spindle.sim.error import UserError
from spindle.sim.quantity import quantity
from spindle.sim.units import MIB

MIN_CAPACITY = 64 * MIB
NBD = ("nbd://", "nbd+unix://")
MOUNTS = Path("/proc/self/mounts")
LOOPS = "loop*/loop/backing_file"
BLOCKS = Path("/sys/block")
PARTITION = re.compile(r"(p?\d+)?", re.ASCII).fullmatch
"""Matches the end of a partition's name after that of its device."""
WHOLE_FILE_SHARE = 0.95
"""A file with a smaller share of its bytes on the drive has holes, whose reads never reach the drive."""


@dataclass(frozen=True)
class FlashTarget:
    """Target of fio: *name* as given, *capacity* in bytes, and fio's *options* for it."""

    name: str
    capacity: int
    options: tuple[str, ...]


def target(name: str, overwritten: bool) -> FlashTarget:
    """Return fio's target *name*; UserError if it cannot be measured, or is in use and would be *overwritten*."""
    if name.startswith(NBD):
        return _large(FlashTarget(name, _nbd_size(name), ("--ioengine=nbd", f"--uri={name}")))
    path = Path(name)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UserError(f"--drive: {path} is a folder; name a device, such as /dev/nvme0n1, or a large file")
        if not stat.S_ISREG(mode) and not stat.S_ISBLK(mode):
            raise UserError(f"--drive: {path} is neither a block device nor a file")
        capacity = _capacity(path, overwritten)
    except OSError as error:
        raise UserError(f"--drive: cannot open {path}: {error.strerror}{_reason(error)}") from None
    _check_holes(path)
    if overwritten:
        _check_unused(path)
    escaped = str(path.resolve()).replace(":", r"\:")
    return _large(FlashTarget(name, capacity, ("--ioengine=libaio", "--direct=1", f"--filename={escaped}")))


def _large(flash: FlashTarget) -> FlashTarget:
    if flash.capacity < MIN_CAPACITY:
        raise UserError(f"--drive: {flash.name} has {quantity(flash.capacity, 'bytes')}; less than "
                        f"{quantity(MIN_CAPACITY, 'bytes')} would be read from memory")  # fmt: skip
    return flash


def _capacity(path: Path, overwritten: bool) -> int:
    """Return the bytes of *path*; OSError for a device in use, which cannot be opened exclusively to be overwritten."""
    block = stat.S_ISBLK(path.stat().st_mode)
    alone = os.O_EXCL if block and overwritten else 0
    descriptor = os.open(path, (os.O_RDWR if overwritten else os.O_RDONLY) | alone)
    try:
        return os.lseek(descriptor, 0, os.SEEK_END)
    finally:
        os.close(descriptor)


def _reason(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "; a device is read by root, or by those of its group"
    return "; it is mounted, or in use otherwise" if error.errno == errno.EBUSY else ""


def _check_holes(path: Path) -> None:
    """Raise UserError if *path* is a file with holes; the size of a device is 0 here."""
    status = path.stat()
    if status.st_blocks * 512 < WHOLE_FILE_SHARE * status.st_size:
        raise UserError(f"--drive: only {quantity(status.st_blocks * 512, 'bytes')} of {path} are on its drive; write "
                        "all of it first, for holes are read from nowhere")  # fmt: skip


def _check_unused(path: Path) -> None:
    """Raise UserError if *path*, or a partition of it, is mounted."""
    for device, point in _list_mounts():
        if PARTITION(device.removeprefix(os.path.realpath(path))):
            raise UserError(f"--drive: {device} is mounted on {point}, and writes would destroy it")


def _list_mounts() -> Iterator[tuple[str, str]]:
    """Yield mounted devices and files, and their mount points."""
    for line in MOUNTS.read_text("utf-8", "replace").splitlines() if MOUNTS.exists() else ():
        device, point = line.split()[:2]
        if device.startswith("/"):
            yield os.path.realpath(device), point
    for backing in BLOCKS.glob(LOOPS):
        yield os.path.realpath(backing.read_text("utf-8", "replace").strip()), f"/dev/{backing.parts[-3]}"


def _nbd_size(name: str) -> int:
    """Ask for the bytes of an NBD export."""
    if shutil.which("nbdinfo") is None:
        raise UserError("--drive: an NBD export is asked by nbdinfo, which is not here: apt install libnbd-bin")
    asked = subprocess.run(["nbdinfo", "--size", name], capture_output=True, text=True, check=False)
    if asked.returncode or not asked.stdout.strip().isdecimal():
        lines = asked.stderr.strip().splitlines() or ["it says nothing"]
        raise UserError(f"--drive: {lines[-1]}")
    return int(asked.stdout)
