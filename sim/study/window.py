"""How long the runs of a study are, as arguments of its run function; they belong to the question."""

from collections.abc import Mapping
from dataclasses import dataclass

SHORTER = 10
"""How much less a quick look measures."""
QUICK_WARM_UP = 0.6
"""Minutes, at most: enough for queues to form, not for a large cache to fill."""
LEAST_REQUESTS = 1_000
"""A cache has to fill before its hits mean anything."""


@dataclass(frozen=True)
class StudyWindow:
    """Arguments of a run: *usual* ones, by which claims are judged, and *quick* ones for a look that judges nothing."""

    usual: Mapping[str, object]
    quick: Mapping[str, object]


def minutes(measured: float, warm_up: float = 5.0) -> StudyWindow:
    """Minutes measured after minutes of warm-up."""
    quick = {"minutes": measured / SHORTER, "warm_up": min(warm_up, QUICK_WARM_UP)}
    return StudyWindow({"minutes": measured, "warm_up": warm_up}, quick)


def seconds(measured: float, shorter: float = SHORTER) -> StudyWindow:
    """A trial of so many seconds."""
    return StudyWindow({"seconds": measured}, {"seconds": measured / shorter})


def requests(count: int) -> StudyWindow:
    """So many requests of a trace."""
    return StudyWindow({"requests": count}, {"requests": min(count, max(LEAST_REQUESTS, count // SHORTER))})


UNTIMED = StudyWindow({}, {})
"""For what has no length: inputs of a model, arithmetic, a program that runs until it ends."""
