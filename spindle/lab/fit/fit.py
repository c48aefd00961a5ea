"""Fits a drive sheet in steps: chooses its buffer and turns its numbers (knobs) until simulated times are nearest."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from scipy.optimize import minimize

from spindle.lab.drives.timed_requests import TimedRequests, Times, answer_times
from spindle.lab.fit.buffer_choices import CHOICES
from spindle.lab.fit.first_sheet import StartingSheets
from spindle.sim.disc.buffer_sheet import After, Buffer
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.seek import TableSeek
from spindle.sim.units import MS
from spindle.studies.demerit import demerit

# The numbers of a sheet that a fit may change, each with the bounds within which it searches.

@dataclass(frozen=True)
class SheetKnob:
    """A number of a sheet that a fit may change: *read* returns it, *turned* returns a disc with another value.

    The sheet has it in a *unit* of so many seconds, or 1.

    It is searched from *low* to *high*; *step* is the smallest change that is tried.
    """

    name: str
    read: Callable[[DiscType], float]
    turned: Callable[[DiscType, float], DiscType]
    low: float
    high: float
    unit: float = MS
    step: float = 0.04 * MS


def _buffer(disc: DiscType) -> Buffer:
    assert disc.buffer is not None
    return disc.buffer


def caches(disc: DiscType) -> bool:
    """Tell if the buffer of *disc* keeps anything."""
    return _buffer(disc).segments > 0


def overhead(name: str, high: float, after: str = "", key: str = "") -> SheetKnob:
    """Return the knob of an overhead in milliseconds, *after* a read or a write where these differ."""

    def read(disc: DiscType) -> float:
        value = getattr(_buffer(disc).overheads, name)
        return float(getattr(value, after) if after else value)

    def set_seconds(disc: DiscType, seconds: float) -> DiscType:
        times = _buffer(disc).overheads
        value: Any = getattr(times, name)._replace(**{after: seconds}) if after else seconds
        return replace(disc, buffer=replace(_buffer(disc), overheads=replace(times, **{name: value})))

    return SheetKnob(f"{key or name}_after_{after}" if after else key or name, read, set_seconds, 0.0, high)


def link(way: str) -> SheetKnob:
    def set_seconds(disc: DiscType, seconds: float) -> DiscType:
        changed: dict[str, Any] = {way: seconds}
        return replace(disc, buffer=replace(_buffer(disc), link=replace(_buffer(disc).link, **changed)))

    return SheetKnob({"reading": "read_ms_per_sector", "writing": "write_ms_per_sector"}[way],
                     lambda disc: float(getattr(_buffer(disc).link, way)), set_seconds, 0.0, 1.0 * MS,
                     step=0.002 * MS)


def plain(name: str, key: str, low: float, high: float) -> SheetKnob:
    def set_seconds(disc: DiscType, seconds: float) -> DiscType:
        changed: dict[str, Any] = {name: seconds}
        return replace(disc, **changed)

    return SheetKnob(key, lambda disc: float(getattr(disc, name)), set_seconds, low, high)


HIGH_WATER = SheetKnob("read_high_water_mark", lambda disc: _buffer(disc).high_water,
                       lambda disc, share: replace(disc, buffer=replace(_buffer(disc), high_water=share)),
                       0.0, 1.0, 1.0, 1.0 / 32)


def arm_of(disc: DiscType) -> Sequence[SheetKnob]:
    """Return the knobs of the arm besides the seek curve."""
    return [plain("head_switch", "head_switch_ms", 0.0, disc.revolution),
            plain("write_settle", "write_settle_extra_ms", -2 * MS, 3 * MS)]


def trade_knobs(disc: DiscType) -> list[SheetKnob]:
    """Return knobs that move time between commands and the arm; only the sum of both is observable.

    The first moves all commands against seeks; the second against head switches too, which only requests of several
    tracks determine; a third those of writes against settling, unless writes are reported early.
    """
    knobs = [_arm_traded(disc, False), _arm_traded(disc, True)]
    if _buffer(disc).reports is not None:
        return knobs
    writes = _buffer(disc).overheads.write

    def settling(turning: DiscType, seconds: float) -> DiscType:
        return _add_command_time(replace(turning, write_settle=seconds), 0.0, turning.write_settle - seconds)

    return [*knobs, SheetKnob("write and settling", lambda disc: disc.write_settle, settling, -2 * MS,
                              disc.write_settle + min(writes))]


def _arm_traded(disc: DiscType, switches: bool) -> SheetKnob:
    buffer, seek = _buffer(disc), disc.seek
    assert isinstance(seek, TableSeek)
    waits = buffer.reports is None
    commands = [*buffer.overheads.read_miss, *(buffer.overheads.write if waits else ())]

    def move_time(turning: DiscType, seconds: float) -> DiscType:
        more = seconds - commands[0]
        curve = TableSeek(((0, 0.0), *((distance, max(0.0, at - more)) for distance, at in seek.points[1:])))
        switch = max(0.0, disc.head_switch - more * switches)
        return _add_command_time(replace(disc, seek=curve, head_switch=switch), more, more * waits)

    return SheetKnob("command and arm", lambda disc: _buffer(disc).overheads.read_miss.read, move_time,
                     commands[0] - min(commands), commands[0] + min(at for _, at in seek.points[1:]))


def _add_command_time(disc: DiscType, read: float, write: float) -> DiscType:
    """Add *read* and *write* seconds to each command that waits for the medium."""
    times = _buffer(disc).overheads
    misses, writes = (After(*(max(0.0, each + more) for each in command))
                      for command, more in ((times.read_miss, read), (times.write, write)))
    return replace(disc, buffer=replace(_buffer(disc), overheads=replace(times, read_miss=misses, write=writes)))


def electronics(disc: DiscType) -> list[Sequence[SheetKnob]]:
    """Return the groups of knobs fitted together: hits if anything is kept, reads of the medium, the arm, writes."""
    reports, most = _buffer(disc).reports is not None, disc.revolution
    name, key = ("report", "write_hit") if reports else ("write", "write_miss")
    hits = [overhead("read_hit", most, "read"), overhead("read_hit", most, "write")] if caches(disc) else []
    return [
        [*hits, link("reading")],
        [overhead("read_miss", most, "read"), overhead("read_miss", most, "write"),
         overhead("read_done", 2 * MS, key="read_completion"), *([HIGH_WATER] if caches(disc) else [])],
        arm_of(disc),
        [overhead(name, most, "read", key), overhead(name, most, "write", key), link("writing"),
         overhead("write_done", 2 * MS, key="write_completion"),
         overhead("to_medium", 2 * MS, key="minimum_seek_delay")],
    ]


# The loss: how far simulated times are from the measured ones, as one number and block by block.

LOSS_BLOCKS = 16
"""Parts of the list, one after the other, whose losses are compared as if independent."""

SIGNIFICANT_ERRORS = 2.0
"""Standard errors by which a gain is significant."""
MIN_GAIN = 1e-9
"""The least gain in seconds; less is rounding."""
MEAN_WEIGHT = 1.0
"""The weight of the mean difference. Fitted to demerits alone, errors of a sheet cancel each other in the half of the
requests that it is fitted to, and are larger in the other half: seen on the C2247A."""


@dataclass(frozen=True)
class FitLoss:
    """The number that a fit makes small: demerits, and MEAN_WEIGHT times the mean difference request by request.

    Demerits are added of all requests, of reads and of writes.

    No request counts more than *most* seconds, so that single lost revolutions do not dominate.
    """

    asked: TimedRequests
    most: float
    watch: Callable[[], object] = lambda: None
    """Called before each simulation of all requests, for these take nearly all the time of a fit."""

    @cached_property
    def groups(self) -> tuple[np.ndarray, ...]:
        reads = self.asked.reads
        return tuple(each for each in (np.ones(len(reads), bool), reads, ~reads) if each.any())

    def distances(self, times: Times) -> Times:
        """Return the seconds between each of *times* and the measured one, capped at *most*."""
        return np.minimum(np.abs(times - self.asked.measured), self.most)

    def times(self, disc: DiscType) -> Times:
        self.watch()
        return answer_times(mechanism_of(disc), self.asked)

    def __call__(self, disc: DiscType) -> float:
        return self.total(self.times(disc))

    def total(self, times: Times, chosen: slice = slice(None)) -> float:
        apart = self.distances(times)[chosen].mean()
        measured, times = self.asked.measured[chosen], times[chosen]
        demerits = sum(demerit(measured[group[chosen]], times[group[chosen]])
                       for group in self.groups if group[chosen].any())
        return float(demerits + MEAN_WEIGHT * apart)

    def surely_nearer(self, times: Times, than: Times, errors: float = SIGNIFICANT_ERRORS) -> bool:
        """Tell if *times* are significantly nearer to the measured ones *than* others, by requests or by blocks."""
        apart = self.distances(than) - self.distances(times)
        return significant(apart, errors) or significant(self.by_block(than) - self.by_block(times), errors)

    def by_block(self, times: Times) -> Times:
        """Return the loss in each of LOSS_BLOCKS parts of the list."""
        edges = np.linspace(0, len(times), LOSS_BLOCKS + 1).astype(int)
        return np.array([self.total(times, slice(low, high)) for low, high in pairwise(edges.tolist())])


def significant(gains: Times, errors: float) -> bool:
    """Tell if the mean of *gains* is above 0 by more than *errors* standard errors."""
    error = float(np.std(gains, ddof=1)) / len(gains) ** 0.5
    return bool(gains.mean() > max(errors * error, MIN_GAIN))


BELIEF = 1.0
"""Standard errors by which the answers of a step must be nearer for it to be taken."""
MAX_TRIES = 14
"""Simulations that one number may take in a round."""
STARTS = ("seeks and overheads", "rotation and skews")
"""Names of the first steps: without the angles of sectors, and with them."""
TRADE_RANGE = 2e-3
"""Seconds to each side over which time is moved between commands and the arm."""
SEARCH_RANGE = 1e-3
"""Seconds to each side of a number in which a round searches; a share is searched in its whole range."""


@dataclass(frozen=True)
class FitStage:
    """The sheet after a step of the fit; it is *locked* if the angles of sectors were used for it."""

    name: str
    disc: DiscType
    locked: bool


def fit_stages(start: StartingSheets, loss: FitLoss) -> Iterator[FitStage]:
    """Yield the sheet after each step; the last is the result.

    The seek curve is not changed: searched for the nearest answers, it comes nearer to the half of the requests that it
    is fitted to and farther from the other (C2247A, Cheetah 4LP). Angles on which no zone agrees are not used.
    """
    first = {False: start.loose} | ({True: start.locked} if start.rotation.is_significant else {})
    for locked, disc in first.items():
        yield FitStage(STARTS[locked], disc, locked)
    chosen = {locked: with_choices(disc, loss) for locked, disc in first.items()}
    # A head switch that is assumed too long costs revolutions, but only where the angles are known.
    moved = {locked: loss(with_numbers(disc, arm_of(disc), loss)) for locked, disc in chosen.items()}
    locked = min(moved, key=lambda locked: (moved[locked], not locked))
    disc = chosen[locked]
    yield FitStage("buffer", disc, locked)
    if locked and not caches(disc):
        # Where there are hits, these show the time of a command.
        disc = with_trades(disc, loss)
    for group in electronics(disc):
        disc = with_numbers(disc, group, loss)
    yield FitStage("electronics", disc, locked)
    yield FitStage("buffer again", with_choices(disc, loss), locked)


def with_choices(disc: DiscType, loss: FitLoss) -> DiscType:
    """Make each choice of the buffer in turn; change it to the nearest alternative if that is significantly nearer."""
    best = loss.times(disc)
    for choice in CHOICES:
        for _, other in list(choice.others(disc)):
            times = loss.times(other)
            if loss.total(times) < loss.total(best) and loss.surely_nearer(times, best, BELIEF):
                best, disc = times, other
    return disc


def with_numbers(disc: DiscType, group: Sequence[SheetKnob], loss: FitLoss) -> DiscType:
    """Fit the numbers of *group* by Powell's method; keep them if they are significantly nearer."""
    units = np.array([knob.unit for knob in group])
    reach = np.array([SEARCH_RANGE if knob.unit != 1.0 else inf for knob in group])
    start = np.array([knob.read(disc) for knob in group])
    low = np.maximum(np.array([knob.low for knob in group]), start - reach)
    high = np.minimum(np.array([knob.high for knob in group]), start + reach)
    start = np.clip(start, low, high)

    def build(values: Times) -> DiscType:
        """Build the disc of *values*, clipped, since Powell's method passes a bound by its own rounding."""
        build = disc
        for knob, value in zip(group, np.clip(values, low, high).tolist(), strict=True):
            build = knob.turned(build, value)
        return build

    scale = loss(disc)
    answer = minimize(lambda values: loss(build(values * units)) / scale, start / units, method="Powell",
                     bounds=list(zip(low / units, high / units, strict=True)),
                     options={"maxfev": MAX_TRIES * len(group), "xtol": 0.01, "ftol": 1e-3})
    better = build(answer.x * units)
    return better if _is_nearer(better, disc, loss) else disc


