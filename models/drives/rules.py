"""Rules of a drive's electronics that are choices of the model, each with what might be chosen instead."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sim.disc.buffer.arm import BufferedArm, mechanism_of
from sim.disc.buffer.electronics import Electronics
from sim.disc.buffer.read_ahead import TrackByTrack
from sim.disc.buffer.sheet import After, Buffer, ImmediateReporting
from sim.disc.layout import Layout, SectorPlace
from sim.disc.mechanism import ArmPosition, DiscType, Mechanism
from sim.request import Op

STANDS = "as it stands"


@dataclass(frozen=True)
class RuledDrive:
    """The *disc* of a sheet, and *kinds* of electronics that each do one thing otherwise; rules change either."""

    disc: DiscType
    kinds: tuple[type[Electronics], ...] = ()

    def mechanism(self) -> Mechanism:
        if self.disc.buffer is None:
            return mechanism_of(self.disc)
        kind: type[Electronics] = type("RuledElectronics", (*self.kinds, Electronics), {})
        return BufferedArm(self.disc, self.disc.buffer, kind(self.disc.buffer))


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


class _NeverAtRest(Electronics):
    def rest(self, buffer: Buffer) -> float:
        return 0.0


class _AlwaysAtRest(Electronics):
    def hit(self, first: int) -> float:
        return super().hit(-1)


class _MissAsWritten(Electronics):
    """A miss takes what the sheet gives for it after a read, and after a write."""

    def __init__(self, buffer: Buffer) -> None:
        super().__init__(buffer)
        self._choose()

    def done(self, op: Op, stop: int) -> None:
        super().done(op, stop)
        self._choose()

    def _choose(self) -> None:
        self.miss = self.buffer.overheads.read_miss[self.wrote] + self.at_rest


class _MissInARow(Electronics):
    def __init__(self, buffer: Buffer) -> None:
        super().__init__(buffer)
        self.miss -= self.at_rest


class _Anywhere(Electronics):
    def near(self, place: SectorPlace, at: ArmPosition) -> bool:
        return self.wrote


class _InCylinder(Electronics):
    def near(self, place: SectorPlace, at: ArmPosition) -> bool:
        return self.wrote and (not self.cheaper or place.cylinder == at.cylinder)


class _Sooner(Electronics):
    def mechanics(self, disc: DiscType) -> DiscType:
        return disc


def _kind(kind: type[Electronics]) -> RuleChange:
    return lambda drive: replace(drive, kinds=(*drive.kinds, kind))


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
    DriveRule("a read at rest", {"takes no more": _kind(_NeverAtRest), "more in a row too": _kind(_AlwaysAtRest)}),
    DriveRule("a miss", {"after each as written": _kind(_MissAsWritten), "as in a row": _kind(_MissInARow)}),
    DriveRule("read-ahead, small segment", {"at once": _buffer(_any_segment)}),
    DriveRule("medium begins a write", {
        "with 1 sector": _holding(1), "with 2 KB": _holding(4), "with 4 KB": _holding(8), "with 8 KB": _holding(16),
        "with all": _holding(1 << 20)}),
    DriveRule("a write after a write", {"anywhere": _kind(_Anywhere), "in the cylinder": _kind(_InCylinder)}),
    DriveRule("writes reported", {"in sequence only": _reports(False), "intermixed": _reports(True)}),
    DriveRule("bus takes a read", {"at once": _buffer(lambda buffer: replace(buffer, high_water=0.0)),
                                   "when it is whole": _buffer(lambda buffer: replace(buffer, high_water=1.0))}),
    DriveRule("settling before a write", {
        "as before a read": _disc(lambda disc: replace(disc, write_settle=0.0)), "as written": _kind(_Sooner)}),
    DriveRule("report after a write", {"as after a read": _alike("report", lambda after: after.read),
                                       "the longer of both": _alike("report", max)}),
    DriveRule("read begins anywhere", {"never": _buffer(lambda buffer: replace(buffer, starts_anywhere=False)),
                                       "always": _buffer(lambda buffer: replace(buffer, starts_anywhere=True))}),
)  # fmt: skip
"""Only some bear on each drive: the others leave its answers as they are."""
