"""The distribution of response times of a replayed trace: reads beside writes."""

import numpy as np
from matplotlib.figure import Figure

from models.replay.page import GROUPS
from models.traces.report import SIMULATED
from sim.plots.distributions import Curve, CurveStyle, distributions
from sim.plots.style import BLUE
from sim.units import MS
from workloads.traces.replay.tally import TraceTally

POINTS = 500


def response_picture(tally: TraceTally, title: str) -> Figure:
    """From the buckets of the tally, as many points as an eye can tell."""
    panels = {}
    for name, op in GROUPS.items():
        times = tally.of(op)
        if op is not None and times.count:
            points = [times.quantiles.quantile((place + 0.5) / POINTS) / MS for place in range(POINTS)]
            mean = f", mean {times.sum / times.count / MS:.4g}"
            panels[name] = [Curve(SIMULATED, np.array(points), CurveStyle(BLUE, 1.7), mean)]
    return distributions(panels, x_label="response time, ms", title=title)
