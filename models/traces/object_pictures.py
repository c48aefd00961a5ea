"""The table and the picture of objects with sizes: hit ratios of requests and of bytes, one above the other."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from models.traces.objects import ObjectRow, ObjectRules
from sim.plots.curves import curve
from sim.plots.pictures import Picture, styled
from sim.plots.style import HEIGHT, WIDTH

RATIOS = {"hit_ratio": "hit ratio of requests", "byte_hit_ratio": "hit ratio of bytes"}


def object_frame(rows: Sequence[ObjectRow], rules: ObjectRules) -> pd.DataFrame:
    """A row for each policy and size, which are bytes or objects."""
    room = "cache_bytes" if rules.in_bytes else "cache_objects"
    lines = [(row.policy, row.capacity, row.refs, row.hits, row.hit_ratio, row.bytes, row.hit_bytes, row.byte_hit_ratio)
             for row in rows]  # fmt: skip
    return pd.DataFrame(lines, columns=["policy", room, "refs", "hits", "hit_ratio", "bytes", "hit_bytes",
                                        "byte_hit_ratio"])  # fmt: skip


def object_picture(table: pd.DataFrame, title: str) -> Figure:
    room = table.columns[1]
    with styled():
        figure = Picture(figsize=(1.25 * WIDTH, 1.8 * HEIGHT))
        axes = list(figure.subplots(2, 1, sharex=True))
    for ax, (ratio, label) in zip(axes, RATIOS.items(), strict=True):
        ax.set_xscale("log")
        curve(table, room, ratio, "policy", names={name: name for name in table["policy"].unique()}, ax=ax,
              x_label=f"{room.removeprefix('cache_')} in the cache" if ax is axes[-1] else " ", y_label=label,
              title=title if ax is axes[0] else "")
        ax.set_ylim(0.0, max(1.0e-3, 1.06 * float(table[ratio].max())))
    axes[-1].xaxis.set_major_formatter("{x:,.0f}")
    return figure
