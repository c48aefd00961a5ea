"""Studies of Blake's chapter 4, on a 486/50: reads of one record by its size, on the disc alone; and createfil, which
creates a large file, on the whole machine.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, inf
from statistics import fmean
from typing import Any, Protocol

import pandas as pd
import simpy
from matplotlib.axes import Axes
from simpy.resources.resource import Request as Turn

from spindle.models.windows_nt.lazy_writer import EachPeriod, Flushing, KeepsPages, MakesRoom, Waking, WhileWritersWait
from spindle.models.windows_nt.log import LAZY_PAGES, correlation
from spindle.models.windows_nt.machine import NtOptions
from spindle.models.windows_nt.parameters import CPU_TIMES, NtParameters
from spindle.models.windows_nt.run import run
from spindle.models.windows_nt.studies.trials import CLAIMS, FIGURE, Row, with_paper, workload
from spindle.sim import parameter
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import PowerSeek
from spindle.sim.disc.sources import assumed, cited, fitted
from spindle.sim.parameter import change
from spindle.sim.request import Access, access, wait_for
from spindle.sim.streams import stream
from spindle.sim.units import KIB, MIB, MS
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.curves import curve
from spindle.studies.plots.style import INK
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study, StudyWindow
from spindle.workloads.probe.script import PAGE, FileAction, Probe
from spindle.workloads.probe.variations import anywhere, in_records, in_sequence, resize_records
from spindle.workloads.probe.walk import ProbeWalk

# A disc that reads whole tracks, which would explain why each of the book's reads takes one revolution.

class WholeTracks:
    """A *disc* that begins to read a track anywhere and hands sectors over as they pass under the head.

    It takes the next access once it has been round each of the tracks that the last one touched, and keeps none of
    them. Its overhead lies within the revolution.
    """

    def __init__(self, env: simpy.Environment, disc: DiscType) -> None:
        self._env = env
        self._drive = Drive(env, disc)
        self._arm = simpy.Resource(env)
        self._revolution = disc.revolution
        self._track = disc.layout.zones[0].sectors_per_track * disc.layout.sector_bytes
        self._asked = 0
        self._since = self.busy = self.number_seconds = 0.0

    def read(self, access: Access) -> Wait:
        asked = self._env.now
        self._since = self._since if self._asked else asked
        self._asked += 1
        turn = self._arm.request()
        yield turn
        began, request = self._env.now, self._drive.start(access)
        yield from wait_for(request, access.account)
        seek = fsum(end - begin for part, begin, end in request.pieces() if part is Phase.SEEK)
        tracks = (access.span.end - 1) // self._track - access.span.first // self._track + 1
        self._env.process(self._go_round(turn, began + seek + tracks * self._revolution))
        self._asked -= 1
        self.number_seconds += self._env.now - asked
        self.busy += 0.0 if self._asked else self._env.now - self._since

    def _go_round(self, turn: Turn, until: float) -> Wait:
        yield pause(self._env, max(0.0, until - self._env.now))
        self._arm.release(turn)

    def reading(self) -> dict[str, float]:
        """Return the seconds with an access under way, and those of all accesses together, as the system above counts.
        """
        return {"busy": self.busy, "number_seconds": self.number_seconds}


# The disc of chapter 4's 486/50, and what Response Probe measures on it where nothing is buffered.

_CLASS = "Hitachi DK515C (680 MB, 3600 rpm), north.hokkai.net/~ji8sth"

BENCH = DiscType(
    name="486/50's disc",
    layout=uniform(cylinders=1658, heads=15, sectors_per_track=52, sector_bytes=512),
    rpm=3600,
    seek=PowerSeek.fit(4 * MS, 16 * MS, 40 * MS, cylinders=1658),
    overhead=1 * MS,
    sources={
        "cylinders": assumed("1658, usual in its class; the product is 662 MB, and the book has a file of 500 MB"),
        "heads": assumed("15, usual in its class"),
        "sectors_per_track": fitted("D-06a: five pages of one record fit into a revolution with their overhead, six "
                                    "do not; twelve fit into two, thirteen do not"),
        "sector_bytes": cited("Blake 1993, chapter 4: 512 is the least that can be read without buffers"),
        "track_skew": assumed("none: no source mentions any"),
        "cylinder_skew": assumed("none: no source mentions any"),
        "rpm": cited("Blake 1993, chapter 4: steps of 16.7 ms, and 'many disks rotate at 3600 rpm'"),
        "seek": cited(f"{_CLASS}: 4 ms at least, 16 on average, 40 at most"),
        "head_switch": assumed("done within the gap between two sectors"),
        "write_settle": assumed("none: no source mentions any"),
        "overhead": assumed("1 ms, usual in its class"),
    },
)
READ_CPU = 1.2 * MS
"""Seconds a read of the processor, which was 7.2 % busy at 59 reads a second (figure 4.3)."""


# The rest of that 486/50, on which createfil ran. The book prints its clock and speaks of two drives; of its memory and
# its adapter it prints nothing.

@dataclass(frozen=True)
class Desktop:
    """Differences of the 486/50 from the laptop; the system and the other work are the same."""

    memory: int = parameter.assumed(
        16 * MIB, "not printed; what was called preferable for Windows NT 3.1, whose least is 12 MB (FOLDOC, Windows "
        "NT, question.com/computing_dictionary/windows_nt.html)", "bytes")
    faster: float = parameter.assumed(
        7.2, "than the 386SX at 25 MHz: iCOMP 249 for a 486DX at 50 MHz, 22 for a 386SX at 16 MHz and so 34 at 25 "
        "(memim.com/icomp-index.html)")
    moving: float = parameter.assumed(
        0.0, "the adapter moves the bytes by itself: the processor loafs (Blake, text at figure 4.10), while "
        "programmed I/O would take a third of it", "s/byte")
    log_interval: float = parameter.assumed(
        3600.0, "the log is written to another disk (Blake, chapter 4, Busy Disks Are Happy Disks), which is not "
        "modelled", "s")


DIRTY_SHARES = ((19 * MIB, 1 / 8), (32 * MIB, 1 / 4), (inf, 3 / 8))
"""Sizes of memory, and the share of one up to each that may be dirty before writers wait: small, medium and large ones
(ReactOS, ntoskrnl/cc/cacheman.c). The sizes are what M. Russinovich observed in a workstation of Windows NT 4.0 (Tuning
in ntoskrnl.exe, digiater.com/openvms/decus/vmslt97a/ntstuff/ntw-to-ntstune.txt)."""


def dirty_bytes(memory: int) -> float:
    """Return the bytes of *memory* that may be dirty before writers wait."""
    return memory * next(share for most, share in DIRTY_SHARES if memory <= most)


def as_desktop(laptop: NtParameters, desktop: Desktop) -> Mapping[str, float]:
    """Return the changes that make the *laptop* the *desktop*: the processor's times, memory, and what may be dirty."""
    more = dirty_bytes(desktop.memory) / dirty_bytes(laptop.memory)
    return {
        **{name: getattr(laptop, name) / desktop.faster for name in CPU_TIMES},
        "memory": desktop.memory, "throttle": round(laptop.throttle * more),
        "moving": desktop.moving, "log_interval": desktop.log_interval,
    }  # fmt: skip


