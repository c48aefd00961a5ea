"""Serves all of Max-IV's studies: runs with users of Software Tools, hits at other cache sizes, labels, bars."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.max_iv.cache import Fhl
from spindle.models.max_iv.cache_code import CachedDisc, Io
from spindle.models.max_iv.machine import SECTORS
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.run import run
from spindle.sim.clock import Wait
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.measure.observer import Observer
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.claim_points import with_points
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, INK, WIDTH
from spindle.studies.study import SHORTER, StudyWindow
from spindle.traces.curve.references import CacheReferences, ReferenceLog

# The references of a run to FHL, Jacobson's cache of disc sectors, and their hits by Che's approximation and exact LRU.

class SectorReferences(Observer):
    """Observer of one run: records each request for a sector that the cache may answer or keeps, as a reference."""

    def __init__(self) -> None:
        self.log = ReferenceLog()

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        fhl, log = machine.parts["fhl"], self.log
        assert isinstance(fhl, Fhl)
        log.begin(machine.env, window.start)
        perform, rules = fhl.perform, fhl.rules

        def perform_noted(io: Io, disc: CachedDisc) -> Wait:
            answerable = rules.answers(io.kind, io.words)
            if answerable or rules.keeps(io.kind, io.words, io.position):
                log.note(range(io.dpi, io.dpi + 1), answerable)
            return perform(io, disc)

        fhl.perform = perform_noted  # type: ignore[method-assign] # the handlers find it so from now on

    def references(self) -> CacheReferences:
        return CacheReferences.from_blocks(self.log.blocks, self.log.worths, self.log.early)

    def add_theory(self, result: Result, sectors: int) -> Result:
        """Add theory to the *result* of the run. The hit ratio is of all requests, also those that no cache answers."""
        hit_ratio, requests = result.extras["hit_ratio"], result.extras["op_rate"] * result.seconds
        theory = self.log.compare(hit_ratio, sectors, requests)
        return replace(result, extras={**result.extras, **theory})


# Runs of Tools users, with the hits of LRU at any other size.

USERS = 2
"""Users in the main load: more than one, as the paper's hit ratios require (3.2)."""
LRU_SIZES = (*range(1, 16), *range(16, 1537, 8))
"""Cache sizes of the column ``lru``: LRU's hit ratio over all requests."""


def tools(
    seed: object, minutes: float, warm_up: float, users: int = USERS, sectors: int = SECTORS, **others: object
) -> dict[str, Any]:
    """Return a run's summary; with a cache also its theory, ``lru`` by LRU_SIZES, and the seconds of a hit."""
    if not sectors:
        return {**run(users, sectors, seed, minutes, warm_up, **others).summary()}
    seen = SectorReferences()
    result = run(users, sectors, seed, minutes, warm_up, watch=seen, **others)
    references, requests = seen.references(), result.extras["op_rate"] * result.seconds
    parameters = {name: value for name, value in others.items() if name != "choices"}
    return {
        **seen.add_theory(result, sectors).summary(),
        "lru": [references.lru_hits(size) / requests if requests else nan for size in LRU_SIZES],
        "hit_service": change(MaxIvParameters(), **parameters).copy + result.extras["search_mean"],
    }


CACHED = {0: "no cache", SECTORS: f"{SECTORS} sectors"}
RESPONSE = "RETURN to first character, s"
with_paper = partial(with_points, partial(published_by_id, Path(__file__).parents[1] / "claims.toml"))
"""Decorates a function that draws with the points of the picture that the paper prints."""
QUICK_MINUTES, QUICK_WARM_UP = 0.8, 0.5
"""Minutes of a quick run and of its warm-up: a few users give few commands."""


def minutes(measured: float, warm_up: float = 15.0, shorter: float = SHORTER) -> StudyWindow:
    """Build a window of *measured* minutes after *warm_up* minutes in which the cache fills."""
    quick = {"minutes": max(QUICK_MINUTES, measured / shorter), "warm_up": min(warm_up, QUICK_WARM_UP)}
    return StudyWindow({"minutes": measured, "warm_up": warm_up}, quick)


MAIN = minutes(120.0, shorter=20.0)
"""Window of the main load: as long as Jacobson collected statistics."""


def bars(
    frame: pd.DataFrame, value: str, names: str, *, x_label: str, title: str, beside: str = "",
    called: Sequence[str] = ("", ""),
) -> Axes:  # fmt: skip
    """Draw a bar for each row of *frame*, as long as its *value*, with its interval; *beside* as a thin one below.

    The column *names* has the names of the rows; *called* are the names of the two kinds of bars.
    """
    with drawing(WIDTH, 1.3 + 0.34 * len(frame)) as ax:
        places = [float(number) for number in range(len(frame))]
        _bar(ax, frame, value, places, (0.5 if beside else 0.66, BLUE, called[0]))
        if beside:
            _bar(ax, frame, beside, [place + 0.36 for place in places], (0.2, "#9BB7D4", called[1]))
            legend_below(ax)
        ax.set_yticks(places, frame[names].tolist())
        ax.set_ylim(len(frame) - 0.4, -0.6)
        ax.grid(visible=False, axis="y")
        ax.set_xlim(0, None)
        ax.set(xlabel=x_label, title=title)
    return ax


def _bar(ax: Axes, frame: pd.DataFrame, value: str, places: list[float], look: tuple[float, str, str]) -> None:
    height, colour, name = look
    widths = frame[value].to_numpy(float)
    ax.barh(places, widths, height, color=colour, label=name or "_nameless")
    if f"{value}_low" in frame.columns:
        spread = [widths - frame[f"{value}_low"].to_numpy(float), frame[f"{value}_high"].to_numpy(float) - widths]
        ax.errorbar(widths, places, xerr=[each.clip(min=0.0) for each in spread], fmt="none", ecolor=INK,
                    elinewidth=1.0, capsize=2.0)  # fmt: skip
