"""The drive that is measured: a block device, a file on it, or what an NBD server serves; and what it must not be."""

import errno
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sim.error import UserError
from sim.quantity import quantity
from sim.units import MIB

LEAST = 64 * MIB
NBD = ("nbd://", "nbd+unix://")
MOUNTS = Path("/proc/self/mounts")
LOOPS = "loop*/loop/backing_file"
BLOCKS = Path("/sys/block")
PARTITION = re.compile(r"(p?\d+)?", re.ASCII).fullmatch
"""What the name of a partition has behind that of its device, if anything."""
WHOLE = 0.95
"""A file of which less is on its drive has holes, and those are read from nowhere."""


@dataclass(frozen=True)
class FlashTarget:
    """*name* as it was given, its *capacity* in bytes, and how fio is told of it."""

    name: str
    capacity: int
    options: tuple[str, ...]


def target(name: str, overwritten: bool) -> FlashTarget:
    """UserError where *name* cannot be measured, or where it is in use and would be *overwritten*."""
    if name.startswith(NBD):
        return _large(FlashTarget(name, _served(name), ("--ioengine=nbd", f"--uri={name}")))
    path = Path(name)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UserError(f"--drive: {path} is a folder; name a device, such as /dev/nvme0n1, or a large file")
        if not stat.S_ISREG(mode) and not stat.S_ISBLK(mode):
            raise UserError(f"--drive: {path} is neither a block device nor a file")
        capacity = _capacity(path, overwritten)
    except OSError as error:
        raise UserError(f"--drive: cannot open {path}: {error.strerror}{_why(error)}") from None
    if stat.S_ISREG(mode):
        _check_holes(path)
    if overwritten:
        _check_unused(path)
    escaped = str(path.resolve()).replace(":", r"\:")
    return _large(FlashTarget(name, capacity, ("--ioengine=libaio", "--direct=1", f"--filename={escaped}")))


def _large(flash: FlashTarget) -> FlashTarget:
    if flash.capacity < LEAST:
        raise UserError(f"--drive: {flash.name} has {quantity(flash.capacity, 'bytes')}; less than "
                        f"{quantity(LEAST, 'bytes')} would be read from memory")  # fmt: skip
    return flash


def _capacity(path: Path, overwritten: bool) -> int:
    """Its bytes; a device that is in use cannot be opened by one who wants it for himself."""
    block = stat.S_ISBLK(path.stat().st_mode)
    alone = os.O_EXCL if block and overwritten else 0
    descriptor = os.open(path, (os.O_RDWR if overwritten else os.O_RDONLY) | alone)
    try:
        return os.lseek(descriptor, 0, os.SEEK_END)
    finally:
        os.close(descriptor)


def _why(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "; a device is read by root, or by those of its group"
    return "; it is mounted, or in use otherwise" if error.errno == errno.EBUSY else ""


def _check_holes(path: Path) -> None:
    status = path.stat()
    if status.st_blocks * 512 < WHOLE * status.st_size:
        raise UserError(f"--drive: only {quantity(status.st_blocks * 512, 'bytes')} of {path} are on its drive; write "
                        "all of it first, for holes are read from nowhere")  # fmt: skip


def _check_unused(path: Path) -> None:
    """UserError where *path*, or a partition of it, is mounted."""
    for device, point in _mounted():
        if PARTITION(device.removeprefix(os.path.realpath(path))):
            raise UserError(f"--drive: {device} is mounted on {point}, and writes would destroy it")


def _mounted() -> Iterator[tuple[str, str]]:
    """Devices and files that are mounted, and where."""
    for line in MOUNTS.read_text("utf-8", "replace").splitlines() if MOUNTS.exists() else ():
        device, point = line.split()[:2]
        if device.startswith("/"):
            yield os.path.realpath(device), point
    for backing in BLOCKS.glob(LOOPS):
        yield os.path.realpath(backing.read_text("utf-8", "replace").strip()), f"/dev/{backing.parts[-3]}"


def _served(name: str) -> int:
    """The bytes of an NBD export."""
    if shutil.which("nbdinfo") is None:
        raise UserError("--drive: an NBD export is asked by nbdinfo, which is not here: apt install libnbd-bin")
    asked = subprocess.run(["nbdinfo", "--size", name], capture_output=True, text=True, check=False)
    if asked.returncode or not asked.stdout.strip().isdecimal():
        lines = asked.stderr.strip().splitlines() or ["it says nothing"]
        raise UserError(f"--drive: {lines[-1]}")
    return int(asked.stdout)
