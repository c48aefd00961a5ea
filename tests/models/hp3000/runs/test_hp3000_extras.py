"""Tests the measures beside the response times, computed by hand from counters of 10 s."""

import inspect
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest
import simpy

from spindle.models.hp3000.caching.control import WriteMode
from spindle.models.hp3000.instruments.monitor import MonitoredResult
from spindle.models.hp3000.load import default_load
from spindle.models.hp3000.load_sheets import CALIBRATED, LOADS
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.operator import ShowCache
from spindle.models.hp3000.parameters import MpeParameters
from spindle.models.hp3000.run import extras, run
from spindle.models.hp3000.series import SERIES_III
from spindle.sim.parameter import change

COUNTED = {
    "cpu.busy": 8.0, "cpu.busy_cache": 2.0, "cpu.busy_manager": 0.5, "segments.faults": 30.0,
    "segments.swap_writes": 10.0, "drive1.completed": 100.0, "drive2.completed": 50.0, "drive1.busy": 6.0,
    "drive2.busy": 3.0, "drive1.number_seconds": 12.0, "drive2.number_seconds": 4.0, "channel1.busy": 1.5,
    "data_base.block_reads": 70.0, "cache1.hits": 60.0, "cache2.hits": 20.0, "cache1.late_hits": 5.0,
    "cache1.misses": 10.0, "cache2.misses": 5.0, "cache1.writes": 40.0, "cache2.writes": 10.0,
    "cache1.write_hits": 30.0, "cache1.write_waits": 15.0, "cache1.stops": 25.0, "cache2.stops": 5.0,
    "cache1.byte_seconds": 4000.0, "cache2.byte_seconds": 1000.0, "cache1.at_risk_byte_seconds": 300.0,
    "data_base.lock_impedes": 20.0, "data_base.lock_held": 7.0, "dispatcher.paused_disc": 2.0,
    "dispatcher.paused_swap": 3.0, "memory.used_seconds": 50_000.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def machine() -> Hp3000:
    """Two discs on one channel."""
    values = change(MpeParameters(), **CALIBRATED.settings, discs=2, channels=1)
    return Hp3000(simpy.Environment(), values, MpeOptions(), True, None)


def test_measures_by_hand(machine: Hp3000) -> None:
    counters = {**dict.fromkeys(machine.machine.reading(), 0.0), **COUNTED}
    assert set(COUNTED) <= set(machine.machine.reading())
    assert extras(machine, counters, 10.0) == pytest.approx({
        "cpu_busy": 0.8, "cpu_cache": 0.2, "memory_pressure": 0.05, "memory_disc_rate": 4.0, "disc_rate": 15.0,
        "disc_busy": 0.45, "disc_queue": 0.8, "channel_busy": 0.15, "logical_reads": 7.0, "hit_ratio": 0.8,
        "late_hit_ratio": 0.05, "write_hit_ratio": 0.6, "write_wait_probability": 0.1, "stop_rate": 3.0,
        "domain_bytes": 500.0, "reads_a_write": 2.0, "bytes_at_risk": 30.0, "impede_rate": 2.0, "lock_busy": 0.7,
        "fault_rate": 3.0, "paused_disc": 0.2, "paused_swap": 0.3, "swap_write_rate": 1.0,
        "memory_used": 5000.0 + machine.parameters.resident,
    })  # fmt: skip


def test_a_run_takes_all_that_it_is_given(tmp_path: Path) -> None:
    """One clerk for 18 s, read every 6: operators in Python and in a file, a load and a parameter against it."""
    (tmp_path / "ops.txt").write_text("0:09 STOPCACHE 1\n")
    shown: list[str] = []
    result = run(
        1, 1, minutes=0.3, warm_up=0.0, interval=6.0, log=str(tmp_path / "opt.csv"), report=True, discs=1,
        operator=[(0.25, ShowCache(shown.append)), (0.1, ShowCache(shown.append))], shift=tmp_path / "ops.txt",
        choices=MpeOptions(load=LOADS["image"]), series=SERIES_III, terminal_delay=2.0, cached_ldevs=(1,),
        set_bytes=64 * 1024,
    )  # fmt: skip
    assert isinstance(result, MonitoredResult)
    assert [each["until"] for each in result.intervals] == [6.0, 12.0, 18.0]
    assert (tmp_path / "opt.csv").read_text().splitlines()[1].startswith("0,18.0,")  # of a minute, or less
    assert [table.splitlines()[2].split()[0] for table in shown] == ["1", "Total"]  # at 15 s LDEV 1 is not cached
    assert result.breakdown()["line"] > 2.0
    assert (result.system, result.parameters) == ("hp3000", {
        "terminals": 1, "scripts": "CLERKS", "caching": True, "shift": str(tmp_path / "ops.txt"),
        "discs": 1, "terminal_delay": 2.0, "set_bytes": 64 * 1024,
    })  # fmt: skip
    assert result.report_rows()[-1]["count"] == result.response()["responses"] > 0
    assert result.extras["memory_used"] > SERIES_III.resident
    assert result.extras["memory_used"] < SERIES_III.memory


def test_a_run_has_what_it_is_not_given_from_its_load(tmp_path: Path) -> None:
    """No delay of terminals in the load of an IMAGE application; a log has minutes, and what is left of one."""
    shown: list[str] = []
    small = {"minutes": 0.3, "warm_up": 0.0, "discs": 1, "set_bytes": 64 * 1024}
    result = run(3, 1, log=str(tmp_path / "opt.csv"), operator=[(0.1, ShowCache(shown.append))], keep_rows=False,
                 choices=MpeOptions(load=LOADS["image"]), **{**small, "minutes": 1.1})  # type: ignore[arg-type]  # fmt: skip
    assert not isinstance(result, MonitoredResult)
    assert (len(shown), [each["until"] for each in result.intervals]) == (1, [60.0, 66.0])
    assert len((tmp_path / "opt.csv").read_text().splitlines()) == 1 + 2
    assert (len(result.transactions), result.parameters["scripts"]) == (0, "CLERKS+COBOL+BASIC")
    assert result.breakdown()["line"] < 0.05
    mine = replace(default_load(2, 2, MpeParameters())[0], name="MINE")
    scripted = run(5, 3, scripts=[mine], choices=MpeOptions(write=WriteMode(block=True)), **small)  # type: ignore[arg-type]
    assert (scripted.parameters["terminals"], scripted.parameters["scripts"]) == (2, "MINE")
    assert scripted.extras["write_wait_probability"] >= 0.0 == scripted.extras["bytes_at_risk"]
    assert {row.terminal for row in scripted.transactions} == {"MINE 1", "MINE 2"}


def test_a_parameter_is_that_of_the_run_else_of_its_load_else_of_its_series(monkeypatch: pytest.MonkeyPatch) -> None:
    class Built(Exception):
        """Ends a run whose machine would be built."""

    def build(env: simpy.Environment, values: MpeParameters, *_: object) -> Hp3000:
        assert (values.discs, values.channels, values.memory) == (3, 1, SERIES_III.memory)
        raise Built

    monkeypatch.setattr(inspect.getmodule(run), "Hp3000", build)
    load = replace(CALIBRATED, settings={"discs": 3, "channels": 3})
    with pytest.raises(Built):
        run(choices=MpeOptions(load=load), series=SERIES_III, channels=1, scripts=[])


def test_ratios_of_nothing_are_unknown(machine: Hp3000) -> None:
    idle = extras(machine, dict.fromkeys(machine.machine.reading(), 0.0), 10.0)
    assert {name for name, value in idle.items() if isnan(value)} == {
        "hit_ratio", "late_hit_ratio", "write_hit_ratio", "write_wait_probability", "reads_a_write",
    }  # fmt: skip


def test_a_log_has_its_records_writes_and_share_of_the_waits(machine: Hp3000) -> None:
    counters = {**dict.fromkeys(machine.machine.reading(), 0.0), "image_log.records": 30.0, "image_log.writes": 20.0,
                "image_log.wait_seconds": 4.0, "desk.waiting_seconds": 16.0}  # fmt: skip
    logged = extras(machine, counters, 10.0)
    assert (logged["log_records"], logged["log_writes"], logged["log_share"]) == (3.0, 2.0, 0.25)
    assert isnan(extras(machine, counters | {"desk.waiting_seconds": 0.0}, 10.0)["log_share"])
