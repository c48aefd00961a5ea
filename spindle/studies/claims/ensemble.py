"""Ensembles: machines with unknown parameters drawn at random, fitted to given claims, and bands of other claims."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import exp, fsum, inf, log
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spindle.sim.error import UserError, unknown
from spindle.studies.claims.claims import Claim, Role, read_claims
from spindle.studies.claims.verdicts import check_studies, is_met
from spindle.studies.ensemble import Ensemble, Extent, FitStart
from spindle.studies.run_book import RunBook
from spindle.studies.study import Point, Study
from spindle.studies.sweep.executor import Workers
from spindle.studies.sweep.sweep import sweep
from spindle.system import System

# A damped quasi-Newton search (Broyden 1965) for the knobs that bring a noisy machine to its targets.

Vector = NDArray[np.float64]
Measure = Callable[[Sequence[float]], Sequence[float]]
"""Maps logarithms of knobs to logarithms of (measured / wanted)."""

CLOSE_DISTANCE = 0.12
"""A measure that is this near its target has reached it: the noise of a short run is as large."""
CORRECTABLE_DISTANCE = 0.3
"""Distance from which longer runs can correct the rest."""
MAX_STEP = 0.7
"""The most that a knob moves at once: a factor of two."""
REACH = 2.3
"""The most that a knob may lie from where the search began: a factor of ten."""
NO_NEARER = 3
"""Steps without progress after which the search gives up."""
HOPEFUL = {2: 1.2, 3: 0.7, 4: 0.5}
"""Distance that must be reached by each step."""
UNMEASURED_DISTANCE = 1.0
NUDGE = 0.2
"""Change of the logarithm of a knob by which slopes are measured."""
MIN_STEP = 0.05
"""A shorter step measures the noise more than the slope."""


@dataclass(frozen=True)
class FitResult:
    """End of a search after *steps* steps, with the distances *left*; *why* it failed, or ''.

    *slope* is the initial one: slopes learnt on the way contain noise.
    """

    at: Vector
    left: Vector
    slope: Vector
    steps: int
    why: str = ""

    def correct(self, left: Sequence[float], share: float = 1.0) -> "FitResult":
        """Take that *share* of one more step, from the distances *left* of a new measurement."""
        return replace(self, at=self.at + share * step(self.slope, np.asarray(left)))


def fit(measure: Measure, start: Sequence[float], slope: Sequence[Sequence[float]], most: int = 8) -> FitResult:
    """Search from *start* in at most *most* measurements; ``slope[i][j]`` is the first slope of measure i by knob j."""
    began = at = np.asarray(start, dtype=float)
    first = slopes = np.asarray(slope, dtype=float)
    left = _measure(measure, at)
    best = FitResult(at, left, first, 1)
    for number in range(2, most + 1):
        if _distance(best.left) <= CLOSE_DISTANCE:
            return best
        if number - 1 - best.steps >= NO_NEARER or _distance(best.left) > HOPEFUL.get(number - 1, inf):
            break
        further = np.clip(at + step(slopes, left), began - REACH, began + REACH)
        there = _measure(measure, further)
        slopes = _learnt(slopes, further - at, there - left)
        at, left = further, there
        if _distance(left) < _distance(best.left):
            best = FitResult(at, left, first, number)
    why = "" if _distance(best.left) <= CORRECTABLE_DISTANCE else f"the search ended {_distance(best.left):.0%} away"
    return replace(best, why=why)


def measured_slopes(measure: Measure, at: Sequence[float]) -> list[list[float]]:
    """Measure the slope of each measure by each knob around *at*: one after the other is moved by NUDGE."""
    here = np.asarray(measure(at), dtype=float)
    nudged = [[each + NUDGE * (place == knob) for place, each in enumerate(at)] for knob in range(len(at))]
    changes = [(np.asarray(measure(knobs), dtype=float) - here) / NUDGE for knobs in nudged]
    return [[float(change[row]) for change in changes] for row in range(len(here))]


def _measure(measure: Measure, at: Vector) -> Vector:
    """Measure; NaN, where nothing was measured, counts as UNMEASURED_DISTANCE away."""
    values = np.asarray(measure(list(at)), dtype=float)
    return np.where(np.isnan(values), UNMEASURED_DISTANCE, values)


def step(slopes: Vector, left: Vector) -> Vector:
    """Return Newton's step, with no knob moved further than MAX_STEP; directions without effect are left out."""
    wanted = np.linalg.lstsq(slopes, -np.clip(left, -MAX_STEP, MAX_STEP), rcond=0.03)[0]
    longest = float(np.max(np.abs(wanted)))
    return np.asarray(wanted * min(1.0, MAX_STEP / longest)) if longest > 0.0 else np.asarray(wanted)


