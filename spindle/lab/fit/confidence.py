"""Numbers of a fitted sheet: the interval that the data allow, fitted or assumed; and another sheet's numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from spindle.lab.drives.timed_requests import TimedRequests, Times
from spindle.lab.fit.first_sheet import CHOICES, StartingSheets, point_name
from spindle.lab.fit.fit import BELIEF, FitLoss, FitStage, SheetKnob, electronics
from spindle.lab.fit.geometry import DriveGeometry, observe
from spindle.lab.fit.rotation import ReadPhases, Rotation, rotation_of
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.units import MS

FITTED, ASSUMED = "fitted", "assumed"
STEPS = 6
"""Steps to each side, each twice as long as the one before."""


@dataclass(frozen=True)
class SheetNumber:
    """One number of the sheet, in its unit, with its *source*, FITTED or ASSUMED, and the alternatives.

    A fitted one lies between *low* and *high*; of a choice, *others* are as near to what was measured.
    """

    name: str
    value: str
    source: str
    low: float = inf
    high: float = -inf
    others: tuple[str, ...] = ()

    @property
    def bears(self) -> str:
        """The interval or the other values that the data allow, as text."""
        if self.low <= self.high:
            return f"{self.low:.5g} " + (f"to {self.high:.5g}" if self.high < inf else "or more")
        return " or ".join(self.others)


@dataclass(frozen=True)
class DeterminedSheet:
    """A *disc* in which undetermined numbers are back at their assumed values, and the source of each number."""

    disc: DiscType
    numbers: tuple[SheetNumber, ...]


def keep_determined(last: FitStage, start: StartingSheets, loss: FitLoss) -> DeterminedSheet:
    """Keep of the *last* stage the numbers that the data determine; put the others back to the *start*."""
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
    for _ in range(STEPS):
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


def rotation_numbers(
    geometry: DriveGeometry, last: FitStage, rotation: Rotation, halves: Sequence[float]
) -> Iterator[SheetNumber]:
    """Yield the speed in rpm, with an interval from both *halves*; and the skews of zones on which angles agree."""
    zones = geometry.disc.layout.zones
    if not last.locked:
        yield SheetNumber("rpm", f"{last.disc.rpm:.7g}", ASSUMED)
        yield SheetNumber("skews", "just enough for a switch", ASSUMED)
        return
    speeds = (last.disc.rpm, *halves)
    yield SheetNumber("rpm", f"{last.disc.rpm:.7g}", FITTED, min(speeds), max(speeds))
    for number, zone in enumerate(zones):
        peak, turn = rotation.peaks.get(number), rotation.turns[number]
        for key, skew in (("track_skew_sectors", turn.track), ("cyl_skew_sectors", turn.cylinder)):
            sectors = skew % 1.0 * zone.sectors_per_track
            name = f"{key}, zone {number}"
            if peak is not None and peak.is_significant:
                yield SheetNumber(name, f"{sectors:.0f}", FITTED, sectors - peak.slack, sectors + peak.slack)
            else:
                yield SheetNumber(name, f"{sectors:.1f}", ASSUMED)


def rpm_of_halves(geometry: DriveGeometry, asked: TimedRequests, link: float) -> list[float]:
    """Return the speeds found from the first and the second half of the requests, if their reads are near enough."""
    middle, speeds = len(asked) // 2, []
    for half in (slice(0, middle), slice(middle, None)):
        rotation = read_rotation(geometry, asked.part(half), link)
        if rotation.is_significant:
            speeds.append(60.0 / rotation.period)
    return speeds


def read_rotation(geometry: DriveGeometry, asked: TimedRequests, link: float) -> Rotation:
    """Find the rotation from reads of the medium alone; *link* is the seconds of a block to the host."""
    seen = observe(geometry.disc.layout, asked)
    reads = ReadPhases(seen, seen.reads & seen.unbuffered & seen.on_one_track, link)
    return rotation_of(reads, geometry.disc.revolution, len(geometry.disc.layout.zones))


# The numbers of a fit in another sheet of the same drive, and which of these the data contradict.

ROUNDING = 5e-7
"""Relative rounding of a number with seven digits."""


def numbers_of(other: DiscType, fitted: DiscType) -> dict[str, str]:
    """Return the *other* sheet's numbers by the names of a *fitted* sheet's, without those that it lacks."""
    return dict([("rpm", f"{other.rpm:.7g}"), *_skews(other), *_seeks(other, fitted), *_buffer(other)])


def contradicts(number: SheetNumber, says: str) -> bool:
    """Tell if the data exclude the value that another sheet *says* for the fitted *number*; '' is none."""
    if not says or number.source != FITTED:
        return False
    if number.low <= number.high:
        rounding = abs(float(says)) * ROUNDING
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
