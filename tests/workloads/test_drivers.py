"""Tests the driver machines of TEPE, HP's emulator of terminals: fifty scripts each, and the plan for the operator."""

import pytest

from spindle.sim.error import UserError
from spindle.sim.script import Script, Step, Think
from spindle.sim.streams import Constant, Distribution, Exponential, Scaled, Uniform
from spindle.workloads.drivers import drivers_for, plan, port

STEPS: tuple[Step, ...] = (Think(Constant(1.0)),)


@pytest.mark.parametrize(("terminals", "drivers"), [(1, 1), (50, 1), (51, 2), (100, 2), (101, 3)])
def test_a_driver_takes_fifty(terminals: int, drivers: int) -> None:
    assert drivers_for(terminals) == drivers_for(terminals, drivers) == drivers
    assert drivers_for(terminals, drivers + 1) == drivers + 1
    assert port(terminals - 1).driver == drivers


def test_the_papers_couple_of_drivers_cannot_carry_its_101_terminals() -> None:
    with pytest.raises(UserError, match="drivers must be at least 3, because each takes 50 scripts and there are 101"):
        drivers_for(101, 2)


def test_the_plan_has_ports_users_and_times() -> None:
    scripts = [
        Script("CLERKS", STEPS, 63, stagger=1.5, stop=3600.0),
        Script("COBOL", STEPS, 37, start=Uniform(0.0, 60.0)),
        Script("BASIC", STEPS, 1, start=Exponential(5.0)),
    ]
    assert plan(scripts, 4) == """\
driver 1
  ports  1 to 50  CLERKS 1 to 50           start 0 s, each next 1.5 s later, stop 3600 s
driver 2
  ports  1 to 13  CLERKS 51 to 63          start 75 s, each next 1.5 s later, stop 3600 s
  ports 14 to 50  COBOL 1 to 37            start 0 to 60 s
driver 3
  ports  1 to  1  BASIC 1 to 1             start at random, mean 5 s
driver 4
  nothing"""


@pytest.mark.parametrize(("start", "first", "second"), [
    (Constant(20.0), "20 s", "120 s"), (Uniform(10.0, 30.0), "10 to 30 s", "110 to 130 s"),
    (Exponential(20.0), "at random, mean 20 s", "at random, mean 120 s"),
    (Scaled(Constant(10.0), 2.0), "mean 20 s", "mean 120 s"),
])  # fmt: skip
def test_those_of_the_next_driver_start_later_by_all_that_were_before(
    start: Distribution, first: str, second: str
) -> None:
    """The fifty-first terminal starts 50 x 2 s after the first."""
    lines = plan([Script("CLERKS", STEPS, 51, start=start, stagger=2.0)]).splitlines()
    assert [line.partition("start ")[2] for line in lines if "CLERKS" in line] == [
        f"{each}, each next 2 s later" for each in (first, second)]