def _learnt(slopes: Vector, moved: Vector, changed: Vector) -> Vector:
    """The slopes nearest to the present ones that explain the last step."""
    square = float(moved @ moved)
    if square < MIN_STEP**2:
        return slopes
    return np.asarray(slopes + np.outer(changed - slopes @ moved, moved) / square)


def _distance(left: Vector) -> float:
    return float(np.max(np.abs(left)))


# The members of an ensemble: drawn, fitted to what each has to meet, verified on other seeds, and only then judged.

DEFAULT = 0
"""The number of the default machine."""
FITTING_SEED = 1
"""Seed of all steps of all fits, so that a step changes nothing but the knobs."""
CHECKING_SEED = 11
"""Seed of the first check, on a longer run; each further one has the next. Each check is corrected by a step, a smaller
share of a whole one each time (Robbins & Monro 1951), so that noise averages out.
"""
UNSEEN_SEED = 101
"""The first of the seeds that no fit has seen, which all members share."""
MIN_RATE = 1e-6
"""Stands for a rate of 0, whose logarithm would be infinite."""
SCRAMBLING = 1


@dataclass(frozen=True)
class MemberTrial:
    """Trial of a member: the *ensemble*, the *claims* that it names, by id, and *usual* parameters."""

    ensemble: Ensemble
    claims: Mapping[str, Claim]
    studies: Mapping[str, Study]
    usual: Any

    def draw_values(self, number: int) -> dict[str, Any]:
        """Draw the values of member *number*, the same for any number of members; none for the default machine.

        A scrambled Halton sequence fills the ranges evenly, for any number of draws.
        """
        ranges = self.ensemble.ranges
        if number == DEFAULT:
            return {}
        from scipy.stats.qmc import Halton  # which takes two seconds, and claims and reports import this module

        shares = Halton(len(ranges), seed=SCRAMBLING).fast_forward(number - 1).random(1)[0]
        return {name: each.value_at(share) for (name, each), share in zip(ranges.items(), shares, strict=True)}

    def settings(self, drawn: Mapping[str, Any], knobs: Sequence[float]) -> dict[str, Any]:
        """The parameters of a member: those drawn and fixed, and those that the *knobs* multiply."""
        parameters = {**self.ensemble.fixed, **drawn}
        for knob, factor in zip(self.ensemble.knobs.values(), knobs, strict=True):
            for name in knob.parameters:
                parameters[name] = factor * parameters.get(name, getattr(self.usual, name))
        return parameters

    def measure(
        self, ids: Sequence[str], parameters: Mapping[str, Any], window: Mapping[str, float], seeds: Sequence[int]
    ) -> dict[str, float]:
        """Return the means over *seeds* of all measures of the studies of the claims *ids*, by ``study.measure``.

        Only runs that these read are made.
        """
        values: dict[str, float] = {}
        for name in dict.fromkeys(self.claims[each].study for each in ids):
            study, book = self.studies[name], RunBook(workers=1, progress=False)
            assert study.measures is not None, "check_studies has looked"
            points = [_as_long_as(window, point.change(parameters)) for point in study.points()]
            rows = [study.measures(book.rows(points, seed)) for seed in seeds]
            values |= {f"{name}.{measure}": fsum(row[measure] for row in rows) / len(rows) for measure in rows[0]}
        return values

    def distances(self, values: Mapping[str, float]) -> list[float]:
        """Return the distances of *values* from the aims, as logarithms of their ratios."""
        aims = self.ensemble.aims.items()
        return [log(max(values[column(self.claims[each])], MIN_RATE) / aim) for each, aim in aims]

    def describe_missed(self, values: Mapping[str, float]) -> str:
        """Describe the claims that are not met, with the values instead; '' if all are met."""
        wanted = [self.claims[each] for each in self.ensemble.met]
        out = [claim for claim in wanted if not is_met(claim, values[column(claim)])]
        return "; ".join(f"{claim.id} {claim.measure} {values[column(claim)]:.3g}" for claim in out)


