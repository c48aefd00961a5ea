"""The machine on which something is measured, as lines of a table's head; nothing that names its user."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path

IN_MEMORY = {"tmpfs", "ramfs", "hugetlbfs"}
QUEUE = ("rotational", "read_ahead_kb", "scheduler", "write_cache", "logical_block_size", "max_sectors_kb")
VM = ("dirty_background_ratio", "dirty_ratio", "dirty_expire_centisecs", "dirty_writeback_centisecs")
LONGEST = 120


def environment(folder: Path) -> dict[str, str]:
    """Properties of this machine that may matter, by name, as far as it reports them."""
    mount = _mount(folder)
    facts = {
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "c library": " ".join(platform.libc_ver()),
        "python": platform.python_version(),
        "processor": _processor(),
        "processors": str(len(os.sched_getaffinity(0))),
        "file system": f"{mount[0]} ({mount[1]})" if mount else "",
        "load average": _read(Path("/proc/loadavg")).rpartition(" ")[0],
        **{f"drive {name}": text for name, text in _queue(folder)},
        **{f"vm.{name}": _read(Path("/proc/sys/vm") / name) for name in VM},
    }
    return {name: text[:LONGEST] for name, text in facts.items() if text}


def in_memory(folder: Path) -> bool:
    """Whether what is written into *folder* never reaches a device."""
    mount = _mount(folder)
    return mount is not None and mount[0] in IN_MEMORY


def _mount(folder: Path) -> tuple[str, str] | None:
    """The kind of file system that *folder* is on, and its options; by the device's number, as paths may be hidden."""
    device = os.stat(folder).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    inside = [mount for mount in _mounts() if folder.resolve().is_relative_to(mount[1])]
    best = max((mount for mount in inside if mount[0] == number), default=None, key=lambda mount: len(mount[1].parts))
    best = best or max(inside, default=None, key=lambda mount: len(mount[1].parts))
    return None if best is None else (best[2], best[3])


def _mounts() -> Iterator[tuple[str, Path, str, str]]:
    """Number of the device, where it is mounted, kind, options: proc(5), mountinfo."""
    for line in _read(Path("/proc/self/mountinfo")).splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) > 5 and kind:
            yield fields[2], Path(fields[4].replace("\\040", " ")), kind[0], fields[5]


def _queue(folder: Path) -> Iterator[tuple[str, str]]:
    """The kernel's settings of the drive under *folder*, where that is one drive or a part of it."""
    device = os.stat(folder).st_dev
    place = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    for queue in (place / "queue", place.resolve().parent / "queue"):
        if queue.is_dir():
            yield from ((name, _read(queue / name)) for name in QUEUE)
            return


def _processor() -> str:
    for line in _read(Path("/proc/cpuinfo")).splitlines():
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return ""


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""
