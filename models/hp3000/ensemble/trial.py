"""One member from end to end: fitted to the uncached machine, verified on unseen seeds, and only then cached."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from models.hp3000.ensemble.cached import Bench, One, fetches, gains, misfits
from models.hp3000.ensemble.fitting import CLOSE, NEAR, fit
from models.hp3000.ensemble.member import Member
from models.hp3000.ensemble.member import member as member_of
from models.hp3000.ensemble.start import CLERKS, PROGRAMMERS, first_guess, hopeless, slopes
from models.hp3000.ensemble.target import away, missed
from models.hp3000.ensemble.work import Knobs, simulate
from sim.error import UserError

DEFAULT = 0
FITTING_SEED = 1
"""The same for all steps of all fits, so that a step changes nothing but the knobs."""

CHECKING_SEED = 11
"""Of the first check, on a longer run; each further one has the next. What it misses is corrected by a step, and each
such step is a smaller share of a whole one than that before (Robbins & Monro 1951), so that noise averages out."""

UNSEEN_SEED = 101
"""The first of those that no fit has seen. All measured conditions of all members share them."""


@dataclass(frozen=True)
class Extent:
    """Simulated minutes: of a step of the fit, of a check, of what has to be precise, of a gain, of a misfit.

    A fit takes at most so many *steps* and so many *rounds* of checks. What has to be precise is run with so many
    *seeds*, the rest with the first of them.
    """

    warm_up: float = 1.5
    fitting: float = 4.0
    checking: float = 7.0
    precise: float = 7.0
    gain: float = 4.0
    short: float = 2.5
    steps: int = 5
    rounds: int = 2
    seeds: int = 2

    @property
    def unseen(self) -> range:
        return range(UNSEEN_SEED, UNSEEN_SEED + self.seeds)


def trial(extent: Extent, member: int) -> dict[str, Any]:
    """Member number *member* as cells of a row; where there are fewer, it was not kept, and ``why`` says the reason.

    The default machine is not fitted, and measured to the end whether it is kept or not.
    """
    chosen = member_of(member)
    row = {**chosen.row(), "kept": False, "why": ""}
    one = partial(_run, chosen, extent.warm_up)
    try:
        knobs = Knobs()
        if member != DEFAULT:
            row |= _fitted(chosen, one, extent)
            if row["why"]:
                return row
            knobs = Knobs(*(row[name] for name in Knobs().row()))
        bench = Bench(one, knobs, extent.unseen)
        plain = bench.loaded(False, extent.precise)
        why = missed(plain)
        row |= {**knobs.row(), **_named("plain", plain), "kept": not why, "why": f"unseen seeds: {why}" if why else ""}
        return row if why and member != DEFAULT else row | _cached(bench, plain, extent)
    except UserError as error:
        return {**row, "kept": False, "why": str(error)}


def _fitted(chosen: Member, one: One, extent: Extent) -> dict[str, Any]:
    """The knobs, how many steps and rounds they took, and why they are no good, if they are not."""
    why = hopeless(chosen)
    if why:
        return {"why": why}

    def away_from(seed: int, minutes: float, logs: Sequence[float]) -> list[float]:
        return away(one(Knobs.of(logs), CLERKS, PROGRAMMERS, False, seed, minutes))

    short = partial(away_from, FITTING_SEED, extent.fitting)
    found = fit(short, first_guess(chosen).logs, slopes(chosen), extent.steps)
    rounds, far = 0, 0.0
    while not found.why and rounds < extent.rounds:
        left = away_from(CHECKING_SEED + rounds, extent.checking, list(found.at))
        rounds, far = rounds + 1, max(map(abs, left))
        found = found.corrected(left, 1.0 / (rounds + (far <= CLOSE)))
        if far <= CLOSE:
            break
    if far > NEAR:
        found = replace(found, why=f"the last of {rounds} checks on longer runs was {far:.0%} away")
    return {**Knobs.of(list(found.at)).row(), "steps": found.steps, "rounds": rounds, "why": found.why}


def _run(
    chosen: Member, warm_up: float, knobs: Knobs, clerks: int, programmers: int, caching: bool, seed: int,
    minutes: float, **changes: Any,
) -> dict[str, float]:  # fmt: skip
    return simulate(chosen, knobs, clerks, programmers, caching, seed, minutes, warm_up, **changes)


def _cached(bench: Bench, plain: Mapping[str, float], extent: Extent) -> dict[str, float]:
    cached = bench.loaded(True, extent.precise)
    return {
        **_named("cached", cached),
        "ratio": plain["response_mean"] / cached["response_mean"],
        **gains(bench, extent.gain), **fetches(bench, extent.short), **misfits(bench, extent.short),
    }  # fmt: skip


def _named(prefix: str, summary: Mapping[str, float]) -> dict[str, float]:
    return {f"{prefix}_{name}": value for name, value in summary.items()}
