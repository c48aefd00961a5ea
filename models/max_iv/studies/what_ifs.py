"""Studies loads that hit Jacobson's 30 % with 256 sectors, and lists which other facts of his each contradicts.

A search through many loads looks for one that contradicts none.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from spindle.models.max_iv.habits import LibraryLoop, PathLoop, PrivateLoops, SeveralHabits
from spindle.models.max_iv.machine import SECTORS, MaxIvOptions
from spindle.models.max_iv.studies.size import HALF_SIZE, LEAST_GAIN, printed_hits
from spindle.models.max_iv.studies.trials import LRU_SIZES, MAIN, USERS, minutes, tools, with_paper
from spindle.studies.claims.claims import Claim, read_claims
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.curves import curve
from spindle.studies.plots.legends import legend_below
from spindle.studies.plots.style import BLUE, INK, ORANGE
from spindle.studies.statistics import summarise
from spindle.studies.study import Figure, Runs, SeedRows, Study, StudyWindow
from spindle.studies.sweep.design import Range, sobol

LOOP_LOADS: Mapping[str, Mapping[str, object]] = {
    "path loop": {"choices": MaxIvOptions(habit=PathLoop()), "cold": 0.7, "think": 74.0, "tool_cpu": 1.2},
    "private loops": {"choices": MaxIvOptions(habit=PrivateLoops()), "cold": 0.5, "think": 70.0, "tool_cpu": 1.2},
    "library loop": {"choices": MaxIvOptions(habit=LibraryLoop()), "cold": 0.7, "think": 74.0, "tool_cpu": 1.2},
}
"""Loads with loops: cold files keep the hits of 512 sectors near 65 %, think times the requests a second (fig. 4)."""


def looping(load: str, **others: object) -> dict[str, Any]:
    """Run ``tools`` with one of LOOP_LOADS."""
    return tools(**{**others, **LOOP_LOADS[load]})  # type: ignore[arg-type]


# A search through loads for one that hits 30 % with 256 sectors: points spread evenly over all unknown numbers.

BOX_POINTS = 64
"""Points in each of BOXES."""
LOOP_PARAMETERS = (
    "path_directories", "path_share", "private_sectors", "private_share", "library_sectors", "library_share",
)  # fmt: skip
"""Directories that are scanned whole, and libraries that are read from end to end, each user's own or shared."""
WIDE_RANGES: Mapping[str, Range] = {
    "users": (2, 3), "cold": (0.1, 0.8), "inputs": (0.5, 4.0), "account_files": (20, 400), "working_files": (2, 30),
    "own_sectors": (1, 4), "lists": (1, 12), "names_a_sector": (4, 16), "local_tools": (5, 100),
    "own_commands": (1, 200), "more_directories": (0, 8), "pipe_sectors": (4.0, 6.0), "pipelines": (0.3, 3.0),
    "editing": (0.3, 3.0), "path_directories": (0, 30), "path_share": (0.0, 0.5), "private_sectors": (1, 200),
    "private_share": (0.0, 0.5), "library_sectors": (1, 400), "library_share": (0.0, 0.5),
}
"""Ranges of what the paper does not print, as wide as is plausible; more than one user, as in the paper."""
NEAR_RANGES: Mapping[str, Range] = {
    "users": (2, 3), "cold": (0.2, 0.6), "inputs": (1.3, 4.0), "account_files": (75, 300), "working_files": (3, 10),
    "own_sectors": (1, 3), "lists": (2, 8), "names_a_sector": (4, 16), "local_tools": (15, 60),
    "own_commands": (2, 40), "more_directories": (0, 3), "pipe_sectors": (4.0, 6.0), "pipelines": (0.5, 2.0),
    "editing": (0.5, 2.0), "path_directories": (0, 12), "path_share": (0.0, 0.3), "private_sectors": (1, 120),
    "private_share": (0.0, 0.2), "library_sectors": (1, 250), "library_share": (0.0, 0.15),
}
"""Ranges about the main load, which meets the other facts, with shorter loops."""
BOXES = {"wide": WIDE_RANGES, "near": NEAR_RANGES}


