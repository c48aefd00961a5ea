"""Work of a Series III ported to a 64, in the steady state: answers a second, and what the CPU does meanwhile."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from models.hp3000.parameters import MpeParameters
from models.hp3000.runs.loads import Row, mixed, row
from models.hp3000.series import SERIES_64, SERIES_III, SeriesModel

TERMINALS = 21


def ported_to(series: SeriesModel) -> SeriesModel:
    """*series* with the discs of a Series III."""
    return replace(series, discs=SERIES_III.discs, channels=SERIES_III.channels, drive=SERIES_III.drive)


MACHINES: Mapping[str, tuple[SeriesModel, bool]] = {
    "Series III": (SERIES_III, False),
    "64, its discs": (ported_to(SERIES_64), False),
    "64, six 7933": (SERIES_64, False),
    "64, caching": (SERIES_64, True),
}
"""Each with whether it caches; the second has the discs of the first."""


def ported(machine: str, pace: float, think_scale: float = MpeParameters.think_scale, **others: Any) -> Row:
    """21 clerks on that *machine*; *pace* multiplies their think times."""
    series, caching = MACHINES[machine]
    return row(mixed(TERMINALS, 0, series=series, caching=caching, think_scale=pace * think_scale, **others))
