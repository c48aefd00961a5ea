"""The order of parameters on the page: those first on which most verdicts hang."""

import pandas as pd


def by_importance(sensitivity: pd.DataFrame) -> list[str]:
    """The parameters of a table of sensitivity: by how many verdicts flip, and then by the largest change."""
    rows = sensitivity.assign(size=sensitivity["change"].abs()).groupby("parameter", sort=False)
    ranked = rows.agg(flips=("flips", "sum"), size=("size", "max")).sort_values(["flips", "size"], ascending=False)
    return [str(name) for name in ranked.index]
