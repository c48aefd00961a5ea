"""Improvement rates: a library of benchmarks, groups A and B, as the paper's lost chart may have had it."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.experiments.batch import batch_vs_fetch
from models.hp3000.experiments.blocks import gain_vs_block
from models.hp3000.experiments.fit_map import gain_map
from models.hp3000.experiments.gain_bars import gain_bars
from models.hp3000.experiments.gains import few, gains
from models.hp3000.experiments.locality import gain_vs_locality
from models.hp3000.experiments.mix import gain_vs_read_write
from models.hp3000.run import run
from sim.plots.style import BLUE, VERMILION
from sim.study.system import Effort, Experiment
from sim.units import MIB

A, B = "A: good fit", "B: misfit by the paper"
CLERKS = (21, 42, 63)


@cache
def improvement_rates(effort: Effort) -> pd.DataFrame:
    """A row a case: its ``gain``, with an interval where there is one, its ``group``, the ``rule`` behind group B."""
    cases = [_few_clerks(effort), _mixes(effort), _blocks(effort), _local(effort), _batch(effort), _map(effort)]
    kept = ["case", "group", "rule", "gain", "gain_low", "gain_high"]
    return pd.concat(cases, ignore_index=True)[kept].sort_values(["group", "gain"], ascending=[True, False])


def _cases(table: pd.DataFrame, where: str, cases: Mapping[Any, tuple[str, str]]) -> pd.DataFrame:
    """The rows of *table* whose column *where* is in *cases*, each called so, with the rule that it is against."""
    chosen = table[table[where].isin(cases)]
    rules = [cases[value][1] for value in chosen[where]]
    return chosen.assign(
        case=[cases[value][0] for value in chosen[where]], rule=rules, group=[B if rule else A for rule in rules]
    )


def _few_clerks(effort: Effort) -> pd.DataFrame:
    frame = few(effort).sweep(run, terminals=list(CLERKS), caching=[False, True])
    named = {count: (f"{count} clerks", "") for count in CLERKS}
    return _cases(gains(frame, "caching", False, ["terminals"]), "terminals", named)


def _mixes(effort: Effort) -> pd.DataFrame:
    table = gain_vs_read_write(effort)
    behind, block = (table[table["writes"] == writes] for writes in ("behind", "block"))
    return pd.concat([
        _cases(behind, "orders", {9.0: ("mostly inquiries", "")}),
        _cases(block, "orders", {100.0: ("orders only, BLOCKONWRITE", "reads a write")}),
    ])


def _blocks(effort: Effort) -> pd.DataFrame:
    table = gain_vs_block(effort)
    return _cases(table[table["load"] == "lists"], "share", {
        0.25: ("lists, block 1/4 of fetch", ""), 1.0: ("lists, block as fetch", "block size"),
    })  # fmt: skip


def _local(effort: Effort) -> pd.DataFrame:
    table = gain_vs_locality(effort)
    slow = table[table["mips"] == table["mips"].min()]
    return _cases(slow, "kind", {"none, small fetch": ("no locality, slower CPU", "hit ratio")})


def _batch(effort: Effort) -> pd.DataFrame:
    """A job's elapsed time instead of a response time."""
    named = {96: ("sequential job, 24 KB fetch", ""), 4: ("sequential job, 1 KB fetch", "block size")}
    return _cases(batch_vs_fetch(effort), "sectors", named)


def _map(effort: Effort) -> pd.DataFrame:
    table = gain_map(effort)
    names = [f"{load} {mips:g} {memory / MIB:g}" for load, mips, memory in zip(
        table["load"], table["mips"], table["memory"], strict=True)]  # fmt: skip
    return _cases(table.assign(machine=names), "machine", {
        "hybrid 1 8": ("hybrid, 101 terminals", ""),
        "development 1 8": ("development", ""),
        "hybrid 0.45 8": ("hybrid, slower CPU", "CPU busy"),
        "development 0.2 8": ("development, slower CPU", "CPU busy"),
        "hybrid 1 3.5": ("hybrid, 3.5 MB", "memory pressure"),
        "development 1 4": ("development, 4 MB", "memory pressure"),
    })  # fmt: skip


def draw_improvement_rates(frame: pd.DataFrame) -> Axes:
    return gain_bars(frame, frame["case"].tolist(), frame["group"].tolist(), {A: BLUE, B: VERMILION},
                     "Disc cache: improvement rates")  # fmt: skip


def remark_improvement_rates(frame: pd.DataFrame) -> str:
    good, bad = (frame[frame["group"] == group] for group in (A, B))
    spared = bad[bad["gain"] > good["gain"].min()]
    losing = bad[bad["gain"] <= 0.0]
    said = ", ".join(f"{row['case']} ({row['rule']})" for row in losing.to_dict("records")) or "none"
    return (
        f"Group A gains {good['gain'].min():.0f} to {good['gain'].max():.0f} %, group B {bad['gain'].min():.0f} to "
        f"{bad['gain'].max():.0f} %. Of B lose: {said}. {len(spared)} of {len(bad)} gain more than the least of A. "
        "Which cases the paper's chart had is not known."
    )


EXPERIMENTS = (
    Experiment(
        "improvement_rates",
        "Percent change by disc caching over a library of benchmarks, where it fits and where it does not.",
        improvement_rates, draw_improvement_rates, remark_improvement_rates, slow=True,
    ),
)  # fmt: skip
