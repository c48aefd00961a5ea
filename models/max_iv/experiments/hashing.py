"""The hash: how long its lists are in three orders of the address bits, beside what chance would do."""

from math import exp, factorial

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.cache.disc_address import reversed_bits, sector_low, track_low
from models.max_iv.cache.fhl import Fhl
from models.max_iv.experiments.common import STRETCH
from models.max_iv.machine import Choices
from models.max_iv.run import run
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer
from sim.measure.window import Window
from sim.plots.curves import curve
from sim.study.system import Effort, Experiment

ORDERS = {"sector low": sector_low, "track low": track_low, "bits reversed": reversed_bits}
LONGEST = 10
LOAD = 512 / 251


class _Kept(Observer):
    """Observer that only keeps the cache code."""

    fhl: Fhl

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        fhl = machine.parts["fhl"]
        assert isinstance(fhl, Fhl)
        self.fhl = fhl


def lists(order: str, minutes: float, warm_up: float, seed: object, **_: object) -> dict[str, float]:
    """Shares of the hash lists by their length, at the end of a run, and how a search does."""
    seen = _Kept()
    result = run(3, 512, seed, STRETCH * minutes, 15.0 + STRETCH * warm_up, watch=seen, keep_rows=False,
                 choices=Choices(order=ORDERS[order]))  # fmt: skip
    lengths = seen.fhl.cache.lengths()
    shares = {f"length_{length}": lengths.count(length) / len(lengths) for length in range(LONGEST + 1)}
    names = ("search_mean", "probes_mean", "chains_alike", "chain_at_most_3", "chain_max")
    return {**shares, **{name: result.extras[name] for name in names}}


def hash_orders(effort: Effort) -> pd.DataFrame:
    frame = effort.sweep(lists, order=list(ORDERS)).drop(columns=["seed", "minutes", "warm_up", "keep_rows"])
    means = frame.groupby("order", sort=False).mean().reset_index()
    tall = [
        {**{name: row[name] for name in row if not str(name).startswith("length_")}, "length": length,
         "share": 100.0 * row[f"length_{length}"]}
        for row in means.to_dict("records") for length in range(LONGEST + 1)
    ]  # fmt: skip
    chance = [
        {"order": "chance", "length": length, "share": 100.0 * exp(-LOAD) * LOAD**length / factorial(length)}
        for length in range(LONGEST + 1)
    ]
    return pd.DataFrame([*tall, *chance])


def draw_hash_orders(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "length", "share", "order", names={order: order for order in frame["order"].unique()},
        x_label="sectors on a hash list", y_label="lists, %", title="Whatever the order of the bits, it is chance",
    )


def remark_hash_orders(frame: pd.DataFrame) -> str:
    said = [
        f"{order}: {rows.iloc[0]['probes_mean']:.2f} comparisons to find a sector, neighbours correlate by "
        f"{rows.iloc[0]['chains_alike']:.2f}"
        for order, rows in frame.groupby("order", sort=False) if order != "chance"
    ]  # fmt: skip
    return (
        "Chance is Poisson's distribution with a mean of 512/251. " + "; ".join(said) + ". So the periodicity that "
        "Jacobson saw is real, and another order of the bits takes it away without making a search shorter."
    )


EXPERIMENTS = (
    Experiment(
        "hash_orders", "The lengths of hash lists with other bits of the address in the lowest place.",
        hash_orders, draw_hash_orders, remark_hash_orders, slow=True,
    ),
)  # fmt: skip
