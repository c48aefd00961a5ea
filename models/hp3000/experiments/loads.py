"""How response time grows with the number of terminals, of the hybrid load and of transactions by themselves."""

from functools import lru_cache

import pandas as pd
from matplotlib.axes import Axes

from models.hp3000.experiments.gain_bars import GAIN, gain_axis
from models.hp3000.experiments.gains import few, gains, percent
from models.hp3000.experiments.hybrid import CACHED, RESPONSE, hybrid
from models.hp3000.run import run
from sim.plots.curves import curve
from sim.plots.load_curve import load_curve, load_remark
from sim.plots.style import INK
from sim.statistics.analytic import summarise_beside
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment

TERMINALS = (10, 21, 42, 63, 80, 101)
TRANSACTIONS = (21, 42, 63)
STATES = {"absent": "without caching", "off": "built in, off", "on": "on"}
LOADS = {"hybrid": "with development", "transactions": "transactions only"}
PRINTED = ((21, 20.0), (21, 25.0), (63, 50.0), (101, 100.0 * (1 - 0.31 / 0.92)))
"""Terminals and gain as McBride & Boles print them, before and after tuning; those at 101 are the hybrid load."""


@lru_cache(maxsize=1)
def hybrid_runs(effort: Effort) -> pd.DataFrame:
    """A row a run of the hybrid load, for all who look at it."""
    return few(effort).sweep(hybrid, terminals=list(TERMINALS), caching=[False, True])


def response_vs_terminals(effort: Effort) -> pd.DataFrame:
    values = ["response_mean", "response_p95", "throughput", "cpu_busy", "disc_rate", "lock_busy"]
    return summarise_beside(hybrid_runs(effort), "terminals", ["terminals", "caching"], values)


def draw_response_vs_terminals(frame: pd.DataFrame) -> Axes:
    return load_curve(
        frame, "terminals", "caching", CACHED, x_label="terminals (62 % transactions, 38 % development)",
        y_label=RESPONSE, title="Disc caching pays where terminals queue",
    )  # fmt: skip


def remark_response_vs_terminals(frame: pd.DataFrame) -> str:
    return load_remark(frame, "terminals", "terminals", "caching", CACHED)


def gain_vs_terminals(effort: Effort) -> pd.DataFrame:
    transactions = few(effort).sweep(run, terminals=list(TRANSACTIONS), development=0, caching=[False, True])
    both = pd.concat([hybrid_runs(effort).assign(load="hybrid"), transactions.assign(load="transactions")])
    return gains(both, "caching", False, ["terminals", "load"], ["cpu_busy", "disc_queue", "lock_busy"])


def draw_gain_vs_terminals(frame: pd.DataFrame) -> Axes:
    axes = curve(
        frame, "terminals", "gain", "load", names=LOADS, x_label="terminals", y_label=GAIN,
        title="What caching gains at each load",
    )  # fmt: skip
    axes.plot(*zip(*PRINTED, strict=True), "D", color=INK, markersize=5, zorder=4)
    axes.set_xlim(0, None)
    return gain_axis(axes, frame)


def remark_gain_vs_terminals(frame: pd.DataFrame) -> str:
    said = [
        f"{percent(row)} at {row['terminals']:g} ({LOADS[row['load']]})" for _, row in frame.iterrows()
        if row["terminals"] in {terminals for terminals, _ in PRINTED}
    ]  # fmt: skip
    return f"Diamonds are what McBride & Boles print. Here: {', '.join(said)}."


def built_in(effort: Effort) -> pd.DataFrame:
    """Machines that have no caching, that have it on no LDEV, and that have it on all."""
    some = [21, 63, 101]
    off = few(effort).sweep(hybrid, terminals=some, caching=True, cached_ldevs=[()]).assign(state="off")
    known = hybrid_runs(effort)
    known = known[known["terminals"].isin(some)]
    known = known.assign(state=known["caching"].map({False: "absent", True: "on"}))
    frame = pd.concat([known, off], ignore_index=True)
    return summarise(frame, ["terminals", "state"], ["response_mean", "cpu_busy", "disc_rate"])


def draw_built_in(frame: pd.DataFrame) -> Axes:
    there, off = frame[frame["state"] != "off"], frame[frame["state"] == "off"]
    axes = curve(there, "terminals", "response_mean", "state", names=STATES)
    return curve(
        off, "terminals", "response_mean", "state", names=STATES, dashed=True, ax=axes, x_label="terminals",
        y_label=RESPONSE, title="Caching built in and off, and none at all",
    )  # fmt: skip


def remark_built_in(frame: pd.DataFrame) -> str:
    by_state = {state: rows.set_index("terminals") for state, rows in frame.groupby("state")}
    off, absent = by_state["off"], by_state["absent"]
    most = {name: ((off[name] - absent[name]).abs() / absent[name]).max() for name in ("response_mean", "cpu_busy")}
    return (
        f"Where it is off, the mean response differs by at most {most['response_mean']:.1%} from that of a machine "
        f"without, and the CPU's work by {most['cpu_busy']:.1%}."
    )


EXPERIMENTS = (
    Experiment(
        "response_vs_terminals",
        "How response time grows with the number of terminals, with disc caching and without.",
        response_vs_terminals, draw_response_vs_terminals, remark_response_vs_terminals,
    ),
    Experiment(
        "gain_vs_terminals",
        "By how much disc caching shortens the mean response at 21, 42 and 63 terminals of transactions, and with "
        "development sessions beside them, as at 63 + 38.",
        gain_vs_terminals, draw_gain_vs_terminals, remark_gain_vs_terminals, slow=True,
    ),
    Experiment(
        "built_in",
        "What caching costs that is built in and disabled, against a system without it and one that uses it.",
        built_in, draw_built_in, remark_built_in, slow=True,
    ),
)  # fmt: skip
