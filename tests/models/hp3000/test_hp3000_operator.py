"""Tests an operator's commands in whole runs: caching stopped and started, settings changed, mistakes refused."""

from typing import Any

import pytest
import simpy

from spindle.models.hp3000.caching.control import CacheSettings, Control, WriteMode
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.operator import (
    CacheControl,
    Console,
    CountLosses,
    OperatorCommand,
    ShowCache,
    StartCache,
    StopCache,
    operate,
    put_at_console,
)
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import run
from spindle.sim.error import UserError
from spindle.sim.measure.result import Result

LOAD: dict[str, Any] = {"terminals": 14, "clerks": 10, "minutes": 2.0, "warm_up": 0.0, "discs": 2}


def total(counters: dict[str, float] | Any, name: str) -> float:
    return sum(value for key, value in counters.items() if key.startswith("cache") and key.endswith(f".{name}"))


def test_caching_built_in_but_disabled_is_a_machine_without_it() -> None:
    """The same answers, the same CPU time and the same events."""
    absent, disabled = run(caching=False, **LOAD), run(cached_ldevs=(), **LOAD)
    assert disabled.transactions == absent.transactions
    assert disabled.events == absent.events
    assert disabled.counters["cpu.busy"] == absent.counters["cpu.busy"] > 0.0
    assert disabled.counters["cpu.busy_cache"] == 0.0


def test_only_some_ldevs_may_be_cached() -> None:
    result = run(cached_ldevs=(2,), **LOAD)
    assert result.counters["cache1.misses"] == result.counters["cache1.writes"] == 0
    assert result.counters["cache2.misses"] > 0 < result.counters["cache2.writes"]


def test_told_at_once_is_as_if_it_had_been_so() -> None:
    told = run(operator=((0.0, StopCache(1)), (0.0, StopCache(2))), **LOAD)
    assert told.transactions == run(caching=False, **LOAD).transactions


def intervals(result: Result, name: str) -> list[float]:
    return [total(interval, name) for interval in result.intervals]


def test_stopped_in_mid_run_no_request_reaches_the_cache_until_it_is_started() -> None:
    shift = ((1.25, StartCache(1)), (0.5, StopCache(1)), (0.5, StopCache(2)))
    result = run(operator=shift, interval=15.0, **LOAD)
    reads = [sum(each) for each in zip(*(intervals(result, name) for name in ("hits", "misses")), strict=True)]
    assert min(reads[:2]) > 0
    assert reads[3:5] == [0, 0]  # the third interval has what was under way
    assert result.intervals[3]["cache1.byte_seconds"] == 0
    assert min(reads[5:]) > 0
    assert result.counters["cache1.misses"] > result.intervals[0]["cache1.misses"]


def test_settings_change_in_mid_run() -> None:
    """A fetch of one sector brings what was asked for and no more; who waits for the medium puts nothing at risk."""
    command = CacheControl(random=1, sequential=1, block_on_write=True)
    result = run(operator=((1.0, command),), interval=30.0, **LOAD)
    before, after = intervals(result, "fetched_bytes")[1], intervals(result, "fetched_bytes")[3]
    assert after < before
    risked = intervals(result, "at_risk_byte_seconds")
    assert min(risked[:2]) > 0
    assert risked[3] == 0
    assert min(intervals(result, "writes")) > 0


def test_flush_is_an_option_of_the_operators(env: simpy.Environment) -> None:
    console = Console({}, Control(env), 0)
    assert list(CacheControl(random=4, flush=False).carry_out(console)) == []
    assert console.control.settings == CacheSettings(random=4 * 256, flushed=False)


def test_a_command_at_its_minute_waits_for_nothing_and_sets_what_it_names(env: simpy.Environment) -> None:
    console = Console({}, Control(env), 0)
    shift = [(0.0, CacheControl(2, 3, True, True, False)), (0.0, CacheControl(sequential=5, block_on_write=False))]
    assert list(operate(env, shift, console)) == []
    assert console.control.settings == CacheSettings(2 * 256, 5 * 256, WriteMode(serial=True), flushed=False)
    assert list(CacheControl(serial_write_queue=False).carry_out(console)) == []
    assert console.control.settings.mode == WriteMode()


