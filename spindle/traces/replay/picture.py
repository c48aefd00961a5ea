"""The distributions of response time as measured, as predicted and as DiskSim has them: reads beside writes."""

from matplotlib.figure import Figure

from spindle.sim.request import Op
from spindle.sim.units import MS
from spindle.studies.confidence import distance
from spindle.studies.plots.charts import Curve, CurveStyle, distributions
from spindle.studies.plots.style import BLUE, FAINT, VERMILION
from spindle.traces.replay.page import DISKSIM, GROUPS, MEASURED, PREDICTED, RESPONSE, ReplayTally

LOOKS = {
    MEASURED: CurveStyle(FAINT, 5.5, 0.5),
    PREDICTED: CurveStyle(BLUE, 1.7),
    DISKSIM: CurveStyle(VERMILION, 1.2, style="--"),
}
"""What was measured lies below as a broad band, so that one sees what leaves it; no line hides another."""


def picture(tally: ReplayTally, title: str) -> Figure:
    groups = {name: op for name, op in GROUPS.items() if op is not None and tally.count(op)}
    panels = {name: _curves(tally, op) for name, op in groups.items()}
    return distributions(panels, x_label="response time, ms", title=title)


def _curves(tally: ReplayTally, op: Op | None) -> list[Curve]:
    sources = {each.source for each in tally.series if each.quantity == RESPONSE}
    curves = []
    for source, look in LOOKS.items():
        if source in sources:
            times = tally.of(RESPONSE, source, op)
            note = ""
            if MEASURED in sources and source != MEASURED:
                note = f", demerit {distance(tally.of(RESPONSE, MEASURED, op), times).share:.1%}"
            curves.append(Curve(source, times / MS, look, note))
    return curves
