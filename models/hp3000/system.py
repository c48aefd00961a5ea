"""The HP3000 as a system of Spindle: its options and parts, the page to play with, the paper's cases and examples."""

from collections.abc import Mapping
from typing import Any

from spindle.models.hp3000.caching.alignment import ALIGNMENTS
from spindle.models.hp3000.caching.competition import COMPETITIONS
from spindle.models.hp3000.caching.control import FLUSHES, WRITES
from spindle.models.hp3000.control_block import HOLDS
from spindle.models.hp3000.data_sets import FAMILIES
from spindle.models.hp3000.ensemble import ENSEMBLE
from spindle.models.hp3000.instruments.elasticity import lines
from spindle.models.hp3000.load import catalogue, scripts
from spindle.models.hp3000.load_sheets import LOADS
from spindle.models.hp3000.machine import MpeOptions
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.models.hp3000.series import SERIES
from spindle.playable import Files, Offered, Playable, shipped_system
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu
from spindle.sim.disc.registry import DRIVES, SCHEDULERS
from spindle.sim.error import UserError
from spindle.sim.eviction.registry import POLICIES
from spindle.studies.system import PaperCase, Scripting
from spindle.workloads import tepe
from spindle.workloads.shipped_programs import CATALOGUE

# Scripts that are written on the page.

class TepeScripts:
    """TEPE scripts of terminals."""

    option = "script"

    def shipped_files(self) -> dict[str, Files]:
        paths = sorted(tepe.SHIPPED.glob("*.tepe"))
        return {path.name: {path.name: path.read_text("utf-8")} for path in paths}

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments; given terminals replace the number of the first script, as on the command line."""
        name, text = next(iter(files.items()))
        scripts = tepe.parse(text, name, CATALOGUE)
        if "terminals" in given:
            scripts = tepe.with_terminals(scripts, given["terminals"])
        if "clerks" in given:
            raise UserError("clerks counts Spindle's own people; a script says who sits at its terminals")
        return {**given, "scripts": list(scripts)}


# The parts of a Series 64 that may be exchanged, by name.

PARTS: Mapping[str, Mapping[str, Any]] = {
    "series": SERIES,
    "cpu": {"preemptive": PreemptiveCpu, "fcfs": FcfsCpu},
    "drive": DRIVES,
    "scheduler": SCHEDULERS,
    "policy": POLICIES,
    "hold": HOLDS,
    "alignment": ALIGNMENTS,
    "write": WRITES,
    "flush": FLUSHES,
    "cache_memory": COMPETITIONS,
    "load": LOADS,
}


TERMINALS = ("21", "42", "63", "84", "101")

PLAYABLE = Playable(
    run=run,
    parameters=MpeParameters(),
    parts=PARTS,
    choose=MpeOptions,
    offered={
        "terminals": Offered("people at terminals", [str(each) for each in range(1, 128)]),
        "clerks": Offered("of them enter and look up orders, at most; the others edit, compile and test",
                          [str(each) for each in range(128)]),
        "caching": Offered("idle memory is a cache of all discs"),
        "minutes": Offered("measured minutes", [f"{each}min" for each in (1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 60)]),
        "warm_up": Offered("minutes before the measured ones", [f"{each}min" for each in (0, 1, 2, 3, 5, 10)]),
    },
    begin={"minutes": "3min", "warm_up": "1min"},
    vary=("terminals", TERMINALS),
    curves=("response_mean", "hit_ratio"),
    window="60s:10s",
    scripts=TepeScripts(),
    tour={
        "What does it gain the paper's 63 clerks and 38 programmers?": ("caching", "false,true", {}),
        "How many clerks may work without it?": ("terminals", "21,42,63,84", {"caching": "false", "clerks": "127"}),
        "How many may work with it?": ("terminals", "21,42,63,84", {"clerks": "127"}),
        "What should a miss fetch?": ("fetch_random", "1KiB,4KiB,8KiB,16KiB,24KiB", {}),
        "How much memory does it need beside programs?": ("memory", "3MiB,4MiB,6MiB,8MiB", {}),
    },
)


SAYS = {
    "terminals": "people at terminals; with --script users of its first section",
    "log": "OPT's pages, one a minute, into FILE.txt, or tables into FILE.csv and beside it; default none",
    "shift": "what the operator types, and when; default nothing",
    "hold": "what a call of IMAGE holds the control block for: all of it, or what it computes",
    "cache_memory": "who gives way where memory is full: what one clock finds unused, or domains; with a size, such as "
                    "2MiB, domains beyond it and programs beyond the rest; partition-2MiB is for domains alone, always",
    "load": "what is asked: calibrated until the paper's rows were met, or an IMAGE application's, of sources",
    "report": "the TEPE monitor's, by terminal and by transaction, below the page",
}

MODEL = 2
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = shipped_system(
    "hp3000", MODEL, PLAYABLE,
    scripting=Scripting(scripts, catalogue, {name: family.count for name, family in FAMILIES.items()}),
    examples=(
        "--terminals 63 --no-caching",
        "--terminals 101 --clerks 80 --seed 3 --json",
        "--drive hp7925 --scheduler c-look --policy lru --set memory=6291456",
        "--minutes 5 --precision 0.05",
        "--minutes 2 --timeline results/quick/hp3000.pftrace",
        "--minutes 5 --log opt.txt",
        "--terminals 21 --minutes 5 --report",
        "--minutes 8 --warm-up 2 --shift examples/operator_shift.txt",
    ),
    ensemble=ENSEMBLE,
    remark=lines,
    says=SAYS,
    cases=(
        PaperCase({"response_mean": "B34", "hit_ratio": "B22", "reads_a_write": "B35r"}),
        PaperCase({"response_mean": "B33", "cpu_busy": "B10", "disc_rate": "B14", "impede_rate": "B15"},
                  {"caching": False}),
    ),
)
