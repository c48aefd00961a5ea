"""Tests by hand what a run of Response Probe says: its page, its log, and the scripts that it is given."""

from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.models.windows_nt.log import (
    KEPT_LINES,
    Log,
    NtLine,
    correlation,
    crossing,
    frame,
    log_lines,
    quarter,
    samples,
    second_half,
    smooth,
    turns,
)
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.run import DEFAULT, _extras, _script, run
from spindle.models.windows_nt.system import PROBES, ProbeScripts, page
from spindle.models.windows_nt.working_set import PAGE
from spindle.sim.error import UserError
from spindle.sim.measure.result import Result
from spindle.sim.units import MIB
from spindle.workloads.probe.bell import Bell
from spindle.workloads.probe.reader import read
from spindle.workloads.probe.script import Mode, Probe, Process, Thread

CHEAP = {"lead": 1.0, "csrss_pages": 0, "monitor_pages": 0, "monitor_active": 0, "inactive_pages": 0}
COMPUTING = Probe((Process("p", (Thread(cpu=Bell(0.3), priority=15),)),), 4.0, "mine")


@pytest.fixture(scope="module")
def short() -> Result:
    """Two seconds are measured, after a lead of one and two more; one is added."""
    return run(COMPUTING, interval=0.5, tail=1.0, **CHEAP)


# What is run.

def test_the_second_half_is_measured_and_the_tail_is_run(short: Result) -> None:
    assert (short.system, short.start, short.end, short.seed) == ("windows_nt", 3.0, 5.0, 1)
    assert short.parameters == {"probe": "mine", "seconds": 4.0, "cache": None, **CHEAP}
    assert [row["until"] for row in short.intervals] == [0.5 * number for number in range(1, 13)]
    assert not short.transactions
    assert short.extras["cycles_per_second"] == short.response()["responses"] / 2.0 == 3.0
    assert "response_ms_1" not in short.extras


def test_levels_of_an_interval_are_those_at_its_end(short: Result) -> None:
    """Those of the last are the run's; before the first the cache had the system's pages."""
    last = short.intervals[-1]
    names = ("memory.available_bytes", "cache.cache_bytes", "sets.cache")
    assert [last[name] for name in names] == [short.counters[name] for name in names]
    assert all(row["cache.cache_bytes"] == PAGE * row["sets.cache"] >= PAGE * 80 for row in short.intervals)


def test_threads_are_told_apart_where_there_are_several() -> None:
    """The first computes 400 ms a cycle, the second 800, and the third, the least urgent, never gets round."""
    threads = [Thread(cpu=Bell(cpu), priority=priority) for cpu, priority in ((0.4, 15), (0.8, 14), (0.1, 1))]
    thinking = replace(threads[0], think=Bell(0.9))
    script = Probe((Process("p", (thinking, threads[1], threads[2])),), 8.0)
    result = run(script, **CHEAP)
    assert result.extras["response_ms_1"] == pytest.approx(400, rel=0.01)
    assert result.extras["response_ms_2"] > 800
    assert isnan(result.extras["response_ms_3"])
    assert result.extras["cycles_per_second"] == result.response()["responses"] / 4.0
    assert result.extras["response_ms"] == pytest.approx(result.response()["response_mean"] * 1000)
    lines = page(result).splitlines()
    assert lines[2].startswith("  1: 4")
    assert lines[4] == "  3: no cycle"


def test_of_two_threads_each_has_its_own_response(short: Result) -> None:
    """One of two cycles of a quarter of a second, and one of none, in four seconds."""
    threads = [SimpleNamespace(measured=2, seconds=0.5), SimpleNamespace(measured=0, seconds=0.0)]
    both: Any = SimpleNamespace(threads=threads)
    found = _extras(both, short.counters, 4.0)
    assert [found[name] for name in ("cycles_per_second", "response_ms", "response_ms_1")] == [0.5, 250.0, 250.0]
    assert isnan(found["response_ms_2"])


def test_a_run_in_which_nothing_ended_says_so() -> None:
    result = run(replace(COMPUTING, processes=(Process("p", (Thread(cpu=Bell(9.0)),)),)), **CHEAP)
    assert isnan(result.extras["response_ms"])
    assert page(result).splitlines()[1] == (
        "measured from 3 to 5 s: no cycle was observed, for none began and ended in it; run for more seconds")


@pytest.mark.parametrize(("seconds", "expected"), [(None, 4.0), (3.0, 3.0)])
def test_seconds_that_are_given_are_those_of_the_trial(seconds: float | None, expected: float, tmp_path: Path) -> None:
    """Of a script in hand, of a file, and of the figure that is run where there is none."""
    script = tmp_path / "mine.scr"
    script.write_text("CREATEFIL a.dat 4\nTRIALTIME 4\nPROCESS mine.scp 1 a.dat\n")
    (tmp_path / "mine.scp").write_text("THREAD mine.sct\n")
    (tmp_path / "mine.sct").write_text(DEFAULT.with_suffix(".sct").read_text().replace("640 85", "0 0").replace(
        "CPUTIME         0 0", "CPUTIME 500 0").replace("FILEACCESS      access.dat", "FILEACCESS a.dat").replace(
        "8192", "4096"))  # fmt: skip
    for probe in (COMPUTING, script):
        result = run(probe, seconds=seconds, **CHEAP)
        assert (result.end - 1.0, result.parameters["seconds"]) == (expected, expected)
    assert run(script, seconds=seconds, **CHEAP).parameters["probe"] == "mine"


