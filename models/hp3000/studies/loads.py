"""Studies by the number of terminals: responses, the gain by caching, where time goes, and caching that is off."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.studies import trials
from spindle.sim.units import MIB
from spindle.studies.plots.claim_points import Numbers, Point
from spindle.studies.plots.curves import curve
from spindle.studies.plots.gains import gain_curve
from spindle.studies.plots.phases import breakdown
from spindle.studies.plots.theory_curves import load_curve, load_remark
from spindle.studies.statistics import gains, percent, shorter, summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study
from spindle.studies.theory import summarise_beside

OTHER_TERMINALS = [10, 80]
"""Numbers of terminals that the paper does not have."""
CLERKS_ALONE = [21, 42, 63]
"""Numbers of terminals with clerks alone, who enter transactions."""
STATE_NAMES = {"absent": "without caching", "off": "built in, off", "on": "on"}
"""Names in the picture, by the state of disc caching."""
PAPER_TERMINALS = (21, 63, 101)
"""Numbers of terminals for which McBride & Boles print the gain by caching."""

TRANSACTIONS = Runs(trials.orders, trials.ORDERS_TIMES, terminals=CLERKS_ALONE, caching=trials.PAIR)
BY_TERMINALS = (Runs(trials.people, trials.MIXED, terminals=OTHER_TERMINALS, caching=trials.PAIR), TRANSACTIONS,
                trials.paper_runs(trials.PAIR))
"""Runs with clerks at up to 63 terminals, as in the paper, and with programmers beside them at more."""
WHOLE_CALL, CPU_PART = "whole-call", "cpu-part"
READING_NAMES = {WHOLE_CALL: "a call, its disc access too", CPU_PART: "what a call computes (two discs)"}
"""How long a call holds the control block, with its name in the picture."""
READING_RUNS = [
    Runs(trials.orders, trials.ORDERS_TIMES, {"reading": WHOLE_CALL}, terminals=CLERKS_ALONE, caching=trials.PAIR),
    Runs(trials.orders, trials.ORDERS_TIMES, {"reading": CPU_PART}, terminals=CLERKS_ALONE, caching=trials.PAIR,
         hold="cpu-part", discs=2),
]
"""Runs by two readings of the paper's 20 to 25 % at 21 terminals: waits for the control block, or for discs (LDEVs)."""

response_vs_terminals = partial(
    summarise_beside, users="terminals", by=["terminals", "caching"],
    values=["response_mean", "response_p95", "throughput", "cpu_busy", "disc_rate", "lock_busy"])

draw_response_vs_terminals = trials.with_paper(lambda paper: [(101, paper["B33"]), (101, paper["B34"])])(
    partial(load_curve, x="terminals", by="caching", names=trials.CACHED,
            x_label="terminals: 63 clerks at most, and programmers", y_label=trials.RESPONSE_LABEL,
            title="Disc caching pays where terminals queue"))


def caption_response_vs_terminals(table: pd.DataFrame) -> str:
    remark = load_remark(table, "terminals", "terminals", "caching", trials.CACHED)
    return f"Diamonds are what McBride & Boles print. {remark}"


