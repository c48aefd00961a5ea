"""Each cached claim as the band of all members that were kept, and what that makes of it: its role."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from sim.experiment.claims import Claim, Role, read_claims

PAPER = "McBride & Boles 1983"
FAILS = "fails"
COLUMNS = (
    "id", "says", "measure", "unit", "published", "low", "high", "members", "band_low", "quarter", "median",
    "three_quarters", "band_high", "default", "inside", "role",
)  # fmt: skip
NO_GAIN = -10.0
"""The least gain that counts as none: answers eleven times as late."""


def _misfit(claim: str, says: str, measure: str) -> Claim:
    note = "A misfit gains nothing, or loses."
    return Claim("hp3000", claim, PAPER, says, Role.SHAPE, "1", 0.0, NO_GAIN, 0.0, "misfits", measure, note)


MISFITS = (
    _misfit("B36", "no gain where the CPU is busy more than 65 % without caching", "gain_busy"),
    _misfit("B37", "no gain under memory pressure of more than 10 %", "gain_pressed"),
    _misfit("B38", "no gain where references have no locality", "gain_scattered"),
    _misfit("B39", "no gain where a fetch is as large as a block", "gain_block_fetch"),
)


def cached_claims(path: Path = Path(__file__).parents[1] / "claims.toml") -> list[Claim]:
    """Those of *path* that are not about the uncached machine, and the misfits."""
    found = [claim for claim in read_claims(path) if claim.measure and not claim.measure.startswith("plain_")]
    return [*found, *(misfit for misfit in MISFITS if misfit.id not in {claim.id for claim in found})]


def bands(members: pd.DataFrame, claims: Sequence[Claim]) -> pd.DataFrame:
    """One row for each of the *claims* that *members*, a frame of trials, has a column for."""
    kept = members[members["kept"].astype(bool)]
    usual = members[members["member"].eq(0)]
    rows = [
        _row(claim, kept[claim.measure].dropna(), usual[claim.measure].dropna())
        for claim in claims if claim.measure in members
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


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
