"""Study of a set of benchmarks: what caching gains in loads that it fits (A), and in others (B).

It is a guess at a chart of the paper that is lost.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.studies import load_kinds
from spindle.models.hp3000.studies.batch import JOB_RUNS, batch_vs_fetch
from spindle.models.hp3000.studies.fit_map import gain_map, machines
from spindle.models.hp3000.studies.loads import TRANSACTIONS
from spindle.models.hp3000.studies.trials import published_gain, with_paper
from spindle.sim.units import MIB
from spindle.studies.plots.claim_points import Numbers, Point
from spindle.studies.plots.gains import gain_bars
from spindle.studies.plots.style import BLUE, VERMILION
from spindle.studies.statistics import gains
from spindle.studies.study import Figure, Runs, Study

GROUP_A, GROUP_B = "A: good fit", "B: misfit by the paper"
"""Groups of benchmarks: those that caching fits by the paper's rules, and those that break one."""
LIBRARY: Mapping[str, Sequence[Runs]] = {
    "transactions": [TRANSACTIONS], "mixes": load_kinds.MIX_RUNS, "blocks": load_kinds.BLOCK_RUNS,
    "locality": load_kinds.LOCALITY_RUNS, "batch": [JOB_RUNS], "map": machines(),
}  # fmt: skip
"""Runs that are benchmarks, all from other studies, by the benchmark's name."""


def benchmarks() -> list[Runs]:
    return [
        Runs(each.run, each.window, {**each.marks, "benchmark": name}, **each.grid)
        for name, runs in LIBRARY.items() for each in runs
    ]  # fmt: skip


def improvement_rates(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate each case: its ``gain``, with any interval, its ``group``, and the ``rule`` that B breaks."""
    rows = {str(name): each.dropna(axis="columns", how="all") for name, each in frame.groupby("benchmark")}
    cases = [
        _few_clerks(rows["transactions"]), _mixes(rows["mixes"]), _blocks(rows["blocks"]), _local(rows["locality"]),
        _batch(rows["batch"]), _map(rows["map"]),
    ]  # fmt: skip
    columns = ["case", "group", "rule", "gain", "gain_low", "gain_high"]
    return pd.concat(cases, ignore_index=True)[columns].sort_values(["group", "gain"], ascending=[True, False])


def _cases(table: pd.DataFrame, where: str, cases: Mapping[Any, tuple[str, str]]) -> pd.DataFrame:
    """Select the rows of *table* whose column *where* is in *cases*, with the case's name and the rule it breaks."""
    rows = table[table[where].isin(cases)]
    rules = [cases[value][1] for value in rows[where]]
    return rows.assign(
        case=[cases[value][0] for value in rows[where]], rule=rules,
        group=[GROUP_B if rule else GROUP_A for rule in rules],
    )


def _few_clerks(frame: pd.DataFrame) -> pd.DataFrame:
    named = {count: (f"{count:g} clerks", "") for count in frame["terminals"].unique()}
    return _cases(gains(frame, "caching", False, ["terminals"]), "terminals", named)


def _mixes(frame: pd.DataFrame) -> pd.DataFrame:
    table = load_kinds.gain_vs_read_write(frame)
    behind, block = (table[table["writes"] == writes] for writes in ("behind", "block-on-write"))
    return pd.concat([
        _cases(behind, "orders", {9.0: ("mostly inquiries", "")}),
        _cases(block, "orders", {100.0: ("orders only, BLOCKONWRITE", "reads a write")}),
    ])


def _blocks(frame: pd.DataFrame) -> pd.DataFrame:
    table = load_kinds.gain_vs_block(frame)
    return _cases(table[table["load"] == "lists"], "share", {
        0.25: ("lists, block 1/4 of fetch", ""), 1.0: ("lists, block as fetch", "block size"),
    })  # fmt: skip


def _local(frame: pd.DataFrame) -> pd.DataFrame:
    table = load_kinds.gain_vs_locality(frame)
    slow = table[table["mips"] == table["mips"].min()]
    return _cases(slow, "kind", {"none, small fetch": ("no locality, slower CPU", "hit ratio")})


def _batch(frame: pd.DataFrame) -> pd.DataFrame:
    """Select the batch jobs, whose gain is of elapsed time instead of response time."""
    named = {96: ("sequential job, 24 KB fetch", ""), 4: ("sequential job, 1 KB fetch", "block size")}
    return _cases(batch_vs_fetch(frame.drop_duplicates("sectors")), "sectors", named)


def _map(frame: pd.DataFrame) -> pd.DataFrame:
    table = gain_map(frame)
    names = [f"{load} {mips:g} {memory / MIB:g}" for load, mips, memory in zip(
        table["load"], table["speed"], table["memory"], strict=True)]  # fmt: skip
    return _cases(table.assign(machine=names), "machine", {
        "hybrid 1 8": ("hybrid, 101 terminals", ""),
        "development 1 8": ("development", ""),
        "hybrid 0.45 8": ("hybrid, slower CPU", "CPU busy"),
        "development 0.2 8": ("development, slower CPU", "CPU busy"),
        "hybrid 1 4": ("hybrid, 4 MB", "memory pressure"),
        "development 1 4": ("development, 4 MB", "memory pressure"),
    })  # fmt: skip


def printed_rates(paper: Numbers) -> list[Point]:
    """Return the points of the cases for which the paper prints a number."""
    return [(100.0 * paper["B28"], "21 clerks"), (100.0 * paper["B29"], "21 clerks"),
            (100.0 * paper["B30"], "63 clerks"), (published_gain(paper), "hybrid, 101 terminals")]  # fmt: skip


@with_paper(printed_rates)
def draw_improvement_rates(frame: pd.DataFrame) -> Axes:
    return gain_bars(frame, frame["case"].tolist(), frame["group"].tolist(), {GROUP_A: BLUE, GROUP_B: VERMILION},
                     "Where caching fits it gains; a misfit may lose")  # fmt: skip


def caption_improvement_rates(frame: pd.DataFrame) -> str:
    good, bad = (frame[frame["group"] == group] for group in (GROUP_A, GROUP_B))
    spared = bad[bad["gain"] > good["gain"].min()]
    losing = bad[bad["gain"] <= 0.0]
    names = ", ".join(f"{row['case']} ({row['rule']})" for row in losing.to_dict("records")) or "none"
    return (
        f"Group A gains {good['gain'].min():.0f} to {good['gain'].max():.0f} %, group B {bad['gain'].min():.0f} to "
        f"{bad['gain'].max():.0f} %. Losing in B: {names}. {len(spared)} of {len(bad)} gain more than the least of A. "
        "Which cases the paper's chart had is not known."
    )


STUDIES = (
    Study(
        "improvement_rates", benchmarks(), Figure(improvement_rates, draw_improvement_rates, caption_improvement_rates),
    ),
)  # fmt: skip
