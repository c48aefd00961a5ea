"""Parameters, with sources, of the machine of lecture CS61 and of a virtual machine of 2026."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spindle.sim.parameter import Rule, assumed, change, check, cited, fitted
from spindle.sim.units import GIB, KIB, MIB, MS, NS, US

PAGE = 4096
"""Bytes of a page of the page cache."""
_SHARE = Rule(0.0, 1.0)
_WORK = Rule(0.0, 1.0)
"""Bounds of a CPU time, of one act; a run may do ten million."""
_PER_BYTE = Rule(0.0, 1 * US)
_REQUEST = Rule(0.0, 10.0, positive=True)
_CLOCK = Rule(0.01, 86_400.0)
_KERNEL = "Linux, Documentation/admin-guide/sysctl/vm.rst"


@dataclass(frozen=True)
class UnixParameters:
    """Parameters of a machine in seconds and bytes. "CS61" is the lecture on caching and buffered I/O (l17).

    "S2-11" and the like are claims of the lecture. In it, a call or a request of *size* bytes takes R + size x U: R
    seconds, and U seconds a byte.
    """

    # The library
    library_call: float = fitted(34.14 * NS, "S2-11: 27,000,000 bytes a second; one fwrite or fread without its system "
                                 "calls", "s", _WORK)
    buffer: int = cited(4096, "CS61, w05: strace shows writes of 4096 bytes, the st_blksize of the file", "bytes",
                        Rule(128, 1 << 24))

    # System calls
    write_call: float = fitted(2.105 * US, "S2-08: 474,492 bytes a second; R of a write into the page cache",
                               "s", _WORK)
    read_call: float = assumed(1.3 * US, "R of a read; 0.63 of a write's, as on the machine of 2026", "s", _WORK)
    seek_call: float = assumed(0.4 * US, "0.2 of a write's, as on the machine of 2026", "s", _WORK)

    # Pages
    copy: float = assumed(0.25 * NS, "4 GB/s into or out of the page cache, as memory of 2012 did", "s/byte", _PER_BYTE)
    new_page: float = fitted(8.73 * US, "S2-14: 409,000,000 bytes a second; to allocate a page and enter it",
                             "s", _WORK)
    new_folio: float = assumed(0.0, "kernels of 2012 have single pages only", "s", _WORK)

    # The disc: R and U of the lecture, whose R has the journal's waits in it
    write_request: float = fitted(38.05 * MS, "S2-02: 26 bytes a second, a page written for each", "s", _REQUEST)
    write_byte: float = fitted(100.25 * NS, "S2-05: ln 16.08, taken as the whole file in one write",
                               "s/byte", _PER_BYTE)
    read_request: float = assumed(12.7 * MS, "8.5 ms of seek and half a turn at 7200 rpm; not in the lecture", "s",
                                  _REQUEST)
    read_byte: float = assumed(10.0 * NS, "100 MB/s, as discs of 2012 read; not in the lecture", "s/byte", _PER_BYTE)
    flush: float = assumed(0.0, "what a synchronous write waits beyond its request; R includes it", "s", _WORK)
    write_out: float = assumed(0.0, "CPU time to send pages out at once; the lecture's R includes it", "s", _WORK)
    allocate: float = assumed(0.0, "time to allocate blocks for what O_DIRECT or O_SYNC adds; R includes it",
                              "s", _WORK)

    # The kernel
    memory: int = assumed(2 * GIB, "bytes for the page cache; nothing of it is ever evicted here", "bytes",
                          Rule(KIB, 1 << 50))
    background: float = cited(0.10, f"{_KERNEL}: dirty_background_ratio", "1", _SHARE)
    limit: float = cited(0.20, f"{_KERNEL}: dirty_ratio", "1", _SHARE)
    expiry: float = cited(30.0, f"{_KERNEL}: dirty_expire_centisecs", "s", _CLOCK)
    period: float = cited(5.0, f"{_KERNEL}: dirty_writeback_centisecs", "s", _CLOCK)
    commit: float = cited(5.0, "Linux, Documentation/filesystems/ext4: commit, the age at which metadata are written",
                          "s", _CLOCK)
    read_ahead: int = cited(128 * KIB, "read_ahead_kb, 128 by default", "bytes", Rule(0, 1 << 30))
    request: int = cited(1280 * KIB, "max_sectors_kb, 1280 by default", "bytes", Rule(4096, 1 << 30))

    def __post_init__(self) -> None:
        check(self)


LECTURE = UnixParameters()

_UNITS = {"ns": NS, "us": US, "MiB": MIB, "GiB": GIB}
_TABLE = tomllib.loads(Path(__file__).with_name("virtual_2026.toml").read_text("utf-8"))
VIRTUAL_2026 = change(LECTURE, **{name: given["value"] * _UNITS[given["unit"]] for name, given in _TABLE.items()})
"""A virtual machine of 2026; parameters that its table does not name are those of the lecture or the kernel."""

MACHINES: Mapping[str, UnixParameters] = {"lecture": LECTURE, "virtual-2026": VIRTUAL_2026}
