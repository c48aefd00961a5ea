"""The operational laws that every run must obey, whatever it simulates (Denning & Buzen, Computing Surveys 1978)."""

from collections.abc import Mapping
from math import ulp


class LawBroken(AssertionError):
    """What was counted contradicts itself: a fault of the simulation, not of its user."""


Reading = Mapping[str, float]


def agree(law: str, one: float, other: float, terms: float, now: float) -> None:
    """LawBroken unless *one* equals *other* as far as a float clock at *now* can tell after *terms* additions."""
    if abs(one - other) > 1e-9 * max(abs(one), abs(other)) + 8 * (terms + 1) * ulp(now):
        raise LawBroken(f"{law}: {one!r} is not {other!r}")


def check_terminals(window: Reading, clipped: float, now: float) -> None:
    """Little's law, and the response time law, on the window.

    The sum of responses clipped to the window (from rows) must be the integral of the number waiting; and
    what is logged on must be waiting or away: R = N/X - Z, multiplied by the number of responses.
    """
    terms = window["desk.inquiries"] + 1
    waiting = window["desk.waiting_seconds"]
    agree("Little's law: responses against the integral of the number waiting", clipped, waiting, terms, now)
    logged_on, away = window["desk.logged_on_seconds"], window["desk.away_seconds"]
    agree("response time law: logged on against away and waiting", logged_on, away + waiting, terms, now)


def check_drive(name: str, reading: Reading, now: float) -> None:
    """Busy = what its services add up to; Little's law: what requests waited = the integral of their number.

    The three are counted apart: busy by the clock, services by what the mechanism said, waits by each
    request's own queueing.
    """
    terms = 8 * (reading["issued"] + 1)
    if not reading["completed"] <= reading["issued"]:
        raise LawBroken(f"{name}: {reading['completed']:g} requests completed of {reading['issued']:g} issued")
    services = sum(reading[part] for part in ("overhead", "seek", "rotation", "transfer", "channel"))
    agree(f"{name}: utilisation law, busy against services", reading["busy"], services, terms, now)
    waits, number = reading["queue"] + services, reading["number_seconds"]
    agree(f"{name}: Little's law, waits against the integral of their number", waits, number, terms, now)


def check_cpu(reading: Reading, now: float) -> None:
    """Busy, which is the time without idling, equals the work done by kind."""
    kinds = sum(value for key, value in reading.items() if key.startswith("busy_"))
    agree("cpu: utilisation law, busy against work by kind", reading["busy"], kinds, reading["bursts"] + 1, now)
