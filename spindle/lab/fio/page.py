"""Page of a fit to fio's points: errors on fitted and held-out points, and the numbers that the points determine."""

from collections.abc import Iterator
from typing import Any

from spindle.lab.fio.fit import QUANTITIES, FioFit, JudgedPoint, groups, summary
from spindle.lab.fit.page import source_of, yaml_text
from spindle.sim.units import MS

BOUND = 0.10
"""Of the throughput held out, on the mean."""


def page(fit: FioFit) -> Iterator[str]:
    """Lines of at most 100 columns."""
    held = sum(not each.fitted for each in fit.judged)
    yield f"{fit.name}: {fit.kind}, fitted to {len(fit.judged) - held} points, {held} held out, of other depths"
    yield from fit.remarks
    yield from ("", f"{'error, %: mean / worst':<24}{'points':>7}" + "".join(f"{name:>13}" for name in QUANTITIES))
    for name, points in groups(fit.judged):
        if points:
            yield f"{name:<24}{len(points):>7}" + "".join(f"{_cell(points, each):>13}" for each in QUANTITIES)
    off = summary([each for each in fit.judged if not each.fitted], "throughput")
    if off is not None and off.mean > BOUND:
        yield f"Throughput is off by more than {BOUND:.0%}: the sheet does not hold what this drive does."
    yield from ("", f"{'run: depth x jobs':<24}{'a second':>10}{'predicted':>11}{'p95, ms':>12}{'predicted':>11}")
    for each in fit.judged:
        yield _row(each)
    yield from ("", f"{'number':<28}{'value':>20}  {'source':<9}the points also bear")
    for number in fit.numbers:
        yield f"{number.name:<28}{number.value[:20]:>20}  {number.source:<9}{number.bears}".rstrip()


def _cell(points: list[JudgedPoint], quantity: str) -> str:
    off = summary(points, quantity)
    return "-" if off is None else f"{100 * off.mean:.1f} / {100 * off.worst:.0f}"


def _row(each: JudgedPoint) -> str:
    point, predicted = each.point, each.predicted
    p95 = point.quantiles.get(0.95)
    said = "-" if p95 is None else f"{p95 / MS:.4g}"
    kind = "fitted" if each.fitted else "held out"
    return (f"{point.name:<24}{point.iops:>10.1f}{predicted.iops:>11.1f}{said:>12}"
            f"{predicted.quantiles[0.95] / MS:>11.4g}  {kind}")  # fmt: skip


def sheet_text(fit: FioFit, head: list[str]) -> str:
    """The sheet, with *head* as comments above it."""
    return yaml_text(fit.sections, head)


def numbers(fit: FioFit) -> dict[str, Any]:
    """All of it, for a program."""
    return {
        "drive": fit.name, "kind": fit.kind, "remarks": list(fit.remarks),
        "errors": {name.strip(): {each: {"mean": off.mean, "worst": off.worst} for each in QUANTITIES
                                  if (off := summary(points, each)) is not None}
                   for name, points in groups(fit.judged) if points},
        "points": [{"op": each.point.op.value, "iodepth": each.point.depth, "numjobs": each.point.jobs,
                    "fitted": each.fitted, "iops": each.point.iops, "predicted_iops": each.predicted.iops,
                    **{f"{name}_error": each.error(name) for name in QUANTITIES}} for each in fit.judged],
        "numbers": {each.name: {"value": each.value, **source_of(each)} for each in fit.numbers},
    }  # fmt: skip
