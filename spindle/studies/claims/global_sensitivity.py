"""Computes Sobol' indices: which share of the variance of a claim's number each assumed parameter explains."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spindle.output.kept_tables import LastTable
from spindle.sim.error import UserError
from spindle.studies.claims.claims import Claim
from spindle.studies.claims.sensitivity import interpolate, read_sensitivity, scored_claims
from spindle.studies.claims.verdicts import ROUNDING, check_studies, samples_of
from spindle.studies.run_book import RunBook
from spindle.studies.study import Point, Study
from spindle.studies.sweep.design import sobol
from spindle.system import System

INDEX_COLUMNS = (
    "study", "id", "measure", "role", "parameter", "usual", "least", "most", "first", "first_low", "first_high",
    "total", "total_low", "total_high", "chance", "spread", "points", "together",
)  # fmt: skip
RESAMPLES = 500
"""Bootstrap samples of the design's rows; the middle 95 % of their indices are an index's interval."""
RESAMPLING_SEED = 1
Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointDesign:
    """The design of a joint study: *parameters* drawn together for *studies*, in *points* rows and *seeds*.

    The number of rows is a power of 2. Each row is run with two independent drawings of all parameters, and once more
    for each parameter: with the first drawing, but that parameter's value of the second.
    """

    studies: Sequence[Study]
    parameters: Sequence[str]
    points: int
    seeds: int

    def runs(self) -> int:
        """Return the largest number of runs that the design takes."""
        rows = self.points * (2 + len(self.parameters))
        return rows * sum(len(study.points()) * len(study.seeds(self.seeds)) for study in self.studies)

    def pages(self, parameters: Any) -> list[list[dict[str, float]]]:
        """Return the values of each row: of the first drawing, of the second, and of the mixture for each parameter."""
        count = len(self.parameters)
        ranges = {f"{drawing} {name}": (0.0, 1.0) for drawing in "AB" for name in self.parameters}
        drawn = sobol(self.points, ranges).to_numpy()
        first, second = drawn[:, :count], drawn[:, count:]
        mixed = [np.where(np.arange(count) == number, second, first) for number in range(count)]
        return [[self._values(parameters, row) for row in page.tolist()] for page in (first, second, *mixed)]

    def _values(self, parameters: Any, shares: Sequence[float]) -> dict[str, float]:
        return {name: interpolate(parameters, name, each) for name, each in zip(self.parameters, shares, strict=True)}


def global_sensitivity(system: System, design: JointDesign, book: RunBook, quick: bool = False) -> pd.DataFrame:
    """Compute a row for each scored claim of the *design*'s studies and each parameter: first-order and total index.

    ``spread`` is the standard deviation of the number that is compared, ``chance`` the share of its variance that
    another seed would change; a total index is too large by that at most. ``points`` are the rows of which every
    machine could be built. Parameters act ``together`` if total and first order differ by more than chance.
    """
    if len(design.parameters) < 2:
        raise UserError(f"together are two parameters or more, not {', '.join(design.parameters) or 'none'}")
    claims, pages = _by_study(system, design.studies), design.pages(system.parameters)
    points = {
        study.name: [[[point.change(values) for point in study.points(quick)] for values in page] for page in pages]
        for study in design.studies
    }  # fmt: skip
    book.make((point, 1) for study in design.studies for point in study.points(quick))
    read = {study.name: book.read_by(study, study.points(quick)) for study in design.studies}
    book.make((row[place], seed) for study in design.studies for page in points[study.name] for row in page
              for place in read[study.name] for seed in study.seeds(design.seeds))
    rows: list[dict[str, object]] = []
    for study in design.studies:
        mine = claims[study.name]
        indices = _Indices.of_samples(_samples(study, mine, book, len(study.seeds(design.seeds)), points[study.name]))
        rows += [{**_describe(claim, name, system.parameters), **indices.row(nth, at)}
                 for nth, claim in enumerate(mine) for at, name in enumerate(design.parameters)]
    return pd.DataFrame(rows, columns=list(INDEX_COLUMNS))


def _by_study(system: System, studies: Sequence[Study]) -> dict[str, list[Claim]]:
    claims = scored_claims(system)
    check_studies(claims, system.studies)
    by_study = {study.name: [claim for claim in claims if claim.study == study.name] for study in studies}
    for name, judged in by_study.items():
        if not judged:
            raise UserError(f"no claim of {system.name} is judged by {name}")
    return by_study


def _samples(
    study: Study, claims: Sequence[Claim], book: RunBook, seeds: int, pages: Sequence[Sequence[Sequence[Point]]]
) -> Array:
    """Return the compared numbers by claim, page, row and seed; of rows a power of 2 that could be run in all pages."""
    values, why = np.full((len(claims), len(pages), len(pages[0]), seeds), nan), ""
    for number, page in enumerate(pages):
        for row, points in enumerate(page):
            try:
                samples = samples_of(study, claims, book, seeds, points=points)
            except UserError as error:  # no such machine can be built, or it measures nothing
                why = str(error)
                continue
            values[:, number, row] = [samples[claim.id] for claim in claims]
    whole = np.flatnonzero(~np.isnan(values).any(axis=(0, 1, 3)))
    if len(whole) < 2:
        raise UserError(f"{study.name}: hardly any machine is like what was drawn: {why}")
    kept: Array = values[:, :, whole[: 1 << (len(whole).bit_length() - 1)]]
    return kept


@dataclass(frozen=True)
class _Indices:
    """Sobol' indices by claim and parameter: *first* and *total*, with the ends of intervals.

    *chance* and *spread* are by claim.
    """

    first: tuple[Array, Array, Array]
    total: tuple[Array, Array, Array]
    chance: Array
    spread: Array
    points: int

    @classmethod
    def of_samples(cls, samples: Array) -> "_Indices":
        means = samples.mean(axis=-1)
        swing, size = np.ptp(means, axis=(1, 2)), np.abs(means).max(axis=(1, 2))
        means[swing <= ROUNDING * size] = 0.0  # otherwise the indices of a constant would be those of its rounding
        first, total = _indices(means)
        count = means.shape[-1]
        draws = np.random.default_rng(RESAMPLING_SEED).random((RESAMPLES, count))
        again = np.array([_indices(means[..., (draw * count).astype(int)]) for draw in draws])
        low, high = np.quantile(again, [0.025, 0.975], axis=0)
        spread = means[:, :2].std(axis=(1, 2))
        return cls((first, low[0], high[0]), (total, low[1], high[1]), _chance(samples, spread), spread, count)

    def row(self, claim: int, parameter: int) -> dict[str, object]:
        """Return the cells of the claim and the parameter at these places."""
        first, first_low, first_high = (float(each[claim, parameter]) for each in self.first)
        total, total_low, total_high = (float(each[claim, parameter]) for each in self.total)
        chance = float(self.chance[claim])
        return {
            "first": first, "first_low": first_low, "first_high": first_high,
            "total": total, "total_low": total_low, "total_high": total_high,
            "chance": chance, "spread": float(self.spread[claim]), "points": self.points,
            "together": total_low > max(first_high, 0.0) + chance,
        }  # fmt: skip


def _indices(means: Array) -> tuple[Array, Array]:
    """Return first-order and total indices by claim and parameter, from means by claim, page and row."""
    claims, pages, count = means.shape
    values = {"f_A": means[:, 0], "f_B": means[:, 1], "f_AB": np.moveaxis(means[:, 2:], 1, 0)}
    from scipy.stats import sobol_indices  # which takes two seconds, and reports import this module

    indices = sobol_indices(func=values, n=count)
    shape = claims, pages - 2
    return indices.first_order.reshape(shape), indices.total_order.reshape(shape)


def _chance(samples: Array, spread: Array) -> Array:
    """Return the share of a mean's variance over the rows that is due to seeds, beyond a seed's effect on all rows."""
    seeds = samples.shape[-1]
    if seeds < 2:
        return np.zeros(len(samples))
    drawn = samples[:, :2]
    apart = drawn - drawn.mean(axis=(1, 2), keepdims=True)
    noise = apart.var(axis=-1, ddof=1).mean(axis=(1, 2)) / seeds
    share: Array = np.divide(noise, spread**2, out=np.zeros_like(noise), where=spread > 0.0)
    return share.clip(max=1.0)


def _describe(claim: Claim, name: str, parameters: Any) -> dict[str, object]:
    return {
        "study": claim.study, "id": claim.id, "measure": claim.measure, "role": str(claim.role),
        "parameter": name, "usual": getattr(parameters, name),
        "least": interpolate(parameters, name, 0.0), "most": interpolate(parameters, name, 1.0),
    }  # fmt: skip


def screen_design(
    table: pd.DataFrame, claims: Sequence[Claim], sizes: Mapping[str, int], studies: Sequence[str], most: int
) -> tuple[list[str], list[str]]:
    """Choose the *studies*, or by default the most sensitive one for its *sizes*, and at *most* that many parameters.

    By default it is a study whose claims move with at least two parameters, and much for the runs of a seed. *table* is
    the result of the sensitivity one at a time. The effect on a claim is the move of its number as a share of the way
    between its bounds, at most 1; parameters that make a machine impossible are left out.
    """
    study_of = {claim.id: claim.study for claim in claims if claim.low < claim.high}
    effects = table[table["id"].isin(study_of)].assign(study=lambda frame: frame["id"].map(study_of))
    effects = effects[~effects["parameter"].isin(effects.loc[effects["simulated"].isna(), "parameter"])]
    moves = (effects["simulated"] - effects["base"]).abs().div(effects["high"] - effects["low"]).clip(upper=1.0)
    by_claim = moves.groupby([effects["study"], effects["parameter"], effects["id"]]).max()
    moving = by_claim[by_claim > 0.0]
    several = moving.reset_index().groupby("study")["parameter"].nunique() > 1
    by_study = moving.groupby(level=0).sum()[several]
    moved = {str(name): move / sizes[str(name)] for name, move in by_study.items()}
    names = list(studies) or sorted(moved, key=moved.__getitem__, reverse=True)[:1]
    by_parameter = moving[moving.index.get_level_values(0).isin(names)].groupby(level=1).sum()
    return names, list(by_parameter.sort_values(ascending=False, kind="stable").index[:most])


def read_global(path: Path, system: System) -> LastTable | None:
    return read_sensitivity(path, system, INDEX_COLUMNS)


def remark(frame: pd.DataFrame) -> str:
    """Describe in a sentence which parameters move most numbers, and which act together."""
    moving = frame[frame["spread"] > 0.0]
    largest = moving.loc[moving.groupby("id", sort=False)["first"].idxmax()] if len(moving) else moving
    leading = largest["parameter"].value_counts(sort=True)
    heads = ", ".join(f"{name} alone does most to {count}" for name, count in leading.items())
    effects = "; ".join(_joint_lines(frame)) or "none act together on any number, as far as these points show"
    return (
        f"{', '.join(frame['parameter'].unique())} drawn together for {', '.join(frame['study'].unique())}: of "
        f"{frame['id'].nunique()} numbers {moving['id'].nunique()} move{', ' * bool(heads)}{heads}; {effects}."
    )


def _joint_lines(frame: pd.DataFrame) -> Iterator[str]:
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, rows in frame[frame["together"]].groupby("id", sort=False):
        alike.setdefault(tuple(rows["parameter"]), []).append(str(name))
    for names, ids in alike.items():
        yield f"{' and '.join(names)} {'act' if len(names) > 1 else 'acts'} with others on {', '.join(ids)}"
