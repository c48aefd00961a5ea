"""Tests runs of Response Probe: the time of a cycle, the counters of Performance Monitor, and their sums."""

from dataclasses import replace
from typing import Any

import pytest
import simpy

from spindle.models.windows_nt.beside_probe import ClearMem, FileServer, Nobody
from spindle.models.windows_nt.counters import COUNTERS, check_identities, counters
from spindle.models.windows_nt.disc import LogicalDisc
from spindle.models.windows_nt.log import frame
from spindle.models.windows_nt.machine import Laptop, NtOptions
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.run import DEFAULT, run
from spindle.models.windows_nt.system import page
from spindle.models.windows_nt.working_set import PAGE
from spindle.sim.clock import Account, Phase
from spindle.sim.cpu import PreemptiveCpu
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.sheets import IBM_2314, TOSHIBA_MK2124FC
from spindle.sim.error import UserError
from spindle.sim.measure.result import Result
from spindle.sim.parts import LawBroken
from spindle.sim.request import Op, access
from spindle.sim.units import KIB, MIB, MS, Bytes
from spindle.workloads.probe.bell import Bell
from spindle.workloads.probe.reader import read
from spindle.workloads.probe.script import FileAction, Mode, Probe, ProbeFile, Process, Thread

FILE = ProbeFile("small", 256 * KIB)
QUIET = {"log_cpu": 0.0, "write_call": 0.0, "log_interval": 1000.0}
"""Nobody else wants the processor, but for soft faults."""
R, W = Op.READ, Op.WRITE


def probe(*operations: Op, seconds: float = 20.0, file: ProbeFile = FILE, **said: Any) -> Probe:
    """One thread that does the *operations* in sequence, or as is *said*."""
    action = FileAction(file, operations or (R,), **said)
    return Probe((Process("probe", (Thread((action,)),)),), seconds)


def seconds_a_cycle(script: Probe, **parameters: object) -> float:
    return run(script, **{**QUIET, **parameters}).extras["response_ms"] * MS


# What a cycle takes ----------------------------------------------------------------------------------------


def test_a_hit_is_a_seek_a_call_and_a_copy() -> None:
    chosen = NtParameters()
    expected = chosen.seek_call + chosen.read_call + 4096 * chosen.copy
    assert seconds_a_cycle(probe(R)) == pytest.approx(expected, rel=1e-3)


def test_without_fast_reads_a_hit_is_a_request_to_the_file_system() -> None:
    chosen = NtParameters()
    result = run(probe(R), **QUIET, fast_reads=0)
    expected = chosen.seek_call + chosen.read_call + 4096 * chosen.copy + chosen.request_call
    assert result.extras["response_ms"] * MS == pytest.approx(expected, rel=1e-3)
    assert result.extras["Cache: Fast Reads/sec"] == 0.0 < result.extras["Cache: Fast Read Not Possibles/sec"]


def test_an_asynchronous_read_goes_on_while_the_thread_computes() -> None:
    """Each waits for what is left of the one before; where there is nothing to compute there is nothing to gain."""
    large = ProbeFile("large", 8 * MIB)

    def ms(mode: Mode, cpu: float) -> float:
        action = FileAction(large, (R,), seek=Bell(1000.0, 300.0), mode=mode)
        thread = Thread((action,), cpu=Bell(cpu))
        return run(Probe((Process("probe", (thread,)),), 6.0), **QUIET).extras["response_ms"]

    assert ms(Mode.ASYNCHRONOUS, 20 * MS) < ms(Mode.BUFFERED, 20 * MS) - 5.0
    assert ms(Mode.ASYNCHRONOUS, 0.0) > 0.8 * ms(Mode.BUFFERED, 0.0)


def test_a_chosen_mode_is_that_of_all_files() -> None:
    both = probe(R, mode=Mode.UNBUFFERED)
    assert run(both, choices=NtOptions(mode=Mode.BUFFERED), **QUIET).counters == run(probe(R), **QUIET).counters


def test_a_mapped_record_takes_no_system_call_and_its_place_is_found_once() -> None:
    chosen = NtParameters()
    expected = chosen.place + 4096 * (chosen.load + chosen.store)
    result = run(probe(R, W, mode=Mode.MAPPED), **QUIET)
    assert result.extras["response_ms"] * MS == pytest.approx(expected, rel=1e-3)
    assert result.extras["System: System Calls/sec"] == 0


