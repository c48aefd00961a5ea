"""Tests a CPU of several cores by hand: which core runs a burst, busy times, and that one core is an FcfsCpu."""

import pytest
import simpy

from spindle.sim.clock import Account, Phase
from spindle.sim.cpu import CoresCpu, Cpu, FcfsCpu
from spindle.sim.error import UserError


def ends(env: simpy.Environment, cpu: Cpu, *seconds: float) -> tuple[list[float], list[float]]:
    """When bursts asked at 0 end, and how long each waited."""
    done, accounts = list[float](), [Account(f"burst {number}") for number in range(len(seconds))]
    for each, account in zip(seconds, accounts, strict=True):
        burst = cpu.burst(each, 1, Phase.CACHE, account)
        burst.callbacks.append(lambda _: done.append(env.now))
    env.run()
    return done, [account.seconds[Phase.CPU_WAIT] for account in accounts]


def test_a_burst_goes_to_the_core_that_is_free_first(env: simpy.Environment) -> None:
    """Of 3, 1, 1 and 2 s on two cores: 3 alone on one, 1, 1 and then 2 on the other."""
    cpu = CoresCpu(env, 2)
    done, waited = ends(env, cpu, 3.0, 1.0, 1.0, 2.0)
    assert done == [1.0, 2.0, 3.0, 4.0]
    assert waited == [0.0, 0.0, 1.0, 2.0]
    assert cpu.busy() == 3.5  # of 4 s, 3 and 4 on the two
    assert cpu.reading()["bursts"] == 4.0
    assert cpu.reading()["busy_cache"] == 3.5


def test_a_core_is_told_what_the_burst_is(env: simpy.Environment) -> None:
    cpu, account = CoresCpu(env, 1024), Account("a")
    env.run(cpu.burst(1.0, 1, Phase.CACHE, account, call=0.25))
    assert (account.seconds[Phase.CPU], account.seconds[Phase.CACHE]) == (0.25, 0.75)
    assert (1024 * cpu.reading()["busy_cpu"], 1024 * cpu.reading()["busy_cache"]) == (0.25, 0.75)


def test_one_core_is_the_plain_cpu(env: simpy.Environment) -> None:
    seconds = (0.5, 0.25, 1.0)
    plain = FcfsCpu(env)
    one = ends(env, plain, *seconds)
    other_env = simpy.Environment()
    cores = CoresCpu(other_env, 1)
    assert ends(other_env, cores, *seconds) == one
    assert cores.reading() == plain.reading()


@pytest.mark.parametrize("cores", [0, -1, 1025])
def test_a_cpu_has_a_core_at_least(env: simpy.Environment, cores: int) -> None:
    with pytest.raises(UserError, match="cores must be 1 to 1024"):
        CoresCpu(env, cores)
