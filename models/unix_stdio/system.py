"""Registers buffered I/O on Unix as a system of Spindle: its options and parts, and the text of its results."""

from collections.abc import Iterator, Mapping
from math import isnan
from typing import Any

from spindle.models.unix_stdio.page_cache.read_ahead import FileReadAhead, OracleReadAhead
from spindle.models.unix_stdio.parameters import MACHINES, UnixParameters
from spindle.models.unix_stdio.program_calls import StracedResult, listing
from spindle.models.unix_stdio.run import ADVICE, FLAGS, UnixOptions, run
from spindle.sim import user_parts
from spindle.sim.disc.registry import STORES
from spindle.sim.measure.result import Result
from spindle.sim.quantity import quantity
from spindle.system import System, words_of
from spindle.workloads.stdio_files import programs

# The parts of the lecture's machine that may be exchanged, by name.

PREFETCHERS = {"linux": FileReadAhead, "oracle": OracleReadAhead}
PARTS: Mapping[str, Mapping[str, Any]] = {"machine": MACHINES, "drive": STORES, "prefetcher": PREFETCHERS}
user_parts.TYPES["machine"] = UnixParameters, UnixParameters.__module__


# How ``spindle run unix_stdio`` prints a run: its rate, its calls, where its time went, what was at risk.

TIME_PARTS = {
    "in_library": "library", "in_calls": "system calls", "in_copying": "copying", "in_pages": "pages",
    "in_disc": "disc", "in_waiting_to_write": "commit or room",
}  # fmt: skip
BAR_WIDTH = 40
"""Characters of the longest bar in the text of the answer."""
SIZE_ARGUMENTS = ("block", "size", "stride")


def page(result: Result) -> str:
    """Lay *result* out for a screen of 80 columns."""
    extras = result.extras
    calls = ["", *listing(result.calls, extras)] if isinstance(result, StracedResult) else []
    return "\n".join([*_arguments(result), "", *_work(extras), "", *_times(extras), *_risk(extras), *calls])


def _arguments(result: Result) -> Iterator[str]:
    arguments = result.parameters
    program = programs().get(str(arguments["program"]))
    yield f"{arguments['program']}: {program.says}" if program else f"{arguments['program']}"
    usual = {"program": arguments["program"], "warm": False, "stride": 0, "flags": "", "advice": "normal"}
    shown = {name: quantity(value, "bytes", 8) if name in SIZE_ARGUMENTS and isinstance(value, int) else value
             for name, value in arguments.items() if usual.get(name) != value and name != "warm"}  # fmt: skip
    others = [f"{name} {value}" for name, value in shown.items()]
    yield ", ".join([*others, *(["warm"] if arguments.get("warm") else []), f"seed {result.seed}"])


def _work(extras: Mapping[str, float]) -> Iterator[str]:
    stopped = ", then interrupted" if extras["interrupted"] else ""
    yield f"{'rate':>18}  {_digits(extras['rate'])} bytes/s, ln {extras['ln_rate']:.2f}"
    each = f"{extras['us_per_call']:.4g} us each{stopped}"
    yield f"{'calls':>18}  {extras['calls']:,.0f} in {extras['elapsed']:.4g} s, {each}"
    seeks = f" and {extras['seeks']:,.0f} seeks" if extras["seeks"] else ""
    yield f"{'system calls':>18}  {extras['system_calls']:,.0f}{seeks}"
    requests = extras["device_reads"] + extras["device_writes"]
    mean = f", {extras['device_bytes'] / requests / 1024:,.1f} KiB each" if requests else ""
    kind = "writes" if extras["device_writes"] else "reads"
    yield f"{'disc':>18}  {requests:,.0f} {kind}{mean}"
    if extras["amplification"] > 1:
        yield f"{'fetched':>18}  {extras['amplification']:,.0f} bytes for each that was asked for"


def _times(extras: Mapping[str, float]) -> Iterator[str]:
    whole = extras["elapsed"]
    yield "where the time goes"
    for name, label in TIME_PARTS.items():
        if extras[name] >= 0.005 * whole > 0:
            share = extras[name] / whole
            yield f"{label:>18}  {share:6.1%}  {'#' * round(BAR_WIDTH * share)}".rstrip()


def _risk(extras: Mapping[str, float]) -> Iterator[str]:
    if not extras["device_writes"]:
        return
    yield ""
    yield "what is at risk"
    yield f"{'at most':>18}  {extras['most_at_risk']:,.0f} bytes; none {extras['safe_after']:.1f} s after the last call"
    yield f"{'if the power fails':>18}  at {extras['power_fails_at']:.4g} s: {extras['lost_then']:,.0f} bytes lost of "\
          f"{extras['written_then']:,.0f}, the file whole up to {extras['whole_then']:,.0f}"  # fmt: skip


def _digits(number: float) -> str:
    return "none" if isnan(number) else f"{float(f'{number:.4g}'):,.15g}"


MODEL = 1
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = System.of_card(
    "unix_stdio", MODEL, run, UnixParameters(), parts=PARTS, choose=UnixOptions,
    page=page, words={"program": words_of(programs()), "flags": words_of(FLAGS), "advice": words_of(ADVICE)},
)  # fmt: skip
