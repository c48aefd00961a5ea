"""What a user notices: `who`, a long search path, the shell, and what of a command is left with the cache."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.machine import SECTORS
from models.max_iv.run import run
from models.max_iv.runs.shell import spawn, starting, who
from models.max_iv.runs.tools import USERS
from models.max_iv.studies.common import CACHED, RESPONSE, minutes
from sim.plots import breakdown_bars
from sim.plots.curves import curve
from sim.statistics.summarise import summarise
from sim.study.study import UNTIMED, Figure, Runs, SeedRows, Study

SHELLS = {65536: "as it is, 64 K words", 16384: "a quarter of it", 0: "sharable: none moved"}
MORE = (0, 2, 5, 10)
FIVE_MORE = 5
LINE_PRINTED = 40 * 10 / 9600
"""Seconds in which a terminal of 9600 baud prints a line."""


def lines(rows: SeedRows) -> Mapping[str, float]:
    """Seconds for each line of ``who``."""
    plain, cached = (rows.one(sectors=sectors)["line"] for sectors in (0, SECTORS))
    return {"line_plain": plain, "line_cached": cached, "terminal_speed": float(cached < LINE_PRINTED)}


def search_path(frame: pd.DataFrame) -> pd.DataFrame:
    table = summarise(frame, ["more_directories", "sectors"], ["response_mean"])
    return table.assign(directories=table["more_directories"] + 3)


def draw_search_path(table: pd.DataFrame) -> Axes:
    return curve(
        table, "directories", "response_mean", "sectors", names=CACHED, x_label="directories in the search path",
        y_label=RESPONSE, title="A long search path costs hardly anything any more",
    )


def caption_search_path(table: pd.DataFrame) -> str:
    def more(sectors: int) -> float:
        rows = table[table["sectors"] == sectors].set_index("directories")["response_mean"]
        return 1000.0 * float(rows.iloc[-1] - rows.iloc[0]) / float(rows.index[-1] - rows.index[0])

    return (
        "A command that does nothing but be found and started. One more directory takes "
        f"{more(0):.0f} ms without a cache and {more(SECTORS):.0f} ms with it."
    )


def five_more(rows: SeedRows) -> Mapping[str, float]:
    """What five more directories in every search path add to a command that does nothing, as a share."""
    added = {}
    for name, sectors in (("plain", 0), ("cached", SECTORS)):
        few, many = (rows.one(sectors=sectors, more_directories=more)["response_mean"] for more in (0, FIVE_MORE))
        added[f"more_{name}"] = many / few - 1.0
    return added


def only(rows: SeedRows) -> Mapping[str, float]:
    return {"spawn_ms": rows.one()["spawn_ms"]}


def what_is_left(frame: pd.DataFrame) -> pd.DataFrame:
    """Where a response goes with smaller shells, a row for each of them with the cache and without."""
    phases = [name for name in frame.columns if name.startswith("part_")]
    means = frame.groupby(["shell_words", "sectors"], sort=False)[[*phases, "response_mean"]].mean().reset_index()
    names = [f"{SHELLS[row['shell_words']]}, {CACHED[row['sectors']]}" for row in means.to_dict("records")]
    return means.assign(run=names)


def draw_what_is_left(table: pd.DataFrame) -> Axes:
    return breakdown_bars.breakdown(table, "run", title="What is left is computing, not the shell")


def caption_what_is_left(table: pd.DataFrame) -> str:
    at = table.set_index(["shell_words", "sectors"])["response_mean"]
    return (
        f"With the cache a command takes {at[65536, SECTORS]:.1f} s, and {at[0, SECTORS]:.1f} s if the shell need not "
        f"be moved; without the cache, {at[65536, 0]:.1f} and {at[0, 0]:.1f} s."
    )


def bulk(rows: SeedRows) -> Mapping[str, float]:
    """Whether a response with the cache would be less than half as long if no shell had to be moved."""
    whole, shared = (rows.one(sectors=SECTORS, shell_words=words)["response_mean"] for words in (65536, 0))
    return {"mostly_shell": float(shared < whole / 2.0)}


STUDIES = (
    Study(
        "search_path", "What every further directory in a search path costs, with the cache and without.",
        [Runs(starting, minutes(16.0, warm_up=2.0), sectors=[0, SECTORS], more_directories=list(MORE))],
        Figure(search_path, draw_search_path, caption_search_path), five_more,
    ),
    Study(
        "who", f"Seconds for each line of who beside {USERS} users at work, with the cache and without.",
        [Runs(who, minutes(60.0, warm_up=8.0), sectors=[0, SECTORS])], measures=lines,
    ),
    Study(
        "what_is_left", "Where the time of a command goes with a smaller shell, and with one that is shared.",
        [Runs(run, minutes(30.0), users=USERS, sectors=[0, SECTORS], shell_words=list(SHELLS))],
        Figure(what_is_left, draw_what_is_left, caption_what_is_left), bulk,
    ),
    Study(
        "spawn", "The image of a shell out to a 2314 and back in.", [Runs(spawn, UNTIMED)], measures=only,
    ),
)  # fmt: skip
