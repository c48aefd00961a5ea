"""Defines the parameters of an HP3000 and its load, with defaults of a Series 64 and the source of each number.

The _RULE constants are ranges of values that a parameter may have; other values are refused.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Any

from spindle.models.hp3000.series import SERIES_64
from spindle.sim.error import UserError
from spindle.sim.parameter import Rule, assumed, check, cited, fitted
from spindle.sim.units import GIB, KIB, MIB, MS

_SHARE_RULE = Rule(0.0, 1.0)
"""A share or a probability."""
_WORK_RULE = Rule(0.0, 10.0)
_SOME_WORK_RULE = Rule(0.0, 10.0, positive=True)
"""Seconds of CPU time of one act, of which no act of an operating system takes ten; the second rule excludes 0."""
_SIZE_RULE = Rule(high=GIB, positive=True)
_MEMORY_RULE = Rule(high=64 * GIB, positive=True)
"""Bytes of a file, block or table, and of main memory."""
_SCALE_RULE = Rule(high=100.0, positive=True)
"""A factor of numbers of the shipped scripts and programs."""

CPU_UNIT = "s at 1.0 MIPS"
"""The unit of CPU times; ``on_its_cpu`` turns them into those of a slower machine."""


def _of_series(name: str, unit: str, rule: Rule | None = None) -> Any:
    """Make a parameter whose default is the Series 64's."""
    source = {"source": SERIES_64.sources[name], "unit": unit, "rule": rule or Rule()}
    return field(default=getattr(SERIES_64, name), metadata=source)


