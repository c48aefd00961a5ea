"""Where caching should not pay: each misfit without and with it, and blocks that are read once."""

from collections.abc import Mapping
from typing import Any

from models.hp3000.experiments.blocks import FETCH, ONCE, lists
from models.hp3000.experiments.misfits import MISFITS, misfit
from models.hp3000.trials.loads import FILLING, MORE, runs

MINUTES = 6.0


def misfits(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """The four conditions; what each gains, and how far it is met."""

    def one(clerks: int, programmers: int, caching: bool, seed: object, **changes: Any) -> Mapping[str, float]:
        return runs(clerks, programmers, seed, MINUTES, length, {**parameters, **changes})(caching=caching).summary()

    return {measure: value for name in MISFITS for measure, value in misfit(name, one, seed).items()}


def read_once(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """21 clerks who list blocks as large as a fetch, and nothing again: what is gained, and how often a read hits."""
    times = {"minutes": MINUTES * length, "warm_up": FILLING + MORE * length, "seed": seed}
    others = {name: value for name, value in parameters.items() if name not in ONCE}
    plain, cached = (lists(FETCH, caching=on, **times, **others).summary() for on in (False, True))
    return {"gain": 1.0 - cached["response_mean"] / plain["response_mean"], "hit_ratio": cached["hit_ratio"]}
