"""LRU, ATCA, LFU and FAC on traces of real systems, which do not come with Spindle."""

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.sata_ncq.studies.policies import TITLES, drive_runs
from spindle.models.sata_ncq.studies.trials import COMPARED, file_run, gain
from spindle.studies.plots.style import BLUE, GREEN, INK, VERMILION, legend_below, row_axes
from spindle.studies.study import Figure, Runs, Study, StudyWindow
from spindle.workloads.pc import LOADS

CACHE_SHARES = (0.03, 0.24)
COLOURS = {"ATCA": GREEN, "LFU": BLUE, "FAC": VERMILION}
NAMES = {
    "arc_oltp": "OLTP", "arc_p3": "P3, a PC", "cloudphysics": "a virtual disc", "win_etw": "a PC that boots",
    "wsrch": "a search engine", "tpcc": "TPC-C",
}  # fmt: skip
"""Names of the traces, by their files."""
WINDOW = StudyWindow({"requests": 8_000}, {"requests": 120}, {"share": CACHE_SHARES[-1:], "trace": list(NAMES)[:3]})


def real_traces(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each trace that is here, policy and size; of the synthetic ones, too."""
    rows = frame.assign(trace=frame["trace"].fillna(frame["load"].map(TITLES)))
    return rows[["trace", "policy", "share", "total_service", "hit_ratio", "disc_accesses"]].dropna(ignore_index=True)


def draw_real_traces(table: pd.DataFrame) -> Axes:
    """Each time as a share of LRU's with the same cache: a dot is the mean over the sizes, its line their range."""
    times = table.pivot(index=["trace", "share"], columns="policy", values="total_service")
    names = list(table["trace"].unique())
    with row_axes([NAMES.get(name, name) for name in names], 1.5 + 0.34 * len(names),
                  x_label="service time, of LRU's with the same cache",
                  title="FAC saves made-up loads much, real ones little or less") as ax:
        for place, (policy, colour) in enumerate(COLOURS.items()):
            shares = (times[policy] / times["LRU"]).groupby(level="trace").agg(["mean", "min", "max"]).loc[names]
            places = [number + 0.22 * (place - 1) for number in range(len(names))]
            ax.hlines(places, shares["min"], shares["max"], color=colour, linewidth=1.2)
            ax.plot(shares["mean"].to_numpy(float), places, "o", color=colour, label=policy)
        ax.axvline(1.0, color=INK, linewidth=0.8)
        legend_below(ax)
    return ax


def caption_real_traces(table: pd.DataFrame) -> str:
    words = []
    for name, part in table.groupby("trace", sort=False):
        times = part.pivot(index="share", columns="policy", values="total_service")
        saved, best = 100.0 * gain(times["FAC"], times["LRU"]).mean(), times.sum().idxmin()
        words.append(f"{NAMES.get(str(name), name)} {saved:.1f} % ({best} is best)")
    here = "" if table["trace"].nunique() > len(LOADS) else " Real traces were not at hand."
    return f"The beginning of each. What FAC saves LRU, on average over the sizes: {'; '.join(words)}.{here}"


STUDIES = (
    Study("real_traces", "Total service time of four policies on real traces and on the synthetic ones.",
          [drive_runs(load=list(LOADS), policy=list(COMPARED), share=list(CACHE_SHARES)),
           Runs(file_run, WINDOW, trace=list(NAMES), policy=list(COMPARED), share=list(CACHE_SHARES))],
          Figure(real_traces, draw_real_traces, caption_real_traces), replications=1),
)  # fmt: skip
