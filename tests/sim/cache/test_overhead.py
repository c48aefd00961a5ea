"""Tests the CPU time that a cache takes."""

import pytest
import simpy

from spindle.sim.cache.block_cache import CpuOverhead, NoOverhead
from spindle.sim.clock import Account, Phase
from spindle.sim.cpu import FcfsCpu, PreemptiveCpu


def test_search_and_copy(env: simpy.Environment) -> None:
    cpu, account = FcfsCpu(env), Account("a")
    env.process(CpuOverhead(cpu, search=0.5, copy=0.01).spend(150, account))
    env.run()
    assert (env.now, account.seconds[Phase.CACHE], account.total()) == (2.0, 2.0, 2.0)
    assert cpu.reading()["busy_cache"] == pytest.approx(2.0)


@pytest.mark.parametrize(("level", "seconds"), [({}, 3.0), ({"level": 2}, 4.0), ({"level": 0}, 2.0)])
def test_its_level_is_one_or_what_it_is_given(level: dict[str, int], seconds: float, env: simpy.Environment) -> None:
    """Two others have asked for a second each, at levels 1 and 2."""
    cpu, account = PreemptiveCpu(env), Account("a")
    cpu.burst(1.0, 1, Phase.CPU, Account("urgent"))
    cpu.burst(1.0, 2, Phase.CPU, Account("less urgent"))
    env.process(CpuOverhead(cpu, search=2.0, copy=0.0, **level).spend(150, account))
    env.run()
    assert account.total() == seconds


def test_nothing(env: simpy.Environment) -> None:
    assert list(NoOverhead().spend(150, Account("a"))) == []
