"""Hit curves as a tidy table, and as the columns of a file."""

from collections.abc import Mapping

import pandas as pd

from models.traces.curves import Curves
from sim.units import MS

PLAIN = ["cache_blocks", "refs", "hits", "hit_ratio"]


def frame(found: Curves, responses: Mapping[tuple[str, int], float]) -> pd.DataFrame:
    """A row for each policy and size. Bounds are there where they are known, responses where some were simulated."""
    table = pd.DataFrame(
        [(row.policy, row.cache_blocks, row.refs, row.hits, row.hit_ratio, row.low, row.high) for row in found.rows],
        columns=["policy", *PLAIN, "hit_ratio_low", "hit_ratio_high"],
    )
    if table["hit_ratio_low"].isna().all():
        table = table.drop(columns=["hit_ratio_low", "hit_ratio_high"])
    if responses:
        places = zip(table["policy"], table["cache_blocks"], strict=True)
        table["response_ms"] = [responses[place] / MS if place in responses else None for place in places]
    return table


def columns(table: pd.DataFrame) -> pd.DataFrame:
    """Without the policy where there is only one."""
    return table if table["policy"].nunique() > 1 else table.drop(columns="policy")
