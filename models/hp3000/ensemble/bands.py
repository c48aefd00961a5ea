"""Each cached claim as the band of all members that were kept, and what that makes of it: its role."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from models.hp3000.runs.misfits import MISFITS
from sim.claims.claims import Claim, Role, read_claims

FAILS = "fails"
COLUMNS = (
    "id", "says", "measure", "unit", "published", "low", "high", "kept", "members", "band_low", "quarter", "median",
    "three_quarters", "band_high", "default", "inside", "role",
)  # fmt: skip
CONDITIONS = {f"marginal_{name}": (f"{name}_condition", misfit) for name, misfit in MISFITS.items()}
"""The measures of misfits: where a member says how far it is in the condition, and what the condition is."""


def cached_claims(path: Path = Path(__file__).parents[1] / "claims.toml") -> list[Claim]:
    """Those of *path* that are not about the uncached machine."""
    return [claim for claim in read_claims(path) if claim.measure and not claim.measure.startswith("plain_")]


def bands(members: pd.DataFrame, claims: Sequence[Claim]) -> pd.DataFrame:
    """One row for each of the *claims* that *members*, a frame of trials, has a column for.

    Only those *members* count for a misfit that are in its condition; how many were *kept* stands beside them.
    """
    kept = members[members["kept"].astype(bool)]
    usual = members[members["member"].eq(0)]
    rows = [
        {**_row(claim, there(kept, claim.measure), usual[claim.measure].dropna()), "kept": len(kept)}
        for claim in claims if claim.measure in members
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def there(kept: pd.DataFrame, measure: str) -> pd.Series:
    """The *measure* of those *kept*; of a misfit, of those that meet its condition."""
    rows = kept[kept[measure].notna()]
    if measure in CONDITIONS:
        column, misfit = CONDITIONS[measure]
        rows = rows[rows[column].map(misfit.met).astype(bool)]
    return rows[measure]


def _row(claim: Claim, values: pd.Series, usual: pd.Series) -> dict[str, object]:
    low, quarter, median, three, high = (float(values.quantile(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    said = {name: getattr(claim, name) for name in COLUMNS[:7]}
    return {
        **said, "members": len(values), "band_low": low, "quarter": quarter, "median": median,
        "three_quarters": three, "band_high": high, "default": float(usual.mean()),
        "inside": float(values.between(claim.low, claim.high).mean()), "role": role(claim, low, high),
    }  # fmt: skip


def role(claim: Claim, low: float, high: float) -> str:
    """What the band from *low* to *high* makes of *claim*; empty where no member was kept."""
    if low != low:
        return ""
    if claim.low <= low and high <= claim.high:
        return str(Role.PREDICTED)
    return str(Role.CONSISTENT) if low <= claim.published <= high else FAILS
