"""Sensitivity to assumptions: every claim judged again with each assumed parameter halved and doubled.

A model with few fitted parameters proves little if its assumptions are free. One is changed at a time, and all runs
share their randomness seed by seed, so that a difference comes from the parameter.
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
from spindle.studies.run_book import RunBook
from spindle.studies.study import Point, Study
from spindle.studies.sweep.fingerprint import fingerprint
from spindle.systems import System

# An assumed parameter halved or doubled, within the parameter's rule.

FACTORS = (0.5, 2.0)


@dataclass(frozen=True)
class Variant:
    """The *parameter* at *value*, which is its *usual* one times *factor*, rounded and kept within its rule."""

    parameter: str
    factor: float
    usual: float
    value: float

    @property
    def name(self) -> str:
        return f"{self.parameter} x {self.factor:g}"

    @property
    def changes(self) -> Mapping[str, float]:
        """The arguments for a run."""
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
    return _scale_within(rules[name], getattr(parameters, name), FACTORS[0] * (FACTORS[1] / FACTORS[0]) ** share)


def _all_variants(parameters: Any) -> Iterator[Variant]:
    for each in fields(parameters):
        usual = getattr(parameters, each.name)
        if each.metadata["source"].kind == "assumed" and type(usual) in (int, float):
            for factor in FACTORS:
                yield Variant(each.name, factor, usual, _scale_within(each.metadata["rule"], usual, factor))


def _scale_within(rule: Rule, usual: float, factor: float) -> float:
    whole = isinstance(usual, int)
    least = max(rule.low, 1) if whole and rule.positive else rule.low
    value = min(max(usual * factor, least), rule.high)
    return round(value) if whole else value


LOOK = 8.0
"""A look is so many times shorter than the window by which a claim is judged."""
Samples = dict[str, list[float]]
"""Values by which claims are judged, seed by seed, by the claim."""
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
    """Return the claims that get a verdict: definitions too, which an assumption may move."""
    return [claim for claim in read_claims(system.claims) if claim.role not in UNSCORED]


def sensitivity(system: System, seeds: int, book: RunBook, quick: bool = False) -> pd.DataFrame:
    """Judge each claim under each variant, a row each, with ``replications`` from *seeds* seeds, or the first alone.

    ``base`` is the result of the usual parameters, with more seeds if more are kept; ``change`` is relative to it, with
    the 95 % interval of the pairs. A verdict ``flips`` if it is the opposite one; an undecided one counts for neither.
    A variant is looked at in short windows with the first seed, beside the usual parameters in the same windows and
    with the same random numbers. Only if that change, or one twice as large, would change a verdict of the study is it
    run in whole windows with that seed, and only if it still would, with the others. Otherwise the verdict is taken to
    be unchanged: ``simulated`` is the base with that change, and no interval is known. Runs that no measure reads are
    not made.
    """
    claims, tried = scored_claims(system), variants(system.parameters)
    if not claims or not tried:
        raise UserError(f"{system.name} has no claim to judge, or no assumed number to change")
    check_studies(claims, system.studies)
    names = {claim.study for claim in claims}
    judged = [_StudyInVariants(study, claims, book, seeds, quick) for study in system.studies if study.name in names]
    book.make(run for each in judged for run in each.base_runs())
    book.make(run for each in judged for run in each.looks(None))
    book.make(run for each in judged for variant in tried for run in each.looks(variant))
    moved = [(each, variant) for each in judged for variant in tried if each.seems_to_change(variant)]
    book.make(run for each, variant in moved for run in each.runs(variant, 1))
    near = [(each, variant) for each, variant in moved if each.may_change(variant)]
    book.make(run for each, variant in near for run in each.runs(variant, each.seeds))
    rows = [row for each in judged for variant in tried for row in each.rows(variant)]
    order = {claim.id: place for place, claim in enumerate(claims)}
    places = {variant.name: place for place, variant in enumerate(tried)}
    rows.sort(key=lambda row: (places[f"{row['parameter']} x {row['factor']:g}"], order[str(row["id"])]))
    return pd.DataFrame(rows, columns=list(CHANGE_COLUMNS))


class _StudyInVariants:
    """One *study* as assumed and in every variant, as far as its runs are in the *book*."""

    def __init__(self, study: Study, claims: Sequence[Claim], book: RunBook, seeds: int, quick: bool) -> None:
        self.seeds = len(study.seeds(seeds))
        self._study = study
        self._claims = [claim for claim in claims if claim.study == study.name]
        self._book = book
        self._points = study.points(quick)
        self._base_seeds = len(study.seeds(max(seeds, book.kept_seeds(self._points, MAX_SEEDS))))
        self._seen: dict[str, Samples] = {}
        self._near: dict[str, bool] = {}
        self._why: dict[str, str] = {}

    def base_runs(self) -> Iterator[tuple[Point, int]]:
        return ((point, seed) for seed in range(1, self._base_seeds + 1) for point in self._points)

    def runs(self, variant: Variant, seeds: int) -> Iterator[tuple[Point, int]]:
        """Yield the runs that measures read with usual parameters; if they read another one now, it is made then."""
        return ((point, seed) for seed in range(1, seeds + 1) for point in self._read_of(variant))

    def _read_of(self, variant: Variant) -> list[Point]:
        points = self._change_points(variant)
        return [points[place] for place in self._read]

    @cached_property
    def _read(self) -> list[int]:
        return self._book.read_by(self._study, self._points)

    def looks(self, variant: Variant | None) -> Iterator[tuple[Point, int]]:
        """Yield the runs of a look at *variant*, or at the usual parameters, in short windows."""
        points = [each.shorten(LOOK) for each in self._points if each.window]
        read = [points[place] for place in self._read] if len(points) == len(self._points) else []
        return ((each if variant is None else each.change(variant.changes), 1) for each in read)

    def seems_to_change(self, variant: Variant) -> bool:
        """True if a verdict may change, by the change of a look; or if a look says nothing."""
        usual, changed = (self._look_samples(each) for each in (None, variant))
        if not usual or not changed:
            return True
        moved = {name: changed[name][0] - usual[name][0] for name in usual}
        self._seen[variant.name] = {name: [self._base[name][0] + by] for name, by in moved.items()}
        self._near[variant.name] = False
        return any(self._is_near(claim, moved[claim.id]) for claim in self._claims)

    def _look_samples(self, variant: Variant | None) -> Samples:
        runs = list(self.looks(variant))
        if not runs or self._book.refusal([point for point, _ in runs], [1]):
            return {}
        points = [each.shorten(LOOK) for each in self._points]
        changed = points if variant is None else [each.change(variant.changes) for each in points]
        with suppress(UserError):
            return samples_of(self._study, self._claims, self._book, 1, points=changed)
        return {}

    def may_change(self, variant: Variant) -> bool:
        """True if a verdict may change, by the change of the first seed in whole windows."""
        self._seen.pop(variant.name, None)
        samples = self._samples(variant, 1)
        near = any(self._is_near(claim, samples[claim.id][0] - self._base[claim.id][0])
                   for claim in self._claims if samples)  # fmt: skip
        self._near[variant.name] = near
        return near

    def _is_near(self, claim: Claim, by: float) -> bool:
        base = self._base[claim.id]
        before = judge(claim, base, self._study.exact)
        shifts = [times * by for times in (1, 2)]
        return any(judge(claim, [each + shift for each in base], self._study.exact) != before for shift in shifts)

    def rows(self, variant: Variant) -> Iterator[dict[str, object]]:
        seen = self._seen.get(variant.name)
        samples = seen or self._samples(variant, self.seeds if self._near[variant.name] else 1)
        why = self._why.get(variant.name, "")
        return (self._row(claim, variant, samples.get(claim.id, []), why) for claim in self._claims)

    @cached_property
    def _base(self) -> dict[str, list[float]]:
        return samples_of(self._study, self._claims, self._book, self._base_seeds, points=self._points)

    def _samples(self, variant: Variant, seeds: int) -> Samples:
        """Return the samples of each claim; none, with ``_why``, if a run is refused or a measure has no value."""
        points, wanted = self._change_points(variant), range(1, seeds + 1)
        why = self._book.refusal([points[place] for place in self._read], wanted)
        try:
            return {} if why else samples_of(self._study, self._claims, self._book, seeds, points=points)
        except UserError as error:
            why = str(error)
            return {}
        finally:
            self._why[variant.name] = why

    def _change_points(self, variant: Variant) -> list[Point]:
        return [point.change(variant.changes) for point in self._points]

    def _row(self, claim: Claim, variant: Variant, samples: Sequence[float], why: str) -> dict[str, object]:
        base, exact = self._base[claim.id], self._study.exact
        usual, before = interval_of(base, exact).mean, str(judge(claim, base, exact))
        interval, change, verdict = Interval(nan, nan, nan, 0), Interval(nan, nan, nan, 0), IMPOSSIBLE
        if samples:
            differences = [changed - assumed for changed, assumed in zip(samples, base, strict=False)]
            change = interval_of(differences, exact)
            screened = len(samples) < self.seeds
            interval = Interval(usual + change.mean, nan, nan, 1) if screened else interval_of(samples, exact)
            verdict = before if screened else str(judge(claim, samples, exact))
        size = abs(usual) or nan
        return {
            "parameter": variant.parameter, "factor": variant.factor, "usual": variant.usual, "value": variant.value,
            "id": claim.id, "role": str(claim.role), "low": claim.low, "high": claim.high,
            "base": usual, "base_verdict": before, "replications": len(samples),
            "simulated": interval.mean, "ci_low": interval.low, "ci_high": interval.high,
            "change": change.mean / size, "change_low": change.low / size, "change_high": change.high / size,
            "verdict": verdict, "flips": {before, verdict} == set(DECIDED), "why": why,
        }  # fmt: skip


def stability_table(frame: pd.DataFrame) -> pd.DataFrame:
    """One row for each claim: by how many variants it ``flips``, in how many it is ``undecided``, if it ``stands``.

    It stands if it is decided, and decided alike, as assumed and in every variant that is possible.
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
    """Read what write_sensitivity wrote, with these *columns*; None where there is nothing."""
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