class BenchDisc(Protocol):
    """A disc that is read, and that counts its busy time."""

    def read(self, access: Access) -> Wait: ...

    def reading(self) -> dict[str, float]: ...


def as_sheet(env: simpy.Environment) -> BenchDisc:
    return Drive(env, BENCH)


def by_tracks(env: simpy.Environment) -> BenchDisc:
    return WholeTracks(env, BENCH)


DISCS = {"sheet": as_sheet, "whole tracks": by_tracks}


def read_alone(
    probe: Probe, seed: object, cycles: int, disc: Callable[[simpy.Environment], BenchDisc] = as_sheet
) -> Mapping[str, float]:
    """Run *probe*'s readers on the *disc* alone for *cycles* cycles; return seconds, also as the disc counts them."""
    env = simpy.Environment()
    drive = disc(env)
    seen: list[float] = []
    actions = [thread.actions[0] for process in probe.processes for thread in process.threads]
    reads = cycles * round(probe.processes[0].threads[0].reads.mean)
    for number, action in enumerate(actions):
        env.process(_read(env, drive, ProbeWalk(action, stream(seed, f"probe {number}")), _place(action), reads, seen))
    env.run()
    counted = drive.reading()
    return {
        "response": env.now * len(actions) / len(seen),
        "disc_response": fmean(seen),
        "rate": len(seen) / env.now,
        "busy": counted["busy"] / env.now,
        "queue": counted["number_seconds"] / env.now,
    }


def _place(action: FileAction) -> int:
    """Return the byte where the file begins: at the begin of a cylinder, so that it lies in the middle of the disc."""
    cylinder = BENCH.layout.sectors * 512 // 1658
    return (BENCH.layout.sectors * 512 - action.file.size) // 2 // cylinder * cylinder


def _read(env: simpy.Environment, drive: BenchDisc, walk: ProbeWalk, first: int, reads: int, seen: list[float]) -> Wait:
    account = Account("probe")
    for _ in range(reads):
        for each in walk.references():
            began = env.now
            yield from drive.read(access(each.operation, first + each.first, each.size, account))
            seen.append(env.now - began)
            yield env.timeout(READ_CPU)


