"""Tests that every law accepts counters that obey it and refuses those that do not."""

import pytest

from spindle.sim.measure.laws import check_cpu, check_drive, check_hits, check_terminals
from spindle.sim.parts import LawBroken

DRIVE = {
    "issued": 10.0, "completed": 9.0, "busy": 6.0, "queue": 4.0, "number_seconds": 10.0,
    "overhead": 1.0, "seek": 2.0, "rotation": 1.5, "transfer": 1.0, "channel": 0.5,
}


def test_a_drive() -> None:
    check_drive("drive", DRIVE, 100.0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"completed": 11.0}, "drive: 11 requests completed of 10 issued"),
        ({"busy": 6.1}, "utilisation law, seconds in service against services: 6.1 is not 6.0"),
        ({"seek": 2.1, "busy": 6.1}, "Little's law, waits against the integral of their number: 10.1 is not 10.0"),
        ({"queue": 3.9}, "Little's law"),
    ],
)
def test_a_drive_that_contradicts_itself(changed: dict[str, float], message: str) -> None:
    with pytest.raises(LawBroken, match=message):
        check_drive("drive", DRIVE | changed, 100.0)


def test_a_drive_that_serves_several_at_once_counts_seconds_in_service() -> None:
    """Of two requests at a time: 6 s of services took 4 s of the clock."""
    check_drive("drive", DRIVE | {"busy": 4.0, "serving_seconds": 6.0}, 100.0)
    with pytest.raises(LawBroken, match=r"seconds in service against services: 6\.5 is not 6\.0"):
        check_drive("drive", DRIVE | {"serving_seconds": 6.5}, 100.0)


TERMINALS = {
    "desk.inquiries": 5.0, "desk.waiting_seconds": 3.0, "desk.logged_on_seconds": 20.0, "desk.away_seconds": 17.0,
}


def test_terminals() -> None:
    check_terminals(TERMINALS, 3.0, 100.0)
    with pytest.raises(LawBroken, match=r"^Little's law: responses against the integral .* waiting: 2\.9 is not 3\.0"):
        check_terminals(TERMINALS, 2.9, 100.0)
    with pytest.raises(LawBroken, match=r"^response time law: logged on against away and waiting: "):
        check_terminals(TERMINALS | {"desk.away_seconds": 17.1}, 3.0, 100.0)


def test_a_cpu() -> None:
    reading = {"busy": 3.0, "busy_cpu": 2.0, "busy_cache": 1.0, "bursts": 4.0}
    check_cpu(reading, 10.0)
    check_cpu(reading | {"busy_cache": 1.0 + 1e-6, "bursts": 1e6}, 2.0**20)  # a million roundings of that clock
    with pytest.raises(LawBroken, match=r"^cpu: utilisation law, busy against work by kind: "):
        check_cpu(reading | {"busy_cache": 1.1}, 10.0)


def test_every_request_to_a_cache_is_met_somehow() -> None:
    check_hits("pool", 6, 3, 2, 1)
    for hits, late_hits, misses in ((3, 2, 2), (2, 2, 1)):
        with pytest.raises(LawBroken, match=f"pool: {hits} hits, {late_hits} late hits and {misses} misses of 6"):
            check_hits("pool", 6, hits, late_hits, misses)
