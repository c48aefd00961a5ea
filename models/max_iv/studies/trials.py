"""Shared by Max-IV's studies: run windows, runs of Tools users with the hits of other cache sizes, characters lost on
lines, a search through loads, and bars.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.max_iv.cache import CachedDisc, Fhl, Io
from spindle.models.max_iv.lines import DATA, Lines, LockOuts, count_lost
from spindle.models.max_iv.machine import SECTORS, MaxIvOptions
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.run import run
from spindle.models.max_iv.tools import LibraryLoop, PathLoop, PrivateLoops, SeveralHabits
from spindle.sim.clock import Wait
from spindle.sim.error import UserError
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.measure.observer import Observer
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.streams import stream
from spindle.sim.units import MS, US
from spindle.studies.claims.claims import published_by_id
from spindle.studies.plots.curves import Numbers, Point, with_points
from spindle.studies.plots.style import BLUE, INK, WIDTH, drawing, legend_below
from spindle.studies.study import SHORTER, StudyWindow
from spindle.studies.sweep.design import Range, sobol
from spindle.traces.curve.references import CacheReferences, ReferenceLog

# The references of a run to FHL, and their hits by Che's approximation and exact LRU.

class SectorReferences(Observer):
    """Observes one run with a cache. A request refers to its sector where the cache may answer it or keeps it."""

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
SIZES = (*range(1, 16), *range(16, 1537, 8))
"""Sizes of caches, for each of which ``lru`` has a hit ratio, of all requests."""
LOADS: Mapping[str, Mapping[str, object]] = {
    "path loop": {"choices": MaxIvOptions(habit=PathLoop()), "cold": 0.7, "think": 74.0, "tool_cpu": 1.2},
    "private loops": {"choices": MaxIvOptions(habit=PrivateLoops()), "cold": 0.5, "think": 70.0, "tool_cpu": 1.2},
    "library loop": {"choices": MaxIvOptions(habit=LibraryLoop()), "cold": 0.7, "think": 74.0, "tool_cpu": 1.2},
}
"""Loads with loops: cold files keep the hits of 512 sectors near 65 %, think times the requests a second (fig. 4)."""


def tools(
    seed: object, minutes: float, warm_up: float, users: int = USERS, sectors: int = SECTORS, **others: object
) -> dict[str, Any]:
    """The summary of a run; with a cache also its theory, ``lru`` by SIZES, and the seconds of a hit."""
    if not sectors:
        return {**run(users, sectors, seed, minutes, warm_up, **others).summary()}  # type: ignore[arg-type]
    seen = SectorReferences()
    result = run(users, sectors, seed, minutes, warm_up, watch=seen, **others)  # type: ignore[arg-type]
    references, requests = seen.references(), result.extras["op_rate"] * result.seconds
    parameters = {name: value for name, value in others.items() if name != "choices"}
    return {
        **seen.add_theory(result, sectors).summary(),
        "lru": [references.lru_hits(size) / requests if requests else nan for size in SIZES],
        "hit_service": change(MaxIvParameters(), **parameters).copy + result.extras["search_mean"],
    }


def looping(load: str, **others: object) -> dict[str, Any]:
    """Run ``tools`` with one of LOADS."""
    return tools(**{**others, **LOADS[load]})  # type: ignore[arg-type]


COUNTS = (1, 2, 4, 6, 8)
"""Lines of 9600 baud, for each of which the lists of ``characters`` have a number."""
SEARCH = 200 * US
"""Longest search with a copy; longer services forget the sectors of a large write, one by one."""


def characters(
    seed: object, minutes: float, warm_up: float, copy: float, users: int = USERS, **parameters: object
) -> dict[str, Any]:
    """Characters lost for a thousand lock-outs with a *copy* loop of that many seconds, by COUNTS of lines.

    ``copies`` counts searches and copies only; ``all`` every lock-out; ``two_buffers`` and ``data_level`` the same
    with receivers of two characters, and with lines that interrupt on the level that the paper gives to data.
    """
    seen = LockOuts()
    run(users, SECTORS, seed, minutes, warm_up, watch=seen, copy=copy, **parameters)  # type: ignore[arg-type]
    copies = [each for each in seen.seen if each.seconds < copy + SEARCH]
    interrupt = change(MaxIvParameters(), **parameters).character
    losses: dict[str, list[float]] = {"copies": [], "all": [], "two_buffers": [], "data_level": []}
    for count in COUNTS:
        try:
            random, lines = stream(seed, f"{count} lines"), Lines(count, interrupt=interrupt)
        except UserError:  # more lines than the CPU can follow
            for numbers in losses.values():
                numbers.append(nan)
            continue
        losses["copies"].append(1000.0 * count_lost(copies, lines, random) / len(copies))
        for name, each in (("all", lines), ("two_buffers", replace(lines, buffer=2)),
                           ("data_level", replace(lines, level=DATA))):
            losses[name].append(1000.0 * count_lost(seen.seen, each, random) / len(seen.seen))
    return {**losses, "longest_ms": max(each.seconds for each in seen.seen) / MS}


# A search through loads for one that hits 30 % with 256 sectors: points spread evenly over all unknown numbers.

POINTS = 64
"""Points in each of BOXES."""
LOOPS = ("path_directories", "path_share", "private_sectors", "private_share", "library_sectors", "library_share")
"""Directories that are scanned whole, and libraries that are read from end to end, each user's own or shared."""
WIDE_RANGES: Mapping[str, Range] = {
    "users": (2, 3), "cold": (0.1, 0.8), "inputs": (0.5, 4.0), "account_files": (20, 400), "working_files": (2, 30),
    "own_sectors": (1, 4), "lists": (1, 12), "names_a_sector": (4, 16), "local_tools": (5, 100),
    "own_commands": (1, 200), "more_directories": (0, 8), "pipe_sectors": (4.0, 6.0), "pipelines": (0.3, 3.0),
    "editing": (0.3, 3.0), "path_directories": (0, 30), "path_share": (0.0, 0.5), "private_sectors": (1, 200),
    "private_share": (0.0, 0.5), "library_sectors": (1, 400), "library_share": (0.0, 0.5),
}
"""Ranges of what the paper does not print, as wide as is plausible; more than one user, as in the paper."""
NEAR_RANGES: Mapping[str, Range] = {
    "users": (2, 3), "cold": (0.2, 0.6), "inputs": (1.3, 4.0), "account_files": (75, 300), "working_files": (3, 10),
    "own_sectors": (1, 3), "lists": (2, 8), "names_a_sector": (4, 16), "local_tools": (15, 60),
    "own_commands": (2, 40), "more_directories": (0, 3), "pipe_sectors": (4.0, 6.0), "pipelines": (0.5, 2.0),
    "editing": (0.5, 2.0), "path_directories": (0, 12), "path_share": (0.0, 0.3), "private_sectors": (1, 120),
    "private_share": (0.0, 0.2), "library_sectors": (1, 250), "library_share": (0.0, 0.15),
}
"""Ranges about the main load, which meets the other facts, with shorter loops."""
BOXES = {"wide": WIDE_RANGES, "near": NEAR_RANGES}


