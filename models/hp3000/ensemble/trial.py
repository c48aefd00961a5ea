"""One member from end to end: fitted to the uncached machine, checked on other seeds, and only then cached."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from models.hp3000.ensemble.cached import Bench, One, fetches, gains, misfits
from models.hp3000.ensemble.fitting import Fit, fit
from models.hp3000.ensemble.member import Member
from models.hp3000.ensemble.member import member as member_of
from models.hp3000.ensemble.start import CLERKS, PROGRAMMERS, first_guess, slopes
from models.hp3000.ensemble.target import away, missed
from models.hp3000.ensemble.work import Knobs, simulate
from sim.mistake import Mistake

DEFAULT = 0
FITTING_SEED = 1
"""The same for all steps of all fits, so that a step changes nothing but the knobs."""


@dataclass(frozen=True)
class Extent:
    """Simulated minutes: of a step of the fit, of a run that checks it or is to be precise, of one that is not.

    A development session edits, compiles and tests in about six minutes; other lengths would see part of that.
    A fit takes at most so many *steps*, and each of the *rounds* of checks has *seeds* that were not seen before.
    """

    warm_up: float = 2.0
    fitting: float = 6.0
    checking: float = 12.0
    short: float = 5.0
    steps: int = 8
    rounds: int = 4
    seeds: int = 2

    def unseen(self, turn: int) -> range:
        first = FITTING_SEED + 1 + turn * self.seeds
        return range(first, first + self.seeds)


def trial(extent: Extent, member: int) -> dict[str, Any]:
    """Member number *member* as cells of a row; where there are fewer, it was not kept, and ``why`` says the reason.

    The default machine is not fitted, and measured to the end whether it is kept or not.
    """
    chosen = member_of(member)
    row = {**chosen.row(), "kept": False, "why": ""}
    one = partial(_run, chosen, extent.warm_up)
    try:
        if member == DEFAULT:
            bench = Bench(one, Knobs(), extent.unseen(0))
            plain = bench.loaded(False, extent.checking)
        else:
            found = _fitted(chosen, one, extent)
            row |= {**Knobs.of(list(found.at)).row(), "steps": found.steps, "why": found.why}
            if found.why:
                return row
            bench, plain = _checked(one, found, extent)
        why = missed(plain)
        row |= {**bench.knobs.row(), **_named("plain", plain), "kept": not why, "why": why}
        return row if why and member != DEFAULT else row | _cached(bench, plain, extent)
    except Mistake as mistake:
        return {**row, "kept": False, "why": str(mistake)}


def _fitted(chosen: Member, one: One, extent: Extent) -> Fit:
    def measure(logs: Sequence[float]) -> list[float]:
        return away(one(Knobs.of(logs), CLERKS, PROGRAMMERS, False, FITTING_SEED, extent.fitting))

    return fit(measure, first_guess(chosen).logs, slopes(chosen), extent.steps)


def _checked(one: One, found: Fit, extent: Extent) -> tuple[Bench, dict[str, float]]:
    """On longer runs with other seeds; what misses there is corrected, and checked anew.

    Each correction is a smaller share of a step than the one before (Robbins & Monro 1951), so that noise averages out.
    """
    for turn in range(extent.rounds):
        bench = Bench(one, Knobs.of(list(found.at)), extent.unseen(turn))
        plain = bench.loaded(False, extent.checking)
        if not missed(plain):
            break
        found = found.corrected(away(plain), 1.0 / (turn + 1))
    return bench, plain


def _run(
    chosen: Member, warm_up: float, knobs: Knobs, clerks: int, programmers: int, caching: bool, seed: int,
    minutes: float, **changes: Any,
) -> dict[str, float]:  # fmt: skip
    return simulate(chosen, knobs, clerks, programmers, caching, seed, minutes, warm_up, **changes)


def _cached(bench: Bench, plain: Mapping[str, float], extent: Extent) -> dict[str, float]:
    cached = bench.loaded(True, extent.checking)
    return {
        **_named("cached", cached),
        "ratio": plain["response_mean"] / cached["response_mean"],
        **gains(bench, extent.checking), **fetches(bench, extent.short), **misfits(bench, extent.short),
    }  # fmt: skip


def _named(prefix: str, summary: Mapping[str, float]) -> dict[str, float]:
    return {f"{prefix}_{name}": value for name, value in summary.items()}
