"""Judges claims: replicates studies until every claim is decided, and returns a verdict for each, and counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite, nan
from typing import Any, NamedTuple

import pandas as pd

from spindle.sim.error import UserError, unknown
from spindle.studies.claims.claims import UNSCORED, Claim, ClaimPart, Role
from spindle.studies.confidence import Interval, confidence
from spindle.studies.run_book import RunBook
from spindle.studies.study import Point, Study

VERDICT_COLUMNS = (
    "id", "system", "part", "source", "section", "page", "says", "role", "unit", "published", "low", "high",
    "simulated", "ci_low", "ci_high", "replications", "verdict", "study", "measure", "note",
)  # fmt: skip
MAX_SEEDS = 20
"""Largest number of seeds of a study, even if a claim is still undecided."""
ROUNDING = 1e-9
"""Relative tolerance of a bound: the clock is a float, so that an equal value may differ in its last digits."""


class Verdict(StrEnum):
    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_SCORED = "not scored"


def judge(claim: Claim, samples: Sequence[float], exact: bool = False) -> Verdict:
    """Judge if the 95 % interval of *samples* is inside the bounds of *claim*, outside, or across one of them.

    If the claim has a resolution, the interval is widened by it.
    """
    if claim.role in UNSCORED:
        return Verdict.NOT_SCORED
    interval = interval_of(samples, exact)
    low, high = _bounds(claim)
    least, most = interval.low - claim.resolution, interval.high + claim.resolution
    if low <= least and most <= high:
        return Verdict.HOLDS
    if most < low or high < least:
        return Verdict.FAILS
    return Verdict.UNDECIDED  # a single sample, whose interval is NaN, comes here too


def _bounds(claim: Claim) -> tuple[float, float]:
    return claim.low - ROUNDING * abs(claim.low), claim.high + ROUNDING * abs(claim.high)


def is_met(claim: Claim, value: float) -> bool:
    """Tell if *value* by itself is within the bounds of *claim*."""
    low, high = _bounds(claim)
    return low <= value <= high


def interval_of(samples: Sequence[float], exact: bool) -> Interval:
    """Return the 95 % interval of *samples*; of *exact* ones, without chance, just the first."""
    return Interval(samples[0], samples[0], samples[0], len(samples)) if exact else confidence(samples)


class SeedCount(NamedTuple):
    """The number of seeds of a study: *first*, and up to *most* while one of its claims is undecided."""

    first: int = 5
    most: int = 5

    def __str__(self) -> str:
        further = f", and on to {self.most} while a claim is undecided" if self.most > self.first else ""
        return f"{'seed 1' if self.first == 1 else f'seeds 1 to {self.first}'}{further}"


def replicate(
    studies: Sequence[Study], claims: Sequence[Claim], book: RunBook, effort: SeedCount, quick: bool = False
) -> dict[str, int]:
    """Make all runs of *studies* in *book*; return the number of seeds of each study.

    A study has the seeds that *effort* sets, or more if more are kept, doubled while one of its claims is undecided.
    """
    check_studies(claims, studies)
    points = {study.name: study.points(quick) for study in studies}
    counts = {
        study.name: len(study.seeds(max(effort.first, book.kept_seeds(points[study.name], MAX_SEEDS))))
        for study in studies
    }  # fmt: skip
    pending = list(studies)
    while pending:
        book.make((point, seed) for each in pending for point in points[each.name]
                  for seed in range(1, counts[each.name] + 1))
        pending = [
            each for each in pending
            if counts[each.name] < len(each.seeds(effort.most)) and _is_undecided(each, claims, book, counts, quick)
        ]  # fmt: skip
        counts |= {each.name: len(each.seeds(min(2 * counts[each.name], effort.most))) for each in pending}
    return counts


def score(
    claims: Sequence[Claim], studies: Sequence[Study], book: RunBook, counts: Mapping[str, int], quick: bool = False
) -> pd.DataFrame:
    """Return a row per claim of one system, with the columns of ``results/claims.csv``; runs must have been made."""
    by_name = {study.name: study for study in studies}
    rows = []
    for claim in claims:
        study = by_name.get(claim.study)
        samples = [] if study is None else samples_of(study, [claim], book, counts[study.name], quick)[claim.id]
        rows.append(_row(claim, samples, study is not None and study.exact))
    return pd.DataFrame(rows, columns=list(VERDICT_COLUMNS))


def check_studies(claims: Sequence[Claim], studies: Sequence[Study]) -> None:
    """Raise UserError if a claim names a study that does not exist or measures nothing, or two studies share a name."""
    measuring = {}
    for study in studies:
        if study.name in measuring:
            raise UserError(f"there are two studies {study.name}")
        measuring[study.name] = study.measures is not None
    for claim in claims:
        if claim.study and claim.study not in measuring:
            raise UserError(f"claim {claim.id}: {unknown('study', claim.study, measuring)}")
        if claim.study and not measuring[claim.study]:
            raise UserError(f"claim {claim.id}: the study {claim.study} has no measures")


def samples_of(
    study: Study, claims: Sequence[Claim], book: RunBook, count: int, quick: bool = False,
    points: Sequence[Point] | None = None,
) -> dict[str, list[float]]:  # fmt: skip
    """Return the values by which each of *claims* on *study* is judged, seed by seed, by its id.

    They are of other *points* if given. A quick look lacks points, and leaves out claims that need them.
    """
    assert study.measures is not None, "check_studies has looked"
    of_study = [claim for claim in claims if claim.study == study.name]
    samples: dict[str, list[float]] = {claim.id: [] for claim in of_study}
    for seed in range(1, count + 1):
        numbers = study.measures(book.rows(study.points(quick) if points is None else points, seed))
        for claim in of_study:
            if not quick or claim.measure in numbers:
                samples[claim.id].append(value_of(claim, numbers))
    return samples


def _is_undecided(study: Study, claims: Sequence[Claim], book: RunBook, counts: Mapping[str, int], quick: bool) -> bool:
    mine = [claim for claim in claims if claim.study == study.name]
    samples = samples_of(study, mine, book, counts[study.name], quick) if mine else {}
    return any(judge(claim, samples[claim.id]) is Verdict.UNDECIDED for claim in mine)


def value_of(claim: Claim, row: Mapping[str, float]) -> float:
    """Return the value by which *claim* is judged in a replication's *row*; UserError if missing or not finite."""
    if claim.measure not in row:
        raise UserError(f"claim {claim.id}: {unknown(f'measure of {claim.study}', claim.measure, row)}")
    if not isfinite(row[claim.measure]):
        raise UserError(f"claim {claim.id}: {claim.measure} of {claim.study} is {row[claim.measure]}")
    return float(row[claim.measure])


