"""Rules of a drive's electronics that are choices of the model, each with what might be chosen instead."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sim.disc.buffer.arm import BufferedArm, mechanism_of
from sim.disc.buffer.read_ahead import TrackByTrack
from sim.disc.buffer.sheet import After, Buffer, ImmediateReporting
from sim.disc.layout import Layout
from sim.disc.mechanism import DiscType, Mechanism
from sim.request import Span

STANDS = "as it stands"


@dataclass(frozen=True)
class RuledDrive:
    """The *disc* of a sheet, and *arms* that each do one thing otherwise than a BufferedArm; rules change either."""

    disc: DiscType
    arms: tuple[type[BufferedArm], ...] = ()

    def mechanism(self) -> Mechanism:
        if self.disc.buffer is None:
            return mechanism_of(self.disc)
        kind: type[BufferedArm] = type("RuledArm", (*self.arms, BufferedArm), {})
        return kind(self.disc, self.disc.buffer)


RuleChange = Callable[[RuledDrive], RuledDrive]


@dataclass(frozen=True)
class DriveRule:
    """What the model does now is STANDS; *instead* are other ways to treat a drive's sheet, by name."""

    name: str
    instead: Mapping[str, RuleChange]


def ruled(disc: DiscType, choices: Mapping[str, str]) -> RuledDrive:
    """A drive with *choices*, by the names of rules; others are as they stand."""
    drive = RuledDrive(disc)
    for rule in RULES:
        choice = choices.get(rule.name, STANDS)
        drive = drive if choice == STANDS else rule.instead[choice](drive)
    return drive


@dataclass(frozen=True)
class _InAnySegment:
    """Reads ahead track by track after every read, also into a segment that cannot hold a track."""

    ahead: TrackByTrack

    def limit(self, layout: Layout, kept: range, sequential: bool) -> int:
        return self.ahead.limit(layout, kept, True)


class _NeverAtRest(BufferedArm):
    def _rested(self) -> float:
        return 0.0


class _AlwaysAtRest(BufferedArm):
    def _rested(self) -> float:
        after = self.buffer.overheads.read_hit
        return 0.0 if self._ahead is not None or self._wrote else max(0.0, after.write - after.read)


class _GoesOn(BufferedArm):
    """A write elsewhere than where the write before ended costs as one after a read.

    Not where a sheet has the second disconnect, which is such a rule.
    """

    def _write(self, now: float, span: Span, first: int, stop: int) -> tuple[float, float, float, float, float]:
        if first != self._write_stop and self.buffer.overheads.second_disconnect is None:
            self._wrote = False
        return super()._write(now, span, first, stop)


class _OnTrack(BufferedArm):
    """A write for which the arm has to move, or another head to be selected, costs as one after a read.

    Not where a sheet has the second disconnect, which begins where a write does not go on.
    """

    def _write(self, now: float, span: Span, first: int, stop: int) -> tuple[float, float, float, float, float]:
        place = self.locate(span.first)
        if (place.cylinder, place.head) != self._head.arm and self.buffer.overheads.second_disconnect is None:
            self._wrote = False
        return super()._write(now, span, first, stop)


def _arm(kind: type[BufferedArm]) -> RuleChange:
    return lambda drive: replace(drive, arms=(*drive.arms, kind))


def _disc(change: Callable[[DiscType], DiscType]) -> RuleChange:
    return lambda drive: replace(drive, disc=change(drive.disc))


def _buffer(change: Callable[[Buffer], Buffer]) -> RuleChange:
    return _disc(lambda disc: disc if disc.buffer is None else replace(disc, buffer=change(disc.buffer)))


def _holding(blocks: int) -> RuleChange:
    """Those that collect all of a write, because their sheet says so, go on to."""
    return _buffer(lambda buffer: buffer if buffer.holds == buffer.blocks else replace(buffer, holds=blocks))


def _reports(intermixed: bool) -> RuleChange:
    return _buffer(
        lambda buffer: buffer if buffer.reports is None else replace(buffer, reports=ImmediateReporting(intermixed)))


def _alike(name: str, pick: Callable[[After], float]) -> RuleChange:
    """The same overhead after a read and after a write."""

    def change(buffer: Buffer) -> Buffer:
        cost = pick(getattr(buffer.overheads, name))
        alike: dict[str, Any] = {name: After(cost, cost)}
        return replace(buffer, overheads=replace(buffer.overheads, **alike))

    return _buffer(change)


def _any_segment(buffer: Buffer) -> Buffer:
    ahead = buffer.read_ahead
    return replace(buffer, read_ahead=_InAnySegment(ahead)) if isinstance(ahead, TrackByTrack) else buffer


RULES = (
    DriveRule("a read at rest", {"costs no more": _arm(_NeverAtRest), "more after hits too": _arm(_AlwaysAtRest)}),
    DriveRule("read-ahead, small segment", {"at once": _buffer(_any_segment)}),
    DriveRule("medium begins a write", {"with 1 sector": _holding(1), "with 2 KB": _holding(4),
                                        "with 8 KB": _holding(16), "with all": _holding(1 << 20)}),
    DriveRule("a write after a write", {"only where it goes on": _arm(_GoesOn),
                                        "only on the arm's track": _arm(_OnTrack)}),
    DriveRule("writes reported", {"in sequence only": _reports(False), "intermixed": _reports(True)}),
    DriveRule("bus takes a read", {"at once": _buffer(lambda buffer: replace(buffer, high_water=0.0)),
                                   "when it is whole": _buffer(lambda buffer: replace(buffer, high_water=1.0))}),
    DriveRule("settling before a write", {
        "as before a read": _disc(lambda disc: replace(disc, write_settle=0.0)),
        "never sooner": _disc(lambda disc: replace(disc, write_settle=max(0.0, disc.write_settle)))}),
    DriveRule("report after a write", {"as after a read": _alike("report", lambda after: after.read),
                                       "the longer of both": _alike("report", max)}),
    DriveRule("miss after a read", {"as after a write": _alike("read_miss", lambda after: after.write)}),
    DriveRule("read begins anywhere", {"never": _buffer(lambda buffer: replace(buffer, starts_anywhere=False)),
                                       "always": _buffer(lambda buffer: replace(buffer, starts_anywhere=True))}),
)  # fmt: skip
"""Only some bear on each drive: the others leave its answers as they are."""
