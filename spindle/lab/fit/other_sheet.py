"""Compares a fitted sheet with another sheet of the same drive: number by number, and if the data contradict it."""

from collections.abc import Iterator

from spindle.lab.fit.buffer_choices import CHOICES
from spindle.lab.fit.fit import electronics
from spindle.lab.fit.seek_curve import point_name
from spindle.lab.fit.sheet_number import FITTED, SheetNumber
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.units import MS

PRINTED_ROUNDING = 5e-7
"""Relative rounding of a number with seven digits."""


def numbers_of(other: DiscType, fitted: DiscType) -> dict[str, str]:
    """Return the *other* sheet's numbers by the names of a *fitted* sheet's, without those that it lacks."""
    return dict([("rpm", f"{other.rpm:.7g}"), *_skews(other), *_seeks(other, fitted), *_buffer(other)])


def contradicts(number: SheetNumber, says: str) -> bool:
    """Tell if the data exclude *says*, the value that another sheet has for the fitted *number*; '' if it has none."""
    if not says or number.source != FITTED:
        return False
    if number.low <= number.high:
        rounding = abs(float(says)) * PRINTED_ROUNDING
        return not number.low - rounding <= float(says) <= number.high + rounding
    return says not in (number.value, *number.others)


def _skews(disc: DiscType) -> Iterator[tuple[str, str]]:
    for number, zone in enumerate(disc.layout.zones):
        yield f"track_skew_sectors, zone {number}", f"{zone.track_skew:.4g}"
        yield f"cyl_skew_sectors, zone {number}", f"{zone.cylinder_skew:.4g}"


def _seeks(disc: DiscType, fitted: DiscType) -> Iterator[tuple[str, str]]:
    assert isinstance(fitted.seek, TableSeek)
    for distance, _ in fitted.seek.points[1:]:
        yield point_name(distance), f"{disc.seek(distance) / MS:.4g}"


def _buffer(disc: DiscType) -> Iterator[tuple[str, str]]:
    if disc.buffer is None:
        return
    for knob in (knob for group in electronics(disc) for knob in group):
        yield knob.name, f"{knob.read(disc) / knob.unit:.4g}"
    for choice in CHOICES:
        yield choice.key, choice.value(disc)
