"""Makes the study of a paper's mechanisms: a machine runs with each and without it, to show how much each saves."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from spindle.questions.settings import settings_of_parameters, settings_of_run
from spindle.sim.error import UserError, unknown
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.style import BLUE, FAINT, INK, WIDTH
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, Study, StudyWindow
from spindle.system import System

NEGLIGIBLE_SHARE, UNCLEAR_SHARE = 0.01, 0.1
"""The largest effect that counts as none, and the half interval above which an effect is unclear; shares of the time.

The second is also the least effect of a single seed that counts."""
BAR_INCHES = 0.27
MAX_BAR = 1.0
"""Largest cost that is drawn as a bar, as a share of the time without a mechanism; beyond it the number is written."""


class Ablation(NamedTuple):
    """A mechanism: its *name*, the options that switch it *off*, and those of the machine that has it (*on*).

    *measure* is a number of the run's summary, in *unit*; less is better.
    """

    name: str
    off: str
    on: str = ""
    measure: str = "response_mean"
    unit: str = "s"

    @property
    def options_without(self) -> str:
        """The options of the run without the mechanism, each once."""
        return " ".join(_word(name, text) for name, text in {**texts(self.on), **texts(self.off)}.items())


def read_mechanisms(path: Path) -> tuple[Ablation, ...]:
    """Read the table *path*: keys before the mechanisms are defaults for all of them."""
    shared = tomllib.loads(path.read_text("utf-8"))
    mechanisms = shared.pop("mechanisms")
    return tuple(Ablation(name, **{**shared, **own}) for name, own in mechanisms.items())


@dataclass(frozen=True)
class AblatedSystem:
    """Runs a *system* with the options of the command line."""

    system: System

    def summary(self, options: str, measures: Sequence[str], **others: Any) -> dict[str, float]:
        """Return the *measures* of the run that ``spindle run`` makes with these *options*."""
        found = self.system.run(**self.arguments(options), **others).summary()
        return {name: float(found[name]) for name in measures if name in found}

    def arguments(self, options: str) -> dict[str, Any]:
        """Return the keyword arguments of the run; UserError for an unknown option."""
        system = self.system
        known = {**settings_of_parameters(system.parameters), **settings_of_run(system.run)}
        chosen: dict[str, Any] = {}
        values: dict[str, Any] = {}
        for name, text in texts(options).items():
            if name in system.parts:
                chosen[name] = system.parts[name][text]
            elif name in known:
                values[name] = known[name].read(name, text)
            else:
                raise unknown("option", name, [*known, *system.parts])
        return values | ({"choices": system.choose(**chosen)} if chosen else {})


def texts(options: str) -> dict[str, str]:
    """Return the options ``--name value``, ``--name`` and ``--no-name`` as names with their values."""
    words, found = options.split(), dict[str, str]()
    for place, word in enumerate(words):
        if not word.startswith("--"):
            continue
        value = words[place + 1] if place + 1 < len(words) and not words[place + 1].startswith("--") else None
        name = word.removeprefix("--").replace("-", "_")
        if value is None:
            found[name.removeprefix("no_")] = "false" if name.startswith("no_") else "true"
        else:
            found[name] = value
    if not found and words:
        raise UserError(f"options begin with --, not {options!r}")
    return found


def _word(name: str, text: str) -> str:
    dashed = name.replace("_", "-")
    return {"true": f"--{dashed}", "false": f"--no-{dashed}"}.get(text, f"--{dashed} {text}")


def ablation(
    system: str, run: Callable[..., Any], window: StudyWindow, mechanisms: Sequence[Ablation], replications: int = 5
) -> Study:
    """Make the study of *mechanisms*; *run* takes ``options``, the words after ``spindle run`` and *system*."""
    options = list(dict.fromkeys(each for one in mechanisms for each in (one.on, one.options_without)))

    def table(frame: pd.DataFrame) -> pd.DataFrame:
        return worth(system, frame, mechanisms, certain=replications == 1)

    return Study(
        "mechanisms", [Runs(run, window, options=options)], Figure(table, draw, caption), replications=replications,
    )


def worth(
    system: str, frame: pd.DataFrame, mechanisms: Sequence[Ablation], certain: bool = False
) -> pd.DataFrame:  # fmt: skip
    """Return a row for each of *mechanisms*: the measure without and with it, and the share saved, seed by seed.

    *certain* runs do not depend on chance, so that one seed is enough.
    """
    rows = [_worth(system, frame, each, certain) for each in mechanisms]
    return pd.concat(rows, ignore_index=True)


def _worth(system: str, frame: pd.DataFrame, mechanism: Ablation, certain: bool) -> pd.DataFrame:
    on, off = (frame[frame["options"] == options].set_index("seed")[mechanism.measure].astype(float)
               for options in (mechanism.on, mechanism.options_without))
    saved = (1.0 - on / off).where(off > 0.0, 0.0)
    each = pd.DataFrame({"mechanism": mechanism.name, "off": off, "on": on, "worth": saved})
    row = summarise(each, ["mechanism"], ["off", "on", "worth"])
    share, low, high = (float(row[name].iloc[0]) for name in ("worth", "worth_low", "worth_high"))
    verdict = "unclear" if low != low and not certain and abs(share) < UNCLEAR_SHARE else _verdict(share, low, high)
    return row.assign(
        measure=mechanism.measure, unit=mechanism.unit, verdict=verdict,
        command=f"spindle run {system} {mechanism.options_without}",
    )  # fmt: skip


def _verdict(share: float, low: float, high: float) -> str:
    if not low <= 0.0 <= high and abs(share) >= NEGLIGIBLE_SHARE:
        return "saves" if share > 0.0 else "costs"
    return "unclear" if high - low > 2.0 * UNCLEAR_SHARE else "nothing"


def draw(table: pd.DataFrame) -> Axes:
    """Draw a bar for each mechanism: to the right its saving, to the left its cost."""
    with drawing(1.25 * WIDTH, 1.0 + BAR_INCHES * len(table)) as ax:
        shares = table["worth"].to_numpy(float).clip(min=-MAX_BAR)
        colours = [BLUE if verdict in ("saves", "costs") else FAINT for verdict in table["verdict"]]
        ax.barh(range(len(table)), 100.0 * shares, 0.62, color=colours)
        drawn = table["worth"].to_numpy(float) >= -MAX_BAR
        low, high = (100.0 * table[f"worth_{end}"].to_numpy(float).clip(min=-MAX_BAR) for end in ("low", "high"))
        ax.hlines(np.flatnonzero(drawn), low[drawn], high[drawn], color=INK, linewidth=1.0)
        for place, share in enumerate(table["worth"]):
            if share < -MAX_BAR:
                ax.text(-100.0 * MAX_BAR + 3.0, place, f"{100.0 * share:.0f} %", color="white", va="center")
        ax.axvline(0.0, color=INK, linewidth=0.8)
        ax.set_yticks(range(len(table)), table["mechanism"].tolist())
        ax.set_ylim(len(table) - 0.5, -0.5)
        ax.grid(visible=False, axis="y")
        ax.set(xlabel="saved, % of the time without it", title="What each mechanism saves or costs")
    return ax


def caption(table: pd.DataFrame) -> str:
    idle, unclear = (table[table["verdict"] == verdict]["mechanism"].tolist() for verdict in ("nothing", "unclear"))
    said = [f"{words} (grey): {', '.join(names)}." for words, names in
            (("Worth nothing here", idle), ("Not distinguishable from nothing", unclear)) if names]
    return " ".join(["To the left: what costs more than it saves.", *said, "Commands are in the table."])