def _row(claim: Claim, samples: Sequence[float], exact: bool) -> dict[str, object]:
    interval = interval_of(samples, exact) if samples else Interval(nan, nan, nan, 0)
    verdict = judge(claim, samples, exact) if samples else Verdict.NOT_SCORED
    return {
        "id": claim.id, "system": claim.system, "part": str(claim.part), "source": claim.source,
        "section": claim.section, "page": claim.page, "says": claim.says, "role": str(claim.role), "unit": claim.unit,
        "published": claim.published, "low": claim.low, "high": claim.high,
        "simulated": interval.mean, "ci_low": interval.low, "ci_high": interval.high, "replications": len(samples),
        "verdict": str(verdict), "study": claim.study, "measure": claim.measure, "note": claim.note,
    }  # fmt: skip


def scoreboard(frame: pd.DataFrame) -> pd.DataFrame:
    """Count claims by system, role and verdict; roles and verdicts are in the order of their enums."""
    counts = frame.groupby(["system", "role", "verdict"]).size().unstack(fill_value=0)
    counts = counts.reindex(columns=[str(verdict) for verdict in Verdict], fill_value=0)
    systems = list(dict.fromkeys(frame["system"]))
    rows = [(system, str(role)) for system in systems for role in Role if (system, str(role)) in counts.index]
    return counts.loc[rows].reset_index()


# Counts of the claims of a system that hold, role by role, for the terminal and the report.

