"""Judges every claim again with each assumed parameter halved and doubled, to find verdicts that depend on it.

A model with few fitted parameters proves little if its assumptions are free. One parameter is changed at a time, and
all runs have the same random numbers, seed by seed, so that a difference is due to the parameter.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property, partial
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd

from spindle.output.kept_tables import LastTable, keep_table, last_table
from spindle.sim.error import UserError
from spindle.sim.parameter import Rule
from spindle.studies.claims.claims import UNSCORED, Claim, Role, read_claims
from spindle.studies.claims.verdicts import MAX_SEEDS, Verdict, check_studies, interval_of, judge, samples_of
from spindle.studies.confidence import Interval
from spindle.studies.kept_runs import Wanted
from spindle.studies.run_book import RunBook
from spindle.studies.study import Point, Study
from spindle.studies.sweep.fingerprint import fingerprint
from spindle.system import System

# An assumed parameter halved or doubled, within the parameter's rule.

VARIANT_FACTORS = (0.5, 2.0)


@dataclass(frozen=True)
class Variant:
    """A changed *parameter*: its *value* is the *usual* one times *factor*, rounded and kept within its rule."""

    parameter: str
    factor: float
    usual: float
    value: float

    @property
    def name(self) -> str:
        return f"{self.parameter} x {self.factor:g}"

    @property
    def changes(self) -> Mapping[str, float]:
        """The changed parameter as an argument of a run."""
        return {self.parameter: self.value}


def variants(parameters: Any) -> list[Variant]:
    """Return every assumed number of *parameters* halved and doubled, if that changes it."""
    return [each for each in _all_variants(parameters) if each.value != each.usual]


def same_variants(parameters: Any) -> list[Variant]:
    """Return the variants that do not change the usual value: a zero, one disc halved, a share at its bound."""
    return [each for each in _all_variants(parameters) if each.value == each.usual]


def interpolate(parameters: Any, name: str, share: float) -> float:
    """Return the value of *name* at *share* of the way from half to double its usual one, in equal ratios."""
    rules = {each.name: each.metadata["rule"] for each in fields(parameters)}
    low, high = VARIANT_FACTORS
    return _scale_within(rules[name], getattr(parameters, name), low * (high / low) ** share)


def _all_variants(parameters: Any) -> Iterator[Variant]:
    for parameter in fields(parameters):
        usual = getattr(parameters, parameter.name)
        if parameter.metadata["source"].kind == "assumed" and type(usual) in (int, float):
            for factor in VARIANT_FACTORS:
                yield Variant(parameter.name, factor, usual, _scale_within(parameter.metadata["rule"], usual, factor))


def _scale_within(rule: Rule, usual: float, factor: float) -> float:
    whole = isinstance(usual, int)
    least = max(rule.low, 1) if whole and rule.positive else rule.low
    value = min(max(usual * factor, least), rule.high)
    return round(value) if whole else value


@dataclass(frozen=True)
class Stage:
    """A stage in which a variant is run: windows shorter by *factors*, with the first seed, or with *all_seeds*."""

    factors: Mapping[str, float]
    all_seeds: bool = False


SHORTEST_FACTORS = {
    "minutes": 24.0, "warm_up": 24.0, "seconds": 24.0, "requests": 24.0, "cycles": 8.0, "share": 4.0, "count": 4.0,
}  # fmt: skip
"""Factors of the first stage. A share of a trial in which a cache fills, and a count of shots, are shortened less."""
SHORT_FACTORS = {"minutes": 8.0, "warm_up": 8.0, "seconds": 8.0, "requests": 8.0}
STAGES = (Stage(SHORTEST_FACTORS), Stage(SHORT_FACTORS), Stage(SHORT_FACTORS, all_seeds=True))
QUICK_STAGES = (Stage({}), Stage({}, all_seeds=True))
Samples = dict[str, list[float]]
"""Values by which claims are judged, seed by seed, by the id of the claim."""
IMPOSSIBLE = "impossible"
"""The verdict where a trial cannot be run with the changed parameter; the column ``why`` has the reason."""
CHANGE_COLUMNS = (
    "parameter", "factor", "usual", "value", "id", "role", "low", "high", "base", "base_verdict",
    "replications", "simulated", "ci_low", "ci_high", "change", "change_low", "change_high", "verdict", "flips", "why",
)  # fmt: skip
DECIDED = (str(Verdict.HOLDS), str(Verdict.FAILS))
PREDICTIONS = (str(Role.PREDICTED), str(Role.SHAPE))
MADE_FROM = "claims and parameters"


def scored_claims(system: System) -> list[Claim]:
    """Return the claims that get a verdict: also definitions, which an assumption may change."""
    return [claim for claim in read_claims(system.claims) if claim.role not in UNSCORED]


def sensitivity(system: System, seeds: int, book: RunBook, quick: bool = False) -> pd.DataFrame:
    """Judge each claim under each variant, a row each, with ``replications`` from *seeds* seeds, or the first alone.

    ``base`` is the result of the usual parameters in whole windows, with more seeds if more are kept. ``change`` is
    what a variant changes, found in short windows: both machines have the same windows and the same random numbers,
    seed by seed, and ``simulated`` is the base with that change. A variant is looked at in one stage after the other,
    each longer or with more seeds, as long as its change, or one twice as large, would change a verdict of the study;
    otherwise verdicts are taken to be unchanged, and no interval is known. A verdict ``flips`` if it is the opposite
    one; an undecided one counts for neither. Runs that no measure reads are not made.
    """
    claims, tried = scored_claims(system), variants(system.parameters)
    if not claims or not tried:
        raise UserError(f"{system.name} has no claim to judge, or no assumed number to change")
    check_studies(claims, system.studies)
    names = {claim.study for claim in claims}
    judged = [_StudyInVariants(study, claims, book, seeds, quick) for study in system.studies if study.name in names]
    book.make(run for each in judged for run in each.base_runs())
    near = [(each, variant) for each in judged for variant in tried]
    for stage in QUICK_STAGES if quick else STAGES:
        book.make(run for each in {each for each, _ in near} for run in each.runs(stage, None))
        book.make(run for each, variant in near for run in each.runs(stage, variant))
        near = [(each, variant) for each, variant in near if each.may_change(stage, variant)]
    rows = [row for each in judged for variant in tried for row in each.rows(variant)]
    order = {claim.id: place for place, claim in enumerate(claims)}
    places = {variant.name: place for place, variant in enumerate(tried)}
    rows.sort(key=lambda row: (places[f"{row['parameter']} x {row['factor']:g}"], order[str(row["id"])]))
    return pd.DataFrame(rows, columns=list(CHANGE_COLUMNS))


class _StudyInVariants:
    """The verdicts of one *study* with usual parameters and in every variant, from the runs in the *book*."""

    def __init__(self, study: Study, claims: Sequence[Claim], book: RunBook, seeds: int, quick: bool) -> None:
        self._seeds = len(study.seeds(seeds))
        self._study = study
        self._claims = [claim for claim in claims if claim.study == study.name]
        self._book = book
        self._points = study.points(quick)
        self._base_seeds = len(study.seeds(max(seeds, book.kept_seeds(self._points, MAX_SEEDS))))
        self._changes: dict[str, Samples] = {}
        self._why: dict[str, str] = {}

    def base_runs(self) -> Iterator[Wanted]:
        return ((point, seed) for seed in range(1, self._base_seeds + 1) for point in self._points)

    def runs(self, stage: Stage, variant: Variant | None) -> Iterator[Wanted]:
        """Yield the runs that measures read with usual parameters; if they read another one now, it is made then."""
        points = _change_all(variant, self._shorten(stage.factors))
        return ((points[place], seed) for seed in range(1, self._count(stage) + 1) for place in self._read)

    def may_change(self, stage: Stage, variant: Variant) -> bool:
        """Tell if a verdict may change, by the change in this stage; True if the stage has no result."""
        points, count = self._shorten(stage.factors), self._count(stage)
        usual = self._samples_at(points, count)
        changed = self._samples(variant, points, count) if usual else {}
        refused = self._refusal(variant, points)
        if stage.all_seeds and not changed and not refused:
            # Short windows have no result; whole ones may.
            usual, changed = self._base, self._samples(variant, self._points, count)
        moved = {name: [one - other for one, other in zip(samples, usual[name], strict=False)]
                 for name, samples in changed.items()}  # fmt: skip
        self._changes[variant.name] = moved
        return not refused and (not moved or any(self._is_near(claim, moved[claim.id][0]) for claim in self._claims))

    def _count(self, stage: Stage) -> int:
        return self._seeds if stage.all_seeds else 1

    def _shorten(self, factors: Mapping[str, float]) -> list[Point]:
        return [point.shorten(factors) for point in self._points]

    @cached_property
    def _read(self) -> list[int]:
        return self._book.read_by(self._study, self._points)

    def _is_near(self, claim: Claim, by: float) -> bool:
        base = self._base[claim.id]
        before = judge(claim, base, self._study.exact)
        return any(self._judge_moved(claim, times * by) != before for times in (1, 2))

    def _judge_moved(self, claim: Claim, by: float) -> Verdict:
        return judge(claim, [each + by for each in self._base[claim.id]], self._study.exact)

    def rows(self, variant: Variant) -> Iterator[dict[str, object]]:
        changes, why = self._changes[variant.name], self._why.get(variant.name, "")
        return (self._row(claim, variant, changes.get(claim.id, []), "" if changes else why)
                for claim in self._claims)  # fmt: skip

    @cached_property
    def _base(self) -> Samples:
        return samples_of(self._study, self._claims, self._book, self._base_seeds, points=self._points)

    def _samples_at(self, points: Sequence[Point], count: int) -> Samples:
        """Return the samples of each claim with the usual parameters; none if windows are too short to measure one."""
        with suppress(UserError):
            return samples_of(self._study, self._claims, self._book, count, points=points)
        return {}

    def _samples(self, variant: Variant, points: Sequence[Point], count: int) -> Samples:
        """Return the samples of each claim; none, with ``_why``, if a run is refused or a measure has no value."""
        self._why[variant.name] = self._refusal(variant, points)
        if self._why[variant.name]:
            return {}
        try:
            return samples_of(self._study, self._claims, self._book, count, points=_change_all(variant, points))
        except UserError as error:
            self._why[variant.name] = str(error)
            return {}

    def _refusal(self, variant: Variant, points: Sequence[Point]) -> str:
        changed = _change_all(variant, points)
        return self._book.refusal([changed[place] for place in self._read], [1])

    def _row(self, claim: Claim, variant: Variant, changes: Sequence[float], why: str) -> dict[str, object]:
        base, exact = self._base[claim.id], self._study.exact
        usual, before = interval_of(base, exact).mean, judge(claim, base, exact)
        interval, change, verdict = Interval(nan, nan, nan, 0), Interval(nan, nan, nan, 0), IMPOSSIBLE
        if changes:
            change, verdict = interval_of(changes, exact), str(before)
            interval = Interval(usual + change.mean, nan, nan, 1)
            if len(changes) == self._seeds:
                interval, verdict = self._judge_change(claim, change)
        size = abs(usual) or nan
        return {
            "parameter": variant.parameter, "factor": variant.factor, "usual": variant.usual, "value": variant.value,
            "id": claim.id, "role": str(claim.role), "low": claim.low, "high": claim.high,
            "base": usual, "base_verdict": str(before), "replications": len(changes),
            "simulated": interval.mean, "ci_low": interval.low, "ci_high": interval.high,
            "change": change.mean / size, "change_low": change.low / size, "change_high": change.high / size,
            "verdict": verdict, "flips": {str(before), verdict} == set(DECIDED), "why": why,
        }  # fmt: skip

    def _judge_change(self, claim: Claim, change: Interval) -> tuple[Interval, str]:
        """Return the base moved by *change*, and its verdict: undecided if the ends of *change* have not the same."""
        exact = self._study.exact
        moved = [self._move(claim, by) for by in (change.low, change.mean, change.high)]
        least, middle, most = (interval_of(samples, exact) for samples in moved)
        verdicts = {judge(claim, samples, exact) for samples in moved}
        verdict = verdicts.pop() if len(verdicts) == 1 else Verdict.UNDECIDED
        return Interval(middle.mean, least.low, most.high, middle.count), str(verdict)

    def _move(self, claim: Claim, by: float) -> list[float]:
        """Return the base moved *by*; a yes or no is moved to the other at most."""
        is_inequality = claim.low == claim.high == 1.0
        return [min(max(each + by, 0.0), 1.0) if is_inequality else each + by for each in self._base[claim.id]]


def _change_all(variant: Variant | None, points: Sequence[Point]) -> list[Point]:
    return list(points) if variant is None else [point.change(variant.changes) for point in points]


def stability_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each claim: variants by which it ``flips``, in which it is ``undecided``, and if it ``stands``.

    It stands if its verdict is decided, and the same, with usual parameters and in every variant that is possible.
    """
    rows = []
    for (name, role, before), group in frame.groupby(["id", "role", "base_verdict"], sort=False):
        flips, undecided = int(group["flips"].sum()), int(group["verdict"].eq(str(Verdict.UNDECIDED)).sum())
        stands = before in DECIDED and not flips and not undecided
        rows.append({"id": name, "role": role, "base_verdict": before, "flips": flips, "undecided": undecided,
                     "stands": stands})  # fmt: skip
    return pd.DataFrame(rows)


