"""Loads that do hit 30 % with 256 sectors, what each breaks, and which observation would have separated them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.machine import SECTORS
from models.max_iv.runs.tools import LOADS, SIZES, USERS, looping, tools
from models.max_iv.studies.common import MAIN, PAPER, minutes, printed_hits
from models.max_iv.studies.size import HALF, WORTH
from sim.plots.curves import curve
from sim.plots.published import with_published
from sim.statistics.summarise import summarise
from sim.study.study import Figure, Runs, SeedRows, Study

MAIN_LOAD = "main load"
SHOWN = [64, 128, *range(192, 513, 16), 576, 640, 768, 1024]
SEEN = ("miss_reads", "miss_writes", "miss_weofs", "management_share", "accesses_per_open", "data_sectors_per_open",
        "chain_at_most_3", "op_rate")  # fmt: skip


def what_ifs(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each load and size, by LRU on the requests of one run a seed."""
    columns = {size: f"hits_{size}" for size in SHOWN}
    hits = {name: [lru[SIZES.index(size)] for lru in frame["lru"]] for size, name in columns.items()}
    means = summarise(frame.assign(**hits), ["load", "users"], [*columns.values(), *SEEN])
    tall = [
        {
            "load": row["load"], "users": row["users"], "sectors": size, "hit_ratio": row[name],
            "hit_ratio_low": row[f"{name}_low"], "hit_ratio_high": row[f"{name}_high"],
            **{each: row[each] for each in SEEN},
        }
        for row in means.to_dict("records") for size, name in columns.items()
    ]  # fmt: skip
    return pd.DataFrame(tall)


@with_published(PAPER, printed_hits)
def draw_what_ifs(table: pd.DataFrame) -> Axes:
    return curve(
        table[table["users"] == USERS], "sectors", "hit_ratio", "load", names={load: load for load in table["load"]},
        x_label="sectors in the cache", y_label=f"hits, of all requests, {USERS} users",
        title="30 % with 256 sectors needs a sweep round and round",
    )


def caption_what_ifs(table: pd.DataFrame) -> str:
    loads = [_load(table, load, rows) for load, rows in table[table["users"] == USERS].groupby("load", sort=False)]
    return (
        "Exact LRU on the requests of one run a seed. " + " ".join(loads) + " The paper has 30, 65 to 75 and no more, "
        "70/25/5, 30 % and 4 to 6. A count of management space at 256 sectors, or one user alone, would have told "
        "the loops apart."
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
    """Whether one user of the main load alone hits visibly more with 256 sectors than all of them."""
    alone, together = (rows.one(load=MAIN_LOAD, users=users)["lru"][SIZES.index(HALF)] for users in (1, USERS))
    return {"fewer_with_more_users": float(alone - together >= WORTH)}


STUDIES = (
    Study(
        "what_ifs", "Hits against size for the main load and for three loads that loop round many sectors.",
        [Runs(tools, MAIN, {"load": MAIN_LOAD}, users=[1, USERS], sectors=SECTORS),
         Runs(looping, minutes(60.0), load=list(LOADS), users=[1, USERS])],
        Figure(what_ifs, draw_what_ifs, caption_what_ifs), more_users,
    ),
)  # fmt: skip
