"""The HP3000 Series 64 of McBride & Boles (1983): every number with its source."""

from dataclasses import dataclass

from sim.parameter import Rule, assumed, check, cited, fitted
from sim.units import GIB, KIB, MIB, MS

_SHARE = Rule(0.0, 1.0)
_POSITIVE = Rule(positive=True)
_MEMORY = Rule(high=64 * GIB, positive=True)


@dataclass(frozen=True)
class Parameters:
    """Seconds and bytes. "McBride" is McBride & Boles, Performance Characterization of Disc Caching (1983)."""

    # The machine
    mips: float = cited(1.0, "McBride: Series 64 and 68, 1.0 MIPS", "MIPS", _POSITIVE)
    memory: int = cited(8 * MIB, "McBride: 8 Megabytes on the Series 64 and 68", "bytes", _MEMORY)
    resident: int = fitted(
        3 * MIB, "B13: 5 to 6 of 8 MB in use, uncached; MPE's tables and resident code, not published", "bytes")
    discs: int = assumed(6, "number of discs not published; with six the uncached row is met and no drive is busy most "
                         "of the time", "1", Rule(1, 64))
    terminal_interrupt: float = assumed(0.03 * MS, "CPU time a character; the ATP spares the CPU most of it; not "
                                        "published", "s")
    slice: float = assumed(0.1, "MPE's quantum for program development; not published here", "s", _POSITIVE)

    # System calls and disc I/O without caching
    read_call: float = assumed(1.0 * MS, "file system CPU time of a logical read; not published", "s")
    write_call: float = assumed(1.0 * MS, "file system CPU time of a logical write; not published", "s")
    initiate: float = assumed(1.5 * MS, "CPU time to start and complete a physical I/O; not published", "s")

    # Disc caching
    hit_elapsed: float = cited(4.0 * MS, "McBride: a hit takes 4 milliseconds rather than 40; elapsed time, the "
                               "read call included", "s", _POSITIVE)
    miss_search: float = assumed(1.0 * MS, "the part of a hit's CPU time that a miss spends before the disc is asked",
                                 "s")
    fetch_random: int = cited(16 * 256, "McBride: a 4 Kb IMAGE fetch", "bytes", Rule(256, 96 * 256))
    fetch_sequential: int = cited(96 * 256, "McBride: a 24 Kb sequential fetch", "bytes", Rule(256, 96 * 256))

    # Memory management
    fault_cpu: float = assumed(3.0 * MS, "CPU time of an absence fault or of finding room; not published", "s")

    # The data base
    call_cpu: float = fitted(2.2 * MS, "B10: CPU busy less than half, uncached; CPU time of an IMAGE call at 1.0 MIPS, "
                             "not published", "s")
    buffers: int = cited(17, "TurboIMAGE manual p. 682: b+9 = 17 for 19 to 120 users", "1", Rule(1, 255))
    block: int = cited(1024, "TurboIMAGE manual p. 84: BLOCKMAX 512 words by default", "bytes", _POSITIVE)
    stay: float = fitted(0.85, "B15: 40 impedes a second; probability that a call by key stays at its user's block, "
                         "not published", "1", _SHARE)
    hot_share: float = assumed(0.80, "share of references to the hot part of a data set; kind of locality not "
                               "published, 'average file locality' (McBride)", "1", _SHARE)
    hot_size: float = fitted(0.01, "B22: hits about 70 % of the time; the hot part of a data set as a share of it", "1",
                             _SHARE)
    chain_step: float = assumed(0.10, "probability that the next chain entry lies in another block; not published",
                                "1", _SHARE)
    set_bytes: int = assumed(2 * MIB, "mean size of a data set; not published", "bytes", _POSITIVE)

    # The load
    think_scale: float = fitted(1.58, "B33: 0.92 s uncached at 101 terminals; multiplies the think times of the "
                                "shipped scripts", "1", _POSITIVE)
    block_records: int = assumed(16, "records a block of the development files; MPE's usual blocking", "1",
                                 Rule(1, 256))

    def __post_init__(self) -> None:
        check(self)

    @property
    def available(self) -> int:
        """Bytes for segments and cache domains."""
        return self.memory - self.resident


SEGMENT_MARGIN = 64 * KIB
"""The smallest memory for segments and domains with which anything can run."""
