"""Rules of the electronics by hand: what the drive is charged under each way to read its sheet."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from spindle.lab.drives.left_out import STANDS, ruled
from spindle.sim.disc.buffer_sheet import After, Buffer, ImmediateReporting, Overheads
from spindle.sim.disc.mechanism import ArmPosition, DiscType
from spindle.sim.request import READ, WRITE, Op, Span
from spindle.sim.units import MS
from tests.lab.drives.test_left_out import DISC

REPORTING = replace(DISC, buffer=Buffer(1, 64, Overheads(report=After(3 * MS, 1 * MS)), reports=ImmediateReporting()))
READS = Overheads(read_hit=After(1 * MS, 3 * MS), read_miss=After(5 * MS, 7 * MS))
READING = replace(DISC, buffer=Buffer(1, 64, READS))
ASKED = (READ, 0, 4), (READ, 0, 2), (READ, 2, 2), (WRITE, 90, 1), (READ, 9, 1)


def taken(disc: DiscType, choices: dict[str, str], asked: Sequence[tuple[Op, int]]) -> list[float]:
    """Milliseconds of overhead of each of these, four blocks a second."""
    mechanism, arm, took = ruled(disc, choices).mechanism(), ArmPosition(0, 0), []
    for second, (op, block) in enumerate(asked):
        service, arm = mechanism.serve(arm, second, op, Span(512 * block, 2048))
        took.append(service.overhead / MS)
    return took


@pytest.mark.parametrize(("choice", "takes"), [
    (STANDS, [3, 1, 1, 3, 3]), ("anywhere", [3, 1, 1, 1, 1]), ("in the cylinder", [3, 1, 1, 1, 3]),
])  # fmt: skip
def test_a_write_after_a_write(choice: str, takes: list[float]) -> None:
    """After no write; going on, on its track of 20 blocks, on the other head, and far off."""
    asked = [(WRITE, block) for block in (0, 4, 12, 30, 2000)]
    assert taken(REPORTING, {"a write after a write": choice}, asked) == pytest.approx(takes)


@pytest.mark.parametrize(("rest", "miss", "takes"), [
    (STANDS, STANDS, [7, 3, 1, 7]), ("takes no more", STANDS, [5, 1, 1, 5]),
    ("more in a row too", STANDS, [7, 3, 3, 7]), (STANDS, "as in a row", [5, 3, 1, 5]),
    (STANDS, "after each as written", [7, 3, 1, 9]),
])  # fmt: skip
def test_a_read(rest: str, miss: str, takes: list[float]) -> None:
    """A miss of four blocks; half of them again, the other half, and another miss, after a write."""
    mechanism, arm = ruled(READING, {"a read at rest": rest, "a miss": miss}).mechanism(), ArmPosition(0, 0)
    took = []
    for second, (op, first, blocks) in enumerate(ASKED):
        service, arm = mechanism.serve(arm, second, op, Span(512 * first, 512 * blocks))
        if op is READ:
            took.append(service.overhead / MS)
    assert took == pytest.approx(takes)
