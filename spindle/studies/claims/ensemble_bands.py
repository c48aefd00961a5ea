"""Judges claims by the members of an ensemble, machines with other uncertain parameters: the band of their values."""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from spindle.studies.claims.claims import Claim, Role
from spindle.studies.claims.ensemble import DEFAULT_MEMBER, MemberTrial, column
from spindle.studies.claims.verdicts import is_met

FAILS = "fails"
BAND_COLUMNS = (
    "id", "says", "measure", "unit", "published", "low", "high", "kept", "members", "band_low", "quarter", "median",
    "three_quarters", "band_high", "default", "inside", "role",
)  # fmt: skip
CAPTION = (
    "A dot is a machine that meets what was measured, the diamond the default machine. Pale: the band of all of them, "
    "or of those in the claim's condition; green: what the claim allows; the line: what the paper says. Each strip has "
    "a scale of its own."
)


def bands(bench: MemberTrial, members: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each claim that *members*, a frame of trials, judge: the band of their values, and a verdict.

    Only members in the claim's condition count; the number of all that were *kept* is beside them.
    """
    kept, usual = members[members["kept"].astype(bool)], members[members["member"].eq(DEFAULT_MEMBER)]
    claims = [bench.claims[each] for each in bench.ensemble.asked]
    rows = [
        {**_row(claim, in_condition(bench, claim, kept), in_condition(bench, claim, usual)), "kept": len(kept)}
        for claim in claims
    ]
    return pd.DataFrame(rows, columns=list(BAND_COLUMNS))


def in_condition(bench: MemberTrial, claim: Claim, members: pd.DataFrame) -> "pd.Series[Any]":
    """Return the number that *claim* compares, for each judged one of *members* that meets its condition, if any."""
    if column(claim) not in members:
        return pd.Series(dtype=float)
    rows = members[members[column(claim)].notna()]
    where = bench.ensemble.where.get(claim.id)
    return (rows if where is None else rows[rows[f"{claim.study}.{where}"].eq(1.0)])[column(claim)]


def _row(claim: Claim, values: "pd.Series[Any]", usual: "pd.Series[Any]") -> dict[str, object]:
    low, quarter, median, three, high = (float(values.quantile(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    printed = {name: getattr(claim, name) for name in BAND_COLUMNS[:7]}
    return {
        **printed, "members": len(values), "band_low": low, "quarter": quarter, "median": median,
        "three_quarters": three, "band_high": high, "default": float(usual.mean()),
        "inside": float(values.map(lambda value: is_met(claim, value)).mean()), "role": role(claim, low, high),
    }  # fmt: skip


def role(claim: Claim, low: float, high: float) -> str:
    """Return the role of *claim* by the band from *low* to *high*; '' if the band has no member."""
    if low != low:
        return ""
    if claim.low <= low and high <= claim.high:
        return str(Role.PREDICTED)
    return str(Role.CONSISTENT) if low <= claim.published <= high else FAILS


def joint(bench: MemberTrial, members: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each set of claims: how many ``kept`` members are ``asked`` all of them, and ``meet`` all.

    By default there is one set, of all claims. A member outside the condition of a claim is not judged by it.
    ``default`` is true if the default machine meets all.
    """
    kept, usual = members[members["kept"].astype(bool)], members[members["member"].eq(DEFAULT_MEMBER)]
    rows = []
    for claims in bench.ensemble.joint or [[[each] for each in bench.ensemble.asked]]:
        met = met_by(bench, claims, kept)
        rows.append({
            "claims": ", ".join(" or ".join(each) for each in claims), "kept": len(kept), "asked": len(met),
            "meet": int(met.sum()), "default": bool(met_by(bench, claims, usual).any()),
        })  # fmt: skip
    return pd.DataFrame(rows, columns=["claims", "kept", "asked", "meet", "default"])


def met_by(bench: MemberTrial, claims: Sequence[Iterable[str]], members: pd.DataFrame) -> "pd.Series[bool]":
    """Tell for each of *members* that all *claims* judge if it meets one alternative of each claim."""
    every = [
        pd.concat([
            in_condition(bench, claim, members).map(lambda value, claim=claim: is_met(claim, value))
            for claim in (bench.claims[each] for each in alternatives)
        ], axis=1).dropna().any(axis=1)
        for alternatives in claims
    ]  # fmt: skip
    return pd.concat(every, axis=1).dropna().all(axis=1).astype(bool)


def remark(bench: MemberTrial, members: pd.DataFrame) -> str:
    """Describe the numbers tried and kept, the role of each claim, and how many members meet claims together."""
    drawn, banded = members[members["member"].ne(DEFAULT_MEMBER)], bands(bench, members)
    roles = {role: list(banded["id"][banded["role"].eq(role)]) for role in (Role.PREDICTED, Role.CONSISTENT, FAILS)}
    groups = "; ".join(f"{role}: {', '.join(ids)}" for role, ids in roles.items() if ids)
    together = " ".join(
        f"{row['claims']} are met together by {row['meet']} of {row['asked']}."
        for row in joint(bench, members).to_dict("records")
    )
    usual = members.loc[members["member"].eq(DEFAULT_MEMBER), "kept"].any()
    beside = ", and stand here beside the default machine" if usual else ""
    kept = f"{drawn['kept'].sum()} of {len(drawn)} members tried were kept{beside}. {groups or 'No claim is judged'}."
    return f"{kept} {together} {CAPTION}"
