"""Tries the members of an ensemble: draws unknown parameters at random, fits each machine to claims, and judges it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import exp, fsum, log
from pathlib import Path
from typing import Any

import pandas as pd

from spindle.sim.error import UserError, check_known
from spindle.studies.claims.claims import Claim, read_claims
from spindle.studies.claims.quasi_newton import CLOSE_DISTANCE, CORRECTABLE_DISTANCE, Measure, fit, measured_slopes
from spindle.studies.claims.verdicts import check_studies, is_met
from spindle.studies.ensemble import Ensemble, Extent, FitStart
from spindle.studies.run_book import RunBook
from spindle.studies.study import Point, Study
from spindle.studies.sweep.executor import Workers
from spindle.studies.sweep.sweep import sweep
from spindle.system import System

DEFAULT_MEMBER = 0
"""The member number of the default machine."""
FITTING_SEED = 1
"""Seed of all steps of all fits, so that a step changes only the knobs."""
CHECKING_SEED = 11
"""Seed of the first check, on a longer run; each further check has the next seed. Each check is corrected by a step, a
smaller share of a whole one each time (Robbins & Monro 1951), so that noise averages out.
"""
UNSEEN_SEED = 101
"""The first of the seeds that no fit has seen, which all members share."""
MIN_RATE = 1e-6
"""Stands for a rate of 0, whose logarithm would be infinite."""
SCRAMBLING = 1


@dataclass(frozen=True)
class MemberTrial:
    """The inputs of a trial of members: the *ensemble*, the *claims* that it names, by id, and *usual* parameters."""

    ensemble: Ensemble
    claims: Mapping[str, Claim]
    studies: Mapping[str, Study]
    usual: Any

    def draw_values(self, number: int) -> dict[str, Any]:
        """Draw the values of member *number*, the same however many members there are; none for the default machine.

        A scrambled Halton sequence fills the ranges evenly, for any number of draws.
        """
        ranges = self.ensemble.ranges
        if number == DEFAULT_MEMBER:
            return {}
        from scipy.stats.qmc import Halton  # which takes two seconds, and claims and reports import this module

        shares = Halton(len(ranges), seed=SCRAMBLING).fast_forward(number - 1).random(1)[0]
        return {name: each.value_at(share) for (name, each), share in zip(ranges.items(), shares, strict=True)}

    def settings(self, drawn: Mapping[str, Any], knobs: Sequence[float]) -> dict[str, Any]:
        """Return the parameters of a member: those drawn and fixed, and those that *knobs* multiply."""
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

    *quick* runs are so short that chance decides which are kept; they only show that the program works.
    """
    bench = member_trial(system)
    extent = bench.ensemble.quick if quick else bench.ensemble.extent
    return sweep(partial(trial, bench, extent), workers=workers, progress=progress, store=store,
                 member=list(range(members + 1)))  # fmt: skip


def member_trial(system: System) -> MemberTrial:
    """Return the ensemble of *system* for trials; UserError for an unknown claim, or if a knob has no aim."""
    ensemble = system.ensemble
    if ensemble is None:
        raise UserError(f"{system.name} has no ensemble: no part of it was varied for want of a source")
    claims = {claim.id: claim for claim in read_claims(system.claims) if claim.study}
    check_studies(list(claims.values()), system.studies)
    check_known("claim of the ensemble", claims, *ensemble.met, *ensemble.asked, *ensemble.aims)
    joint = chain.from_iterable(chain.from_iterable(ensemble.joint))
    check_known("claim asked of the ensemble", ensemble.asked, *joint)
    if len(ensemble.aims) != len(ensemble.knobs):
        raise UserError(f"an ensemble has as many aims as knobs, not {len(ensemble.aims)} and {len(ensemble.knobs)}")
    return MemberTrial(ensemble, claims, {study.name: study for study in system.studies}, system.parameters)


def trial(bench: MemberTrial, extent: Extent, member: int) -> dict[str, Any]:
    """Return the row of member number *member*; one that was not kept has fewer cells, and the reason in ``why``.

    The default machine is not fitted, and is judged even if it is not kept.
    """
    ensemble, drawn = bench.ensemble, bench.draw_values(member)
    row = {**drawn, **dict.fromkeys(ensemble.knobs, 1.0), "kept": False, "why": ""}
    unseen = range(UNSEEN_SEED, UNSEEN_SEED + extent.seeds)
    try:
        if member != DEFAULT_MEMBER and ensemble.knobs:
            row |= _fit(bench, drawn, extent)
            if row["why"]:
                return row
        parameters = bench.settings(drawn, [row[name] for name in ensemble.knobs])
        values = bench.measure(ensemble.met, parameters, extent.judging, unseen)
        why = bench.describe_missed(values)
        row |= {**values, "kept": not why, "why": f"unseen seeds: {why}" if why else ""}
        if why and member != DEFAULT_MEMBER:
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
        rounds, far = rounds + 1, max(map(abs, left))
        end = end.correct(left, 1.0 / (rounds + (far <= CLOSE_DISTANCE)))
        if far <= CLOSE_DISTANCE:
            break
    if far > CORRECTABLE_DISTANCE:
        end = replace(end, why=f"the last of {rounds} checks on longer runs was {far:.0%} away")
    knobs = dict(zip(bench.ensemble.knobs, map(exp, end.at.tolist()), strict=True))
    return {**knobs, "steps": end.steps, "rounds": rounds, "why": end.why}
