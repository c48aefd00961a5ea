"""Studies how many characters asynchronous lines lose while Jacobson's cache locks out interrupts.

The losses are by copy loop of the cache, number of lines, their interrupt level, and buffer of their receivers.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import nan
from typing import Any

import pandas as pd

from spindle.models.max_iv.lines import DATA_LEVEL, Lines, LockOuts, count_lost
from spindle.models.max_iv.machine import SECTORS
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.run import run
from spindle.models.max_iv.studies.trials import USERS, minutes
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.sim.streams import stream
from spindle.sim.units import MS, US
from spindle.studies.plots.curves import curve
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study

LINE_COUNTS = (1, 2, 4, 6, 8)
"""Lines of 9600 baud, for each of which the lists of ``characters`` have a number."""
SEARCH_SECONDS = 200 * US
"""Longest search with a copy; longer services forget the sectors of a large write, one by one."""


def characters(
    seed: object, minutes: float, warm_up: float, copy: float, users: int = USERS, **parameters: object
) -> dict[str, Any]:
    """Count characters lost for a thousand lock-outs with a *copy* loop of that many seconds, by LINE_COUNTS of lines.

    ``copies`` counts searches and copies only; ``all`` every lock-out; ``two_buffers`` and ``data_level`` the same
    with receivers of two characters, and with lines that interrupt on the level that the paper gives to data.
    """
    seen = LockOuts()
    run(users, SECTORS, seed, minutes, warm_up, watch=seen, copy=copy, **parameters)
    copies = [each for each in seen.seen if each.seconds < copy + SEARCH_SECONDS]
    interrupt = change(MaxIvParameters(), **parameters).character
    losses: dict[str, list[float]] = {"copies": [], "all": [], "two_buffers": [], "data_level": []}
    for count in LINE_COUNTS:
        try:
            random, lines = stream(seed, f"{count} lines"), Lines(count, interrupt=interrupt)
        except UserError:  # more lines than the CPU can follow
            for numbers in losses.values():
                numbers.append(nan)
            continue
        losses["copies"].append(1000.0 * count_lost(copies, lines, random) / len(copies))
        for name, each in (("all", lines), ("two_buffers", replace(lines, buffer=2)),
                           ("data_level", replace(lines, level=DATA_LEVEL))):
            losses[name].append(1000.0 * count_lost(seen.seen, each, random) / len(seen.seen))
    return {**losses, "longest_ms": max(each.seconds for each in seen.seen) / MS}


LOOPS_US = (218, 250, 320, 400, 900)
"""Microseconds to copy a sector, of all loops in the paper."""
LOSS_COLUMNS = ["copies", "all", "two_buffers", "data_level"]
FOUR_LINES = LINE_COUNTS.index(4)
"""Row of four lines in the table."""


def lost_characters(frame: pd.DataFrame) -> pd.DataFrame:
    rows = [
        {"loop": round(row["copy"] / US), "lines": count, **{name: row[name][place] for name in LOSS_COLUMNS}}
        for row in frame.to_dict("records") for place, count in enumerate(LINE_COUNTS)
    ]
    return summarise(pd.DataFrame(rows), ["loop", "lines"], LOSS_COLUMNS)


draw_lost_characters = partial(curve, x="lines", y="copies", by="loop", names={loop: f"{loop} us" for loop in LOOPS_US},
                               x_label="lines of 9600 baud that never stop sending",
                               y_label="characters lost for 1000 copies",
                               title="Only the slow loop loses characters")


def caption_lost_characters(table: pd.DataFrame) -> str:
    most = table[table["lines"] == LINE_COUNTS[-1]].set_index("loop")
    one = table[table["lines"] == 1].set_index("loop")
    return (
        "A receiver holds one character, an interrupt takes 0.1 ms, and characters interrupt on the level of the "
        f"cache. Copies only: {LINE_COUNTS[-1]} lines lose {most['copies'][900]:.0f} characters for 1000 lock-outs "
        f"with the loop of 900 us, {most['copies'][400]:.1f} with 400 and {most['copies'][320]:.1f} with 320. But when "
        "a large write ends, the cache searches for each of its sectors, 128 for a quarter of the image of a shell. "
        f"With these, one line loses {one['all'][320]:.0f} with any loop, {one['two_buffers'][320]:.0f} if a receiver "
        "holds two characters. "
        "On the paper's own level for data, 12, which is more urgent than 13, nothing is lost."
    )


def losses(rows: SeedRows) -> Mapping[str, float]:
    """Measure losses of four lines with the slowest copy loop and with the one that the paper thought might work."""
    slow, first = rows.one(copy=900 * US), rows.one(copy=400 * US)
    return {
        "fear": float(slow["copies"][FOUR_LINES] > 0.0), "first_cut": float(first["copies"][FOUR_LINES] == 0.0),
        "lost_data_900": slow["data_level"][FOUR_LINES],
    }


STUDIES = (
    Study(
        "lost_characters",
        [Runs(characters, minutes(10.0, warm_up=9.0), users=USERS, copy=[loop * US for loop in LOOPS_US])],
        Figure(lost_characters, draw_lost_characters, caption_lost_characters), losses,
    ),
)  # fmt: skip
