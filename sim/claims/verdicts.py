"""Claims against simulations: replications until every claim is decided, or until there are enough."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from math import isfinite, nan

import pandas as pd

from sim.claims.claims import Claim, Role
from sim.error import UserError, unknown
from sim.statistics.confidence import Interval, confidence
from sim.sweep.executor import Workers
from sim.sweep.sweep import sweep

Experiment = Callable[..., Mapping[str, float]]
"""``experiment(seed=...)`` simulates one replication and returns numbers by name."""

COLUMNS = (
    "id", "system", "says", "role", "unit", "published", "low", "high", "simulated", "ci_low", "ci_high", "verdict",
    "note",
)  # fmt: skip
ROUNDING = 1e-9
"""The clock is a float, so that what equals a bound may miss it by a few of its last digits; a share of the bound."""


class Verdict(StrEnum):
    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_SCORED = "not scored"


def judge(claim: Claim, samples: Sequence[float]) -> Verdict:
    """Whether the 95 % interval of *samples* lies inside the bounds of *claim*, outside, or across one of them."""
    if claim.role is Role.CONTRADICTORY:
        return Verdict.NOT_SCORED
    interval = confidence(samples)
    low = claim.low - ROUNDING * abs(claim.low)
    high = claim.high + ROUNDING * abs(claim.high)
    if low <= interval.low and interval.high <= high:
        return Verdict.HOLDS
    if interval.high < low or high < interval.low:
        return Verdict.FAILS
    return Verdict.UNDECIDED  # a single sample, whose interval is NaN, comes here too


def score(
    claims: Sequence[Claim], experiments: Mapping[str, Experiment], seeds: Sequence[int] = range(1, 21), first: int = 5,
    workers: Workers = None, progress: bool = True,
) -> pd.DataFrame:  # fmt: skip
    """One row per claim of one system, with the columns of ``results/claims.csv`` and the note.

    An experiment runs once per seed for all of its claims: with the *first* seeds, and as long as one of its claims
    is undecided, with twice as many, until the *seeds* are used up.
    """
    check_experiments(claims, experiments)
    if not first > 0 or not len(seeds):
        raise UserError(f"claims need at least one replication, not {min(first, len(seeds))}")
    rows: dict[str, list[Mapping[str, float]]] = {claim.experiment: [] for claim in claims if claim.experiment}
    pending, used, count = list(rows), 0, first
    while pending and used < len(seeds):
        for name, row in _replicate(experiments, pending, seeds[used:count], workers, progress):
            rows[name].append(row)
        pending = [name for name in pending if _undecided(name, claims, rows[name])]
        used, count = count, 2 * count
    return pd.DataFrame([_row(claim, rows) for claim in claims], columns=list(COLUMNS))


def check_experiments(claims: Sequence[Claim], experiments: Mapping[str, Experiment]) -> None:
    """UserError where a claim names one that does not exist."""
    for claim in claims:
        if claim.experiment and claim.experiment not in experiments:
            raise UserError(f"claim {claim.id}: {unknown('experiment', claim.experiment, experiments)}")


def _replicate(
    experiments: Mapping[str, Experiment], names: list[str], seeds: Sequence[int], workers: Workers, progress: bool
) -> list[tuple[str, Mapping[str, float]]]:
    """All of them in one sweep, so that the last one of each does not leave a core idle."""
    perform = partial(_perform, experiments)
    frame = sweep(perform, experiment=names, seed=list(seeds), workers=workers, progress=progress)
    return [(row["experiment"], row["numbers"]) for row in frame.to_dict("records")]


def _perform(experiments: Mapping[str, Experiment], experiment: str, seed: int) -> dict[str, object]:
    return {"numbers": dict(experiments[experiment](seed=seed))}


def _undecided(name: str, claims: Sequence[Claim], rows: list[Mapping[str, float]]) -> bool:
    mine = [claim for claim in claims if claim.experiment == name]
    return any(judge(claim, _samples(claim, rows)) is Verdict.UNDECIDED for claim in mine)


def _samples(claim: Claim, rows: list[Mapping[str, float]]) -> list[float]:
    return [measured(claim, row) for row in rows]


def measured(claim: Claim, row: Mapping[str, float]) -> float:
    """What *claim* is judged by, of one replication's *row*; UserError where it is missing or no finite number."""
    if claim.measure not in row:
        raise UserError(f"claim {claim.id}: {unknown(f'measure of {claim.experiment}', claim.measure, row)}")
    if not isfinite(row[claim.measure]):
        raise UserError(f"claim {claim.id}: {claim.measure} of {claim.experiment} is {row[claim.measure]}")
    return float(row[claim.measure])


def _row(claim: Claim, rows: Mapping[str, list[Mapping[str, float]]]) -> dict[str, object]:
    said = {name: getattr(claim, name) for name in COLUMNS[:8]}
    interval, verdict = Interval(nan, nan, nan, 0), Verdict.NOT_SCORED
    if claim.experiment:
        samples = _samples(claim, rows[claim.experiment])
        interval, verdict = confidence(samples), judge(claim, samples)
    simulated = {"simulated": interval.mean, "ci_low": interval.low, "ci_high": interval.high}
    return {**said, "role": str(claim.role), **simulated, "verdict": str(verdict), "note": claim.note}


def scoreboard(frame: pd.DataFrame) -> pd.DataFrame:
    """How many claims of each system and role got which verdict; roles and verdicts in the order of their enums."""
    counts = frame.groupby(["system", "role", "verdict"], sort=False).size().unstack("verdict", fill_value=0)
    counts = counts.reindex(columns=[str(verdict) for verdict in Verdict], fill_value=0)
    systems = list(dict.fromkeys(frame["system"]))
    rows = [(system, str(role)) for system in systems for role in Role if (system, str(role)) in counts.index]
    return counts.loc[rows].reset_index()
