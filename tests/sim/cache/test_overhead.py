"""What a cache costs the CPU."""

import pytest
import simpy

from sim.account import Account, Phase
from sim.cache.overhead import CpuOverhead, NoOverhead
from sim.cpu import FcfsCpu


def test_search_and_copy(env: simpy.Environment) -> None:
    cpu, account = FcfsCpu(env), Account("a")
    env.process(CpuOverhead(cpu, search=0.5, copy=0.01).spend(150, account))
    env.run()
    assert (env.now, account.seconds[Phase.CACHE], account.total()) == (2.0, 2.0, 2.0)
    assert cpu.reading()["busy_cache"] == pytest.approx(2.0)


def test_nothing(env: simpy.Environment) -> None:
    assert list(NoOverhead().spend(150, Account("a"))) == []