def test_choosing_a_record_takes_time() -> None:
    spread = Bell(32.0, 10.0, 63.0)
    more = seconds_a_cycle(probe(R, seek=spread)) - seconds_a_cycle(probe(R))
    assert more == pytest.approx(NtParameters().choose, rel=1e-2)


def test_an_unbuffered_write_in_sequence_misses_the_revolution() -> None:
    took = seconds_a_cycle(probe(W, mode=Mode.UNBUFFERED))
    media = 8 / 55 * TOSHIBA_MK2124FC.revolution
    assert TOSHIBA_MK2124FC.revolution + media < took < TOSHIBA_MK2124FC.revolution + 2 * media


def test_write_through_is_as_slow_as_the_disc() -> None:
    assert seconds_a_cycle(probe(W, mode=Mode.WRITE_THROUGH)) > TOSHIBA_MK2124FC.revolution


def test_a_response_begins_after_thinking() -> None:
    thread = Thread((), think=Bell(0.5), cpu=Bell(0.1), reads=Bell(2.0))
    script = Probe((Process("probe", (thread,)),), 20.0)
    result = run(script, **QUIET)
    assert result.extras["response_ms"] == pytest.approx(200, rel=1e-2)
    assert result.extras["cycles_per_second"] == pytest.approx(1 / 0.7, rel=0.05)
    assert result.breakdown()["cpu"] == pytest.approx(0.2, rel=1e-9)


@pytest.mark.parametrize(("name", "seconds"), [("disc_512_by_5", 60.0), ("large_read", 20.0), ("side_by_side", 20.0)])
def test_every_cycle_is_the_sum_of_its_phases(name: str, seconds: float) -> None:
    """Five threads that wait for seconds each at the end, one that mostly computes, and two that differ."""
    result = run(DEFAULT.with_name(f"{name}.scr"), seconds=seconds, keep_rows=True)
    assert sum(result.breakdown().values()) == pytest.approx(result.response()["response_mean"], rel=1e-9)
    assert len(result.transactions) == result.response()["responses"] > 10
    assert all(sum(row.phases) == pytest.approx(row.responded - row.began, rel=1e-9) for row in result.transactions)
    assert all(result.start <= row.began for row in result.transactions)


def test_what_happens_after_the_trial_is_not_measured() -> None:
    script = probe(R, mode=Mode.UNBUFFERED, seconds=10.0)
    assert run(script, **QUIET, tail=1.0).summary() == {
        **run(script, **QUIET).summary(), "events": run(script, **QUIET, tail=1.0).events}


def test_two_threads_share_the_processor() -> None:
    alone = probe(R)
    process = alone.processes[0]
    both = replace(alone, processes=(process, replace(process, name="other")))
    assert seconds_a_cycle(both) == pytest.approx(2 * seconds_a_cycle(alone), rel=0.02)


def test_a_more_urgent_thread_comes_first() -> None:
    thread = Thread((FileAction(FILE),))
    processes = tuple(Process(name, (replace(thread, priority=each),)) for name, each in (("high", 9), ("low", 7)))
    result = run(Probe(processes, 20.0), **QUIET)
    assert result.extras["response_ms_1"] * MS == pytest.approx(seconds_a_cycle(probe(R)), rel=0.01)
    assert not result.extras["response_ms_2"] < 1000, "it may not have got round at all"


def test_data_and_code_pages_are_touched() -> None:
    code = ProbeFile("code", 64 * KIB)
    thread = Thread((), cpu=Bell(0.01), data=Bell(4.0, 1.0, 7.0), code=Bell(8.0, 2.0, 15.0))
    script = Probe((Process("probe", (thread,), data_pages=8, code=code),), 20.0)
    result = run(script, interval=5.0, **QUIET)
    sizes = frame(result)["Process: Working Set (probe 1)"].tolist()
    assert 12 * 4096 < sizes[-1] <= (8 + 16) * 4096


def test_who_reads_nothing_computes_once_a_cycle() -> None:
    script = Probe((Process("probe", (Thread((), reads=Bell(0.0), cpu=Bell(0.1)),)),), 20.0)
    assert run(script, **QUIET).extras["response_ms"] == pytest.approx(100, rel=0.01)


def test_a_cycle_that_takes_no_time_is_refused() -> None:
    script = Probe((Process("probe", (Thread(()),)),), 5.0)
    with pytest.raises(UserError, match="takes no time"):
        run(script)