def stability(frame: pd.DataFrame) -> str:
    """Describe in one sentence how many verdicts depend on no single assumption."""
    verdicts = stability_table(frame)
    predictions = verdicts[verdicts["role"].isin(PREDICTIONS)]
    flip = int(verdicts["flips"].gt(0).sum())
    stable = int(verdicts["stands"].sum())
    return (
        f"{stable} of {len(verdicts)} verdicts stand whatever assumption is halved or doubled, "
        f"{predictions['stands'].sum()} of the {len(predictions)} predictions and shapes among them; "
        f"of the others {flip} can be flipped, {len(verdicts) - stable - flip} not always decided."
    )


def write_sensitivity(path: Path, frame: pd.DataFrame, system: System, metadata: Mapping[str, object]) -> None:
    """Write *frame* as a table whose *metadata* include a digest of its inputs."""
    keep_table(frame, path, {**metadata, MADE_FROM: _digest(system, frame)})


def read_sensitivity(path: Path, system: System, columns: Sequence[str] = CHANGE_COLUMNS) -> LastTable | None:
    """Read what write_sensitivity wrote, with these *columns*; None if there is no file."""
    last = last_table(path, MADE_FROM, partial(_digest, system))
    if last is not None and tuple(last.frame.columns) != tuple(columns):
        raise UserError(f"{path} is no table of sensitivity: its columns are not {', '.join(columns)}")
    if last is not None and "why" in last.frame:
        last.frame["why"] = ["" if text != text else text for text in last.frame["why"]]
    return last


def newer_claims(system: System, frame: pd.DataFrame) -> list[str]:
    """Return the claims that were written after *frame* was made, which it does not judge."""
    there = set(frame["id"])
    return [each.id for each in scored_claims(system) if each.id not in there]


def _digest(system: System, frame: pd.DataFrame) -> str:
    """Return a digest of the model number, the parameters, and all that decides verdicts on the claims in *frame*.

    Claims that are newer change no row of it; the words and notes of a claim decide no verdict.
    """
    there = set(frame["id"]) if "id" in frame else set()
    judged = [(each.id, str(each.role), each.low, each.high, each.study, each.measure)
              for each in scored_claims(system) if each.id in there]  # fmt: skip
    return fingerprint((system.models, judged, system.parameters, variants(system.parameters))).hex()
