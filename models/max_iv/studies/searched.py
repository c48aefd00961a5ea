"""Whether any load hits 30 % with 256 sectors and is otherwise the paper's: a search, and its picture."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.runs.searched import BOXES, POINTS, searched
from models.max_iv.studies.common import PAPER
from sim.claims.claims import Claim, read_claims
from sim.plots.legends import legend_below
from sim.plots.pictures import drawing
from sim.plots.published import with_published
from sim.plots.style import BLUE, INK, ORANGE
from sim.study.study import Figure, Runs, Study, StudyWindow

FACTS = ("J04", "J05", "J36", "J36b", "J37", "J37b", "J37c", "J40")
"""The paper's claims on the load by which 256 sectors hit 30 %: their measures and bounds are used."""
NEARLY = 0.35
"""What hits no more than this with 256 sectors would have been called about 30 %."""
LOADS = {"wide": POINTS // 2, "near": POINTS}
"""How many of each box: what is wide holds few loads that meet most of the facts."""
WINDOW = StudyWindow({"minutes": 10.0, "warm_up": 6.0}, {"minutes": 0.6, "warm_up": 0.3})
COLOURS = {"wide": ORANGE, "near": BLUE}
CALLED = {"wide": "of a wide box", "near": "near the main load"}


def facts() -> dict[str, Claim]:
    claims = read_claims(Path(__file__).parents[1] / "claims.toml")
    return {claim.id: claim for claim in claims if claim.id in FACTS}


def broken(row: Mapping[str, Any], claims: Mapping[str, Claim]) -> list[str]:
    """Which of FACTS the load of *row* does not meet."""
    numbers = {**row, "gain_768": row["hits_768"] - row["hits_512"]}
    return [name for name, claim in claims.items() if not claim.low <= numbers[claim.measure] <= claim.high]


def loads(frame: pd.DataFrame) -> pd.DataFrame:
    """A row a load: what 256 and 512 sectors hit, how many facts it breaks, and which."""
    claims = facts()
    table = frame[["box", "number", "seed", "hits_256", "hits_512", "hits_768"]].copy()
    which = [broken({str(name): value for name, value in row.items()}, claims) for row in frame.to_dict("records")]
    return table.assign(broken=[len(each) for each in which], which=[" ".join(each) or "none" for each in which])


@with_published(PAPER, lambda paper: [(0.0, paper["J35"])])
def draw_loads(table: pd.DataFrame) -> Axes:
    with drawing() as ax:
        for place, (box, rows) in enumerate(table.groupby("box", sort=False)):
            beside = [count + 0.16 * (place - 0.5) for count in rows["broken"]]
            ax.plot(beside, rows["hits_256"].tolist(), "o", color=COLOURS[str(box)], markersize=4, alpha=0.7,
                    label=CALLED[str(box)])  # fmt: skip
        least = table.groupby("broken")["hits_256"].min().cummin()
        ax.step(least.index.to_numpy(float), least.to_numpy(float), where="mid", color=INK, linewidth=1.2)
        ax.set(xlim=(-0.4, len(FACTS) + 0.4), ylim=(0.0, 1.0), ylabel="hits with 256 sectors, share",
               xlabel=f"facts of the paper that the load breaks, of {len(FACTS)}",
               title="30 % with 256 sectors costs most of the other facts")  # fmt: skip
        legend_below(ax)
    return ax


def caption_loads(table: pd.DataFrame) -> str:
    least = table.groupby("broken")["hits_256"].min().dropna()
    said = ", ".join(f"{value:.0%} with {count:.0f} broken" for count, value in least.items())
    low = table[table["hits_256"] <= NEARLY]
    cost = (
        f"Of those that hit at most {NEARLY:.0%}, none breaks fewer than {low['broken'].min():.0f}, and "
        f"{(low['which'].str.contains('J36b')).mean():.0%} gain visibly from 768 sectors."
        if len(low) else f"None hits as little as {NEARLY:.0%}."
    )
    return (
        f"{len(table)} loads of two or three users, evenly in two boxes of {len(BOXES['wide'])} numbers (Sobol), "
        "with directories that are scanned whole and files that are read from end to end, by each user in turn or by "
        f"all. The facts are {', '.join(FACTS)}. The least that 256 sectors hit: {said}. {cost}"
    )


STUDIES = (
    Study(
        "search_256", "Loads searched for one that hits 30 % with 256 sectors and meets the other facts.",
        [Runs(searched, WINDOW, box=box, number=list(range(count))) for box, count in LOADS.items()],
        Figure(loads, draw_loads, caption_loads), replications=1,
    ),
)  # fmt: skip
