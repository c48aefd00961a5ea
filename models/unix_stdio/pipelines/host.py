"""Parameters of a host that runs pipelines: memory, disc, file server, and the kernel's thresholds, with sources."""

from dataclasses import dataclass

from spindle.sim.parameter import Rule, assumed, check, cited, fitted
from spindle.sim.units import MIB

_SHARE = Rule(0.0, 1.0)
_RATE = Rule(1e3, 1e15)
_CLOCK = Rule(0.01, 86_400.0)
_STRETCH = Rule(0.0, 100.0)
_HOST = "host.csv of the data"


@dataclass(frozen=True)
class PipelineHost:
    """Parameters in bytes, seconds, and bytes a second; defaults: a server of 2018 with one SSD (Do et al., 2021)."""

    memory: float = fitted(266.4e9, "page cache: free and cached bytes behind the run of 20 GB", "bytes", _RATE)
    disc_read: float = fitted(564e6, "page cache: first reads of 6 and of 8 programs at once", "bytes/s", _RATE)
    alone_read: float = cited(510e6, f"{_HOST}: a benchmark of its authors; one program waits between its reads",
                              "bytes/s", _RATE)
    disc_write: float = fitted(516e6, "page cache: dirty bytes that go each second in the run of 20 GB", "bytes/s",
                               _RATE)
    cached_read: float = fitted(3.33e9, "page cache: second and third reads of 20 GB", "bytes/s", _RATE)
    cached_write: float = fitted(3.06e9, "page cache: writes of 20 GB", "bytes/s", _RATE)
    read_stretch: float = fitted(0.13, "page cache: reads of 6 and of 8 programs that hit, against one; what many "
                                 "beside it add to a program's copying, as a share", "1", _STRETCH)
    write_stretch: float = fitted(0.30, "page cache: writes of 6 and of 8 programs against one", "1", _STRETCH)
    compute_stretch: float = fitted(0.12, "page cache: computing of 6 and of 8 programs against one", "1", _STRETCH)
    limit: float = fitted(0.48, "page cache: makespan of 16 programs; the host does not say vm.dirty_ratio", "1",
                         _SHARE)
    background: float = cited(0.1, "Linux, Documentation/admin-guide/sysctl/vm.rst: dirty_background_ratio", "1",
                              _SHARE)
    expiry: float = cited(30.0, "Linux, Documentation/admin-guide/sysctl/vm.rst: dirty_expire_centisecs", "s", _CLOCK)
    period: float = cited(5.0, "the same: dirty_writeback_centisecs", "s", _CLOCK)
    server_read: float = cited(515e6, f"{_HOST}: disc of the server of files", "bytes/s", _RATE)
    server_write: float = cited(375e6, f"{_HOST}: the same", "bytes/s", _RATE)
    network: float = cited(3000e6, f"{_HOST}: to the server of files", "bytes/s", _RATE)
    piece: int = assumed(32 * MIB, "bytes that move at a time: a thousandth of what is measured", "bytes",
                         Rule(4096, 1 << 40))

    def __post_init__(self) -> None:
        check(self)
