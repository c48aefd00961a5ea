"""Gives each number of a fitted sheet an interval, and puts numbers that the data do not determine back to assumed."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from spindle.lab.drives.timed_requests import Times
from spindle.lab.fit.buffer_choices import CHOICES
from spindle.lab.fit.first_sheet import StartingSheets
from spindle.lab.fit.fit import BELIEF, FitLoss, FitStage, SheetKnob, electronics
from spindle.lab.fit.seek_curve import point_name
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.units import MS

STEPS_TO_A_BOUND = 6
"""Values tried to each side of a number until answers are worse; each step is twice as long as the one before."""


@dataclass(frozen=True)
class DeterminedSheet:
    """The result of a fit: a *disc* whose undetermined numbers have assumed values, and each number's source."""

    disc: DiscType
    numbers: tuple[SheetNumber, ...]


def keep_determined(last: FitStage, start: StartingSheets, loss: FitLoss) -> DeterminedSheet:
    """Keep the numbers of the *last* stage that the data determine; put all others back to those of the *start*."""
    disc, numbers = last.disc, list[SheetNumber]()
    intervals, first = start.intervals[last.locked], start.locked if last.locked else start.loose
    times = loss.times(disc)
    for knob in [knob for group in electronics(disc) for knob in group]:
        low, high = (_reach(disc, knob, sign, loss, times) for sign in (-1.0, 1.0))
        if low > -inf or high < inf:
            numbers.append(_number_within(knob, disc, max(low, knob.low), high))
            continue
        value, back = knob.read(disc), knob.turned(disc, knob.read(first))
        answers = loss.times(back)
        if loss.surely_nearer(times, answers, BELIEF):
            ends = (knob.read(first), inf) if knob.read(first) < value else (knob.low, knob.read(first))
            numbers.append(_number_within(knob, disc, *ends))
            continue
        disc, times = back, answers
        numbers.append(_number_within(knob, disc, *intervals.get(knob.name, (inf, -inf))))
    assert isinstance(disc.seek, TableSeek)
    for distance, seconds in disc.seek.points[1:]:
        moved = seconds - first.seek(distance)
        low, high = (max(0.0, end + moved) for end in intervals[point_name(distance)])
        numbers.append(SheetNumber(point_name(distance), f"{seconds / MS:.4g}", FITTED, low / MS, high / MS))
    return DeterminedSheet(disc, (*numbers, *_choices(disc, loss)))


def _number_within(knob: SheetKnob, disc: DiscType, low: float, high: float) -> SheetNumber:
    source = FITTED if low <= high else ASSUMED
    return SheetNumber(knob.name, f"{knob.read(disc) / knob.unit:.4g}", source, low / knob.unit, high / knob.unit)


def _reach(disc: DiscType, knob: SheetKnob, sign: float, loss: FitLoss, times: Times) -> float:
    """Return the value of *knob* on one side from which answers are significantly worse; infinite if there is none."""
    value, step = knob.read(disc), knob.step
    for _ in range(STEPS_TO_A_BOUND):
        turned = min(max(value + sign * step, knob.low), knob.high)
        if loss.surely_nearer(times, loss.times(knob.turned(disc, turned))):
            return turned
        if turned in (knob.low, knob.high):
            break
        step *= 2.0
    return sign * inf


def _choices(disc: DiscType, loss: FitLoss) -> Iterator[SheetNumber]:
    times = loss.times(disc)
    for choice in CHOICES:
        value, others = choice.value(disc), list(choice.others(disc))
        if not others:
            continue
        bearable = tuple(name for name, other in others
                         if not loss.surely_nearer(times, loss.times(other)))
        yield SheetNumber(choice.key, value, ASSUMED if len(bearable) == len(others) else FITTED, others=bearable)
