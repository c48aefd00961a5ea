"""What hangs on what was assumed: every claim judged again with each assumed parameter halved and doubled.

*At most three fitted* means little while assumptions are free. One is changed at a time, and all runs share their
randomness seed by seed, so that a difference comes from the parameter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from pathlib import Path
from typing import Any

import pandas as pd

from sim.claims.claims import Claim, Role, read_claims
from sim.claims.variant import AS_ASSUMED, Variant, variants
from sim.claims.verdicts import Verdict, check_experiments, judge, measured
from sim.error import UserError
from sim.output.tables import read_table, write_table
from sim.statistics.confidence import Interval, confidence, paired
from sim.study.system import System, Trial
from sim.sweep.executor import Workers
from sim.sweep.fingerprint import fingerprint
from sim.sweep.sweep import sweep

IMPOSSIBLE = "impossible"
"""The verdict where a trial cannot be run with the changed parameter; the column ``why`` says the reason."""
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


def sensitivity(
    system: System, seeds: Sequence[int], length: float = 1.0, workers: Workers = None, progress: bool = True,
    store: Path | None = None,
) -> pd.DataFrame:  # fmt: skip
    """One row for each variant and claim, trials at *length* of their minutes.

    ``base`` is what the usual parameters give, ``change`` is relative to it, with the 95 % interval of the pairs. A
    verdict ``flips`` where it is the opposite one; one that is undecided does not tell.
    """
    claims, tried = scored(system), variants(system.parameters)
    if not claims or not tried:
        raise UserError(f"{system.name} has no claim to judge, or no assumed number to change")
    check_experiments(claims, system.trials)
    names = list(dict.fromkeys(claim.experiment for claim in claims))
    perform = partial(_perform, {name: system.trials[name] for name in names}, claims, length)
    frame = sweep(
        perform, workers=workers, progress=progress, store=store,
        variant=[AS_ASSUMED, *tried], trial=names, seed=list(seeds),
    )  # fmt: skip
    found: dict[tuple[str, str], list[Mapping[Any, Any]]] = {}
    for row in frame.to_dict("records"):
        found.setdefault((row["variant"], row["trial"]), []).append(row)
    rows = [
        _row(claim, variant, found[AS_ASSUMED.name, claim.experiment], found[variant.name, claim.experiment])
        for variant in tried for claim in claims
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _perform(
    trials: Mapping[str, Trial], claims: Sequence[Claim], length: float, variant: Variant, trial: str, seed: int
) -> Mapping[str, object]:
    """What each claim is judged by, under its id; or why a *variant* makes the trial impossible."""
    try:
        numbers = trials[trial](seed=seed, length=length, **variant.changes)
        return {claim.id: measured(claim, numbers) for claim in claims if claim.experiment == trial}
    except UserError as error:
        if variant == AS_ASSUMED:
            raise
        return {IMPOSSIBLE: str(error)}


def _row(
    claim: Claim, variant: Variant, assumed: Sequence[Mapping[Any, Any]], found: Sequence[Mapping[Any, Any]]
) -> dict[str, object]:
    base = [float(row[claim.id]) for row in assumed]
    usual, before = confidence(base).mean, str(judge(claim, base))
    interval, change, verdict, why = Interval(nan, nan, nan, 0), Interval(nan, nan, nan, 0), IMPOSSIBLE, _reason(found)
    if not why:
        samples = [float(row[claim.id]) for row in found]
        interval, change, verdict = confidence(samples), paired(samples, base), str(judge(claim, samples))
    size = abs(usual) or nan
    return {
        "parameter": variant.parameter, "factor": variant.factor, "usual": variant.usual, "value": variant.value,
        "id": claim.id, "role": str(claim.role), "low": claim.low, "high": claim.high,
        "base": usual, "base_verdict": before,
        "simulated": interval.mean, "ci_low": interval.low, "ci_high": interval.high,
        "change": change.mean / size, "change_low": change.low / size, "change_high": change.high / size,
        "verdict": verdict, "flips": {before, verdict} == set(DECIDED), "why": why,
    }  # fmt: skip


def _reason(rows: Sequence[Mapping[Any, Any]]) -> str:
    """Why a trial is impossible, by the first of its replications that says so; empty where none does."""
    return next((text for row in rows if isinstance(text := row.get(IMPOSSIBLE), str)), "")


def standing(frame: pd.DataFrame) -> pd.DataFrame:
    """One row for each claim: by how many variants it ``flips``, in how many it is ``undecided``, if it ``stands``.

    It stands if it is decided, and decided alike, as assumed and in every variant that is possible.
    """
    rows = []
    for (name, role, before), found in frame.groupby(["id", "role", "base_verdict"], sort=False):
        flips, undecided = int(found["flips"].sum()), int(found["verdict"].eq(str(Verdict.UNDECIDED)).sum())
        stands = before in DECIDED and not flips and not undecided
        rows.append({"id": name, "role": role, "base_verdict": before, "flips": flips, "undecided": undecided,
                     "stands": stands})  # fmt: skip
    return pd.DataFrame(rows)


def stand(frame: pd.DataFrame) -> str:
    """In one sentence, how many verdicts hang on no single assumption."""
    found = standing(frame)
    predictions = found[found["role"].isin(PREDICTIONS)]
    flip = int(found["flips"].gt(0).sum())
    stand = int(found["stands"].sum())
    return (
        f"{stand} of {len(found)} verdicts stand whatever assumption is halved or doubled, "
        f"{predictions['stands'].sum()} of the {len(predictions)} predictions and shapes among them; "
        f"of the others {flip} can be flipped, {len(found) - stand - flip} not always decided."
    )


@dataclass(frozen=True)
class Sensitivity:
    """A *frame* of sensitivity as it was written; *stale* if claims or parameters have been changed since."""

    frame: pd.DataFrame
    stale: bool


def write_sensitivity(path: Path, frame: pd.DataFrame, system: System, said: Mapping[str, object]) -> None:
    """*frame* as a table that knows what it was made from, beside what else is to be *said*."""
    write_table(frame, path, {**said, MADE_FROM: _digest(system)})


def read_sensitivity(path: Path, system: System) -> Sensitivity | None:
    """What write_sensitivity wrote; None where there is nothing."""
    if not path.exists():
        return None
    frame = read_table(path)
    if tuple(frame.columns) != COLUMNS:
        raise UserError(f"{path} is no table of sensitivity: its columns are not {', '.join(COLUMNS)}")
    frame["why"] = ["" if text != text else text for text in frame["why"]]
    return Sensitivity(frame, frame.attrs["provenance"].get(MADE_FROM) != _digest(system))


def _digest(system: System) -> str:
    """Of all that decides a verdict but the code; the words and notes of a claim do not."""
    judged = [(each.id, str(each.role), each.low, each.high, each.experiment, each.measure) for each in scored(system)]
    return fingerprint((judged, system.parameters, variants(system.parameters))).hex()