def same_record(pages: int, seed: object, **parameters: Any) -> Row:
    """Read one record of *pages* pages again and again, without chance or parameters."""
    seconds = read_alone(in_records(workload("disc_512"), pages * PAGE), 1, 1)["response"]
    return {"read_ms": seconds / MS, "mb_per_second": pages * PAGE / seconds / MIB}


def far_record(pages: int, seed: object, cycles: int, **parameters: Any) -> Row:
    """Read records of *pages* pages at random from a file of 500 MB on that disc."""
    probe = resize_records(workload("disc_60k"), pages * PAGE)
    return {"mb_per_second": pages * PAGE * read_alone(probe, seed, cycles)["rate"] / MIB}


CREATED = 512_000 * KIB
"""Bytes of the file of chapter 4 that createfil makes."""


def create_file(
    seed: object, share: float, memory_mb: int, flushing: type[Flushing], waking: type[Waking], **parameters: Any
) -> Row:
    """Write through the cache of the 486/50 as createfil does, a page at a time; ``seconds`` are of all its file.

    How it writes is assumed. *parameters* are the laptop's.
    """
    laptop = change(NtParameters(), **parameters)
    machine = as_desktop(laptop, Desktop(memory=memory_mb * MIB))
    probe = in_sequence(workload("sequential_write"), CREATED)
    choices = NtOptions(drive=BENCH, flushing=flushing, waking=waking)
    seen = run(probe, seed, share * laptop.trial, choices=choices, **{**parameters, **machine}).extras
    return {
        "seconds": CREATED / (PAGE * seen["cycles_per_second"]), "lazy_bytes": PAGE * seen[LAZY_PAGES],
        "bytes_a_write": seen["LogicalDisk: Avg. Disk Bytes/Write"],
    }


def run_disc_alone(
    work: str, seed: object, cycles: int, wide: bool = False, disc: str = "sheet", **parameters: Any
) -> Row:
    """Run the readers of *work* on chapter 4's disc, one of DISCS; records all over the file if *wide*."""
    probe = anywhere(workload(work)) if wide else workload(work)
    return read_alone(probe, seed, cycles, DISCS[disc])


PAGES = range(1, 17)
STEP_PAGES = (6, 13, 16)
"""Pages at which the book has a revolution more."""
REVOLUTION_MS = BENCH.revolution / MS
STRAIGHT = 0.95
"""Least share of the variance of a line, called linear, that a straight line explains."""
NEAR_WINDOW = StudyWindow({"cycles": 20}, {"cycles": 5})
"""Window of reads of 512 bytes, next to each other."""
FAR_WINDOW = StudyWindow({"cycles": 800}, {"cycles": 200})
"""Window of reads of 60 KB, from all over the disc."""


def measures(rows: SeedRows) -> Mapping[str, float]:
    sizes = pd.DataFrame(rows.select(check="size"))
    most, pages = best(sizes)
    sheet = of_disc(rows, "sheet")
    candidate = {f"{name}_by_tracks": value for name, value in of_disc(rows, "whole tracks").items()}
    return {
        **sheet, **candidate, "wide_loss": 1.0 - sheet["read_60k_ms"] / sheet["wide_60k_ms"],
        "best_mb": most, "best_pages": pages,
        **{f"step_at_{pages}": float(pages in steps(sizes)) for pages in STEP_PAGES},
    }  # fmt: skip


def of_disc(rows: SeedRows, disc: str) -> Mapping[str, float]:
    """Measure Probe's readers on one of DISCS."""
    near, queued, far, wide = (rows.one(check=check, disc=disc) for check in ("near", "queued", "far", "wide"))
    return {
        "read_512_ms": near["response"] / MS, "reads_512": near["rate"], "busy_512": near["busy"],
        "queued_s": queued["disc_response"], "queue": queued["queue"],
        "read_60k_ms": far["disc_response"] / MS, "wide_60k_ms": wide["disc_response"] / MS,
    }  # fmt: skip


def linear(rows: SeedRows) -> Mapping[str, float]:
    """Measure if the rate over 500 MB grows with each page of a record along a straight line, and falls at 64 KB."""
    rates = [row["mb_per_second"] for row in rows]
    grows = all(one < other for one, other in pairwise(rates[:-1]))
    straight = correlation(list(PAGES)[:-1], rates[:-1]) ** 2
    return {"linear": float(grows and straight >= STRAIGHT), "falls_at_16": float(rates[-1] < rates[-2])}


def best(table: pd.DataFrame) -> tuple[float, int]:
    """Return the highest rate, and the pages of the record that has it."""
    return max(zip(table["mb_per_second"].tolist(), table["pages"].tolist(), strict=True))