@cache
def design(box: str) -> tuple[Mapping[str, Any], ...]:
    """The points of one of BOXES, each by name of the parameter; always the same points."""
    rows = sobol(POINTS, BOXES[box]).to_dict("records")
    return tuple({str(name): value for name, value in row.items()} for row in rows)


SEARCHED_USERS: Mapping[str, Any] = {"think": 36.0, "tool_cpu": 1.2}
"""Pace of the users in every load that is searched; hits do not depend on it."""


def run_box_point(box: str, number: int, seed: object, minutes: float, warm_up: float) -> dict[str, Any]:
    """Run point *number* of the *box*: the paper's measures of such a load, and the hits of 256, 512 and 768 sectors.
    """
    point = dict(design(box)[number])
    loops = [point.pop(name) for name in LOOPS]
    habits = (PathLoop(loops[0], share=loops[1]), PrivateLoops(loops[2], loops[3]), LibraryLoop(loops[4], loops[5]))
    row = tools(seed, minutes, warm_up, choices=MaxIvOptions(habit=SeveralHabits(habits)), **SEARCHED_USERS, **point)
    lru = row.pop("lru")
    return {**row, **{f"hits_{size}": lru[SIZES.index(size)] for size in (256, 512, 768)}}


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
    frame: pd.DataFrame, value: str, names: Sequence[str], *, x_label: str, title: str, beside: str = "",
    called: Sequence[str] = ("", ""),
) -> Axes:  # fmt: skip
    """A bar for each row of *frame*, as long as its *value*, with its interval; *beside* is drawn as a thin one below.

    *called* names both.
    """
    with drawing(WIDTH, 1.3 + 0.34 * len(frame)) as ax:
        places = [float(number) for number in range(len(frame))]
        _bar(ax, frame, value, places, (0.5 if beside else 0.66, BLUE, called[0]))
        if beside:
            _bar(ax, frame, beside, [place + 0.36 for place in places], (0.2, "#9BB7D4", called[1]))
            legend_below(ax)
        ax.set_yticks(places, list(names))
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


def printed_hits(paper: Numbers) -> list[Point]:
    """Return the paper's hit ratios with 256, 512 and 768 sectors."""
    return [(256, paper["J35"]), (512, paper["J36"]), (768, paper["J36"] + paper["J36b"])]
