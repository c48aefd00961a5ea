"""Study of scarce main memory: the shares of cache and programs."""

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.studies.trials import MIXED, RULES, hybrid, published_gain, run_with_theory, with_paper
from spindle.sim.units import MIB
from spindle.studies.plots.curves import curve
from spindle.studies.plots.style import INK
from spindle.studies.plots.theory_curves import hit_curve, hit_remark, summarise_hits
from spindle.studies.statistics import GAIN, gain_axis, gains
from spindle.studies.study import Figure, Runs, Study

SIZES = [size * MIB for size in (3, 4, 6, 8)]
"""A Series 64 has 8 MiB."""

CACHED = Runs(run_with_theory, MIXED, terminals=101, caching=True, memory=SIZES)
PLAIN = Runs(hybrid, MIXED, terminals=101, caching=False, memory=SIZES)


def in_mib(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(memory_mib=frame["memory"] / MIB)


def hit_ratio_vs_memory(frame: pd.DataFrame) -> pd.DataFrame:
    values = ["hit_ratio", "response_mean", "fault_rate", "swap_write_rate"]
    return summarise_hits(in_mib(frame), ["memory_mib"], values, ["domain_bytes"])


@with_paper(lambda paper: [(SIZES[-1] / MIB, paper["B22"])])
def draw_hit_ratio_vs_memory(frame: pd.DataFrame) -> Axes:
    return hit_curve(
        frame, "memory_mib", x_label="main memory, MiB", y_label="read hit ratio",
        title="The cache lives on the memory that programs leave",
    )


def caption_hit_ratio_vs_memory(frame: pd.DataFrame) -> str:
    return hit_remark(frame, "memory_mib", "MiB", RULES)


def gain_vs_memory(frame: pd.DataFrame) -> pd.DataFrame:
    return gains(in_mib(frame), "caching", False, ["memory_mib"], ["memory_pressure", "fault_rate"])


@with_paper(lambda paper: [(SIZES[-1] / MIB, published_gain(paper))])
def draw_gain_vs_memory(frame: pd.DataFrame) -> Axes:
    axes = curve(
        frame, "memory_mib", "gain", x_label="main memory, MiB", y_label=GAIN,
        title="Where memory is short, caching gains less",
    )  # fmt: skip
    falls = frame["gain"].diff(-1) > 0.0
    for row, above in zip(frame.to_dict("records"), falls, strict=True):
        axes.annotate(
            f"{100.0 * row['memory_pressure']:.1f} %", (row["memory_mib"], row["gain"]), (8, 4 if above else -14),
            textcoords="offset points", color=INK, annotation_clip=False,
        )  # fmt: skip
    return gain_axis(axes, frame)


def caption_gain_vs_memory(frame: pd.DataFrame) -> str:
    hurt = frame[frame["gain_high"] < 0.0]
    where = f"at {hurt['memory_mib'].max():g} MiB and below" if len(hurt) else "nowhere"
    least = frame.sort_values("memory_mib").iloc[0]
    return (
        "At the points, memory pressure with caching: the share of the CPU that the memory manager takes. "
        f"Caching hurts for certain {where}; with {least['memory_mib']:g} MiB there are {least['fault_rate']:.1f} "
        f"absence faults a second with it and {least['plain_fault_rate']:.1f} without."
    )


STUDIES = (
    Study(
        "hit_ratio_vs_memory",
        "How the hit ratio depends on main memory, which cache and programs compete for.",
        [CACHED], Figure(hit_ratio_vs_memory, draw_hit_ratio_vs_memory, caption_hit_ratio_vs_memory),
    ),
    Study(
        "gain_vs_memory",
        "What caching gains as memory is taken away, until domains and segments drive each other out.",
        [PLAIN, CACHED], Figure(gain_vs_memory, draw_gain_vs_memory, caption_gain_vs_memory),
    ),
)  # fmt: skip