def steps(table: pd.DataFrame) -> list[int]:
    """Return the sizes at which a read takes a revolution more than with a page less."""
    longer = table["read_ms"].diff() > REVOLUTION_MS / 2
    return [int(pages) for pages in table["pages"][longer].tolist()]


def by_size(rows: pd.DataFrame) -> pd.DataFrame:
    sizes = rows[(rows["check"] == "size") & (rows["seed"] == 1)]
    return sizes[["pages", "read_ms", "mb_per_second"]].astype({"pages": int}).reset_index(drop=True)


@with_paper(lambda paper: [(paper["D-08"], paper["D-07"])])
def picture(table: pd.DataFrame) -> Axes:
    return curve(
        table, "pages", "mb_per_second", x_label="record, pages of 4 KB", y_label="transferred, MB a second",
        title="A record that misses its revolution waits for the next",
    )  # fmt: skip


def caption(table: pd.DataFrame) -> str:
    most, pages = best(table)
    return (
        f"At most {most:.2f} MB a second, at {pages} pages (the book: 1.4 at 12). A revolution more at "
        f"{', '.join(map(str, steps(table)))} pages; in the book also at 16, where its adapter probably cut the "
        "transfer in two: no tracks of equal length give 6, 13 and 16."
    )


# createfil by the memory of the 486/50, which the book does not print, and by the rules of its cache.

DESKTOP_MB = Desktop().memory // MIB
MEMORY_MB = (12, DESKTOP_MB, 20, 24, 32)
LAPTOP_RULES, TEXT_RULES = "as on the laptop", "as its text says"


def measure_creation(rows: SeedRows) -> Mapping[str, float]:
    """Measure createfil on the 486/50 with the memory that is assumed, by the rules that the laptop has."""
    row = rows.one(rules=LAPTOP_RULES, memory_mb=DESKTOP_MB)
    return {name: row[name] for name in ("seconds", "bytes_a_write", "lazy_bytes")}


def by_memory(rows: pd.DataFrame) -> pd.DataFrame:
    firsts = rows[rows["seed"] == 1]
    return firsts[["rules", "memory_mb", "seconds", "bytes_a_write", "lazy_bytes"]].astype({"memory_mb": int})


def draw_by_memory(table: pd.DataFrame) -> Axes:
    ax = curve(
        table, "memory_mb", "seconds", "rules", x_label="memory, MB", y_label="to create the file, s",
        title="createfil by the memory of its 486/50",
    )  # fmt: skip
    ax.axhline(published_by_id(CLAIMS)["D-11"], color=INK, linewidth=0.8)
    return ax


def caption_by_memory(table: pd.DataFrame) -> str:
    laptop, text = (
        ", ".join(f"{row.seconds:.0f} s with {row.memory_mb} MB" for row in rows.itertuples())
        for rows in (table[table["rules"] == rules] for rules in (LAPTOP_RULES, TEXT_RULES))
    )
    return (
        f"By the rules of the laptop: {laptop}. As the text at figure 4.12 has it, with a lazy writer launched "
        f"frequently and flushes that make room: {text}. The line is the book's 722 s."
    )


STUDIES = (
    Study(
        "record_size",
        "Chapter 4: what a 3600 rpm disc transfers when the same record is read again and again, by its size.",
        [
            Runs(same_record, UNTIMED, {"check": "size"}, pages=PAGES),
            Runs(run_disc_alone, NEAR_WINDOW, {"check": "near"}, work="disc_512", disc=list(DISCS)),
            Runs(run_disc_alone, NEAR_WINDOW, {"check": "queued"}, work="disc_512_by_5", disc=list(DISCS)),
            Runs(run_disc_alone, FAR_WINDOW, {"check": "far"}, work="disc_60k", disc=list(DISCS)),
            Runs(run_disc_alone, FAR_WINDOW, {"check": "wide"}, work="disc_60k", wide=True, disc=list(DISCS)),
        ],
        Figure(by_size, picture, caption), measures,
    ),
    Study(
        "record_size_far", "Chapter 4: what that disc transfers at random from 500 MB, by the size of a record.",
        [Runs(far_record, FAR_WINDOW, pages=PAGES)], measures=linear,
    ),
    Study(
        "createfil", "Chapter 4: a file of 500 MB written through the cache of the 486/50, by its memory.",
        [Runs(create_file, FIGURE, {"rules": LAPTOP_RULES}, memory_mb=MEMORY_MB, flushing=KeepsPages,
              waking=EachPeriod),
         Runs(create_file, FIGURE, {"rules": TEXT_RULES}, memory_mb=MEMORY_MB, flushing=MakesRoom,
              waking=WhileWritersWait)],
        Figure(by_memory, draw_by_memory, caption_by_memory), measure_creation, replications=1,
    ),
)  # fmt: skip
