"""What hangs on what was assumed: every claim judged again with each assumed parameter halved and doubled.

*At most three fitted* means little while assumptions are free. One is changed at a time, and all runs share their
randomness seed by seed, so that a difference comes from the parameter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path

import pandas as pd

from sim.claims.claims import Claim, Role, read_claims
from sim.claims.variant import AS_ASSUMED, Variant, variants
from sim.claims.verdicts import Verdict, check_studies, interval_of, judge, samples_of
from sim.error import UserError
from sim.output.kept_tables import keep_table, kept_table
from sim.statistics.confidence import Interval
from sim.study.book import Book
from sim.study.study import Point, Study
from sim.study.system import System
from sim.sweep.fingerprint import fingerprint

IMPOSSIBLE = "impossible"
"""The verdict where a trial cannot be run with the changed parameter; the column ``why`` has the reason."""
COLUMNS = (
    "parameter", "factor", "usual", "value", "id", "role", "low", "high", "base", "base_verdict",
    "simulated", "ci_low", "ci_high", "change", "change_low", "change_high", "verdict", "flips", "why",
)  # fmt: skip
DECIDED = (str(Verdict.HOLDS), str(Verdict.FAILS))
PREDICTIONS = (str(Role.PREDICTED), str(Role.SHAPE))
MADE_FROM = "claims and parameters"


def scored(system: System) -> list[Claim]:
    """The claims that get a verdict: definitions too, which an assumption may move; contradictions do not."""
    return [claim for claim in read_claims(system.claims) if claim.role is not Role.CONTRADICTORY]


def sensitivity(system: System, seeds: int, book: Book, quick: bool = False) -> pd.DataFrame:
    """One row for each variant and claim, each judged by so many *seeds*.

    ``base`` is what the usual parameters give, ``change`` is relative to it, with the 95 % interval of the pairs. A
    verdict ``flips`` where it is the opposite one; one that is undecided counts for neither.
    """
    claims, tried = scored(system), [AS_ASSUMED, *variants(system.parameters)]
    if not claims or len(tried) == 1:
        raise UserError(f"{system.name} has no claim to judge, or no assumed number to change")
    check_studies(claims, system.studies)
    names = {claim.study for claim in claims}
    studies = [study for study in system.studies if study.name in names]
    points = {(study.name, variant.name): _points(study, variant, quick) for study in studies for variant in tried}
    book.make((point, seed) for study in studies for variant in tried for point in points[study.name, variant.name]
              for seed in study.seeds(seeds))
    rows = []
    for study in studies:
        mine, count = [claim for claim in claims if claim.study == study.name], len(study.seeds(seeds))
        base = samples_of(study, claims, book, count, quick)
        for variant in tried[1:]:
            samples, why = _samples(study, claims, book, count, points[study.name, variant.name])
            rows += [_row(claim, variant, base[claim.id], samples.get(claim.id, []), study.exact, why)
                     for claim in mine]
    order = {claim.id: place for place, claim in enumerate(claims)}
    places = {variant.name: place for place, variant in enumerate(tried)}
    rows.sort(key=lambda row: (places[f"{row['parameter']} x {row['factor']:g}"], order[str(row["id"])]))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _points(study: Study, variant: Variant, quick: bool) -> list[Point]:
    return [point.changed(variant.changes) for point in study.points(quick)]


def _samples(
    study: Study, claims: Sequence[Claim], book: Book, seeds: int, points: Sequence[Point]
) -> tuple[dict[str, list[float]], str]:
    """What each claim is judged by, under its id; or why the variant makes the study impossible."""
    why = book.refusal(points, range(1, seeds + 1))
    return ({}, why) if why else (samples_of(study, claims, book, seeds, points=points), "")


def _row(
    claim: Claim, variant: Variant, base: Sequence[float], samples: Sequence[float], exact: bool, why: str
) -> dict[str, object]:
    usual, before = interval_of(base, exact).mean, str(judge(claim, base, exact))
    interval, change, verdict = Interval(nan, nan, nan, 0), Interval(nan, nan, nan, 0), IMPOSSIBLE
    if not why:
        interval, verdict = interval_of(samples, exact), str(judge(claim, samples, exact))
        change = interval_of([changed - assumed for changed, assumed in zip(samples, base, strict=True)], exact)
    size = abs(usual) or nan
    return {
        "parameter": variant.parameter, "factor": variant.factor, "usual": variant.usual, "value": variant.value,
        "id": claim.id, "role": str(claim.role), "low": claim.low, "high": claim.high,
        "base": usual, "base_verdict": before,
        "simulated": interval.mean, "ci_low": interval.low, "ci_high": interval.high,
        "change": change.mean / size, "change_low": change.low / size, "change_high": change.high / size,
        "verdict": verdict, "flips": {before, verdict} == set(DECIDED), "why": why,
    }  # fmt: skip


def standing(frame: pd.DataFrame) -> pd.DataFrame:
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


def stand(frame: pd.DataFrame) -> str:
    """In one sentence, how many verdicts hang on no single assumption."""
    verdicts = standing(frame)
    predictions = verdicts[verdicts["role"].isin(PREDICTIONS)]
    flip = int(verdicts["flips"].gt(0).sum())
    stand = int(verdicts["stands"].sum())
    return (
        f"{stand} of {len(verdicts)} verdicts stand whatever assumption is halved or doubled, "
        f"{predictions['stands'].sum()} of the {len(predictions)} predictions and shapes among them; "
        f"of the others {flip} can be flipped, {len(verdicts) - stand - flip} not always decided."
    )


@dataclass(frozen=True)
class Sensitivity:
    """A *frame* of sensitivity as it was written; *stale* if claims or parameters have been changed since."""

    frame: pd.DataFrame
    stale: bool


def write_sensitivity(path: Path, frame: pd.DataFrame, system: System, metadata: Mapping[str, object]) -> None:
    """Write *frame* as a table whose *metadata* include a digest of what it was made from."""
    keep_table(frame, path, {**metadata, MADE_FROM: _digest(system)})


def read_sensitivity(path: Path, system: System, columns: Sequence[str] = COLUMNS) -> Sensitivity | None:
    """What write_sensitivity wrote, with these *columns*; None where there is nothing."""
    if not path.exists():
        return None
    table = kept_table(path)
    frame = table.frame
    if tuple(frame.columns) != tuple(columns):
        raise UserError(f"{path} is no table of sensitivity: its columns are not {', '.join(columns)}")
    if "why" in frame:
        frame["why"] = ["" if text != text else text for text in frame["why"]]
    return Sensitivity(frame, table.origin.get(MADE_FROM) != _digest(system))


def _digest(system: System) -> str:
    """Of all that decides a verdict but the code; the words and notes of a claim do not."""
    judged = [(each.id, str(each.role), each.low, each.high, each.study, each.measure) for each in scored(system)]
    return fingerprint((judged, system.parameters, variants(system.parameters))).hex()
