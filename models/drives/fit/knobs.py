"""The numbers of a sheet that a fit may turn, each with the bounds within which it looks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sim.disc.buffer.sheet import After, Buffer
from sim.disc.mechanism import DiscType
from sim.disc.seek import TableSeek
from sim.units import MS


@dataclass(frozen=True)
class SheetKnob:
    """One number of a disc, *read* and *turned* to another, in the sheet's *unit* of so many seconds (or 1).

    It is looked for from *low* to *high*; *step* is the least change that is asked about.
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
    """Whether its buffer keeps anything."""
    return _buffer(disc).segments > 0


def overhead(name: str, high: float, after: str = "", key: str = "") -> SheetKnob:
    """An overhead in milliseconds, after a read or a write where these differ."""

    def read(disc: DiscType) -> float:
        value = getattr(_buffer(disc).overheads, name)
        return float(getattr(value, after) if after else value)

    def turned(disc: DiscType, seconds: float) -> DiscType:
        times = _buffer(disc).overheads
        value: Any = getattr(times, name)._replace(**{after: seconds}) if after else seconds
        return replace(disc, buffer=replace(_buffer(disc), overheads=replace(times, **{name: value})))

    return SheetKnob(f"{key or name}_after_{after}" if after else key or name, read, turned, 0.0, high)


def link(way: str) -> SheetKnob:
    def turned(disc: DiscType, seconds: float) -> DiscType:
        changed: dict[str, Any] = {way: seconds}
        return replace(disc, buffer=replace(_buffer(disc), link=replace(_buffer(disc).link, **changed)))

    return SheetKnob({"reading": "read_ms_per_sector", "writing": "write_ms_per_sector"}[way],
                     lambda disc: float(getattr(_buffer(disc).link, way)), turned, 0.0, 1.0 * MS,
                     step=0.002 * MS)


def plain(name: str, key: str, low: float, high: float) -> SheetKnob:
    def turned(disc: DiscType, seconds: float) -> DiscType:
        changed: dict[str, Any] = {name: seconds}
        return replace(disc, **changed)

    return SheetKnob(key, lambda disc: float(getattr(disc, name)), turned, low, high)


HIGH_WATER = SheetKnob("read_high_water_mark", lambda disc: _buffer(disc).high_water,
                       lambda disc, share: replace(disc, buffer=replace(_buffer(disc), high_water=share)),
                       0.0, 1.0, 1.0, 1.0 / 32)


def arm_of(disc: DiscType) -> Sequence[SheetKnob]:
    """What the arm does beyond seeks."""
    return [plain("head_switch", "head_switch_ms", 0.0, disc.revolution),
            plain("write_settle", "write_settle_extra_ms", -2 * MS, 3 * MS)]


def traded(disc: DiscType) -> list[SheetKnob]:
    """What a command may have that the arm had, where it moves: there only the sum of both shows.

    All commands against seeks, and against switches too, which requests of several tracks tell alone; and those of
    writes against settling, unless writes are reported early.
    """
    knobs = [_arm_traded(disc, False), _arm_traded(disc, True)]
    if _buffer(disc).reports is not None:
        return knobs
    writes = _buffer(disc).overheads.write

    def settling(turning: DiscType, seconds: float) -> DiscType:
        return _commanded(replace(turning, write_settle=seconds), 0.0, turning.write_settle - seconds)

    return [*knobs, SheetKnob("write and settling", lambda disc: disc.write_settle, settling, -2 * MS,
                              disc.write_settle + min(writes))]


def _arm_traded(disc: DiscType, switches: bool) -> SheetKnob:
    buffer, seek = _buffer(disc), disc.seek
    assert isinstance(seek, TableSeek)
    waits = buffer.reports is None
    commands = [*buffer.overheads.read_miss, *(buffer.overheads.write if waits else ())]

    def later(turning: DiscType, seconds: float) -> DiscType:
        more = seconds - commands[0]
        curve = TableSeek(((0, 0.0), *((distance, max(0.0, at - more)) for distance, at in seek.points[1:])))
        switch = max(0.0, disc.head_switch - more * switches)
        return _commanded(replace(disc, seek=curve, head_switch=switch), more, more * waits)

    return SheetKnob("command and arm", lambda disc: _buffer(disc).overheads.read_miss.read, later,
                     commands[0] - min(commands), commands[0] + min(at for _, at in seek.points[1:]))


def _commanded(disc: DiscType, read: float, write: float) -> DiscType:
    """With so many seconds more for each command that waits for the medium."""
    times = _buffer(disc).overheads
    misses, writes = (After(*(max(0.0, each + more) for each in command))
                      for command, more in ((times.read_miss, read), (times.write, write)))
    return replace(disc, buffer=replace(_buffer(disc), overheads=replace(times, read_miss=misses, write=writes)))


def electronics(disc: DiscType) -> list[Sequence[SheetKnob]]:
    """What is turned together: hits if anything is kept, reads of the medium, the arm, and writes."""
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
