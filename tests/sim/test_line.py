"""Tests a terminal's line: ten bits a character, one interrupt each."""

from math import inf, nan

import pytest
import simpy

from spindle.sim.clock import Account, Phase
from spindle.sim.cpu import PreemptiveCpu
from spindle.sim.terminal import Line


def test_characters_at_the_speed_of_the_line(env: simpy.Environment) -> None:
    line, account = Line(env, 2400), Account("a")
    env.process(line.send(24, account))
    env.run()
    assert (env.now, line.characters) == (pytest.approx(0.1), 24)
    assert account.seconds[Phase.LINE] == env.now == account.total()


def test_an_interrupt_a_character(env: simpy.Environment) -> None:
    cpu, account = PreemptiveCpu(env), Account("a")
    env.process(Line(env, 9600, cpu, 0.001).send(96, account))
    env.run()
    assert account.seconds[Phase.INTERRUPT] == pytest.approx(0.096)
    assert account.seconds[Phase.LINE] == pytest.approx(0.1)
    assert env.now == pytest.approx(0.196)
    assert cpu.reading()["busy_interrupt"] == pytest.approx(0.096)


def test_interrupts_come_before_processes_and_who_sends_waits_for_other_interrupts(env: simpy.Environment) -> None:
    cpu, one, other = PreemptiveCpu(env), Account("one"), Account("other")
    cpu.burst(5, 1, Phase.CPU, Account("process"))
    env.process(Line(env, 10, cpu, 1).send(1, one))
    env.process(Line(env, 10, cpu, 1).send(2, other))
    env.run()
    assert (one.seconds[Phase.CPU_WAIT], other.seconds[Phase.CPU_WAIT]) == (0, 1)
    assert (one.total(), other.total(), env.now) == (2, 5, 8)


@pytest.mark.parametrize("characters", [0, -3])
def test_nothing_takes_no_time(env: simpy.Environment, characters: int) -> None:
    cpu, account = PreemptiveCpu(env), Account("a")
    line = Line(env, 9600, cpu, 1.0)
    env.process(line.send(characters, account))
    env.run()
    assert (env.now, line.characters, account.charges, cpu.reading()["bursts"]) == (0, 0, 0, 0)


def test_a_line_may_be_slow_and_without_interrupts_asks_nothing_of_the_cpu(env: simpy.Environment) -> None:
    cpu, account = PreemptiveCpu(env), Account("a")
    line = Line(env, 0.5, cpu)
    env.process(line.send(1, account))
    env.process(Line(env, 0.5, None, 1.0).send(1, account))
    env.run()
    assert (env.now, account.seconds[Phase.LINE], cpu.reading()["bursts"]) == (20.0, 40.0, 0)


@pytest.mark.parametrize("baud", [0.0, -9600.0, nan, inf])
def test_no_such_line(env: simpy.Environment, baud: float) -> None:
    with pytest.raises(ValueError, match="positive and finite"):
        Line(env, baud)
