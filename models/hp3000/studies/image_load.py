"""Studies that test the paper's numbers again with a load to which nothing was fitted, an application of IMAGE.

IMAGE is HP's data base. One more study shows how the gain of 21 terminals of the calibrated load depends on the delay
that was fitted.
"""

from collections.abc import Mapping
from functools import partial

import pandas as pd

from spindle.models.hp3000.studies import loads, trials
from spindle.models.hp3000.studies.load_kinds import NO_LOCALITY
from spindle.models.hp3000.studies.misfits import MISFITS, measure_misfit
from spindle.models.hp3000.studies.ported_work import STEADY, run_ported
from spindle.studies.plots.gains import gain_curve
from spindle.studies.statistics import gains, percent
from spindle.studies.study import Figure, Runs, SeedRows, Study

LOAD = "image"
"""Name of the load in load_sheets.LOADS."""
COMPUTE_FACTORS = (1.0, 2.0, 4.0, 8.0)
"""Factors of the CPU time of order programs. The first that keeps the CPU over 65 % busy uncached is judged."""
RANDOM_FETCHES = [4 * trials.SECTOR, 16 * trials.SECTOR, 96 * trials.SECTOR]
"""Bytes of a random fetch: 4, 16 and 96 sectors."""
TERMINAL_DELAYS = [0.0, 0.05, 0.11]
"""Seconds of each response that are neither CPU nor disc; the last is that of the calibrated load."""


def measure_101(rows: SeedRows) -> Mapping[str, float]:
    """Measure what the paper prints of 101 terminals, uncached and cached."""
    return {**loads.measure_uncached(SeedRows(rows.select(caching=False))), **loads.measure_cached(rows)}


def measure_ported(rows: SeedRows) -> Mapping[str, float]:
    """Return the share by which a Series III's work is shorter on a 64 with its discs, with usual think times."""
    old, new = (rows.one(machine=machine)["throughput"] for machine in ("Series III", "64, its discs"))
    return {"shorter": 1.0 - old / new}


def measure_misfits(rows: SeedRows) -> Mapping[str, float]:
    """Measure the gain with a busy CPU, by the first factor of computing that keeps it so, and without locality."""
    plain = {scale: rows.one(misfit="busy", compute_scale=scale, caching=False) for scale in COMPUTE_FACTORS}
    met = [scale for scale, row in plain.items() if MISFITS["busy"].is_met(row["cpu_busy"])]
    scale = met[0] if met else COMPUTE_FACTORS[-1]
    busy = measure_misfit("busy", plain[scale], rows.one(misfit="busy", compute_scale=scale, caching=True))
    scattered = (rows.one(misfit="scattered", caching=caching) for caching in trials.PAIR)
    return {**busy, **measure_misfit("scattered", *scattered), "busy_scale": scale}


def measure_fetches(rows: SeedRows) -> Mapping[str, float]:
    """Measure whether a larger random fetch hits more often where references have no locality."""
    hits = [rows.one(fetch_random=size)["hit_ratio"] for size in RANDOM_FETCHES]
    return {"hits_grow": float(hits == sorted(set(hits)))}


gain_vs_delay = partial(gains, axis="caching", against=False, by=["terminal_delay"], values=["hit_ratio"])

draw_gain_vs_delay = partial(gain_curve, x="terminal_delay",
                             x_label="seconds of a response that are neither CPU nor disc",
                             title="The gain of 21 clerks hangs on one constant")


def caption_gain_vs_delay(table: pd.DataFrame) -> str:
    said = [f"{percent(row)} with {row['terminal_delay']:g} s" for row in table.to_dict("records")]
    return f"Caching shortens responses of 21 clerks by {', '.join(said)}, to which it was fitted."


STUDIES = (
    Study("image_transactions",
          [Runs(trials.orders, trials.ORDERS_TIMES, terminals=loads.CLERKS_ALONE, caching=trials.PAIR, load=LOAD)],
          measures=loads.transactions),
    Study("image_101", [Runs(trials.hybrid, trials.HEADLINE, terminals=101, caching=trials.PAIR, load=LOAD)],
          measures=measure_101),
    Study("image_ported", [Runs(run_ported, STEADY, pace=1.0, machine=["Series III", "64, its discs"], load=LOAD)],
          measures=measure_ported),
    Study(
        "image_misfits",
        [Runs(trials.hybrid, trials.MIXED, {"misfit": "busy"}, terminals=101, caching=trials.PAIR,
              compute_scale=list(COMPUTE_FACTORS), load=LOAD),
         Runs(trials.orders, trials.ORDERS_TIMES, {"misfit": "scattered"}, terminals=63, caching=trials.PAIR, load=LOAD,
              **MISFITS["scattered"].changes)],
        measures=measure_misfits,
    ),
    Study("image_fetch",
          [Runs(trials.orders, trials.ORDERS_TIMES, terminals=63, caching=True, fetch_random=RANDOM_FETCHES, load=LOAD,
                **NO_LOCALITY)],
          measures=measure_fetches),
    Study(
        "gain_vs_delay",
        [Runs(trials.orders, trials.ORDERS_TIMES, terminals=21, caching=trials.PAIR, terminal_delay=TERMINAL_DELAYS)],
        Figure(gain_vs_delay, draw_gain_vs_delay, caption_gain_vs_delay),
    ),
)  # fmt: skip
