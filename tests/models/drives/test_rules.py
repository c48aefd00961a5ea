"""Rules of the electronics by hand: what a write is charged under each way to read "after a write"."""

from dataclasses import replace

import pytest

from models.drives.rules import STANDS, ruled
from sim.disc.buffer.sheet import After, Buffer, ImmediateReporting, Overheads, SecondDisconnect
from sim.disc.mechanism import ArmPosition
from sim.request import WRITE, Span
from sim.units import MS
from tests.models.drives.test_left_out import DISC

RULE = "a write after a write"
REPORTING = replace(DISC, buffer=Buffer(1, 64, Overheads(report=After(3 * MS, 1 * MS)), reports=ImmediateReporting()))
TWICE = SecondDisconnect(1 * MS, 1 * MS, 1 * MS, 0.0)


@pytest.mark.parametrize(("choice", "takes"), [
    (STANDS, [3, 1, 1, 1, 1]), ("only where it goes on", [3, 1, 3, 3, 3]), ("only on the arm's track", [3, 1, 1, 3, 3]),
])  # fmt: skip
def test_a_write_after_a_write(choice: str, takes: list[float]) -> None:
    """After no write; going on, on its track of 20 blocks, on the other head, and far off."""
    mechanism, arm, took = ruled(REPORTING, {RULE: choice}).mechanism(), ArmPosition(0, 0), []
    for second, block in enumerate((0, 4, 12, 30, 2000)):
        service, arm = mechanism.serve(arm, second, WRITE, Span(512 * block, 2048))
        took.append(service.total / MS)
    assert took == pytest.approx(takes)


@pytest.mark.parametrize("choice", ["only where it goes on", "only on the arm's track"])
def test_a_second_disconnect_is_such_a_rule_already(choice: str) -> None:
    overheads = Overheads(write=After(3 * MS, 1 * MS), second_disconnect=TWICE)
    disc = replace(DISC, buffer=Buffer(1, 64, overheads))
    answers = []
    for choices in ({}, {RULE: choice}):
        mechanism, arm = ruled(disc, choices).mechanism(), ArmPosition(0, 0)
        for second, block in enumerate((0, 12, 30)):
            service, arm = mechanism.serve(arm, second, WRITE, Span(512 * block, 2048))
            answers.append(service)
    assert answers[:3] == answers[3:]