ROLES = (Role.PREDICTED, Role.SHAPE, Role.SEEN, Role.CONSISTENT, Role.CALIBRATED, Role.DEFINITION, Role.CONTRADICTORY,
         Role.UNASKED)  # fmt: skip
"""Roles, the strongest proof first."""
MISSED_VERDICTS = (str(Verdict.FAILS), str(Verdict.UNDECIDED))


@dataclass(frozen=True)
class Tally:
    """Counts for one system: *held* is text such as ``3 of 5`` for each role, *missed* are rows that do not hold."""

    held: Mapping[Role, str]
    missed: Sequence[Mapping[str, Any]]


def tally(claims: pd.DataFrame) -> Tally:
    """Count *claims* of one system, as verdicts.score returns them. Those that are not scored are only counted."""
    missed = claims[claims["verdict"].isin(MISSED_VERDICTS)].to_dict("records")
    return Tally(
        {role: _holding(role, claims.loc[claims["role"].eq(str(role)), "verdict"]) for role in ROLES},
        [{str(key): value for key, value in row.items()} for row in missed],
    )


def independent(claims: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Count the independent predictions that hold, and all: numbers, shapes of curves, and both."""
    counts = {}
    for role, what in {Role.PREDICTED: "numbers", Role.SHAPE: "shapes of curves"}.items():
        verdicts = claims.loc[claims["role"].eq(str(role)), "verdict"]
        counts[what] = int(verdicts.eq(str(Verdict.HOLDS)).sum()), len(verdicts)
    held, total = (sum(numbers) for numbers in zip(*counts.values(), strict=True))
    return {**counts, "all": (held, total)}


def headline(claims: pd.DataFrame) -> str:
    """Return the result of independent predictions as a sentence; empty if there are none."""
    counts = independent(claims)
    held, total = counts.pop("all")
    if not total:
        return ""
    if _decides_none(claims):
        return f"None of {total} independent predictions is decided."
    apart = " and ".join(f"{number} of {of} {what}" for what, (number, of) in counts.items() if of)
    first = f"{held} of {total} independent predictions hold: {apart} to which nothing in the model was fitted."
    return f"{first} {others(claims)}".rstrip()


def others(claims: pd.DataFrame) -> str:
    """Return as a sentence how many claims of each other role hold; empty if there are none."""
    held = tally(claims).held
    scored = [f"{held[role]} {role}" for role in ROLES[2:] if held[role] and role not in UNSCORED]
    unscored = sum(int(held[role] or 0) for role in UNSCORED)
    said = f"Of the others hold {', '.join(scored)}" if scored else ""
    apart = f"{unscored} {'is' if unscored == 1 else 'are'} not scored" if unscored else ""
    return f"{'; '.join(filter(None, (said, apart)))}." if said or apart else ""


PART_WORDS = {
    ClaimPart.PAPER: "in the five papers", ClaimPart.REST: "in the rest of the NT book",
    ClaimPart.MEASURED: "measured in 2026", ClaimPart.OWN: "of our own",
}  # fmt: skip
"""Names of the parts of the score."""


def parts_of_score(claims: pd.DataFrame) -> str:
    """Return as a sentence how many independent predictions hold, part by part."""
    counts = {words: independent(claims[claims["part"].eq(str(part))])["all"] for part, words in PART_WORDS.items()}
    said = [f"{held} of {total} {words}" for words, (held, total) in counts.items() if total]
    return f"Independent predictions that hold: {', '.join(said)}."


def _decides_none(claims: pd.DataFrame) -> bool:
    """Tell if no independent prediction has a verdict, as in a quick look."""
    own = claims["role"].isin([str(Role.PREDICTED), str(Role.SHAPE)])
    return bool(claims.loc[own, "verdict"].eq(str(Verdict.UNDECIDED)).all())


def _holding(role: Role, verdicts: "pd.Series[Any]") -> str:
    if verdicts.empty:
        return ""
    if role in UNSCORED:
        return str(len(verdicts))
    return f"{verdicts.eq(str(Verdict.HOLDS)).sum()} of {len(verdicts)}"
