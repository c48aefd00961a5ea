"""Loads as sheets: the calibrated one, and that of an IMAGE application; every number of a load with its source."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from spindle.models.hp3000.discs import EXTENTS
from spindle.sim.disc.sources import assumed, cited
from spindle.sim.parameter import ParameterSource
from spindle.sim.streams import Distribution, Uniform
from spindle.sim.units import KIB, MS
from spindle.workloads.programs import Act, ReadFile, WriteFile

MAX_EXTENTS = 32
"""Extents of a file of MPE V at most; their number and size are set when it is built (Introduction to MPE XL for MPE V
Programmers, Extents)."""


Use = ReadFile | WriteFile
Uses = Mapping[str, Sequence[Use]]
"""Acts that use a session's own files, by the file."""


class FileSizes(Protocol):
    """The rule for the bytes of a session's file, which several acts use."""

    def size(self, usual: int, acts: Iterable[Use]) -> int:
        """Return the bytes of a file that *acts* read and write; *usual* is the parameter ``file_bytes``."""


class OneSize:
    """All files are alike; a pass that is longer begins again."""

    def size(self, usual: int, acts: Iterable[Use]) -> int:
        return usual


class WholePass:
    """A file holds the longest pass through it, as a source holds what a compiler reads; short ones are as usual."""

    def size(self, usual: int, acts: Iterable[Use]) -> int:
        return max(usual, *(round(act.record * longest(act.times)) for act in acts))


def longest(times: Distribution) -> float:
    """Return the most that *times* may draw, or its mean where that has no bound."""
    return times.high if isinstance(times, Uniform) else times.mean


def uses_of(acts: Iterable[Act]) -> Uses:
    """Return those of *acts* that read or write a session's own file, by its name."""
    found: dict[str, list[Use]] = {}
    for act in acts:
        if isinstance(act, Use):
            found.setdefault(act.file, []).append(act)
    return found


@dataclass(frozen=True)
class LoadSheet:
    """Scripts of *clerks* and of *programmers*, and *settings*, the load's values of parameters, each in *sources*.

    *files* is the rule for a session's files; a data set is built in *set_extents*. With *put_entries* a new entry of a
    set goes behind the last one, so many to a block, whoever puts it; with 0 it goes where its user was.
    """

    clerks: str = "orders_63.tepe"
    programmers: str = "development_38.tepe"
    settings: Mapping[str, float] = field(default_factory=dict)
    files: FileSizes = field(default_factory=OneSize)
    set_extents: int = EXTENTS
    put_entries: int = 0
    sources: Mapping[str, ParameterSource] = field(default_factory=dict, compare=False, repr=False)


CALIBRATED = LoadSheet()
"""The load whose numbers are those of MpeParameters: fitted until the paper's rows were met."""

AS_WRITTEN = ("calls_scale", "touch_scale", "order_scale", "records_scale", "pace_scale", "think_scale",
              "compute_scale", "development_scale")  # fmt: skip
"""Factors with which the calibrated load departs from the scripts and programs as they were first written."""

IMAGE = LoadSheet(
    clerks="image_63.tepe",
    settings={
        **dict.fromkeys(AS_WRITTEN, 1.0),
        "terminal_delay": 0.0,
        "call_cpu": 3.0 * MS,
        "initiate": 1.5 * MS,
        "near": 0.5,
        "hot_share": 0.84,
        "hot_size": 0.2,
        "chain_step": 0.3,
        "file_bytes": 40 * KIB,
    },
    files=WholePass(),
    set_extents=MAX_EXTENTS,
    put_entries=5,
    sources={
        **dict.fromkeys(AS_WRITTEN, assumed(
            "1: scripts and programs as they were written before anything was fitted. McBride describes the screens: a "
            "clerk sees what is in stock, then updates the inventory and launches the order")),
        "clerks": cited("times of keying and thinking of TPC-C, clause 5.2.5.7, for an order, an order's status, a "
                        "stock level and a delivery: the oldest published times of order entry, for none of HP's was "
                        "found; the mix of screens is that of orders_63.tepe, assumed"),
        "terminal_delay": assumed("0: nothing is known that would hold up the first character besides CPU, memory, "
                                  "lock, discs and the line"),
        "call_cpu": assumed("3,000 instructions: beside a read of the file system, 1,000, a call checks parameters, "
                            "fills ten words of status, searches buffers and follows pointers; the middle of 2,000 "
                            "to 4,000; not published"),
        "initiate": assumed("1,500 instructions, what was assumed before a search for a calibrated machine chose 900; "
                            "not published"),
        "near": assumed("McBride's clerk orders the part whose stock is on the screen before: every other screen goes "
                        "on where the last was"),
        "hot_share": assumed("84 % of references to 20 % of the entries, the skew of stock in TPC-C as Leutenegger and "
                             "Dias (SIGMOD 1993) found it, as remembered"),
        "hot_size": assumed("with hot_share: a fifth of a data set"),
        "chain_step": assumed("between 0.1 of a set whose chains are repacked and 1 where each entry of a chain lies "
                              "in a block of its own (Paul, IMAGE Performance, Adager: in the extreme case an I/O for "
                              "each entry): the geometric mean"),
        "file_bytes": assumed("of a file that is written record by record; others hold their longest pass, 100 to "
                              "230 KB, in MPE's 8 extents, so that a fetch of 24 KB finds 24 KB"),
        "set_extents": cited("MPE V: a file has up to 32 extents, the number set as it is built (Introduction to MPE "
                             "XL for MPE V Programmers); that IMAGE builds its sets with all of them is assumed"),
        "put_entries": assumed("entries of some 200 bytes in blocks of 1,024 bytes; IMAGE puts an entry of a detail "
                               "set in the first free record, behind the last if none was deleted"),
    },
)
"""Transactions of an IMAGE application. All its numbers were written down before the first run on it, and none is
fitted; what the machine has beside the load, memory for MPE, discs and drives, is that of the calibrated one."""

LOADS: Mapping[str, LoadSheet] = {"calibrated": CALIBRATED, "image": IMAGE}
