"""Draws pictures of a trace: its character, hit curves and responses (also as an HTML page), response distributions."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import jinja2
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from spindle.output.tables import table_text
from spindle.sim.request import Op
from spindle.sim.units import KIB, MS
from spindle.studies.demerit import distance
from spindle.studies.plots.curves import curve, faint_line
from spindle.studies.plots.distributions import Curve, CurveStyle, distributions
from spindle.studies.plots.files import Picture, svg
from spindle.studies.plots.style import BLUE, FAINT, HEIGHT, PALETTE, STYLE, VERMILION, WIDTH, styled
from spindle.traces.character_page import OPERATIONS
from spindle.traces.characterise import GAP_TICK, HOTTEST_SHARES, Characterisation, Histogram
from spindle.traces.curve.question import BELADY, LRU
from spindle.traces.replay.answer_page import SIMULATED
from spindle.traces.replay.page import BY_OPERATION, DISKSIM, MEASURED, PREDICTED, RESPONSE, ReplayTally
from spindle.traces.replay.replay import TraceTally

# The character of a trace in one picture: sizes, runs, gaps, distances and hot spots, reads beside writes.

COLOUR = dict(zip(OPERATIONS, PALETTE, strict=False))
"""Colours of reads and of writes."""


class PortraitPanel(NamedTuple):
    """A panel with *lines*, distributions by name; their values times *unit* are drawn on an axis with *label*."""

    label: str
    unit: float
    lines: Mapping[str, Histogram]


def portrait(character: Characterisation, title: str) -> Figure:
    kinds = {name: character.kinds[op] for name, op in OPERATIONS.items() if op in character.kinds}
    panels = [
        PortraitPanel("size, KiB", 1 / KIB, {name: kind.sizes for name, kind in kinds.items()}),
        PortraitPanel("run, requests", 1.0, {name: kind.runs for name, kind in kinds.items()}),
        PortraitPanel("time between requests, ms", GAP_TICK / MS, {"": character.gaps}),
        PortraitPanel("other blocks between uses", 1.0, {"": character.locality.distances}),
    ]
    shown = [panel for panel in panels if any(line.total for line in panel.lines.values())]
    with styled():
        figure = Picture(figsize=(1.62 * WIDTH, 4.9))
        axes = list(figure.subplots(2, 3).flat)
        for ax, panel in zip(axes, shown, strict=False):
            _distribution(ax, panel)
        _hot_spots(axes[len(shown)], character)
        for ax in axes[len(shown) + 1 :]:
            ax.set_axis_off()
        figure.suptitle(title, x=0.012, ha="left", fontsize=STYLE["axes.titlesize"],
                        fontweight=STYLE["axes.titleweight"], parse_math=False)
    return figure


def _distribution(ax: Axes, panel: PortraitPanel) -> None:
    for place, (name, line) in enumerate(panel.lines.items()):
        if line.total:
            values = panel.unit * np.asarray(line.values, float)
            shares = 100.0 * np.cumsum(line.counts) / line.total
            colour = COLOUR.get(name, BLUE)
            ax.step([values[0], *values], [0.0, *shares], where="post", color=colour)
            ax.annotate(name, (0.97, 0.06 + 0.11 * place), xycoords="axes fraction", ha="right", color=colour)
    _scale(ax, panel)
    ax.set_ylim(0, 100)
    ax.set_xlabel(panel.label)
    ax.set_ylabel("%, no more than that")


def _scale(ax: Axes, panel: PortraitPanel) -> None:
    """Scale an axis: logarithmic if the values are far apart, else from 0."""
    values = [panel.unit * value for line in panel.lines.values() for value in line.values]
    above = [value for value in values if value > 0.0]
    if not above or max(above) < 8.0 * min(above):
        return
    if min(values) > 0.0:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(numticks=6))
        ax.xaxis.set_major_formatter("{x:g}")
    else:
        ax.set_xscale("symlog", linthresh=max(min(above), max(above) / 1e6))
        ax.set_xlim(left=0.0)


def _hot_spots(ax: Axes, character: Characterisation) -> None:
    ax.plot([100.0 * share for share in HOTTEST_SHARES], [100.0 * part for part in character.locality.hot],
            marker="o", color=BLUE)  # fmt: skip
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_ylim(0, 103)
    ax.set_xlabel("hottest blocks, %")
    ax.set_ylabel("references to them, %")


SIZE_LABELS = {"cache_blocks": "blocks in the cache", "cache_objects": "objects in the cache"}
"""Label of a column of sizes in a picture."""


def curve_picture(frame: pd.DataFrame, che: Mapping[int, float], title: str) -> Figure:
    """Draw *frame*, a row for each policy and size; *che* is the hit ratio of LRU by Che's approximation, if wanted."""
    size_of = _size(frame)
    panels = 2 if "response_mean" in frame.columns else 1
    with styled():
        figure = Picture(figsize=(1.25 * WIDTH, HEIGHT if panels == 1 else 1.8 * HEIGHT))
        axes = list(figure.subplots(panels, 1, sharex=True, squeeze=False).flat)
    axes[0].set_xscale("log")
    _hit_ratios(axes[0], frame, che, title, "" if panels == 2 else SIZE_LABELS[size_of])
    if panels == 2:
        simulated = frame.dropna(subset=["response_mean"]).assign(ms=lambda rows: rows["response_mean"] / MS)
        curve(simulated, size_of, "ms", "policy", names=_own_names(frame), x_label=SIZE_LABELS[size_of],
              y_label="mean response, ms", ax=axes[1])
    axes[-1].xaxis.set_major_formatter("{x:,.0f}")
    return figure


