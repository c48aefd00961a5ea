"""The operator: what is typed at the console while the system runs, and at which minute."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol

import simpy

from models.hp3000.caching.at_risk import Loss
from models.hp3000.caching.caching import Caching
from models.hp3000.caching.control import Control
from models.hp3000.caching.domains import SECTOR
from models.hp3000.caching.ldev import Ldev, losses
from models.hp3000.instruments.show_cache import show_cache
from sim.clock import Wait, pause
from sim.error import UserError
from sim.machine import Machine
from sim.units import MINUTE

MOST_SECTORS = 96


@dataclass(frozen=True)
class Console:
    """What commands act on: the *ldevs* by number, the *control* of their caches, a machine of *memory* bytes."""

    ldevs: Mapping[int, Ldev]
    control: Control
    memory: int

    def ldev(self, command: str, number: int) -> Ldev:
        if number not in self.ldevs:
            raise UserError(f"{command}: there is no LDEV {number!r}; there are 1 to {len(self.ldevs)}")
        return self.ldevs[number]


class OperatorCommand(Protocol):
    def check(self, console: Console) -> None:
        """UserError where the command makes no sense there."""

    def carry_out(self, console: Console) -> Wait: ...


@dataclass(frozen=True)
class StartCache:
    """STARTCACHE *ldev*."""

    ldev: int

    def check(self, console: Console) -> None:
        console.ldev("STARTCACHE", self.ldev)

    def carry_out(self, console: Console) -> Wait:
        yield from console.ldevs[self.ldev].start_cache()


@dataclass(frozen=True)
class StopCache:
    """STOPCACHE *ldev*: its posts are waited for, and its domains let go."""

    ldev: int

    def check(self, console: Console) -> None:
        console.ldev("STOPCACHE", self.ldev)

    def carry_out(self, console: Console) -> Wait:
        yield from console.ldevs[self.ldev].stop_cache()


@dataclass(frozen=True)
class CacheControl:
    """CACHECONTROL: fetches in sectors, 1 to 96 (from memory, unverified); what is None stays as it is.

    *flush*, whether domains that were read through are let go, is none of MPE's published options.
    """

    random: int | None = None
    sequential: int | None = None
    block_on_write: bool | None = None
    serial_write_queue: bool | None = None
    flush: bool | None = None

    def __post_init__(self) -> None:
        for name, sectors in (("RANDOM", self.random), ("SEQUENTIAL", self.sequential)):
            if sectors is not None and (type(sectors) is not int or not 1 <= sectors <= MOST_SECTORS):
                raise UserError(f"CACHECONTROL {name} must be a whole number of sectors, 1 to 96, not {sectors!r}")

    def check(self, console: Console) -> None:
        """Nothing: the settings are the same on every system."""

    def carry_out(self, console: Console) -> Wait:
        old = console.control.settings
        mode = replace(old.mode, **_given(block=self.block_on_write, serial=self.serial_write_queue))
        sectors = _given(random=self.random, sequential=self.sequential)
        fetches = {name: count * SECTOR for name, count in sectors.items()}
        console.control.change(replace(old, mode=mode, **fetches, **_given(flushed=self.flush)))
        return
        yield


def _given(**values: Any) -> dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class ShowCache:
    """SHOWCACHE, on the console or wherever *show* puts it."""

    show: Callable[[str], None] = print

    def check(self, console: Console) -> None:
        """Nothing: there is always a table."""

    def carry_out(self, console: Console) -> Wait:
        caches = {number: ldev.cache for number, ldev in console.ldevs.items() if ldev.cached}
        self.show(show_cache(caches, console.control.settings, console.memory).text())
        return
        yield


@dataclass(frozen=True)
class CountLosses:
    """No command of MPE's: counts what would be lost if the power failed at this instant."""

    tell: Callable[[list[Loss]], None]

    def check(self, console: Console) -> None:
        """Nothing: the power may fail anywhere."""

    def carry_out(self, console: Console) -> Wait:
        self.tell(losses(console.ldevs.values()))
        return
        yield


Shift = Sequence[tuple[float, OperatorCommand]]
"""Commands, each with its minute from the beginning of the run, warm-up included."""


def check_shift(shift: Shift, console: Console) -> None:
    """UserError where something cannot be done, or cannot be done then, before anything happens."""
    for minute, command in shift:
        if not 0.0 <= minute < inf:
            raise UserError(f"operator: {command} must have a minute that is finite and not negative, not {minute!r}")
        command.check(console)


def put_at_console(machine: Machine, shift: Shift, caching: Caching | None, memory: int) -> None:
    """Let an operator do *shift* at the console of *machine*, of *memory* bytes."""
    if not shift:
        return
    if caching is None:
        raise UserError("operator: his commands are about disc caching, which a machine without it does not know")
    console = Console({ldev.number: ldev for ldev in caching.ldevs}, caching.control, memory)
    check_shift(shift, console)
    machine.spawn("operator", operate(machine.env, shift, console))


def operate(env: simpy.Environment, shift: Shift, console: Console) -> Wait:
    """Give each command when its minute comes, or when the one before is done if that is later."""
    for minute, command in sorted(shift, key=lambda each: each[0]):
        ahead = minute * MINUTE - env.now
        if ahead > 0.0:
            yield pause(env, ahead)
        yield from command.carry_out(console)