def with_trades(disc: DiscType, loss: FitLoss) -> DiscType:
    """Move time between command overhead and the arm, which single requests cannot separate, if significantly better.

    The difference request by request is used, and not demerits, where one missed sector offsets another that is not. It
    only changes where a sector is just missed, so it falls in steps; the middle of the lowest step is taken.
    """
    for number in range(len(trade_knobs(disc))):
        knob = trade_knobs(disc)[number]
        low, high = max(knob.low, knob.read(disc) - TRADE_RANGE), min(knob.high, knob.read(disc) + TRADE_RANGE)
        for _ in range(2):
            low, high = _lowest(disc, knob, np.linspace(low, high, 2 * MAX_TRIES), loss)
        better = knob.turned(disc, (low + high) / 2.0)
        gains = loss.distances(loss.times(disc)) - loss.distances(loss.times(better))
        disc = better if significant(gains, SIGNIFICANT_ERRORS) else disc
    return disc


def _lowest(disc: DiscType, knob: SheetKnob, values: Times, loss: FitLoss) -> tuple[float, float]:
    """Return the ends of the step around the best of *values*, within which no further request loses a revolution."""
    apart = np.array([loss.distances(loss.times(knob.turned(disc, value))).mean() for value in values.tolist()])
    best = int(np.argmin(apart))
    worse = np.flatnonzero(apart > apart[best] + loss.most / len(loss.asked) / 2.0)
    low, high = worse[worse < best].max(initial=0), worse[worse > best].min(initial=len(values) - 1)
    return float(values[low]), float(values[high])


def _is_nearer(better: DiscType, disc: DiscType, loss: FitLoss) -> bool:
    """Tell if *better* has a smaller loss, and is significantly nearer by requests or by blocks."""
    times, than = loss.times(better), loss.times(disc)
    return loss.total(times) < loss.total(than) and loss.surely_nearer(times, than, BELIEF)
