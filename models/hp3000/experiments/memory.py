"""What becomes of the cache, and of the programs, as main memory gets scarce."""

from functools import lru_cache

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.experiments.fetch import referred
from models.hp3000.experiments.gain_bars import GAIN, gain_axis
from models.hp3000.experiments.gains import few, gains
from models.hp3000.experiments.hybrid import RULES, hybrid
from sim.plots.curves import curve
from sim.plots.hit_curve import hit_curve, hit_remark, summarise_hits
from sim.plots.style import INK
from sim.study.system import Effort, Experiment
from sim.units import MIB

SIZES = (3, 4, 6, 8, 12)
"""MiB. A Series 64 has 8."""


@lru_cache(maxsize=1)
def cached_runs(effort: Effort) -> pd.DataFrame:
    sizes = [size * MIB for size in SIZES]
    return _in_mib(few(effort).sweep(referred, terminals=101, caching=True, memory=sizes))


def _in_mib(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(memory_mib=frame["memory"] / MIB)


def hit_ratio_vs_memory(effort: Effort) -> pd.DataFrame:
    values = ["hit_ratio", "response_mean", "fault_rate", "swap_write_rate"]
    return summarise_hits(cached_runs(effort), ["memory_mib"], values, ["domain_bytes"])


def draw_hit_ratio_vs_memory(frame: pd.DataFrame) -> Axes:
    return hit_curve(
        frame, "memory_mib", x_label="main memory, MiB", y_label="read hit ratio",
        title="The cache lives on the memory that programs leave",
    )


def remark_hit_ratio_vs_memory(frame: pd.DataFrame) -> str:
    return hit_remark(frame, "memory_mib", "MiB", RULES)


def gain_vs_memory(effort: Effort) -> pd.DataFrame:
    sizes = [size * MIB for size in SIZES]
    plain = _in_mib(few(effort).sweep(hybrid, terminals=101, caching=False, memory=sizes))
    both = pd.concat([cached_runs(effort), plain])
    return gains(both, "caching", False, ["memory_mib"], ["memory_pressure", "fault_rate"])


def draw_gain_vs_memory(frame: pd.DataFrame) -> Axes:
    axes = curve(
        frame, "memory_mib", "gain", x_label="main memory, MiB", y_label=GAIN,
        title="What caching gains as memory gets short",
    )  # fmt: skip
    for row in frame.to_dict("records"):
        axes.annotate(
            f"{row['memory_pressure']:.1%}", (row["memory_mib"], row["gain"]), (8, -12), textcoords="offset points",
            color=INK, annotation_clip=False,
        )  # fmt: skip
    return gain_axis(axes, frame)


def remark_gain_vs_memory(frame: pd.DataFrame) -> str:
    hurt = frame[frame["gain_high"] < 0.0]
    where = f"at {hurt['memory_mib'].max():g} MiB and below" if len(hurt) else "nowhere"
    least = frame.sort_values("memory_mib").iloc[0]
    return (
        "At the points, memory pressure with caching: the share of the CPU that the memory manager takes. "
        f"Caching hurts for certain {where}; with {least['memory_mib']:g} MiB there are {least['fault_rate']:.1f} "
        f"absence faults a second with it and {least['plain_fault_rate']:.1f} without."
    )


EXPERIMENTS = (
    Experiment(
        "hit_ratio_vs_memory",
        "How the hit ratio depends on main memory, which cache and programs compete for.",
        hit_ratio_vs_memory, draw_hit_ratio_vs_memory, remark_hit_ratio_vs_memory, slow=True,
    ),
    Experiment(
        "gain_vs_memory",
        "What caching gains as memory is taken away, until domains and segments drive each other out.",
        gain_vs_memory, draw_gain_vs_memory, remark_gain_vs_memory, slow=True,
    ),
)  # fmt: skip