@pytest.mark.parametrize(("arguments", "message"), [
    ({"seconds": 0.0}, "seconds must be positive and at most 1e\\+06, not 0.0"), ({"seconds": nan}, "seconds"),
    ({"seconds": 1e6 + 1}, "seconds"), ({"tail": 1e6 + 1}, "tail must be at least 0 and at most 1e\\+06 s"),
    ({"tail": nan}, "tail"),
])  # fmt: skip
def test_times_out_of_range_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        run(COMPUTING, **{**CHEAP, **arguments})
    assert _script(COMPUTING, 1e6, NtParameters()).seconds == 1e6


# The page.

def test_the_page_line_by_line(short: Result) -> None:
    """Counters by object, hits beside the rate that they are of, and none that is 0 or nameless."""
    extras = {
        "cycles_per_second": 2.5, "response_ms": 400.0, "response_ms_1": 300.0, "response_ms_2": nan,
        "Cache: Copy Reads/sec": 12.0, "Cache: Copy Read Hits %": 75.0, "Cache: Data Flushes/sec": 0.0,
        "Cache: Data Maps/sec": 3.0, "Memory: Page Faults/sec": 1234567.891, "odd": 3.0, "Odd: Sub: Rate/sec": 1.0,
    }  # fmt: skip
    given = {"probe": "mine", "cache": None, "seconds": 4.0, "trim_share": 0.25123456}
    shown = replace(short, extras=extras, parameters=given)
    assert page(shown).splitlines() == [
        "Response Probe on Windows NT: probe mine, seconds 4 s, trim_share 0.251235, seed 1",
        "measured from 3 to 5 s: 400.000 ms a cycle, 2.5 cycles a second",
        "  1: 300.000 ms a cycle",
        "  2: no cycle",
        "",
        "Cache",
        f"{'Copy Reads/sec':>32}  {'12.00':>14}   75.00 % hits",
        f"{'Data Maps/sec':>32}  {'3.00':>14}",
        "",
        "Memory",
        f"{'Page Faults/sec':>32}    1,234,567.89",
        "",
        "Odd",
        f"{'Sub: Rate/sec':>32}  {'1.00':>14}",
    ]


# Scripts that are written on the page.

def test_scripts_go_with_the_files_that_they_name() -> None:
    shipped = ProbeScripts().shipped_files()
    assert list(shipped) == sorted(path.name for path in DEFAULT.parent.glob("*.scr"))
    assert list(shipped["large_read.scr"]) == ["large_read.scr", "large_read.scp", "large_read.sct"]
    assert set(shipped["side_by_side.scr"]) == {"side_by_side.scr", "buffered.scp", "buffered.sct", "mapped.scp",
                                                "mapped.sct"}  # fmt: skip
    assert shipped["large_read.scr"]["large_read.scr"] == DEFAULT.read_text("utf-8")
    assert PROBES["workloads/probe/large_read.scr"] == DEFAULT
    assert list(PROBES) == sorted(f"workloads/probe/{name}" for name in shipped)


@pytest.mark.parametrize(("given", "seconds"), [({}, 95.0), ({"seconds": 7.0}, 7.0)])
def test_files_of_the_page_are_a_script_with_the_seconds_that_are_given(given: dict[str, Any], seconds: float) -> None:
    files = {**ProbeScripts().shipped_files()["large_read.scr"]}
    files["large_read.scp"] += "# größer\n"
    made = ProbeScripts().arguments(files, {"cache": 3, **given})
    assert made == {"cache": 3, **given, "probe": read(DEFAULT, seconds)}
    assert made["probe"].seconds == seconds
    assert ProbeScripts.option == "probe"


@pytest.mark.parametrize(("name", "text", "message"), [
    ("large_read.scr", "PROCESS none.scp 1", "none.scp"), ("large_read.sct", "FILEACTION X", "large_read.sct"),
])  # fmt: skip
def test_a_mistake_in_a_script_is_told_without_the_folder_that_it_was_read_from(
    name: str, text: str, message: str
) -> None:
    files = {**ProbeScripts().shipped_files()["large_read.scr"], name: text}
    with pytest.raises(UserError) as refused:
        ProbeScripts().arguments(files, {})
    assert message in str(refused.value)
    assert "/" not in str(refused.value)


# The log.

def test_samples_are_counters_over_each_interval_and_working_sets_in_bytes(short: Result) -> None:
    rows = samples(short)
    assert [row["seconds"] for row in rows] == [row["until"] for row in short.intervals]
    for row, counted in zip(rows, short.intervals, strict=True):
        assert row["Probe: Cycles/sec"] == counted["system.cycles"] / 0.5
        assert row["Process: Working Set (cache)"] == PAGE * counted["sets.cache"]
        assert row["Memory: Available Bytes"] == counted["memory.available_bytes"]
    assert list(frame(short).columns) == list(rows[0])
    assert frame(short)["Probe: Cycles/sec"].tolist() == [row["Probe: Cycles/sec"] for row in rows]