def _hit_ratios(ax: Axes, frame: pd.DataFrame, che: Mapping[int, float], title: str, x_label: str) -> None:
    size = _size(frame)
    bound = frame[frame["policy"] == BELADY]
    others = frame.drop(bound.index)
    curve(others if len(others) else bound, size, "hit_ratio", "policy", names=_own_names(frame),
          x_label=x_label or " ", y_label="hit ratio", title=title, ax=ax)
    if len(others) and len(bound):
        faint_line(bound, size, "hit_ratio", BELADY, ax)
    if che:
        table = pd.DataFrame({size: list(che), "hit_ratio": list(che.values()), "of": LRU})
        first = [line.get_label() for line in ax.lines].index(LRU)
        curve(table, size, "hit_ratio", "of", names={LRU: "lru, Che"}, dashed=True, ax=ax,
              x_label=x_label or " ", y_label="hit ratio", title=title)
        ax.lines[-1].set_color(ax.lines[first].get_color())
    ax.set_ylim(0.0, max(1.0e-3, 1.06 * float(frame["hit_ratio"].max())))


def _size(frame: pd.DataFrame) -> str:
    return next(name for name in SIZE_LABELS if name in frame.columns)


def _own_names(frame: pd.DataFrame) -> dict[str, str]:
    return {name: name for name in frame["policy"].unique()}


POINTS = 500


def response_picture(tally: TraceTally, title: str) -> Figure:
    """Draw the distributions of reads and writes from the buckets of *tally*, in POINTS points."""
    panels = {}
    for name, op in BY_OPERATION.items():
        times = tally.times_of(op)
        if op is not None and times.count:
            points = [times.quantile((place + 0.5) / POINTS) / MS for place in range(POINTS)]
            mean = f", mean {times.sum / times.count / MS:.4g}"
            panels[name] = [Curve(SIMULATED, np.array(points), CurveStyle(BLUE, 1.7), mean)]
    return distributions(panels, x_label="response time, ms", title=title)


RATIOS = {"hit_ratio": "hit ratio of requests", "byte_hit_ratio": "hit ratio of bytes"}


def object_picture(table: pd.DataFrame, title: str) -> Figure:
    room = table.columns[1]
    with styled():
        figure = Picture(figsize=(1.25 * WIDTH, 1.8 * HEIGHT))
        axes = list(figure.subplots(2, 1, sharex=True))
    for ax, (ratio, label) in zip(axes, RATIOS.items(), strict=True):
        ax.set_xscale("log")
        curve(table, room, ratio, "policy", ax=ax, y_label=label, title=title if ax is axes[0] else "",
              x_label=f"{room.removeprefix('cache_')} in the cache" if ax is axes[-1] else " ")
        ax.set_ylim(0.0, max(1.0e-3, 1.06 * float(table[ratio].max())))
    axes[-1].xaxis.set_major_formatter("{x:,.0f}")
    return figure


ANSWER_BEGINNINGS = ("at most ", "lru has ", "its knee ", "at ")
"""Beginnings of the lines of a page that answer its question."""
MAX_ROWS = 400


def curve_html(name: str, lines: Sequence[str], table: pd.DataFrame, picture: Figure) -> str:
    """Return an HTML page that fetches nothing and runs no script; text of a trace file is escaped."""
    return _template().render(
        name=name, about=lines[0] if lines else "", page="\n".join(lines),
        sentences=[line for line in lines if line.startswith(ANSWER_BEGINNINGS)],
        policies=", ".join(dict.fromkeys(table["policy"])), picture=_base64(svg(picture).encode()),
        csv=_base64(table_text(table)), head=list(table.columns),
        rows=[[_cell(value) for value in row] for row in table.head(MAX_ROWS).itertuples(index=False)],
    )  # fmt: skip


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _base64(content: bytes) -> str:
    return b64encode(content).decode("ascii")


def _template() -> jinja2.Template:
    here = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(
        loader=here, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("curve.html")


# The distributions of response times: measured, predicted and DiskSim's; reads beside writes.

LOOKS = {
    MEASURED: CurveStyle(FAINT, 5.5, 0.5),
    PREDICTED: CurveStyle(BLUE, 1.7),
    DISKSIM: CurveStyle(VERMILION, 1.2, style="--"),
}
"""Styles of sources; the measured one is a broad band below the others, so that no line hides another."""


def picture(tally: ReplayTally, title: str) -> Figure:
    groups = {name: op for name, op in BY_OPERATION.items() if op is not None and tally.count(op)}
    panels = {name: _curves(tally, op) for name, op in groups.items()}
    return distributions(panels, x_label="response time, ms", title=title)


def _curves(tally: ReplayTally, op: Op | None) -> list[Curve]:
    sources = {each.source for each in tally.series if each.quantity == RESPONSE}
    curves = []
    for source, look in LOOKS.items():
        if source in sources:
            times = tally.seconds_of(RESPONSE, source, op)
            note = ""
            if MEASURED in sources and source != MEASURED:
                note = f", demerit {distance(tally.seconds_of(RESPONSE, MEASURED, op), times).share:.1%}"
            curves.append(Curve(source, times / MS, look, note))
    return curves