@cache
def design(box: str) -> tuple[Mapping[str, Any], ...]:
    """The points of one of BOXES, each by name of the parameter; always the same points."""
    rows = sobol(BOX_POINTS, BOXES[box]).to_dict("records")
    return tuple({str(name): value for name, value in row.items()} for row in rows)


SEARCHED_USERS: Mapping[str, Any] = {"think": 36.0, "tool_cpu": 1.2}
"""Pace of the users in every load that is searched; hits do not depend on it."""


def run_box_point(box: str, number: int, seed: object, minutes: float, warm_up: float) -> dict[str, Any]:
    """Run point *number* of the *box*: the paper's measures of that load, and the hits of 256, 512 and 768 sectors."""
    point = dict(design(box)[number])
    loops = [point.pop(name) for name in LOOP_PARAMETERS]
    habits = (PathLoop(loops[0], share=loops[1]), PrivateLoops(loops[2], loops[3]), LibraryLoop(loops[4], loops[5]))
    row = tools(seed, minutes, warm_up, choices=MaxIvOptions(habit=SeveralHabits(habits)), **SEARCHED_USERS, **point)
    lru = row.pop("lru")
    return {**row, **{f"hits_{size}": lru[LRU_SIZES.index(size)] for size in (256, 512, 768)}}


MAIN_LOAD = "main load"
SHOWN_SIZES = [64, 128, *range(192, 513, 16), 576, 640, 768, 1024]
SHOWN_MEASURES = ("miss_reads", "miss_writes", "miss_weofs", "management_share", "accesses_per_open",
                  "data_sectors_per_open", "chain_at_most_3", "op_rate")  # fmt: skip