def test_lines_of_a_log_end_with_the_trial_and_count_from_its_begin(short: Result) -> None:
    lines = log_lines(short)
    rows = samples(short)[:10]
    assert lines["seconds"] == [-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]
    assert lines["adds_up"] == 1.0
    names = [name for name in lines if name not in ("seconds", "adds_up")]
    sets = [f"Process: Working Set ({name})" for name in ("cache", "CSRSS", "Performance Monitor", "others", "p 1")]
    assert names == [*KEPT_LINES, *sets]
    assert all(lines[name] == [row[name] for row in rows] for name in names)


@pytest.mark.parametrize(("kind", "which"), [
    (kind, which) for kind in ("copy_reads", "fast_reads", "mdl_reads", "pin_reads", "data_maps")
    for which in ("", "sync_", "async_")
])  # fmt: skip
def test_a_log_whose_kinds_do_not_add_up_says_so(short: Result, kind: str, which: str) -> None:
    rows = [dict(row) for row in short.intervals]
    rows[3][f"cache.{which}{kind}"] += 1
    assert log_lines(replace(short, intervals=rows))["adds_up"] == 0.0
    rows = [dict(row) for row in short.intervals]
    rows[11][f"cache.{which}{kind}"] += 1
    assert log_lines(replace(short, intervals=rows))["adds_up"] == 1.0, "it is after the trial"


def test_a_working_set_that_came_later_had_nothing_before(short: Result) -> None:
    rows = [dict(row) for row in short.intervals]
    for row in rows[:9]:
        del row["sets.p 1"]
    line = log_lines(replace(short, intervals=rows))["Process: Working Set (p 1)"]
    assert line == [0.0] * 9 + [PAGE * rows[9]["sets.p 1"]]


ROW: dict[str, Any] = {"seconds": [-1.0, 0.0, 1.0, 2.0, 3.0], NtLine.CACHE: [MIB, 2 * MIB, 3 * MIB, 5 * MIB, 9 * MIB],
                       NtLine.READS: [1.0, 1.0, 2.0, 4.0, 8.0]}  # fmt: skip


def test_a_log_is_of_the_trial_or_of_the_lead() -> None:
    """A sample that ends when the trial begins was taken before."""
    trial, lead = Log(ROW), Log(ROW, lead=True)
    assert (trial.line(NtLine.READS), lead.line(NtLine.READS)) == ([2.0, 4.0, 8.0], [1.0, 1.0])
    assert (trial.mb(NtLine.CACHE), lead.mb(NtLine.CACHE)) == ([3.0, 5.0, 9.0], [1.0, 2.0])
    assert trial.mean(NtLine.READS) == pytest.approx(14 / 3)
    assert trial.mean(NtLine.READS, NtLine.READS) == pytest.approx(28 / 3)
    assert trial.mean(NtLine.READS, half=True) == 8.0
    assert [second_half([1, 2, 3, 4][:count]) for count in range(5)] == [[], [], [2], [3], [3, 4]]


def test_lines_are_read_as_from_a_chart() -> None:
    assert smooth([0.0, 0, 60, 0, 0, 0]) == [20.0, 15.0, 12.0, 12.0, 15.0, 0.0]
    assert smooth([0.0, 0, 60, 0], 1) == [0.0, 0.0, 60.0, 0.0]
    falling, rising = [3.0] * 8, [0.0] * 4 + [8.0] * 4
    assert smooth(rising) == [0.0, 0.0, 1.6, 3.2, 4.8, 6.4, 8.0, 8.0]
    assert crossing(falling, rising, [10.0 * each for each in range(8)]) == pytest.approx(20.0 + 10.0 * 1.4 / 1.6)
    assert crossing([2.0] * 3, [2.0] * 3, [0.0] * 3) != crossing([2.0] * 3, [2.0] * 3, [0.0] * 3), "nowhere below"
    assert turns([5, 3, 3, 5, 5, 2], 2) == [1, 3]
    assert quarter([1.0, 2.0, 3.0], 0) != quarter([1.0, 2.0, 3.0], 0)
    assert [quarter([1.0, 2.0, 3.0], number) for number in (1, 2, 3)] == [1.0, 2.0, 3.0]
    assert quarter([1.0, 2.0, 3.0, 4.0, 5.0], 3) == 4.5
    assert correlation([1.0, 2.0], [5.0, 1.0]) == pytest.approx(-1.0)
    assert correlation([1.0, 2.0, 4.0], [1.0, 3.0, 2.0]) == pytest.approx(1.0 / (14 / 3 * 2) ** 0.5)


def test_modes_are_those_of_probe() -> None:
    assert NtParameters().trial == read(DEFAULT).seconds
    result = run(seconds=0.5, choices=None, **CHEAP)
    assert result.parameters["probe"] == "large_read"
    assert Mode.BUFFERED is read(DEFAULT).processes[0].threads[0].actions[0].mode
