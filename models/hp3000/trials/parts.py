"""What parts of the machine do by themselves: a hit, an access, discs that do nothing else, and work that is ported."""

from collections.abc import Mapping
from typing import Any

from models.hp3000.experiments.hybrid import NO_THINKING
from models.hp3000.experiments.series_work import ported
from models.hp3000.instruments.unit_test import disc_rate
from models.hp3000.instruments.unloaded import unloaded_reads
from models.hp3000.series import SERIES_64, SERIES_III
from sim.units import MINUTE, MS

ANSWERS = 40
"""That each terminal gives in the ported work, at full length."""


def hit_time(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """A hit and a miss on an idle machine, in milliseconds, whatever the *seed*; by definition of the parameters."""
    hit, miss = unloaded_reads(caching=True, **parameters)
    _, access = unloaded_reads(caching=False, **parameters)
    return {"hit_ms": hit / MS, "miss_ms": miss / MS, "access_ms": access / MS}


def unit_tests(seed: object, length: float = 1.0, **parameters: Any) -> Mapping[str, float]:
    """Disc accesses a second of processes that do nothing else, on a Series III and a 64."""
    seconds = 2 * MINUTE * length
    three, new = (disc_rate(each, seconds=seconds, seed=seed, **parameters) for each in (SERIES_III, SERIES_64))
    return {"series_iii": three, "series_64": new}


def ported_work(seed: object, length: float = 1.0, **parameters: Any) -> Mapping[str, float]:
    """Work of a Series III on a 64 with its discs, by how much it is shorter; and what the CPU alone would promise."""
    answers = max(1, round(ANSWERS * length))
    gains = []
    for think in (NO_THINKING, 1.0):
        old, new = (ported(each, think, answers, seed, **parameters)["elapsed"]
                    for each in ("Series III", "64, its discs"))  # fmt: skip
        gains.append(1.0 - new / old)
    times = SERIES_64.mips / SERIES_III.mips
    return {
        "shorter": gains[0], "shorter_with_thought": gains[1], "promised_minutes": 20 / times,
        "far_less": float(max(gains) < 1.0 - 1.0 / times),
    }  # fmt: skip