def where_it_goes(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate means over the replications, with a column for each part of a response."""
    parts = [name for name in frame.columns if name.startswith("part_")]
    means: pd.DataFrame = frame.groupby("caching", sort=False)[parts].mean().reset_index()
    return means.assign(run=means["caching"].map(trials.CACHED)).drop(columns="caching")


draw_where_it_goes = trials.with_paper(
    lambda paper: [(paper["B33"], trials.CACHED[False]), (paper["B34"], trials.CACHED[True])])(
    partial(breakdown, bar="run", title="Caching shortens the queue for the lock"))


def measure_uncached(rows: SeedRows) -> Mapping[str, float]:
    """Measure what the paper prints of 101 terminals without caching."""
    plain = rows.one()
    whole, used = plain.get("memory", MpeParameters.memory) / MIB, plain["memory_used"] / MIB
    return {
        **{name: plain[name] for name in ("cpu_busy", "disc_rate", "impede_rate", "response_mean")},
        "paused": plain["paused_disc"] + plain["paused_swap"], "memory_in_use_mb": used, "memory_idle_mb": whole - used,
    }


def measure_cached(rows: SeedRows) -> Mapping[str, float]:
    """Measure what the paper prints of 101 terminals with caching."""
    plain, cached = rows.one(caching=False), rows.one(caching=True)
    return {
        "cached_hit_ratio": cached["hit_ratio"], "cached_response_mean": cached["response_mean"],
        "ratio": plain["response_mean"] / cached["response_mean"],
        "reads_a_write": cached["reads_a_write"], "domains_mb": cached["domain_bytes"] / MIB,
    }


gain_vs_terminals = partial(gains, axis="caching", against=False, by=["terminals"],
                            values=["cpu_busy", "disc_queue", "lock_busy"])


def printed_gains(paper: Numbers) -> list[Point]:
    """Return the paper's gains: at 21 terminals before and after the first tuning, at 63 and at 101."""
    return [(21, 100.0 * paper["B28"]), (21, 100.0 * paper["B29"]), (63, 100.0 * paper["B30"]),
            (101, trials.published_gain(paper))]  # fmt: skip


draw_gain_vs_terminals = trials.with_paper(printed_gains)(
    partial(gain_curve, x="terminals", x_label="terminals: 63 clerks at most, and programmers",
            title="Caching gains more, the more terminals there are", span=(0, None)))


def caption_gain_vs_terminals(table: pd.DataFrame) -> str:
    gained = [
        f"{percent(row)} at {row['terminals']:g}" for row in table.to_dict("records")
        if row["terminals"] in PAPER_TERMINALS
    ]  # fmt: skip
    return f"Diamonds are what McBride & Boles print. Here: {', '.join(gained)}."


def transactions(rows: SeedRows) -> Mapping[str, float]:
    """Measure gains and hits of 21, 42 and 63 transaction terminals alone, and whether more terminals gain more.

    ``queues_argue`` is 1 if the share of an uncached response that is waited at LDEVs grows with the terminals, is
    marginal at 21, and is not at 63.
    """
    plain, cached = ({each: rows.one(terminals=each, caching=caching) for each in CLERKS_ALONE}
                     for caching in trials.PAIR)  # fmt: skip
    few, some, many = (shorter(plain[each], cached[each]) for each in CLERKS_ALONE)
    waits = [plain[each]["part_queue"] / plain[each]["response_mean"] for each in CLERKS_ALONE]
    return {
        "gain_21": few, "gain_63": many, "grows": float(few < some < many),
        "hits_21": cached[21]["hit_ratio"], "hits_63": cached[63]["hit_ratio"],
        "ldev_share_21": waits[0], "ldev_share_63": waits[-1],
        "queues_argue": float(waits == sorted(set(waits)) and waits[0] < trials.MARGINAL_SHARE <= waits[-1]),
    }


def two_readings(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate what caching gains by each reading, and where an uncached response waits, in percent of it."""
    plain = frame[~frame["caching"]].assign(
        ldev_percent=100.0 * frame["part_queue"] / frame["response_mean"],
        lock_percent=100.0 * frame["part_lock"] / frame["response_mean"],
    )
    waits = summarise(plain, ["reading", "terminals"], ["ldev_percent", "lock_percent", "disc_rate", "impede_rate"])
    return gains(frame, "caching", False, ["reading", "terminals"], ["hit_ratio"]).merge(
        waits.drop(columns="replications"), on=["reading", "terminals"])  # fmt: skip


draw_two_readings = partial(curve, x="terminals", y="ldev_percent", by="reading", names=READING_NAMES,
                            x_label="terminals", y_label="waiting at LDEVs, % of a response",
                            title="A lock held over the access leaves no disc queue", floor=0.0)


def caption_two_readings(table: pd.DataFrame) -> str:
    def values(rows: pd.DataFrame, column: str, digits: int = 0) -> str:
        return ", ".join(f"{each:.{digits}f}" for each in rows[column])

    said = [
        f"{READING_NAMES[str(reading)]}: caching gains {values(rows, 'gain')} %, and uncached responses wait "
        f"{values(rows, 'ldev_percent', 1)} % of their time at LDEVs and {values(rows, 'lock_percent')} % for the "
        "control block" for reading, rows in table.groupby("reading", sort=False)
    ]
    terminals = values(table[table["reading"] == WHOLE_CALL], "terminals")
    return f"At {terminals} terminals. Single-threaded is {'; '.join(said)}."


def ratios(rows: SeedRows) -> Mapping[str, float]:
    """Measure the factor by which caching shortens responses, at 63 terminals of clerks and at 101 of both kinds."""
    few, many = (
        rows.one(terminals=each, caching=False)["response_mean"]
        / rows.one(terminals=each, caching=True)["response_mean"] for each in (63, 101)
    )
    return {"ratio_63": few, "ratio_101": many, "rises": float(few < many)}


built_in = partial(summarise, by=["terminals", "state"], values=["response_mean", "cpu_busy", "disc_rate"])


def draw_built_in(table: pd.DataFrame) -> Axes:
    there, off = table[table["state"] != "off"], table[table["state"] == "off"]
    axes = curve(there, "terminals", "response_mean", "state", names=STATE_NAMES)
    return curve(
        off, "terminals", "response_mean", "state", names=STATE_NAMES, dashed=True, ax=axes, x_label="terminals",
        y_label=trials.RESPONSE_LABEL, title="Caching that is built in and off costs nothing",
    )  # fmt: skip


def caption_built_in(table: pd.DataFrame) -> str:
    by_state = {state: rows.set_index("terminals") for state, rows in table.groupby("state")}
    off, absent = by_state["off"], by_state["absent"]
    most = {name: ((off[name] - absent[name]).abs() / absent[name]).max() for name in ("response_mean", "cpu_busy")}
    return (
        f"Where caching is built in and off, the mean response differs by at most {most['response_mean']:.1%} from "
        f"that of a machine without caching, and the CPU's work by {most['cpu_busy']:.1%}."
    )


def degradation(rows: SeedRows) -> Mapping[str, float]:
    """Measure by what share responses are longer where caching is installed but off, at the load with the largest."""

    def response(terminals: int, state: str) -> float:
        return float(rows.one(terminals=terminals, state=state)["response_mean"])

    longer = [response(terminals, "off") / response(terminals, "absent") - 1.0 for terminals in CLERKS_ALONE]
    return {"degradation": max(longer, key=abs)}


def states() -> list[Runs]:
    def runs(state: str, caching: bool, **others: object) -> Runs:
        return Runs(trials.orders, trials.ORDERS_TIMES, {"state": state}, terminals=CLERKS_ALONE, caching=caching,
                    **others)  # fmt: skip

    return [runs("absent", False), runs("on", True), runs("off", True, cached_ldevs=[()])]


STUDIES = (
    Study(
        "response_vs_terminals",
        BY_TERMINALS, Figure(response_vs_terminals, draw_response_vs_terminals, caption_response_vs_terminals),
    ),
    Study("hybrid_101", [trials.paper_runs(trials.PAIR)], Figure(where_it_goes, draw_where_it_goes), measure_cached),
    Study("uncached_101", [trials.paper_runs(False)], measures=measure_uncached),
    Study(
        "gain_vs_terminals", BY_TERMINALS, Figure(gain_vs_terminals, draw_gain_vs_terminals, caption_gain_vs_terminals),
    ),
    Study("transactions", [TRANSACTIONS], measures=transactions),
    Study("two_readings", READING_RUNS, Figure(two_readings, draw_two_readings, caption_two_readings)),
    Study("ratios",
          [Runs(trials.orders, trials.ORDERS_TIMES, terminals=63, caching=trials.PAIR), trials.paper_runs(trials.PAIR)],
          measures=ratios),
    Study("built_in", states(), Figure(built_in, draw_built_in, caption_built_in), degradation),
)  # fmt: skip
