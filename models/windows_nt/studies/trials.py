"""Runs of the studies, each a row of numbers: workloads on the laptop, readers of chapter 4's disc alone, and createfil
on its 486/50."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from math import fsum, inf
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

import simpy
from simpy.resources.resource import Request as Turn

import spindle.workloads.probe
from spindle.models.windows_nt.cache import Flushing, KeepsPages, Waking
from spindle.models.windows_nt.log import CACHE, LAZY_PAGES, MAP_HITS, Log, second_half, working_set
from spindle.models.windows_nt.log import log_lines as lines
from spindle.models.windows_nt.machine import NtOptions
from spindle.models.windows_nt.memory import ByShare, TrimRule
from spindle.models.windows_nt.parameters import CPU_TIMES, NtParameters
from spindle.models.windows_nt.processes import BesideProbe, Nobody
from spindle.models.windows_nt.run import run
from spindle.sim import parameter
from spindle.sim.clock import Account, Phase, Wait, pause
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import PowerSeek
from spindle.sim.disc.sheets import assumed, cited, fitted
from spindle.sim.parameter import change
from spindle.sim.request import Access, access, wait_for
from spindle.sim.streams import stream
from spindle.sim.units import KIB, MIB, MS
from spindle.workloads.probe.reader import read
from spindle.workloads.probe.script import (
    PAGE,
    FileAction,
    Mode,
    Probe,
    ProbeWalk,
    anywhere,
    computing,
    in_mode,
    in_records,
    in_sequence,
    resize_records,
    spread_over,
    widen_spread,
)

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


# Runs of the chapters' workloads, by name of the files of workloads/probe, each with one thing varied.

FOLDER = Path(spindle.workloads.probe.__file__).parent
TABLE = ("sequential_read", "sequential_write", "random_read", "random_read_write")
"""The rows of tables 6.1 and 6.2."""


@cache
def workload(name: str) -> Probe:
    """Return the experiment that ships as *name*.scr."""
    return read(FOLDER / f"{name}.scr")


Row = Mapping[str, Any]
MODES = {"unbuffered": Mode.UNBUFFERED, "buffered": Mode.BUFFERED, "mapped": Mode.MAPPED}
AS_BUILT = 0
"""Size in MB that stands for a cache that is a working set, and for the script's spread."""


def run_logged(
    work: str, seed: object, share: float, interval: float = 1.0, spread_mb: int = AS_BUILT, fixed_mb: int = AS_BUILT,
    trimming: type[TrimRule] = ByShare, flushing: type[Flushing] = KeepsPages, beside: type[BesideProbe] = Nobody,
    **parameters: Any,
) -> Row:  # fmt: skip
    """Run a *share* of the trial of *work* with Performance Monitor; return responses, and lines that ``Log`` reads."""
    seconds = share * change(NtParameters(), **parameters).trial
    probe = workload(work)
    probe = spread_over(probe, spread_mb * MIB) if spread_mb else probe
    fixed: dict[str, Any] = {"cache": fixed_mb * MIB} if fixed_mb else {}
    choices = NtOptions(trimming=trimming, flushing=flushing, beside=beside)
    result = run(probe, seed, seconds, interval=interval, choices=choices, **fixed, **parameters)
    return {
        **{name: value for name, value in result.extras.items() if name.startswith("response_ms")},
        "map_hits": result.extras[MAP_HITS],
        "missed_writes": result.counters["cache.pin_reads"] - result.counters["cache.pin_reads_hits"],
        "dirty_pages": result.intervals[-1]["cache.dirty_pages"],
        **lines(result),
    }


def cell(row: str, mode: str, seed: object, seconds: float, **parameters: Any) -> Row:
    """Measure one cell of table 6.2, and the phases of its time."""
    result = run(in_mode(workload(row), MODES[mode]), seed, seconds, **parameters)
    parts = {f"part_{name}": each for name, each in result.breakdown().items()}
    return {"ms": result.extras["response_ms"], **parts}


def settings(seed: object, **parameters: Any) -> Row:
    """Return the inputs: sizes, and the places of Probe's records."""
    machine = change(NtParameters(), **parameters)
    probes = (widen_spread(workload(name), machine.spread) for name in ("sequential_read", "large_read"))
    small, large = (probe.processes[0].threads[0].actions[0] for probe in probes)
    reader, sequence = ProbeWalk(large, stream(seed, "spread")), ProbeWalk(small, stream(seed, "sequence"))
    places = sorted(each.first for _ in range(4000) for each in reader.references())
    firsts = [each.first for _ in range(small.records + 1) for each in sequence.references()]
    return {
        "memory_mb": machine.memory / MIB, "trim_below_mb": machine.trim_below / MIB, "record_bytes": small.record,
        "spread_mb": (places[-20] - places[20]) / MIB, "wraps": float(firsts[-1] == 0 and len(set(firsts)) == 256),
    }  # fmt: skip


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


def go_through(mode: str, seed: object, share: float, **parameters: Any) -> Row:
    """Read the file of figure 6.3 in sequence in one of MODES; return the ``mb`` of memory that the reader takes.

    They are those of the process where it maps the file, and else the growth of the cache in the trial.
    """
    probe = in_sequence(in_mode(workload("large_read"), MODES[mode]))
    seconds = share * change(NtParameters(), **parameters).trial
    row = lines(run(probe, seed, seconds, interval=1.0, **parameters))
    if mode == "mapped":
        (reader,) = [name for name in row if name.startswith(working_set("PROBEPRC")[:-1])]
        return {"mb": fmean(second_half(Log(row).mb(reader)))}
    return {"mb": fmean(second_half(Log(row).mb(CACHE))) - Log(row, lead=True).mb(CACHE)[-1]}


def run_disc_alone(
    work: str, seed: object, cycles: int, wide: bool = False, disc: str = "sheet", **parameters: Any
) -> Row:
    """Run the readers of *work* on chapter 4's disc, one of DISCS; records all over the file if *wide*."""
    probe = anywhere(workload(work)) if wide else workload(work)
    return read_alone(probe, seed, cycles, DISCS[disc])


ORDERS = {"in sequence": "sequential_read", "at random": "random_read"}
WAYS = {"synchronous": Mode.BUFFERED, "asynchronous": Mode.ASYNCHRONOUS}


def record(order: str, size: int, seed: object, seconds: float, **parameters: Any) -> Row:
    """Measure the transfer of the laptop's disc in records of *size* bytes without the cache, in one of ORDERS."""
    probe = resize_records(in_mode(workload(ORDERS[order]), Mode.UNBUFFERED), size)
    ms = run(probe, seed, seconds, **parameters).extras["response_ms"]
    return {"ms": ms, "kb_per_second": size / KIB / (ms * MS)}


def overlap(way: str, computing_ms: float, seed: object, seconds: float, **parameters: Any) -> Row:
    """Run a reader at random from a file that is not in the cache, who computes between reads, in one of WAYS."""
    probe = computing(in_mode(workload("overlapped_read"), WAYS[way]), computing_ms * MS)
    result = run(probe, seed, seconds, **parameters)
    kinds = {kind: result.extras[f"Cache: {kind} Copy Reads/sec"] for kind in ("Sync", "Async")}
    return {"ms": result.extras["response_ms"], **{f"{kind.lower()}_reads": rate for kind, rate in kinds.items()}}
