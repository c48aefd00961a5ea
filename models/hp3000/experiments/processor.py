"""What becomes of the gain where the CPU has other things to do, or where nobody thinks."""

import pandas as pd
import simpy
from matplotlib.axes import Axes

from models.hp3000.experiments.gain_bars import GAIN, gain_axis
from models.hp3000.experiments.gains import few, gains
from models.hp3000.experiments.hybrid import CACHED, NO_THINKING, hybrid
from models.hp3000.machine import SESSION_LEVEL
from sim.account import Account, Phase
from sim.clock import Wait, pause
from sim.cpu import Cpu
from sim.machine import Machine
from sim.measure.load import Load
from sim.measure.observer import Observer
from sim.measure.result import Result
from sim.measure.window import Window
from sim.plots.curves import curve
from sim.statistics.summarise import summarise
from sim.streams import stream
from sim.study.system import Effort, Experiment
from sim.units import MS

BURST = 20 * MS
"""Mean CPU time of a burst of the other work; about what an answer of ORDERS computes at a time."""

SHARES = (0.0, 0.4, 0.6, 0.75)
TERMINALS = (42, 101)
LOADS = {terminals: f"{terminals} terminals" for terminals in TERMINALS}


class OtherWork(Observer):
    """Observer that keeps the CPU busy for a *share* of the time with bursts that ask for no disc.

    They come at random, as urgent as sessions, from programs that are no part of the load.
    """

    def __init__(self, share: float, seed: object) -> None:
        self._share = share
        self._random = stream(seed, "other work")

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        if self._share:
            machine.spawn("other work", self._come(machine.env, machine.cpu))

    def _come(self, env: simpy.Environment, cpu: Cpu) -> Wait:
        account, every = Account("other work"), BURST / self._share
        while True:
            yield pause(env, self._random.expovariate(1 / every))
            cpu.burst(self._random.expovariate(1 / BURST), SESSION_LEVEL, Phase.CPU, account)


def beside_other_work(terminals: int, share: float, seed: object, **others: object) -> Result:
    """A hybrid run on a machine that has other work for a *share* of its CPU."""
    return hybrid(terminals, seed=seed, watch=OtherWork(share, seed), **others)


def gain_vs_cpu(effort: Effort) -> pd.DataFrame:
    frame = few(effort).sweep(beside_other_work, terminals=list(TERMINALS), share=list(SHARES), caching=[False, True])
    return gains(frame, "caching", False, ["terminals", "share"], ["cpu_busy", "cpu_cache"])


def draw_gain_vs_cpu(frame: pd.DataFrame) -> Axes:
    axes = curve(
        frame, "plain_cpu_busy", "gain", "terminals", names=LOADS, band=("gain_low", "gain_high"),
        x_label="CPU busy without caching, share of the time", y_label=GAIN,
        title="Less is gained where the CPU is busy",
    )  # fmt: skip
    axes.set_xlim(0, 1)
    return gain_axis(axes, frame)


def remark_gain_vs_cpu(frame: pd.DataFrame) -> str:
    said = []
    for terminals, rows in frame.groupby("terminals"):
        hurt = rows[rows["gain_high"] < 0.0]
        at = f"from {hurt['plain_cpu_busy'].min():.0%} busy on" if len(hurt) else "nowhere"
        said.append(f"at {terminals} terminals caching hurts for certain {at}")
    return f"What else keeps the CPU busy are programs outside of the load: {'; '.join(said)}."


def zero_think(effort: Effort) -> pd.DataFrame:
    frame = few(effort).sweep(hybrid, terminals=[10, 21, 42], caching=[False, True], think_scale=NO_THINKING)
    values = ["throughput", "response_mean", "cpu_busy", "disc_rate", "lock_busy"]
    return summarise(frame, ["terminals", "caching"], values)


def draw_zero_think(frame: pd.DataFrame) -> Axes:
    return curve(
        frame, "terminals", "throughput", "caching", names=CACHED, x_label="terminals that do not think",
        y_label="responses a second", title="Zero think time: what the machine can do at most",
    )  # fmt: skip


def remark_zero_think(frame: pd.DataFrame) -> str:
    said = []
    for cached, rows in frame.groupby("caching", sort=False):
        most = rows.sort_values("throughput").iloc[-1]
        said.append(
            f"with {CACHED[bool(cached)]}, {most['throughput']:.1f} a second at most, the control block held "
            f"{most['lock_busy']:.0%} of the time and the CPU {most['cpu_busy']:.0%} busy"
        )
    return f"Users still type at their usual speed: {'; '.join(said)}."


EXPERIMENTS = (
    Experiment(
        "gain_vs_cpu",
        "What caching gains on a machine whose CPU is busy with other work already.",
        gain_vs_cpu, draw_gain_vs_cpu, remark_gain_vs_cpu, slow=True,
    ),
    Experiment(
        "zero_think",
        "The worst case that customers injected: nobody thinks.",
        zero_think, draw_zero_think, remark_zero_think, slow=True,
    ),
)  # fmt: skip