def _as_long_as(window: Mapping[str, float], point: Point) -> Point:
    return replace(point, window={name: window.get(name, value) for name, value in point.window.items()})


def column(claim: Claim) -> str:
    """Name the column of a frame of members by which *claim* is judged."""
    return f"{claim.study}.{claim.measure}"


def try_members(
    system: System, members: int, quick: bool, workers: Workers, progress: bool, store: Path
) -> pd.DataFrame:
    """Try the default machine of *system*, number 0, and *members* members; one row each, ``kept`` or not.

    *quick* runs are so short that it is chance which are kept; they only show that it works.
    """
    bench = bench_of(system)
    extent = bench.ensemble.quick if quick else bench.ensemble.extent
    return sweep(partial(trial, bench, extent), workers=workers, progress=progress, store=store,
                 member=list(range(members + 1)))  # fmt: skip


def bench_of(system: System) -> MemberTrial:
    """Return the ensemble of *system* for trials; UserError for an unknown claim, or if a knob has no aim."""
    ensemble = system.ensemble
    if ensemble is None:
        raise UserError(f"{system.name} has no ensemble: no part of it was varied for want of a source")
    claims = {claim.id: claim for claim in read_claims(system.claims) if claim.study}
    check_studies(list(claims.values()), system.studies)
    for asked_claim in (*ensemble.met, *ensemble.asked, *ensemble.aims):
        if asked_claim not in claims:
            raise unknown("claim of the ensemble", asked_claim, claims)
    for asked_claim in chain.from_iterable(chain.from_iterable(ensemble.joint)):
        if asked_claim not in ensemble.asked:
            raise unknown("claim asked of the ensemble", asked_claim, ensemble.asked)
    if len(ensemble.aims) != len(ensemble.knobs):
        raise UserError(f"an ensemble has as many aims as knobs, not {len(ensemble.aims)} and {len(ensemble.knobs)}")
    return MemberTrial(ensemble, claims, {study.name: study for study in system.studies}, system.parameters)


def trial(bench: MemberTrial, extent: Extent, member: int) -> dict[str, Any]:
    """Member number *member* as cells of a row; one that was not kept has fewer, and the reason in ``why``.

    The default machine is not fitted, and judged whether it is kept or not.
    """
    ensemble, drawn = bench.ensemble, bench.draw_values(member)
    row = {**drawn, **dict.fromkeys(ensemble.knobs, 1.0), "kept": False, "why": ""}
    unseen = range(UNSEEN_SEED, UNSEEN_SEED + extent.seeds)
    try:
        if member != DEFAULT and ensemble.knobs:
            row |= _fit(bench, drawn, extent)
            if row["why"]:
                return row
        parameters = bench.settings(drawn, [row[name] for name in ensemble.knobs])
        values = bench.measure(ensemble.met, parameters, extent.judging, unseen)
        why = bench.describe_missed(values)
        row |= {**values, "kept": not why, "why": f"unseen seeds: {why}" if why else ""}
        if why and member != DEFAULT:
            return row
        return row | bench.measure(ensemble.asked, parameters, extent.judging, unseen)
    except UserError as error:
        return {**row, "kept": False, "why": str(error)}


def _start(bench: MemberTrial, drawn: Mapping[str, Any], measure: Measure) -> FitStart:
    ensemble = bench.ensemble
    if ensemble.start is not None:
        return ensemble.start({**ensemble.fixed, **drawn})
    knobs = [1.0] * len(ensemble.knobs)
    return FitStart(knobs, measured_slopes(measure, [log(each) for each in knobs]))