def what_ifs(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each load and size, by LRU on the requests of one run a seed."""
    columns = {size: f"hits_{size}" for size in SHOWN_SIZES}
    hits = {name: [lru[LRU_SIZES.index(size)] for lru in frame["lru"]] for size, name in columns.items()}
    means = summarise(frame.assign(**hits), ["load", "users"], [*columns.values(), *SHOWN_MEASURES])
    long_rows = [
        {
            "load": row["load"], "users": row["users"], "sectors": size, "hit_ratio": row[name],
            "hit_ratio_low": row[f"{name}_low"], "hit_ratio_high": row[f"{name}_high"],
            **{each: row[each] for each in SHOWN_MEASURES},
        }
        for row in means.to_dict("records") for size, name in columns.items()
    ]  # fmt: skip
    return pd.DataFrame(long_rows)


@with_paper(printed_hits)
def draw_what_ifs(table: pd.DataFrame) -> Axes:
    return curve(
        table[table["users"] == USERS], "sectors", "hit_ratio", "load", x_label="sectors in the cache",
        y_label=f"hits, of all requests, {USERS} users",
        title="30 % with 256 sectors needs a sweep round and round",
    )


def caption_what_ifs(table: pd.DataFrame) -> str:
    loads = [_load(table, load, rows) for load, rows in table[table["users"] == USERS].groupby("load", sort=False)]
    return (
        "Exact LRU on the requests of one run a seed. " + " ".join(loads) + " The paper has 30 % with 256 sectors, 65 "
        "to 75 % with 512 and no more with 768, misses 70/25/5, 30 % management space, and 4 to 6 sectors an open. A "
        "count of management space at 256 sectors, or one user alone, would have told the loops apart."
    )


def _load(table: pd.DataFrame, load: Any, rows: pd.DataFrame) -> str:
    at, row = rows.set_index("sectors")["hit_ratio"], rows.iloc[0]
    alone = table[(table["load"] == load) & (table["users"] == 1)].set_index("sectors")["hit_ratio"]
    return (
        f"{str(load).capitalize()}: {at[256]:.0%}, {at[512]:.0%} and {at[768]:.0%} with 256, 512 and 768 sectors "
        f"({alone[256]:.0%} with 256 for one user), misses {100 * row['miss_reads']:.0f}/"
        f"{100 * row['miss_writes']:.0f}/{100 * row['miss_weofs']:.0f}, {row['management_share']:.0%} of the cache "
        f"management space, {row['data_sectors_per_open']:.1f} sectors of data an open."
    )


def more_users(rows: SeedRows) -> Mapping[str, float]:
    """Measure whether one user of the main load hits visibly more with 256 sectors than all users."""
    alone, together = (rows.one(load=MAIN_LOAD, users=users)["lru"][LRU_SIZES.index(HALF_SIZE)] for users in (1, USERS))
    return {"fewer_with_more_users": float(alone - together >= LEAST_GAIN)}


FACTS = ("J04", "J05", "J36", "J36b", "J37", "J37b", "J37c", "J40")
"""The paper's claims on the load by which 256 sectors hit 30 %: their measures and bounds are used."""
ABOUT_30 = 0.35
"""Largest hit ratio with 256 sectors that would have been called about 30 %."""
BOX_SIZES = {"wide": BOX_POINTS // 2, "near": BOX_POINTS}
"""Points of each box: the wide one holds few loads that meet most of the facts."""
BOX_WINDOW = StudyWindow({"minutes": 10.0, "warm_up": 6.0}, {"minutes": 0.6, "warm_up": 0.3}, {"number": range(16)})
BOX_COLOURS = {"wide": ORANGE, "near": BLUE}
BOX_NAMES = {"wide": "of a wide box", "near": "near the main load"}


def facts() -> dict[str, Claim]:
    claims = read_claims(Path(__file__).parents[1] / "claims.toml")
    return {claim.id: claim for claim in claims if claim.id in FACTS}


def broken_facts(row: Mapping[str, Any], claims: Mapping[str, Claim]) -> list[str]:
    """List those of FACTS that the load of *row* does not meet."""
    numbers = {**row, "gain_768": row["hits_768"] - row["hits_512"]}
    return [name for name, claim in claims.items() if not claim.low <= numbers[claim.measure] <= claim.high]


def loads(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each load: the hits of 256, 512 and 768 sectors, how many facts it breaks, and which."""
    claims = facts()
    table = frame[["box", "number", "seed", "hits_256", "hits_512", "hits_768"]].copy()
    which = [broken_facts({str(name): value for name, value in row.items()}, claims)
             for row in frame.to_dict("records")]  # fmt: skip
    return table.assign(broken=[len(each) for each in which], which=[" ".join(each) or "none" for each in which])


@with_paper(lambda paper: [(0.0, paper["J35"])])
def draw_loads(table: pd.DataFrame) -> Axes:
    with drawing() as ax:
        for place, (box, rows) in enumerate(table.groupby("box", sort=False)):
            beside = [count + 0.16 * (place - 0.5) for count in rows["broken"]]
            ax.plot(beside, rows["hits_256"].tolist(), "o", color=BOX_COLOURS[str(box)], markersize=4, alpha=0.7,
                    label=BOX_NAMES[str(box)])  # fmt: skip
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
    low = table[table["hits_256"] <= ABOUT_30]
    cost = (
        f"Of those that hit at most {ABOUT_30:.0%}, none breaks fewer than {low['broken'].min():.0f}, and "
        f"{(low['which'].str.contains('J36b')).mean():.0%} gain visibly from 768 sectors."
        if len(low) else f"None hits as little as {ABOUT_30:.0%}."
    )
    return (
        f"{len(table)} loads of two or three users, evenly in two boxes of {len(BOXES['wide'])} numbers (Sobol), "
        "with directories that are scanned whole and files that are read from end to end, each user's own or shared. "
        f"The facts are the claims {', '.join(FACTS)}. The least that 256 sectors hit: {said}. {cost}"
    )


STUDIES = (
    Study(
        "what_ifs",
        [Runs(tools, MAIN, {"load": MAIN_LOAD}, users=[1, USERS], sectors=SECTORS),
         Runs(looping, minutes(60.0), load=list(LOOP_LOADS), users=[1, USERS])],
        Figure(what_ifs, draw_what_ifs, caption_what_ifs), more_users,
    ),
    Study(
        "search_256",
        [Runs(run_box_point, BOX_WINDOW, box=box, number=list(range(count))) for box, count in BOX_SIZES.items()],
        Figure(loads, draw_loads, caption_loads), replications=1,
    ),
)  # fmt: skip
