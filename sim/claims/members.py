"""The members of an ensemble: drawn, fitted to what each has to meet, verified on other seeds, and only then judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import exp, fsum, inf, log
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats.qmc import Halton

from sim.claims.claims import Claim, read_claims
from sim.claims.fitting import CLOSE, NEAR, Measure, fit, measured_slopes
from sim.claims.verdicts import check_studies, is_met
from sim.error import UserError, unknown
from sim.study.book import Book
from sim.study.ensemble import Ensemble, Extent, FitStart
from sim.study.study import Point, Study
from sim.study.system import System
from sim.sweep.executor import Workers
from sim.sweep.sweep import sweep

DEFAULT = 0
"""The number of the machine as it is."""
FITTING_SEED = 1
"""The same for all steps of all fits, so that a step changes nothing but the knobs."""
CHECKING_SEED = 11
"""Of the first check, on a longer run; each further one has the next. What it misses is corrected by a step, and each
such step is a smaller share of a whole one than that before (Robbins & Monro 1951), so that noise averages out."""
UNSEEN_SEED = 101
"""The first of those that no fit has seen. All members share them."""
LEAST = 1e-6
"""What stands for a rate of nothing, whose logarithm would be infinite."""
SCRAMBLING = 1


@dataclass(frozen=True)
class MemberTrial:
    """What a member is put on: the *ensemble*, the *claims* that it names, by id, and *usual* parameters."""

    ensemble: Ensemble
    claims: Mapping[str, Claim]
    studies: Mapping[str, Study]
    usual: Any

    def drawn(self, number: int) -> dict[str, Any]:
        """The values of member *number*, the same however many there are; none for the default machine.

        A scrambled Halton sequence fills the ranges evenly, however many are drawn.
        """
        ranges = self.ensemble.ranges
        if number == DEFAULT:
            return {}
        shares = Halton(len(ranges), seed=SCRAMBLING).fast_forward(number - 1).random(1)[0]
        return {name: each.at(share) for (name, each), share in zip(ranges.items(), shares, strict=True)}

    def settings(self, drawn: Mapping[str, Any], knobs: Sequence[float]) -> dict[str, Any]:
        """The parameters of a member: those drawn and fixed, and those that the *knobs* multiply."""
        parameters = {**self.ensemble.fixed, **drawn}
        for knob, factor in zip(self.ensemble.knobs.values(), knobs, strict=True):
            for name in knob.parameters:
                parameters[name] = factor * parameters.get(name, getattr(self.usual, name))
        return parameters

    def measured(
        self, ids: Sequence[str], parameters: Mapping[str, Any], window: Mapping[str, float], seeds: Sequence[int]
    ) -> dict[str, float]:
        """Means over *seeds* of all measures of the studies that the claims *ids* hang on, by ``study.measure``.

        Only runs that these read are made.
        """
        values: dict[str, float] = {}
        for name in dict.fromkeys(self.claims[each].study for each in ids):
            study, book = self.studies[name], Book(workers=1, progress=False)
            assert study.measures is not None, "check_studies has looked"
            points = [_as_long_as(window, point.changed(parameters)) for point in study.points()]
            rows = [study.measures(book.rows(points, seed)) for seed in seeds]
            values |= {f"{name}.{measure}": fsum(row[measure] for row in rows) / len(rows) for measure in rows[0]}
        return values

    def away(self, values: Mapping[str, float]) -> list[float]:
        """How far *values* are from what is aimed at, as logarithms of their ratios."""
        aims = self.ensemble.aims.items()
        return [log(max(values[column(self.claims[each])], LEAST) / aim) for each, aim in aims]

    def missed(self, values: Mapping[str, float]) -> str:
        """Which claims are not met, and what is there instead; empty where all are."""
        wanted = [self.claims[each] for each in self.ensemble.met]
        out = [claim for claim in wanted if not is_met(claim, values[column(claim)])]
        return "; ".join(f"{claim.id} {claim.measure} {values[column(claim)]:.3g}" for claim in out)


def _as_long_as(window: Mapping[str, float], point: Point) -> Point:
    return replace(point, window={name: window.get(name, value) for name, value in point.window.items()})


def column(claim: Claim) -> str:
    """Where a frame of members has what *claim* is judged by."""
    return f"{claim.study}.{claim.measure}"


def tried(system: System, members: int, quick: bool, workers: Workers, progress: bool, store: Path) -> pd.DataFrame:
    """The default machine of *system*, number 0, and so many *members*, one row each, ``kept`` or not.

    *quick* runs are so short that what is kept is chance; they show that it works.
    """
    bench = bench_of(system)
    extent = bench.ensemble.quick if quick else bench.ensemble.extent
    return sweep(partial(trial, bench, extent), workers=workers, progress=progress, store=store,
                 member=list(range(members + 1)))  # fmt: skip


def bench_of(system: System) -> MemberTrial:
    """UserError where the ensemble of *system* names a claim that is not there, or has not an aim for each knob."""
    ensemble = system.ensemble
    if ensemble is None:
        raise UserError(f"{system.name} has no ensemble: no part of it was varied for want of a source")
    claims = {claim.id: claim for claim in read_claims(system.claims) if claim.study}
    check_studies(list(claims.values()), system.studies)
    for each in (*ensemble.met, *ensemble.asked, *ensemble.aims):
        if each not in claims:
            raise unknown("claim of the ensemble", each, claims)
    for each in chain.from_iterable(chain.from_iterable(ensemble.joint)):
        if each not in ensemble.asked:
            raise unknown("claim asked of the ensemble", each, ensemble.asked)
    if len(ensemble.aims) != len(ensemble.knobs):
        raise UserError(f"an ensemble has as many aims as knobs, not {len(ensemble.aims)} and {len(ensemble.knobs)}")
    return MemberTrial(ensemble, claims, {study.name: study for study in system.studies}, system.parameters)


def trial(bench: MemberTrial, extent: Extent, member: int) -> dict[str, Any]:
    """Member number *member* as cells of a row; one that was not kept has fewer, and the reason in ``why``.

    The default machine is not fitted, and judged whether it is kept or not.
    """
    ensemble, drawn = bench.ensemble, bench.drawn(member)
    row = {**drawn, **dict.fromkeys(ensemble.knobs, 1.0), "kept": False, "why": ""}
    unseen = range(UNSEEN_SEED, UNSEEN_SEED + extent.seeds)
    try:
        if member != DEFAULT and ensemble.knobs:
            row |= _fitted(bench, drawn, extent)
            if row["why"]:
                return row
        parameters = bench.settings(drawn, [row[name] for name in ensemble.knobs])
        values = bench.measured(ensemble.met, parameters, extent.judging, unseen)
        why = bench.missed(values)
        row |= {**values, "kept": not why, "why": f"unseen seeds: {why}" if why else ""}
        if why and member != DEFAULT:
            return row
        return row | bench.measured(ensemble.asked, parameters, extent.judging, unseen)
    except UserError as error:
        return {**row, "kept": False, "why": str(error)}


def _start(bench: MemberTrial, drawn: Mapping[str, Any], measure: Measure) -> FitStart:
    ensemble = bench.ensemble
    if ensemble.start is not None:
        return ensemble.start({**ensemble.fixed, **drawn})
    knobs = [1.0] * len(ensemble.knobs)
    return FitStart(knobs, measured_slopes(measure, [log(each) for each in knobs]))


def _fitted(bench: MemberTrial, drawn: Mapping[str, Any], extent: Extent) -> dict[str, Any]:
    """The knobs, how many steps and rounds they took, and why they are no good, if they are not."""

    def away_from(seed: int, window: Mapping[str, float], logs: Sequence[float]) -> list[float]:
        parameters = bench.settings(drawn, [exp(each) for each in logs])
        return bench.away(bench.measured(list(bench.ensemble.aims), parameters, window, [seed]))

    short = partial(away_from, FITTING_SEED, extent.fitting)
    start = _start(bench, drawn, short)
    if start.why:
        return {"why": start.why}
    end = fit(short, [log(each) for each in start.knobs], start.slopes, extent.steps)
    rounds, far = 0, 0.0
    while not end.why and rounds < extent.rounds:
        left = away_from(CHECKING_SEED + rounds, extent.checking, list(end.at))
        rounds, far = rounds + 1, max(map(abs, left), default=inf)
        end = end.corrected(left, 1.0 / (rounds + (far <= CLOSE)))
        if far <= CLOSE:
            break
    if far > NEAR:
        end = replace(end, why=f"the last of {rounds} checks on longer runs was {far:.0%} away")
    knobs = dict(zip(bench.ensemble.knobs, map(exp, end.at.tolist()), strict=True))
    return {**knobs, "steps": end.steps, "rounds": rounds, "why": end.why}