def _fit(bench: MemberTrial, drawn: Mapping[str, Any], extent: Extent) -> dict[str, Any]:
    """Fit the knobs; return them with the numbers of steps and rounds, and the reason if the fit failed."""

    def away_from(seed: int, window: Mapping[str, float], logs: Sequence[float]) -> list[float]:
        parameters = bench.settings(drawn, [exp(each) for each in logs])
        return bench.distances(bench.measure(list(bench.ensemble.aims), parameters, window, [seed]))

    short = partial(away_from, FITTING_SEED, extent.fitting)
    start = _start(bench, drawn, short)
    if start.why:
        return {"why": start.why}
    end = fit(short, [log(each) for each in start.knobs], start.slopes, extent.steps)
    rounds, far = 0, 0.0
    while not end.why and rounds < extent.rounds:
        left = away_from(CHECKING_SEED + rounds, extent.checking, list(end.at))
        rounds, far = rounds + 1, max(map(abs, left), default=inf)
        end = end.correct(left, 1.0 / (rounds + (far <= CLOSE_DISTANCE)))
        if far <= CLOSE_DISTANCE:
            break
    if far > CORRECTABLE_DISTANCE:
        end = replace(end, why=f"the last of {rounds} checks on longer runs was {far:.0%} away")
    knobs = dict(zip(bench.ensemble.knobs, map(exp, end.at.tolist()), strict=True))
    return {**knobs, "steps": end.steps, "rounds": rounds, "why": end.why}


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
    """One row for each claim that *members*, a frame of trials, are judged by.

    Only those count that are in the claim's condition; how many were *kept* stands beside them.
    """
    kept, usual = members[members["kept"].astype(bool)], members[members["member"].eq(DEFAULT)]
    claims = [bench.claims[each] for each in bench.ensemble.asked]
    rows = [
        {**_row(claim, in_condition(bench, claim, kept), in_condition(bench, claim, usual)), "kept": len(kept)}
        for claim in claims
    ]
    return pd.DataFrame(rows, columns=list(BAND_COLUMNS))


def in_condition(bench: MemberTrial, claim: Claim, members: pd.DataFrame) -> "pd.Series[Any]":
    """The number behind *claim* for each of those *members* that were judged and meet its condition, if any."""
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
    """A row for each set of claims: how many of the ``kept`` members are ``asked`` all of them, and ``meet`` all.

    Without a set it is all claims. A member outside the condition of a claim is not judged by it. ``default`` is true
    if the default machine meets all.
    """
    kept, usual = members[members["kept"].astype(bool)], members[members["member"].eq(DEFAULT)]
    rows = []
    for claims in bench.ensemble.joint or [[[each] for each in bench.ensemble.asked]]:
        met = met_by(bench, claims, kept)
        rows.append({
            "claims": ", ".join(" or ".join(each) for each in claims), "kept": len(kept), "asked": len(met),
            "meet": int(met.sum()), "default": bool(met_by(bench, claims, usual).eq(True).any()),
        })  # fmt: skip
    return pd.DataFrame(rows, columns=["claims", "kept", "asked", "meet", "default"])


def met_by(bench: MemberTrial, claims: Sequence[Iterable[str]], members: pd.DataFrame) -> "pd.Series[bool]":
    """True if each of *members* that all *claims* judge meets one alternative of each."""
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
    drawn, banded = members[members["member"].ne(DEFAULT)], bands(bench, members)
    roles = {role: list(banded["id"][banded["role"].eq(role)]) for role in (Role.PREDICTED, Role.CONSISTENT, FAILS)}
    groups = "; ".join(f"{role}: {', '.join(ids)}" for role, ids in roles.items() if ids)
    together = " ".join(
        f"{row['claims']} are met together by {row['meet']} of {row['asked']}."
        for row in joint(bench, members).to_dict("records")
    )
    usual = members.loc[members["member"].eq(DEFAULT), "kept"].astype(bool).any()
    beside = ", and stand here beside the default machine" if usual else ""
    kept = f"{drawn['kept'].sum()} of {len(drawn)} members tried were kept{beside}. {groups or 'No claim is judged'}."
    return f"{kept} {together} {CAPTION}".replace("  ", " ")
