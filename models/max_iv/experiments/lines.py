"""Characters lost on asynchronous lines while the cache works, by copy loop, lines, level and buffer."""

from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.lines.receiver import DATA, Lines, lost
from models.max_iv.trials.lines import LOOPS, copies_of, lock_outs
from sim.plots.curves import curve
from sim.statistics.summarise import summarise
from sim.streams import stream
from sim.study.system import Effort, Experiment
from sim.units import US

COUNTS = (1, 2, 4, 6, 8)


def losses(loop: int, minutes: float, seed: int, **_: object) -> list[dict[str, float]]:
    """Characters lost for a thousand lock-outs of one run with a copy *loop*, for each number of lines."""
    seen = lock_outs(seed, minutes / 10.0, {"copy": loop * US})
    copies = copies_of(seen, loop)
    rows = []
    for count in COUNTS:
        random, lines = stream(seed, f"{count} lines"), Lines(count)
        rows.append({
            "loop": loop, "lines": count, "seed": seed,
            "copies": 1000.0 * lost(copies, lines, random) / len(copies),
            "all": 1000.0 * lost(seen, lines, random) / len(seen),
            "two_buffers": 1000.0 * lost(seen, replace(lines, buffer=2), random) / len(seen),
            "data_level": 1000.0 * lost(seen, replace(lines, level=DATA), random) / len(seen),
        })  # fmt: skip
    return rows


def lost_characters(effort: Effort) -> pd.DataFrame:
    rows = [row for loop in LOOPS for seed in effort.seeds[:3] for row in losses(loop, effort.minutes, seed)]
    return summarise(pd.DataFrame(rows), ["loop", "lines"], ["copies", "all", "two_buffers", "data_level"])


def draw_lost_characters(frame: pd.DataFrame) -> Axes:
    names = {loop: f"{loop} us" for loop in LOOPS}
    return curve(
        frame, "lines", "copies", "loop", names=names, x_label="lines of 9600 baud that never stop sending",
        y_label="characters lost for 1000 copies", title="Only the slow loop loses characters",
    )


def remark_lost_characters(frame: pd.DataFrame) -> str:
    most = frame[frame["lines"] == COUNTS[-1]].set_index("loop")
    one = frame[frame["lines"] == 1].set_index("loop")
    return (
        "A receiver holds one character, an interrupt takes 0.1 ms, and characters interrupt on the level of the "
        f"cache. Copies only: {COUNTS[-1]} lines lose {most['copies'][900]:.0f} characters for 1000 lock-outs with the "
        f"loop of 900 us, {most['copies'][400]:.1f} with 400 and {most['copies'][320]:.1f} with 320. But when a large "
        "write ends, the cache looks for each of its sectors, 128 for a quarter of a shell: with these, one line "
        f"loses {one['all'][320]:.0f} with any loop, {one['two_buffers'][320]:.0f} if a receiver holds two characters. "
        "On the paper's own level for data, 12, which is more urgent than 13, nothing is lost."
    )


EXPERIMENTS = (
    Experiment(
        "lost_characters", "Characters that lines of 9600 baud lose while the cache has interrupts locked out.",
        lost_characters, draw_lost_characters, remark_lost_characters, slow=True,
    ),
)  # fmt: skip