# What a run says -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large() -> Result:
    """Figure 6.3 for half a minute, second by second."""
    return run(seconds=30.0, interval=1.0, tail=3.0)


def test_figures_have_the_trial_that_their_scripts_say() -> None:
    """The book gives no length; there is one in the parameters, and in the files."""
    trial = NtParameters().trial
    figures = ("large_read", "random_update", "sequential_update", "side_by_side")
    assert {read(DEFAULT.with_stem(name)).seconds for name in figures} == {trial}
    result = run(trial=4.0, lead=2.0)
    assert (result.start, result.end) == (4.0, 6.0)


def test_records_may_be_strewn_more_widely() -> None:
    near, far = (run(seconds=12.0, spread=spread).extras["Cache: Copy Read Hits %"] for spread in (0.5, 2.0))
    assert near > far + 10


def test_the_same_seed_gives_the_same_run() -> None:
    one, other = (run(seconds=6.0, interval=2.0) for _ in range(2))
    assert one.extras == other.extras
    assert one.intervals == other.intervals
    assert run(seconds=6.0, seed=2).extras != one.extras


def test_the_second_half_of_the_trial_is_measured(large: Result) -> None:
    assert (large.start, large.end) == (20.0, 35.0)
    assert large.rate("system.cycles") == pytest.approx(large.extras["Probe: Cycles/sec"])
    assert large.response()["response_mean"] == pytest.approx(large.extras["response_ms"] * MS)


def test_intervals_add_up_to_the_run_and_levels_are_what_they_were(large: Result) -> None:
    log = frame(large)
    assert log["seconds"].tolist() == [float(second) for second in range(1, 39)]
    half = log[(log["seconds"] > large.start) & (log["seconds"] <= large.end)]
    for name in COUNTERS:
        if name.endswith("/sec") or "Time" in name:
            assert half[name].mean() == pytest.approx(large.extras[name], rel=1e-9, abs=1e-9), name
    total = log["Memory: Available Bytes"] + log.filter(like="Working Set").sum(axis=1)
    assert total.max() < 12 * MIB
    assert total.min() > 9 * MIB, "all of memory but what is not paged, and what is modified or coming"


def test_a_percentage_of_nothing_is_nothing() -> None:
    reading = Laptop(simpy.Environment(), NtParameters(), NtOptions()).machine.reading()
    assert counters(reading, 1.0)["Cache: Copy Read Hits %"] == 0.0


def test_scripts_are_read_before_the_trial(large: Result) -> None:
    """The spike on the far left of figure 6.5: a high percentage of few."""
    log = frame(large)
    third = log.iloc[2]
    assert third["Cache: Copy Read Hits %"] > 90
    assert third["Cache: Copy Reads/sec"] < 60


def test_flushing_goes_on_after_the_trial() -> None:
    spread = Bell(640.0, 100.0, 1279.0)
    script = probe(R, W, seconds=10.0, file=ProbeFile("large", 5 * MIB), seek=spread)
    log = frame(run(script, tail=5.0, interval=1.0))
    assert log["Cache: Data Flush Pages/sec"].iloc[-1] > 0


def test_identities_are_checked(large: Result) -> None:
    env = simpy.Environment()
    laptop = Laptop(env, NtParameters(), NtOptions())
    env.run(3.0)
    reading = laptop.machine.reading()
    check_identities(reading)
    for name in ("memory.pages_input", "cache.data_flush_pages", "cache.sync_copy_reads", "cache.lazy_write_pages"):
        with pytest.raises(LawBroken):
            check_identities({**reading, name: reading[name] + 1000})


def test_the_system_process_has_the_cpu_time_of_its_six_threads_and_not_their_waits() -> None:
    laptop = Laptop(simpy.Environment(), NtParameters(), NtOptions())
    cache = laptop.cache
    threads = [laptop.trimmer, laptop.zeroing, cache.lazy, cache.ahead]
    for power, account in enumerate([*(each.account for each in threads), *laptop.writers.accounts]):
        account.charge(Phase.CPU, 0.0, 2.0**power)
        account.charge(Phase.WRITE_WAIT, 0.0, 1000.0)
    assert laptop.reading()["system_cpu"] == 1 + 2 + 4 + 8 + 16 + 32


