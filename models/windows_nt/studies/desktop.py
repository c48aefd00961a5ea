"""Studies createfil, Blake's program that creates a large file through the cache of his 486/50, by memory size."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.windows_nt.lazy_writer import EachPeriod, Flushing, KeepsPages, MakesRoom, Waking, WhileWritersWait
from spindle.models.windows_nt.log import NtLine
from spindle.models.windows_nt.machine import NtOptions
from spindle.models.windows_nt.parameters import CPU_TIMES, NtParameters
from spindle.models.windows_nt.run import run
from spindle.models.windows_nt.studies.bench_disc import BENCH
from spindle.models.windows_nt.studies.trials import CLAIMS, FIGURE, Row, workload
from spindle.sim import parameter
from spindle.sim.parameter import change
from spindle.sim.units import KIB, MIB
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.curves import curve
from spindle.studies.plots.style import INK
from spindle.studies.study import Figure, Runs, SeedRows, Study
from spindle.workloads.probe.script import PAGE
from spindle.workloads.probe.variations import in_sequence

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
        "seconds": CREATED / (PAGE * seen["cycles_per_second"]), "lazy_bytes": PAGE * seen[NtLine.LAZY_PAGES],
        "bytes_a_write": seen["LogicalDisk: Avg. Disk Bytes/Write"],
    }


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
        table, "memory_mb", "seconds", "rules", names={rules: f"rules {rules}" for rules in (LAPTOP_RULES, TEXT_RULES)},
        x_label="memory, MB", y_label="to create the file, s", title="createfil by the memory of its 486/50",
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
        "createfil",
        [Runs(create_file, FIGURE, {"rules": LAPTOP_RULES}, memory_mb=MEMORY_MB, flushing=KeepsPages,
              waking=EachPeriod),
         Runs(create_file, FIGURE, {"rules": TEXT_RULES}, memory_mb=MEMORY_MB, flushing=MakesRoom,
              waking=WhileWritersWait)],
        Figure(by_memory, draw_by_memory, caption_by_memory), measure_creation, replications=1,
    ),
)  # fmt: skip
