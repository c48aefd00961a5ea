"""Checks the operational laws that every run must obey, as Little's (Denning & Buzen, Computing Surveys 1978)."""

from collections.abc import Mapping
from math import fsum
from typing import Protocol, runtime_checkable

from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.cpu import Cpu
from spindle.sim.disc.drive import Drive
from spindle.sim.machine import Machine
from spindle.sim.parts import LawBroken, agree
from spindle.sim.request import SERVICE_PHASES

Reading = Mapping[str, float]


@runtime_checkable
class Checked(Protocol):
    """A part of a machine that checks laws of its counters."""

    def check(self) -> None:
        """Raise LawBroken if its counters contradict each other."""


def check_terminals(window: Reading, clipped: float, now: float) -> None:
    """Check Little's law, and the response time law, on the window.

    The sum of responses clipped to the window (from rows) must be the integral of the number waiting; and users
    logged on must be waiting or away: R = N/X - Z, multiplied by the number of responses.
    """
    terms = window["desk.inquiries"] + 1
    waiting = window["desk.waiting_seconds"]
    agree("Little's law: responses against the integral of the number waiting", clipped, waiting, terms, now)
    logged_on, away = window["desk.logged_on_seconds"], window["desk.away_seconds"]
    agree("response time law: logged on against away and waiting", logged_on, away + waiting, terms, now)


def check_drive(name: str, reading: Reading, now: float) -> None:
    """Check that busy time is the sum of service times, and Little's law: waits sum to the integral of their number.

    A drive that serves several requests at a time counts the integral of their number instead of its busy time.

    The three are counted apart: busy time by the clock, service times from the mechanism, waits request by request.
    """
    terms = 8 * (reading["issued"] + 1)
    if not reading["completed"] <= reading["issued"]:
        raise LawBroken(f"{name}: {reading['completed']:g} requests completed of {reading['issued']:g} issued")
    services = fsum(reading[phase] for phase in SERVICE_PHASES)
    serving = reading.get("serving_seconds", reading["busy"])
    agree(f"{name}: utilisation law, seconds in service against services", serving, services, terms, now)
    waits, number = reading["queue"] + services, reading["number_seconds"]
    agree(f"{name}: Little's law, waits against the integral of their number", waits, number, terms, now)


def check_cpu(reading: Reading, now: float) -> None:
    """Check that busy time, the time without idling, equals the work done by kind."""
    kinds = fsum(value for key, value in reading.items() if key.startswith("busy_"))
    agree("cpu: utilisation law, busy against work by kind", reading["busy"], kinds, reading["bursts"] + 1, now)


def check_hits(name: str, requests: int, hits: int, late_hits: int, misses: int) -> None:
    """Check that each of the *requests* to a cache was a hit, a late hit or a miss."""
    if hits + late_hits + misses != requests:
        raise LawBroken(f"{name}: {hits} hits, {late_hits} late hits and {misses} misses of {requests} requests")


def check_parts(machine: Machine) -> None:
    """Check the laws of all parts that a run used, whether *machine* names them or not."""
    for name, part in machine.all_parts():
        _check(name, part, machine.env.now)


def _check(name: str, part: object, now: float) -> None:
    if isinstance(part, Drive):
        check_drive(name, part.reading(), now)
        for fault in part.faults():
            raise LawBroken(f"{name}: {fault}")
    elif isinstance(part, Cpu):
        check_cpu(part.reading(), now)
    elif isinstance(part, BlockCache):
        check_hits(name, part.reads, part.hits, part.late_hits, part.misses)
    elif isinstance(part, Checked):
        part.check()
