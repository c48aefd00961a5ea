"""Tests SSTF, LOOK, C-LOOK, SCAN and C-SCAN by the textbooks' example: how far and how long the arm moves."""

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive, Fcfs, Scheduler
from spindle.sim.disc.layout import uniform
from spindle.sim.disc.mechanism import ArmPosition, DiscType, MovingArm
from spindle.sim.disc.scheduling import CLook, CScan, CylinderQueue, Look, Scan, Sstf
from spindle.sim.disc.seek import LinearSeek
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import Op, Request, access
from spindle.sim.units import MS

# One sector on each of 200 cylinders, and a millisecond from each to the next.
TEXTBOOK = DiscType("textbook", uniform(200, 1, 1, 100), 60_000, LinearSeek(0.0, 199 * MS, 200))
TEN = DiscType("ten", uniform(10, 2, 10, 100), 6000, LinearSeek(1 * MS, 10 * MS, 10), head_switch=2 * MS)


def visit(drive: Drive, per_cylinder: int, *sectors: tuple[int, int]) -> list[Request]:
    """Ask for a sector of each of these cylinders, all in one instant."""
    first = [(cylinder * per_cylinder + sector) * 100 for cylinder, sector in sectors]
    return [drive.start(access(Op.READ, each, 100, Account("test"))) for each in first]


@pytest.mark.parametrize(
    ("scheduler", "cylinders"),
    [
        (Fcfs, 640),
        (Sstf, 236),  # 65, 67, 37, 14, 98, 122, 124, 183
        (Look, 130 + 169),  # up to 183, down to 14
        (CLook, 130 + 169 + 23),  # up to 183, back to 14, up to 37
        (Scan, 146 + 185),  # up to 199, down to 14
        (CScan, 146 + 199 + 37),  # up to 199, back to 0, up to 37
    ],
)
def test_the_arm_moves_as_far_as_in_the_textbooks(
    env: simpy.Environment, scheduler: type[Scheduler], cylinders: int
) -> None:
    drive = Drive(env, TEXTBOOK, scheduler())
    drive.arm = ArmPosition(53, 0)
    visit(drive, 1, *((cylinder, 0) for cylinder in (53, 98, 183, 37, 122, 14, 124, 65, 67)))
    env.run()
    assert drive.reading()["seek"] / MS == pytest.approx(cylinders)
    assert drive.reading()["busy"] == pytest.approx(env.now)


def test_scan_is_charged_the_way_over_the_edge(env: simpy.Environment) -> None:
    drive = Drive(env, TEN, Scan())
    _, turned = visit(drive, 20, (5, 0), (3, 4))
    env.run()
    # The first is done at 11: 6 to get there, 4 to wait, 1 to read. Then 5 to cylinder 9 and 7 back to 3 are 23, and
    # sector 4 comes at 24.
    assert turned.value.seek / MS == pytest.approx(12)
    assert turned.value.rotation / MS == pytest.approx(1)
    assert (env.now / MS, drive.arm) == (pytest.approx(25), (3, 0))


def test_cscan_is_charged_the_way_over_both_edges(env: simpy.Environment) -> None:
    drive = Drive(env, TEN, CScan())
    _, turned = visit(drive, 20, (5, 0), (3, 4))
    env.run()
    # From 11 on: 5 to cylinder 9, 10 to cylinder 0, 4 to cylinder 3 are 30; sector 4 comes at 34.
    assert turned.value.seek / MS == pytest.approx(19)
    assert turned.value.rotation / MS == pytest.approx(4)
    assert env.now / MS == pytest.approx(35)


def test_at_the_edge_scan_turns_on_the_spot(env: simpy.Environment) -> None:
    drive = Drive(env, TEN, Scan())
    requests = visit(drive, 20, (9, 0), (0, 4), (7, 0))
    env.run()
    assert [round(request.value.seek / MS, 9) for request in requests] == [10, 8, 3]
    late = visit(drive, 20, (2, 0))  # from cylinder 0 up again: no way over the edge, where the arm already is
    env.run()
    assert late[0].value.seek / MS == pytest.approx(3)


def test_scan_goes_to_no_edge_while_there_is_more_ahead(env: simpy.Environment) -> None:
    drive = Drive(env, TEN, Scan())
    requests = visit(drive, 20, (1, 0), (4, 0), (8, 0))
    env.run()
    assert [round(request.value.seek / MS, 9) for request in requests] == [2, 4, 5]


@pytest.mark.parametrize("scheduler", [Scan, CScan])
def test_a_disc_without_an_arm_has_no_edge(env: simpy.Environment, scheduler: type[Scheduler]) -> None:
    drive = Drive(env, FixedService(2.0, capacity=1000), scheduler())
    for _ in range(3):
        visit(drive, 1, (0, 0))
    env.run()
    assert env.now == 6.0


def test_what_waits_is_looked_for_from_the_arm_outwards(env: simpy.Environment) -> None:
    queue = CylinderQueue()
    queue.attach(MovingArm(TEXTBOOK))
    for cylinder in (65, 40, 53, 14, 67, 65, 183):
        queue.add(Request(env, access(Op.READ, cylinder * 100, 100, Account("test"))))
    order = [(*queue.ready[index][:2], apart) for index, apart in queue.walk_outwards(53)]
    # Cylinder, arrival, and how far that is; on cylinder 65 there are two.
    assert order == [(53, 3, 0), (65, 1, 12), (65, 6, 12), (40, 2, 13), (67, 5, 14), (14, 4, 39), (183, 7, 130)]
    assert [apart for _, apart in queue.walk_outwards(0)] == [14, 40, 53, 65, 65, 67, 183]
    assert [apart for _, apart in queue.walk_outwards(199)] == [16, 132, 134, 134, 146, 159, 185]
