"""Assigns terminals to the driver machines of TEPE, which play the users, and writes their plan for the operator.

TEPE is HP's Terminal Emulator and Performance Evaluator. McBride & Boles 1983, section TEPE: "a couple of 44's" (HP
3000 Series 44), each of which takes 50 scripts, one a terminal; their 100 lines end at the 100 ATP connectors (for
terminals) of the system under test. The same paper runs 63 + 38 = 101 terminals and does not say how; here a third
driver and one more connector take the 101st.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from spindle.sim.error import UserError
from spindle.sim.script import Script
from spindle.sim.streams import Constant, Distribution, Exponential, Uniform

SCRIPTS_A_DRIVER = 50
"""Most scripts, one a terminal, of a driver machine."""


class Port(NamedTuple):
    """A terminal's place: *port* of *driver*, both counted from 1."""

    driver: int
    port: int

    def __str__(self) -> str:
        return f"{self.driver}:{self.port}"


def port(terminal: int) -> Port:
    """Return the driver's port for the terminal number *terminal*, counted from 0 in the order of logging on."""
    driver, port = divmod(terminal, SCRIPTS_A_DRIVER)
    return Port(driver + 1, port + 1)


def drivers_for(terminals: int, drivers: int | None = None) -> int:
    """Return the number of machines that drive *terminals* terminals; UserError if *drivers* are too few."""
    least = -(-terminals // SCRIPTS_A_DRIVER)
    if drivers is None:
        return least
    if drivers < least:
        raise UserError(
            f"drivers must be at least {least}, because each takes {SCRIPTS_A_DRIVER} scripts and there are "
            f"{terminals}, not {drivers!r}"
        )
    return drivers


def plan(scripts: Sequence[Script], drivers: int | None = None) -> str:
    """Write the plan of the drivers for their operator: the machine of each of *scripts*, and its start and stop."""
    machines = drivers_for(sum(script.terminals for script in scripts), drivers)
    lines: list[list[str]] = [[] for _ in range(machines)]
    before = 0
    for script in scripts:
        first = 0
        while first < script.terminals:
            place = port(before + first)
            last = min(script.terminals, first + SCRIPTS_A_DRIVER - place.port + 1)
            ports = f"ports {place.port:2} to {place.port + last - first - 1:2}"
            users = f"{script.name} {first + 1} to {last}"
            lines[place.driver - 1].append(f"  {ports}  {users:<24} {_times(script, first)}")
            first = last
        before += script.terminals
    return "\n".join(
        line for number, ports in enumerate(lines, 1) for line in (f"driver {number}", *(ports or ["  nothing"]))
    )


def _times(script: Script, first: int) -> str:
    start = _start_text(script.start, first * script.stagger)
    every = f", each next {script.stagger:g} s later" if script.stagger else ""
    return f"start {start}{every}" + (f", stop {script.stop:g} s" if script.stop < inf else "")


def _start_text(start: Distribution, later: float) -> str:
    """Describe *start*, moved by *later* seconds, in words."""
    match start:
        case Constant(value):
            return f"{value + later:g} s"
        case Uniform(low, high):
            return f"{low + later:g} to {high + later:g} s"
        case Exponential(mean):
            return f"at random, mean {mean + later:g} s"
    return f"mean {start.mean + later:g} s"