def test_a_cache_of_fixed_size_keeps_it() -> None:
    log = frame(run(seconds=20.0, cache=Bytes(MIB), interval=1.0))
    assert log["Memory: Cache Bytes"].max() == MIB
    assert log["Memory: Available Bytes"].min() > 3 * MIB


def test_a_larger_fixed_cache_is_no_slower() -> None:
    small, large = (run(seconds=30.0, cache=Bytes(size * MIB)).extras["response_ms"] for size in (1, 3))
    assert large < small


def test_any_disc_will_do() -> None:
    slow = run(probe(R, mode=Mode.UNBUFFERED, seconds=10.0), choices=NtOptions(drive=IBM_2314, scheduler=Fcfs))
    assert slow.extras["response_ms"] > 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seconds": 0.0}, "seconds"), ({"tail": -1.0}, "tail"), ({"cache": 4096}, "cache"),
        ({"cache": 1 << 30}, "cache"), ({"memory": 1}, "memory"), ({"trim": 1}, "trim_"),
        ({"nonpaged": 12 * MIB}, "memory"),
    ],
)  # fmt: skip
def test_mistakes(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        run(**{"seconds": 1.0, **arguments})


def test_the_page_shows_hits_beside_their_rate(large: Result) -> None:
    said = page(large)
    assert "Copy Reads/sec" in said
    assert "% hits" in said
    assert " Hits %" not in said
    assert max(map(len, said.splitlines())) <= 80


def test_the_page_shows_what_was_given_with_its_unit(large: Result) -> None:
    given = replace(large, parameters={"probe": "mine", "cache": None, "memory": 8 * MIB, "copy": 9e-8})
    first = page(given).splitlines()[0]
    assert first == "Response Probe on Windows NT: probe mine, memory 8 MiB, copy 90 ns/byte, seed 1"


# Programmed I/O --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", [Op.READ, Op.WRITE])
def test_the_processor_moves_every_byte(env: simpy.Environment, op: Op) -> None:
    cpu = PreemptiveCpu(env)
    disc = LogicalDisc(env, cpu, TOSHIBA_MK2124FC, Fcfs(), 1e-6)
    request = disc.start(access(op, 1 * MIB, 8192, Account("somebody")))
    env.run(request)
    env.run(env.now + 0.01)
    assert cpu.reading()["busy_interrupt"] == pytest.approx(8192e-6)
    assert disc.reading()[f"{op.value}_seconds"] == pytest.approx(request.value.total)


def test_the_link_is_no_faster_than_the_processor(env: simpy.Environment) -> None:
    times = []
    for byte in (0.0, 5e-6):
        disc = LogicalDisc(env, PreemptiveCpu(env), TOSHIBA_MK2124FC, Fcfs(), byte)
        began = env.now
        env.run(disc.start(access(Op.READ, 1 * MIB, 4096, Account("somebody"))))
        times.append(env.now - began)
    assert times[1] > 4096 * 5e-6


def test_clearmem_takes_every_frame_once_and_gives_all_of_them_back() -> None:
    alone, cleared = (run(seconds=2.0, choices=NtOptions(beside=beside), lead=12.0, interval=1.0)
                      for beside in (Nobody, ClearMem))  # fmt: skip
    made = [result.intervals[11]["memory.demand_zero_faults"] for result in (alone, cleared)]
    least = [min(row["memory.available_bytes"] for row in result.intervals[:11]) for result in (alone, cleared)]
    total = sum(row["memory.demand_zero_faults"] for row in cleared.intervals)
    frames = (NtParameters().memory - NtParameters().nonpaged) // PAGE
    assert total >= frames
    assert least[1] < 0.3 * least[0]
    assert made[1] == made[0]  # it has ended before the trial begins
    assert cleared.intervals[11]["memory.available_bytes"] >= alone.intervals[11]["memory.available_bytes"]


def test_a_server_hands_its_file_over_by_mdl_reads_that_hit_once_it_is_in_memory() -> None:
    served = run(seconds=30.0, choices=NtOptions(beside=FileServer)).extras
    assert served["Cache: MDL Reads/sec"] == pytest.approx(2.0, abs=0.1)
    assert served["Cache: MDL Read Hits %"] == 100.0  # 1 MB is read in 8 s, and the second half is measured
    assert run(seconds=30.0).extras["Cache: MDL Reads/sec"] == 0.0