@dataclass(frozen=True)
class MpeParameters:
    """Parameters of a run, in seconds and bytes unless a name says otherwise.

    "McBride" is McBride & Boles, Performance Characterization of Disc Caching (1983).
    """

    # The machine: a Series 64 unless another is given. The ATP is the processor for terminals
    mips: float = _of_series("mips", "MIPS", Rule(0.001, 10_000.0))
    memory: int = _of_series("memory", "bytes", _MEMORY_RULE)
    resident: int = _of_series("resident", "bytes", Rule(0, 64 * GIB))
    discs: int = _of_series("discs", "1", Rule(1, 64))
    channels: int = _of_series("channels", "1", Rule(1, 64))
    terminal_interrupt: float = assumed(0.03 * MS, "CPU time a character; the ATP spares the CPU most of it; not "
                                        "published", CPU_UNIT, _WORK_RULE)
    terminal_message: float = assumed(1.0 * MS, "CPU time of a message from or to a terminal, beside its characters; "
                                      "not published", CPU_UNIT, _WORK_RULE)
    dispatch: float = assumed(0.5 * MS, "CPU time to stop a process and to take up another; 500 instructions; not "
                              "published", CPU_UNIT, _WORK_RULE)
    slice: float = assumed(0.1, "MPE's quantum, after which a process goes on as less urgent; not published here", "s",
                           Rule(0.1 * MS, 3600.0))

    # System calls and disc I/O without caching
    read_call: float = assumed(1.0 * MS, "file system CPU time of a logical read; not published", CPU_UNIT, _WORK_RULE)
    write_call: float = assumed(1.0 * MS, "file system CPU time of a logical write; not published", CPU_UNIT,
                                _WORK_RULE)  # fmt: skip
    initiate: float = assumed(0.9 * MS, "CPU time to start and complete a physical I/O; 900 instructions, of 750 to "
                              "1500 that were tried; not published", CPU_UNIT, _WORK_RULE)

    # Disc caching
    hit_cpu: float = cited(4.0 * MS, "McBride: a hit takes 4 milliseconds rather than 40; all of it CPU time, for "
                           "there is nothing else to wait for; the read call included", CPU_UNIT, _SOME_WORK_RULE)
    miss_search: float = assumed(1.0 * MS, "the part of a hit's CPU time that a miss spends before the disc is asked",
                                 CPU_UNIT, _WORK_RULE)
    fetch_random: int = cited(16 * 256, "McBride: a 4 Kb IMAGE fetch", "bytes", Rule(256, 96 * 256))
    fetch_sequential: int = cited(96 * 256, "McBride: a 24 Kb sequential fetch; it ends with an extent, an eighth of a "
                                  "file", "bytes", Rule(256, 96 * 256))

    # Memory management
    fault_cpu: float = assumed(3.0 * MS, "CPU time of an absence fault or of finding room; not published", CPU_UNIT,
                               _WORK_RULE)  # fmt: skip

    # The data base
    call_cpu: float = fitted(0.23 * MS, "B10: CPU busy less than half, uncached; CPU time of an IMAGE call, not "
                             "published", CPU_UNIT, _WORK_RULE)
    buffers: int = cited(0, "TurboIMAGE manual p. 682: 5 to 255; 0 stands for the manual's default, 8 to 17 by the "
                         "number of users", "1", Rule(0, 255))
    control_bytes: int = assumed(8 * KIB, "tables in the control block's extra data segment, beside the buffers; not "
                                 "published", "bytes", _SIZE_RULE)
    block: int = cited(1024, "TurboIMAGE manual p. 84: BLOCKMAX 512 words by default", "bytes", _SIZE_RULE)
    near: float = fitted(0.75, "B22f: hits about 70 % at 21 terminals; probability that an answer, or an edit, "
                          "goes on behind the last one of its user", "1", _SHARE_RULE)
    hot_share: float = fitted(0.25, "B22m: hits about 70 % at 63 terminals; share of the others that go to the hot "
                              "part of a data set, and not anywhere. Which locality was 'average' (McBride) is "
                              "not published", "1", _SHARE_RULE)
    hot_size: float = assumed(0.003, "the hot part of a data set, six blocks, as a share of it: the smallest of "
                              "those tried; not published", "1", _SHARE_RULE)
    chain_step: float = assumed(0.10, "probability that the next chain entry lies in another block; not published",
                                "1", _SHARE_RULE)
    set_bytes: int = assumed(2 * MIB, "mean size of a data set; not published", "bytes", _SIZE_RULE)

    log_record: int = assumed(0, "bytes of the log record of a DBPUT, DBUPDATE or DBDELETE; 0 is no IMAGE logging: "
                              "McBride says that a manager may enable it, and of no test that did. A record of MPE's "
                              "user logging has 256, as remembered", "bytes", Rule(0, 64 * KIB))
    log_buffer: int = assumed(0, "bytes of log records that are gathered in memory before they are written; not "
                              "published. 0 writes each at once, as DBEND mode 2 does at the end of a transaction "
                              "(TurboIMAGE manual p. 157)", "bytes", Rule(0, 64 * KIB))
    ilr_record: int = assumed(0, "bytes that Intrinsic Level Recovery writes to its file, and to the medium, before "
                              "a DBPUT or DBDELETE changes blocks; 0, not enabled, for McBride names no test that had "
                              "it; with ILR, 512 as remembered", "bytes", Rule(0, 64 * KIB))

    # Files
    file_buffers: int = assumed(2, "buffers of a sequential file's blocks for each open of it; MPE's default as "
                                "remembered", "1", Rule(1, 16))
    file_bytes: int = assumed(40 * KIB, "the least of a file of a development session; one passed through whole "
                              "holds its longest pass, up to 230 KB; not published", "bytes", _SIZE_RULE)
    keyed_records: int = assumed(3000, "records of a KSAM file, 0.9 MB; not published", "1",
                                 Rule(1, 10_000_000))
    key_buffers: int = assumed(4, "1 to 20 key block buffers an open (KSAM manual, app. B); how many is not published",
                               "1", Rule(1, 20))

    # The load
    calls_scale: float = fitted(0.37, "B15: 40 impedes a second; multiplies the data base calls of every answer, of "
                                "which none are published", "1", _SCALE_RULE)
    terminal_delay: float = fitted(0.11, "B29: a gain of 25 % at 21 terminals; a part of every response that is "
                                   "neither CPU nor disc, perhaps the terminal's path; not published", "s",
                                   Rule(0.0, 3600.0))
    think_scale: float = assumed(1.8, "multiplies the think times of the shipped scripts, none of which are published",
                                 "1", _SCALE_RULE)
    records_scale: float = fitted(0.9, "B14: 50 disc I/Os a second, uncached; multiplies the records that "
                                  "development sessions read and write, none of which are published", "1", _SCALE_RULE)
    block_records: int = assumed(16, "records a block of the development files; MPE's usual blocking", "1",
                                 Rule(1, 256))

    # Factors of the numbers of the shipped scripts and programs (workloads/), of which nothing is published
    pace_scale: float = fitted(0.32, "B33: 0.92 s uncached at 101 terminals; multiplies the clerks' think and typing "
                               "times, on top of think_scale: an answer every six seconds", "1", _SCALE_RULE)
    typing_scale: float = assumed(1.0, "multiplies typing times; 4 characters a second are a guess", "1", _SCALE_RULE)
    compute_scale: float = assumed(0.23, "multiplies what the order program computes, 10 to 25 ms an answer; "
                                   "reduced by the same factor as call_cpu", "1", _SCALE_RULE)
    touch_scale: float = fitted(0.71, "B34r: 3:1 at 101 terminals; multiplies the data base calls that touch a block, "
                                "half of those of an answer, at the cost of those that do not", "1", _SCALE_RULE)
    order_scale: float = fitted(4.0, "B35r: 3 to 4 reads a write; multiplies the weight of new orders in a clerk's "
                                "answers, 20 of 100: half of the answers are orders then", "1", _SCALE_RULE)
    list_scale: float = assumed(1.0, "multiplies the share of lists in a clerk's answers, 10 %", "1", _SCALE_RULE)
    reply_scale: float = assumed(1.0, "multiplies the characters of replies, 40 to 1200", "1", _SCALE_RULE)
    edits_scale: float = assumed(1.0, "multiplies how often a programmer edits between two compilations, 6 to 12 "
                                 "times", "1", _SCALE_RULE)
    phases: int = assumed(1, "places of their round at which programmers begin, who drift apart from "
                          "there in ten minutes", "1", Rule(1, 12))
    development_scale: float = assumed(0.23, "multiplies what editor, compilers and tests compute, 15 to 800 ms; "
                                       "reduced by the same factor as call_cpu", "1", _SCALE_RULE)
    cobol_scale: float = assumed(1.0, "multiplies the programmers who write COBOL, 16 of 38, at the cost of others",
                                 "1", _SCALE_RULE)
    program_scale: float = assumed(1.0, "multiplies the bytes of code segments, stacks and extra data segments, 4 to "
                                   "20 KB each", "1", _SCALE_RULE)

    def __post_init__(self) -> None:
        check(self)
        if self.log_buffer and not self.log_record:
            raise UserError("log_buffer needs a log_record: there is no IMAGE logging where it is 0")

    def cpu(self, seconds: float) -> float:
        """Convert *seconds* of CPU time on a machine of 1.0 MIPS to this machine's."""
        return seconds / self.mips

    def on_its_cpu(self) -> "MpeParameters":
        """Return the parameters with all CPU times converted to this machine's MIPS."""
        times: dict[str, Any] = {
            each.name: self.cpu(getattr(self, each.name)) for each in fields(self) if each.metadata["unit"] == CPU_UNIT
        }
        return replace(self, **times)

    @property
    def awaited_cpu(self) -> float:
        """CPU seconds of a physical I/O for which a process is stopped."""
        return self.initiate + self.dispatch

    @property
    def available(self) -> int:
        """Bytes for segments and cache domains."""
        return self.memory - self.resident


SEGMENT_MARGIN = 64 * KIB
"""The smallest memory for segments and domains with which anything can run."""
