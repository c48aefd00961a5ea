"""Loads that do hit 30 % with 256 sectors, what each breaks, and which observation would have told them apart."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from models.max_iv.cache.references import Referred
from models.max_iv.experiments.common import STRETCH
from models.max_iv.machine import Choices
from models.max_iv.run import run
from models.max_iv.tools.habits import LibraryLoop, PathLoop, PrivateLoops
from sim.plots.curves import curve
from sim.statistics.summarise import summarise
from sim.study.system import Effort, Experiment

LOADS: Mapping[str, Mapping[str, object]] = {
    "main load": {},
    "path loop": {"choices": Choices(habit=PathLoop()), "cold": 0.7, "think": 100.0},
    "private loops": {"choices": Choices(habit=PrivateLoops()), "cold": 0.5, "think": 110.0},
    "library loop": {"choices": Choices(habit=LibraryLoop()), "cold": 0.7, "think": 100.0},
}
"""The loops with as many cold files as leave 512 sectors near 65 %, and about as many requests a second."""
SIZES = (64, 128, *range(192, 513, 16), 576, 640, 768, 1024)
SEEN = ("miss_reads", "miss_writes", "miss_weofs", "management_share", "accesses_per_open", "data_sectors_per_open",
        "chain_at_most_3", "op_rate")  # fmt: skip


def sizes_of(
    load: str, minutes: float, warm_up: float, users: int = 3, seed: object = 1, **_: object
) -> dict[str, float]:
    """What LRU of every size hits of the requests of one run, and what Jacobson could have seen of that run."""
    seen, stretch = Referred(), 6 * STRETCH / users
    result = run(users=users, seed=seed, minutes=stretch * minutes, warm_up=stretch * warm_up, watch=seen,
                 keep_rows=False, **LOADS[load])  # type: ignore[arg-type]
    references, requests = seen.references(), result.extras["op_rate"] * result.seconds
    hits = {f"hits_{sectors}": references.lru_hits(sectors) / requests for sectors in SIZES}
    return {**hits, **{name: result.extras[name] for name in SEEN}}


def what_ifs(effort: Effort) -> pd.DataFrame:
    """A row for each load and size; what was seen of the load is the same in all its rows."""
    frame = effort.sweep(sizes_of, load=list(LOADS), users=[1, 3])
    columns = [f"hits_{sectors}" for sectors in SIZES]
    means = summarise(frame, ["load", "users"], [*columns, *SEEN])
    tall = []
    for row in means.to_dict("records"):
        for sectors in SIZES:
            name = f"hits_{sectors}"
            tall.append({
                "load": row["load"], "users": row["users"], "sectors": sectors, "hit_ratio": row[name],
                "hit_ratio_low": row[f"{name}_low"], "hit_ratio_high": row[f"{name}_high"],
                **{seen: row[seen] for seen in SEEN},
            })  # fmt: skip
    return pd.DataFrame(tall)


def draw_what_ifs(frame: pd.DataFrame) -> Axes:
    return curve(
        frame[frame["users"] == 3], "sectors", "hit_ratio", "load", names={load: load for load in LOADS},
        x_label="sectors in the cache", y_label="hits, of all requests, 3 users",
        title="30 % with 256 sectors needs a loop round many",
    )


def remark_what_ifs(frame: pd.DataFrame) -> str:
    said = []
    for load, rows in frame[frame["users"] == 3].groupby("load", sort=False):
        at = rows.set_index("sectors")["hit_ratio"]
        row = rows.iloc[0]
        alone = frame[(frame["load"] == load) & (frame["users"] == 1)].set_index("sectors")["hit_ratio"]
        said.append(
            f"{str(load).capitalize()}: {at[256]:.0%}, {at[512]:.0%} and {at[768]:.0%} with 256, 512 and 768 sectors "
            f"({alone[256]:.0%} with 256 for one user), misses {100 * row['miss_reads']:.0f}/"
            f"{100 * row['miss_writes']:.0f}/{100 * row['miss_weofs']:.0f}, {row['management_share']:.0%} of the cache "
            f"management space, {row['data_sectors_per_open']:.1f} sectors of data an open."
        )
    return (
        "Exact LRU on the requests of one run a seed. " + " ".join(said) + " The paper has 30, 65 to 75 and no more, "
        "70/25/5, 30 % and 4 to 6. A count of management space at 256 sectors, or one user alone, would have told "
        "the loops apart."
    )


EXPERIMENTS = (
    Experiment(
        "what_ifs", "Hits against size for the main load and for three loads that loop round many sectors.",
        what_ifs, draw_what_ifs, remark_what_ifs, slow=True,
    ),
)  # fmt: skip