def test_an_operator_is_a_process_of_that_name() -> None:
    """So that one who never has done is told of; who has nothing to do is none."""
    for shift, names in (((), []), (((1.0, StopCache(1)),), ["operator"])):
        made = Hp3000(simpy.Environment(), MpeParameters(), MpeOptions(), caching=True)
        put_at_console(made.machine, shift, made.caching, 0)
        assert [name for name, _ in made.machine.processes] == names


def test_what_is_not_given_stays() -> None:
    one = CacheControl(serial_write_queue=True)
    result = run(operator=((0.0, one),), **LOAD)
    assert result.transactions == run(operator=((0.0, one), (0.0, CacheControl())), **LOAD).transactions


def test_the_operator_sees_the_table() -> None:
    shown: list[str] = []
    shift = ((1.5, ShowCache(shown.append)), (1.0, StopCache(1)), (0.5, ShowCache(shown.append)))
    run(operator=shift, **LOAD)
    ldevs = [[line.split()[0] for line in table.splitlines()[2:5] if line] for table in shown]
    assert ldevs[0] == ["1", "2", "Total"]
    assert ldevs[1] == ["2", "Total"]  # a stopped one has no line
    assert "RANDOM FETCH QUANTUM IS 16 SECTORS" in shown[0]


def test_what_a_power_failure_would_lose_is_told_at_any_instant() -> None:
    """Looked at often enough, the bytes add up to the integral; with the writers waiting there are none."""
    told: list[float] = []
    look = CountLosses(lambda losses: told.append(sum(loss.bytes for loss in losses)))
    shift = [(number / 1200, look) for number in range(2400)]  # every 50 ms
    result = run(operator=shift, **LOAD)
    assert sum(told) * 0.05 == pytest.approx(total(result.counters, "at_risk_byte_seconds"), rel=0.15)
    told.clear()
    run(operator=[(0.0, CacheControl(block_on_write=True)), *shift], **LOAD)
    assert (len(told), sum(told)) == (2400, 0)


@pytest.mark.parametrize(("shift", "said"), [
    (((1.0, StopCache(3)),), "STOPCACHE: there is no LDEV 3; there are 1 to 2"),
    (((1.0, StartCache(0)),), "STARTCACHE: there is no LDEV 0; there are 1 to 2"),
    (((-1.0, ShowCache()),), "operator: ShowCache"),
    (((float("inf"), StopCache(1)),), "operator: StopCache(ldev=1) must have a minute that is finite"),
    (((float("nan"), StopCache(1)),), "operator: StopCache(ldev=1) must have a minute that is finite"),
])
def test_what_makes_no_sense_is_refused_before_anything_happens(
    shift: tuple[tuple[float, OperatorCommand], ...], said: str
) -> None:
    with pytest.raises(UserError) as refused:
        run(operator=shift, **LOAD)
    assert str(refused.value).startswith(said)


def test_a_machine_without_caching_knows_no_such_commands() -> None:
    with pytest.raises(UserError, match="operator: commands are about disc caching"):
        run(caching=False, operator=((1.0, StopCache(1)),), **LOAD)


def test_an_ldev_that_is_not_there_cannot_be_cached() -> None:
    with pytest.raises(UserError, match="cached_ldevs: there is no LDEV 7; there are 1 to 2"):
        run(cached_ldevs=(1, 7), **LOAD)


@pytest.mark.parametrize("sectors", [0, 97, -1, 1.5, True])
def test_a_fetch_has_1_to_96_sectors(sectors: Any) -> None:
    for name in ("random", "sequential"):
        with pytest.raises(UserError) as refused:
            CacheControl(**{name: sectors})
        assert str(refused.value) == (
            f"CACHECONTROL {name.upper()} must be a whole number of sectors, 1 to 96, not {sectors!r}"
        )
    assert CacheControl(1, 96).sequential == 96
