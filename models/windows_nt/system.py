"""Registers Windows NT (Blake 1993) as a system of Spindle: its options and parts, and the text of its results."""

import re
from collections.abc import Mapping
from itertools import groupby
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spindle.workloads.probe
from spindle.models.windows_nt import lazy_writer
from spindle.models.windows_nt.beside_probe import ClearMem, FileServer, Nobody
from spindle.models.windows_nt.machine import NtOptions
from spindle.models.windows_nt.page_writers import PAGE_WRITERS
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.run import run
from spindle.models.windows_nt.trimming import ByReference, ByShare
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.error import UserError
from spindle.sim.measure.result import Result
from spindle.sim.parameter import describe
from spindle.sim.quantity import quantity
from spindle.system import Files, System
from spindle.workloads.probe import reader
from spindle.workloads.probe.script import Mode

# Scripts that are written on the page.

class ProbeScripts:
    """Experiments of Response Probe: a .SCR file, and those that it names."""

    option = "probe"

    def shipped_files(self) -> dict[str, Files]:
        texts = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.sc[rpt]"))}
        return {name: _with_named_files(name, texts) for name in texts if name.endswith(".scr")}

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """The files are read from a folder, for that is how they name each other."""
        with TemporaryDirectory() as folder:
            for name, text in files.items():
                Path(folder, name).write_text(text, "utf-8")
            try:
                probe = reader.read(Path(folder, next(iter(files))), given.get("seconds"))
            except UserError as error:
                raise UserError(re.sub(rf"{re.escape(folder)}[/\\]", "", str(error))) from None
        return {**given, "probe": probe}


def _with_named_files(name: str, texts: Files) -> dict[str, str]:
    """Return the file *name*, and all that it names, directly or not."""
    found = {name: texts[name]}
    for word in texts[name].split():
        if word in texts and word != name:
            found |= _with_named_files(word, texts)
    return found


# The parts of the laptop that may be exchanged, by name.

PARTS: Mapping[str, Mapping[str, Any]] = {
    "drive": STORES, "scheduler": SCHEDULERS, "trimming": {"share": ByShare, "reference": ByReference},
    "flushing": {"keeps": lazy_writer.KeepsPages, "makes-room": lazy_writer.MakesRoom},
    "waking": {"each-period": lazy_writer.EachPeriod, "while-writers-wait": lazy_writer.WhileWritersWait},
    "page_writers": PAGE_WRITERS,
    "unmapping": {"dirty-leave": lazy_writer.DirtyPagesLeave, "dirty-stay": lazy_writer.DirtyPagesStay},
    "beside": {"nobody": Nobody, "clearmem": ClearMem, "server": FileServer},
    "mode": {"script": None, "buffered": Mode.BUFFERED, "unbuffered": Mode.UNBUFFERED, "mapped": Mode.MAPPED,
             "write-through": Mode.WRITE_THROUGH, "asynchronous": Mode.ASYNCHRONOUS},
}  # fmt: skip

FOLDER = Path(spindle.workloads.probe.__file__).parent
PROBES = {f"workloads/probe/{path.name}": path for path in sorted(FOLDER.glob("*.scr"))}


# How ``spindle run`` prints a run of Response Probe: its cycles, and Performance Monitor's counters by object.

HIT_RATE = " Hits %"
ARGUMENT_UNITS = {"cache": "bytes", "seconds": "s", **{each.name: each.unit for each in describe(NtParameters())}}


def page(result: Result) -> str:
    """Lay *result* out with each hit percentage beside its rate, without counters of 0."""
    extras = result.extras
    given = {name: value for name, value in result.parameters.items() if value is not None}
    arguments = ", ".join(f"{name} {_argument(name, value)}" for name, value in given.items())
    lines = [
        f"Response Probe on Windows NT: {arguments}, seed {result.seed}",
        f"measured from {result.start:g} to {result.end:g} s: {_cycles(result)}",
        *(f"  {name.removeprefix('response_ms_')}: {_cycle_time(value)}"
          for name, value in extras.items() if name.startswith("response_ms_")),
    ]
    counted = [(name.partition(": "), value) for name, value in extras.items() if ": " in name and value]
    for thing, group in groupby(counted, lambda each: each[0][0]):
        shown = [(name[2], value) for name, value in group if HIT_RATE not in name[2]]
        lines += ["", thing, *(_line(name, value, extras, thing) for name, value in shown)]
    return "\n".join(lines)


def _argument(name: str, value: object) -> str:
    return quantity(value, ARGUMENT_UNITS[name], 6) if isinstance(value, int | float) else str(value)


def _cycles(result: Result) -> str:
    extras = result.extras
    if not result.recorder.count:
        return "no cycle was observed, for none began and ended in it; run for more seconds"
    return f"{_cycle_time(extras['response_ms'])}, {extras['cycles_per_second']:.1f} cycles a second"


def _cycle_time(ms: float) -> str:
    return "no cycle" if isnan(ms) else f"{ms:.3f} ms a cycle"


def _line(name: str, value: float, extras: Mapping[str, float], thing: str) -> str:
    hits = extras.get(f"{thing}: {name.removesuffix('s/sec')}{HIT_RATE}")
    return f"{name:>32}  {value:14,.2f}" + (f"  {hits:6.2f} % hits" if hits is not None else "")


MODEL = 4
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = System.of_card(
    "windows_nt", MODEL, run, NtParameters(), parts=PARTS, choose=NtOptions,
    page=page, language=ProbeScripts(), words={"probe": PROBES},
)  # fmt: skip
