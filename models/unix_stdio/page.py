"""How ``spindle run unix_stdio`` prints a run: its rate, its calls, where its time went, what was at risk."""

from collections.abc import Iterator, Mapping
from math import isnan

from models.unix_stdio.strace import StracedResult, listing
from sim.measure.result import Result
from workloads.stdio import programs

PARTS = {
    "in_library": "library", "in_calls": "system calls", "in_copying": "copying", "in_pages": "pages",
    "in_disc": "disc", "in_waiting_to_write": "commit or room",
}  # fmt: skip
BAR = 40


def page(result: Result) -> str:
    """For a screen of 80 columns."""
    calls = ["", *listing(result.calls, result.extras)] if isinstance(result, StracedResult) else []
    lines = [*_asked(result), "", *_did(result.extras), "", *_spent(result.extras), *_risk(result.extras)]
    return "\n".join([*lines, *calls])


def _asked(result: Result) -> Iterator[str]:
    said = result.parameters
    program = programs().get(str(said["program"]))
    yield f"{said['program']}: {program.says}" if program else f"{said['program']}"
    usual = {"program": said["program"], "warm": False, "stride": 0, "flags": "", "advice": "normal"}
    others = [f"{name} {value}" for name, value in said.items() if usual.get(name) != value and name != "warm"]
    yield ", ".join([*others, *(["warm"] if said.get("warm") else []), f"seed {result.seed}"])


def _did(found: Mapping[str, float]) -> Iterator[str]:
    stopped = ", then interrupted" if found["interrupted"] else ""
    yield f"{'rate':>18}  {_digits(found['rate'])} bytes/s, ln {found['ln_rate']:.2f}"
    each = f"{found['us_per_call']:.4g} us each{stopped}"
    yield f"{'calls':>18}  {found['calls']:,.0f} in {found['elapsed']:.4g} s, {each}"
    seeks = f" and {found['seeks']:,.0f} seeks" if found["seeks"] else ""
    yield f"{'system calls':>18}  {found['system_calls']:,.0f}{seeks}"
    requests = found["device_reads"] + found["device_writes"]
    mean = f", {found['device_bytes'] / requests / 1024:,.1f} KiB each" if requests else ""
    kind = "writes" if found["device_writes"] else "reads"
    yield f"{'disc':>18}  {requests:,.0f} {kind}{mean}"
    if found["amplification"] > 1:
        yield f"{'fetched':>18}  {found['amplification']:,.0f} bytes for each that was asked for"


def _spent(found: Mapping[str, float]) -> Iterator[str]:
    whole = found["elapsed"]
    yield "where the time goes"
    for name, label in PARTS.items():
        if found[name] >= 0.005 * whole > 0:
            share = found[name] / whole
            yield f"{label:>18}  {share:6.1%}  {'#' * round(BAR * share)}".rstrip()


def _risk(found: Mapping[str, float]) -> Iterator[str]:
    if not found["device_writes"]:
        return
    yield ""
    yield "what is at risk"
    yield f"{'at most':>18}  {found['most_at_risk']:,.0f} bytes; none {found['safe_after']:.1f} s after the last call"
    yield f"{'if the power fails':>18}  at {found['power_fails_at']:.4g} s: {found['lost_then']:,.0f} bytes lost of "\
          f"{found['written_then']:,.0f}, the file whole up to {found['whole_then']:,.0f}"  # fmt: skip


def _digits(number: float) -> str:
    return "none" if isnan(number) else f"{float(f'{number:.4g}'):,.15g}"
