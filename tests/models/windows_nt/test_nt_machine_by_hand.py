"""Tests by hand what the laptop is built of, the work beside Probe, and the identities of its counters."""

from inspect import getgeneratorlocals
from math import nan
from typing import Any

import pytest
import simpy

from spindle.models.windows_nt.beside_probe import ClearMem, FileServer, Surroundings
from spindle.models.windows_nt.caller import thread
from spindle.models.windows_nt.counters import COUNTERS, check_identities, counters, levels
from spindle.models.windows_nt.file_access import AsynchronousAccess, Buffered, Mapped, UnbufferedAccess
from spindle.models.windows_nt.lazy_writer import DirtyPagesStay, MakesRoom, WhileWritersWait
from spindle.models.windows_nt.machine import Laptop, NtOptions
from spindle.models.windows_nt.page_writers import PAGE_WRITERS
from spindle.models.windows_nt.parameters import NtParameters
from spindle.models.windows_nt.processes import PerformanceMonitor, PeriodicProcess, read_scripts, resident
from spindle.models.windows_nt.trimming import ByReference
from spindle.models.windows_nt.working_set import PAGE, WorkingSet
from spindle.sim.clock import Phase, Wait
from spindle.sim.disc.drive import Fcfs
from spindle.sim.disc.sheets import IBM_2314
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.sim.parts import LawBroken
from spindle.sim.units import KIB, MIB
from spindle.workloads.probe.bell import Bell
from spindle.workloads.probe.script import FileAction, Mode, Probe, ProbeFile, Process, Thread

PARAMETERS = NtParameters()
SMALL = change(PARAMETERS, csrss_pages=9, csrss_least=4, monitor_pages=7, monitor_active=3, inactive_pages=5,
               inactive_least=2, system_pages=6, own_dirty=0.5)  # fmt: skip


def laptop(parameters: NtParameters = SMALL, fixed: int | None = None, **choices: Any) -> Laptop:
    return Laptop(simpy.Environment(), parameters, NtOptions(**choices), fixed)


def sets(machine: Laptop) -> dict[str, WorkingSet]:
    return {each.name: each for each in machine.memory.sets}


def lately(holder: WorkingSet) -> list[tuple[str, int]]:
    return [(page.section.name, page.number) for page, used in holder.pages.items() if used]


def forget(holder: WorkingSet) -> None:
    for page in holder.pages:
        holder.pages[page] = False


# Who is there at first.

def test_working_sets_have_their_names_sizes_minima_and_favours() -> None:
    machine = laptop()
    made = [(each.name, len(each), each.minimum, each.favour, each.maximum, each.active_at)
            for each in machine.memory.sets]  # fmt: skip
    assert made == [
        ("cache", 6, 0, 0, None, 0.0), ("CSRSS", 9, 4, 3, None, 0.0), ("Performance Monitor", 7, 2, 2, None, 0.0),
        ("others", 5, 2, 1, None, -1e9),
    ]  # fmt: skip
    assert machine.memory.frames == (SMALL.memory - SMALL.nonpaged) // PAGE
    assert machine.memory.lists.available == machine.memory.frames - 27
    names = [each.account.name for each in machine.others]
    assert names == ["CSRSS", "Performance Monitor", "System: code"]
    assert [32 - each.level for each in machine.others] == [9, 9, 9]
    assert machine.machine.reading()["sets.cache"] == 6.0
    assert levels(machine.machine.reading())["sets.others"] == 5.0


def test_half_of_a_processs_pages_are_its_own_and_dirty_and_the_rest_are_code() -> None:
    machine = laptop()
    holder = sets(machine)["CSRSS"]
    pages = [(page.section.name, page.number, page.dirty, page.section.private) for page in holder.pages]
    assert pages == [("CSRSS", number, True, True) if number % 2 else ("code of CSRSS", number, False, False)
                     for number in range(9)]  # fmt: skip
    assert machine.volume.sections["code of CSRSS"].size == 9 * PAGE
    assert not any(page.dirty for page in machine.cache.set.pages), "the system's own are clean"
    private = [section for section in machine.volume.all_sections() if section.private]
    assert [(each.name, each.count) for each in private] == [
        ("CSRSS", 9), ("Performance Monitor", 7), ("others", 5), ("cache", 6)]  # fmt: skip


@pytest.mark.parametrize(("own", "dirty"), [(0.0, []), (1.0, [0, 1, 2, 3]), (0.25, [3]), (0.75, [1, 2, 3])])
def test_a_share_of_pages_is_spread_over_them(own: float, dirty: list[int]) -> None:
    machine = laptop()
    holder = machine.memory.working_set("mine", 0, 1)
    places = resident(machine.memory, machine.volume, holder, 4, own)
    assert [number for section, number in places if section.private] == dirty
    assert [page.dirty for page in holder.pages] == [number in dirty for number in range(4)]
    assert resident(machine.memory, machine.volume, holder, 0, own) == []


def test_who_needs_more_frames_than_there_are_is_refused() -> None:
    machine = laptop()
    left = machine.memory.lists.available
    holder = machine.memory.working_set("mine", 0, 1)
    with pytest.raises(UserError, match=f"too few are left for mine, which has {left + 1}"):
        resident(machine.memory, machine.volume, holder, left + 1, 0.0)
    assert len(resident(machine.memory, machine.volume, holder, left, 0.0)) == left


def test_each_touches_the_pages_that_came_in_last_at_once_and_then_once_a_period() -> None:
    machine = laptop(change(SMALL, touch_period=10.0, log_interval=20.0))
    env, of = machine.env, sets(machine)
    for began in (0.0, 10.0, 20.0):
        for name in ("CSRSS", "Performance Monitor", "cache"):
            forget(of[name])
        env.run(began + 1.0)
        assert [number for _, number in lately(of["CSRSS"])] == [5, 6, 7, 8]
        assert [number for _, number in lately(of["Performance Monitor"])] == ([] if began == 10.0 else [4, 5, 6])
        system = [number for name, number in lately(machine.cache.set) if name == "code of cache"]
        assert system == [0, 1, 2, 3, 4, 5]
        assert of["CSRSS"].active_at == machine.cache.set.active_at == began
        assert of["others"].active_at == -1e9
    assert machine.others[1].account.seconds[Phase.CPU] > 2 * SMALL.log_cpu


def test_each_pays_for_its_own_faults() -> None:
    """One page of the screen's process was trimmed, and three of the system's."""
    machine = laptop()
    for name, lost in (("CSRSS", 1), ("cache", 3)):
        for page in list(sets(machine)[name].pages)[-lost:]:
            machine.memory.remove(sets(machine)[name], page)
    machine.env.run(0.9)
    spent = [machine.others[number].account.seconds[Phase.CPU] for number in (0, 2)]
    assert spent == pytest.approx([SMALL.soft_fault, 3 * SMALL.soft_fault])


def test_soft_faults_of_a_process_are_one_burst_and_hard_ones_are_waited_for() -> None:
    """Of four pages two were trimmed, and one is not in memory."""
    machine = laptop(change(SMALL, soft_fault=0.25))
    memory, env = machine.memory, machine.env
    holder = memory.working_set("mine", 0, 1)
    places = resident(memory, machine.volume, holder, 4, 0.0)
    section = places[0][0]
    for number in (0, 3):
        memory.remove(holder, section.pages[number])
    memory.remove(holder, section.pages[1])
    memory.lists.delete(section.pages[1])
    caller = thread(machine.cpu, "mine", 30)
    PeriodicProcess(env, memory, holder, caller, places, 100.0)
    env.run(50.0)
    assert sorted(page.number for page in holder.pages) == [0, 1, 2, 3]
    assert (holder.soft_faults, holder.faults) == (2, 3)
    assert caller.account.seconds[Phase.CPU] == pytest.approx(3 * 0.25 + SMALL.paging_call)


def test_a_record_is_logged_each_interval_and_the_log_begins_anew_at_its_end() -> None:
    """Records of 3 KB into a log of 8 KB: at 0, 3, and, 5 being left over, at 1 KB."""
    parameters = change(SMALL, log_record=3 * KIB, log_file=8 * KIB, log_interval=10.0, log_cpu=0.5, lazy_first=3600.0,
                        copy=1e-4)  # fmt: skip
    machine = laptop(parameters)
    monitor, log = machine.others[1], machine.volume.sections["log"]
    assert (log.size, log.valid) == (8 * KIB, 0)
    for begin, valid in ((0.0, 3), (10.0, 6), (20.0, 6), (30.0, 6)):
        machine.env.run(begin + 9.0)
        assert log.valid == valid * KIB
    assert machine.cache.reading()["data_map_pins"] == 2, "where the file grows to another page"
    assert sorted(log.unwritten) == [0, 1]
    assert monitor.account.seconds[Phase.CPU] > 4 * (0.5 + parameters.write_call + 3 * KIB * 1e-4)


def test_the_monitor_is_the_least_that_a_run_has_beside_it() -> None:
    machine = laptop()
    assert sets(machine)["Performance Monitor"].favour == 2
    monitor = PerformanceMonitor(machine.env, machine.cache, machine.memory, machine.volume, machine.cache.set,
                                 machine.others[1], [], SMALL)  # fmt: skip
    assert (monitor._written, monitor._period, monitor._log.sequential) == (0, SMALL.log_interval, True)
    assert monitor._metadata is machine.volume.metadata


def test_scripts_are_read_piece_by_piece_to_their_ends() -> None:
    """Three files of 1000 bytes in pieces of 300; each is looked up, and read from the disc once."""
    parameters = change(SMALL, script_bytes=1000, script_piece=300, lead=10.0, probe_starts=0.5, read_call=0.25)
    machine = laptop(parameters)
    caller = thread(machine.cpu, "Probe", 30)

    def told() -> Wait:
        yield from read_scripts(machine.cache, machine.volume, caller, parameters)
        ended.append(machine.env.now)

    ended, lengths, read_now = list[float](), list[int](), machine.cache.read_now

    def noted(file: Any, first: int, length: int) -> float | None:
        lengths.append(length)
        return read_now(file, first, length)

    machine.cache.read_now = noted  # type: ignore[method-assign]
    machine.env.process(told())
    machine.env.run(4.99)
    assert machine.cache.reading()["copy_reads"] == 0
    machine.env.run(20.0)
    assert lengths == [300, 300, 300, 100] * 3
    made = [machine.volume.sections[f"script {number}"] for number in (1, 2, 3)]
    assert [each.size for each in made] == [1000] * 3
    assert all(list(each.pages) == [0] for each in made)
    read = machine.cache.reading()
    assert (read["sync_copy_reads"], read["copy_reads_hits"], read["fast_reads"]) == (12, 9, 9)
    assert read["data_maps"] >= 3
    copies = 3 * 1000 * parameters.copy + 3 * parameters.map_view
    assert caller.account.seconds[Phase.CPU] == pytest.approx(
        12 * 0.25 + copies + 4 * (parameters.paging_call + parameters.soft_fault), rel=0.01)  # fmt: skip
    assert 5.0 + 3.0 < ended[0] < 5.0 + 3.4


# Programs beside Probe.

def around(machine: Laptop) -> Surroundings:
    return Surroundings(machine.env, machine.cpu, machine.memory, machine.cache, machine.volume, machine.parameters)


def test_clearmem_takes_each_frame_and_frees_it() -> None:
    machine = laptop(change(SMALL, memory=4 * MIB, nonpaged=3 * MIB, zero_page=1e-3, soft_fault=0.0, trim_below=0))
    works = ClearMem().works(around(machine), 0.0, 1.0)
    assert list(works) == ["clearmem"]
    known, make_known = list[int](), machine.memory.make_known
    machine.memory.make_known = lambda: known.append(len(machine.volume._privates[-1].pages)) or make_known()  # type: ignore[method-assign]
    machine.env.run(machine.env.process(works["clearmem"]))
    assert known[-1] == 0, "who waits for a frame is told of all of them"
    made = sets(machine)["clearmem"]
    assert (made.minimum, made.favour, len(made), made.faults) == (2, 1, 0, 256)
    assert 0.0 <= machine.env.now - made.active_at < 2e-3, "when it asked for the last frame"
    section = machine.volume._privates[-1]
    assert (section.name, section.count, section.pages) == ("clearmem", 256, {})
    assert machine.memory.lists.free > 200
    machine.check()


@pytest.mark.parametrize(("size", "firsts"), [
    (4, [0, 1, 2, 3, 0]), (5, [0, 1, 2, 3, 4]), (4.5, [0, 1, 2, 3, 0]), (1, [0] * 5), (0.5, [0] * 5),
])  # fmt: skip
def test_the_server_reads_its_file_in_blocks_from_the_trials_begin_to_its_end(size: float, firsts: list[int]) -> None:
    """Blocks of 8 KB every second: the file from its beginning again where no whole block is left."""
    block = 8 * KIB
    parameters = change(SMALL, served_file=int(size * block), served_block=block, served_period=1.0,
                        read_call=0.0625)  # fmt: skip
    machine, read = laptop(parameters), list[tuple[int, int]]()
    by_list = machine.cache.read_by_list

    def noted(file: Any, first: int, size: int, caller: Any) -> Wait:
        read.append((first, size))
        return by_list(file, first, size, caller)

    machine.cache.read_by_list = noted  # type: ignore[method-assign, assignment]
    works = FileServer().works(around(machine), 3.0, 7.9)
    assert list(works) == ["server"]
    machine.env.process(works["server"])
    machine.env.run(2.9)
    assert read == []
    caller = getgeneratorlocals(works["server"])["caller"]  # type: ignore[arg-type]
    machine.env.run(20.0)
    assert caller.account.seconds[Phase.CPU] >= 5 * 0.0625
    assert read == [(first * block, min(block, int(size * block))) for first in firsts]
    assert machine.volume.sections["served file"].size == int(size * block)
    assert machine.machine.reading()["cache.sync_mdl_reads"] == 5


def test_who_is_beside_probe_is_told_of_the_trial() -> None:
    """A trial of two seconds from 3 s on: blocks at 3 and 4 s, and one that is under way when it ends."""
    machine = laptop(change(SMALL, served_period=1.0), beside=FileServer)
    script = Probe((Process("p", (Thread(cpu=Bell(1.0)),)),), 2.0)
    machine.env.process(machine.load(script, 1, 3.0)._programs["server"](None))  # type: ignore[arg-type]
    for instant, blocks in ((2.9, 0), (3.5, 1), (4.9, 2), (9.0, 2)):
        machine.env.run(instant)
        assert machine.machine.reading()["cache.mdl_reads"] == blocks
    cleared = laptop(change(SMALL, memory=4 * MIB, nonpaged=3 * MIB, trim_below=0), beside=ClearMem)
    works = cleared.load(script, 1, 3.0)._programs
    cleared.env.run(cleared.env.process(works["clearmem"](None)))  # type: ignore[arg-type]
    assert cleared.memory.demand_zero_faults >= 256
    master = getgeneratorlocals(works["Probe"](None))["caller"]  # type: ignore[arg-type]
    assert (master.account.name, 32 - master.level) == ("Probe", 7)


# Probe's threads and their ways to files.

FILE, LARGE = ProbeFile("small", 64 * KIB), ProbeFile("large", 1 * MIB)
KINDS = {Mode.BUFFERED: Buffered, Mode.WRITE_THROUGH: Buffered, Mode.ASYNCHRONOUS: AsynchronousAccess,
         Mode.UNBUFFERED: UnbufferedAccess, Mode.MAPPED: Mapped}  # fmt: skip


@pytest.mark.parametrize("mode", list(Mode))
def test_each_mode_is_its_way_to_the_file(mode: Mode) -> None:
    machine = laptop()
    actions = FileAction(FILE, mode=mode), FileAction(LARGE, mode=mode, seek=Bell(1.0))
    script = Probe((Process("p", (Thread(actions),)),))
    machine.load(script, 1, 5.0)
    one, other = machine.accesses
    assert type(one) is type(other) is KINDS[mode]
    sections = [machine.volume.sections[name] for name in ("small", "large")]
    if isinstance(one, Buffered) and isinstance(other, Buffered):
        assert [each._file.section for each in (one, other)] == sections
        assert [each._file.sequential for each in (one, other)] == [True, False]
        assert one._through is (mode is Mode.WRITE_THROUGH)
    else:
        assert [each._section for each in (one, other)] == sections  # type: ignore[attr-defined]
    chosen = [action.choose for action in machine.threads[0]._actions]
    assert chosen == [0.0, SMALL.choose], "only a record that is drawn takes time to choose"


def test_processes_and_threads_are_numbered_and_have_their_pages_and_priorities() -> None:
    machine = laptop()
    code = ProbeFile("code", 3 * PAGE)
    first = Process("one", (Thread(priority=9), Thread()), data_pages=5, code=code)
    script = Probe((first, Process("two", (Thread(),))))
    programs = machine.load(script, 1, 5.0)
    assert list(programs._programs) == ["Probe", "one 1/1", "one 1/2", "two 2/1"]
    callers = [each.caller for each in machine.threads]
    assert [(each.account.name, 32 - each.level) for each in callers] == [
        ("one 1/1", 9), ("one 1/2", 7), ("two 2/1", 7)]  # fmt: skip
    one, two = machine.processes
    held = [(each.set.name, each.set.minimum, each.set.favour) for each in (one, two)]
    assert held == [("one 1", 2, 1), ("two 2", 2, 1)]
    assert one.data is not None
    assert (one.data.name, one.data.count, one.data.private) == ("one 1", 5, True)
    assert one.code is machine.volume.sections["code"]
    assert (one.code.size, two.data, two.code) == (3 * PAGE, None, None)
    assert machine.threads[0]._process is machine.threads[1]._process is one


def test_streams_of_draws_differ_by_thread_by_action_and_by_seed() -> None:
    """Records, think times and pages are drawn from streams of their own."""
    seek = Bell(50.0, 30.0, 255.0)
    each = Thread((FileAction(LARGE, seek=seek), FileAction(LARGE, seek=seek)))
    script = Probe((Process("p", (each, each)),))

    def drawn(seed: object) -> list[float]:
        machine = laptop()
        machine.load(script, seed, 5.0)
        own = [made._random for made in machine.threads]
        walks = [action.walk._random for made in machine.threads for action in made._actions]
        return [random.random() for random in (*own, *walks)]

    first = drawn(1)
    assert len(set(first)) == 6
    assert drawn(1) == first
    assert not set(drawn(2)) & set(first)


def test_a_trial_begins_and_ends_when_it_should() -> None:
    """Two seconds from 5 s on; its second half is measured."""
    machine = laptop(change(SMALL, soft_fault=0.0, log_cpu=0.0, write_call=0.0))
    script = Probe((Process("p", (Thread(think=Bell(0.25), cpu=Bell(0.25), priority=15),)),), 2.0)
    works = machine.load(script, 1, 5.0)._programs

    class Rows:
        def __init__(self) -> None:
            self.began: list[float] = []

        def record(self, row: Any, charges: int) -> None:
            self.began.append(row.began)

    rows = Rows()
    machine.env.run(machine.env.process(works["p 1/1"](rows)))
    assert rows.began == pytest.approx([6.25, 6.75])
    assert machine.env.now == pytest.approx(7.0)


def test_parts_are_those_that_were_chosen() -> None:
    machine = laptop(drive=IBM_2314, scheduler=Fcfs, trimming=ByReference, flushing=MakesRoom, waking=WhileWritersWait,
                     page_writers=PAGE_WRITERS["one"], unmapping=DirtyPagesStay, beside=FileServer)  # fmt: skip
    assert machine.disc.drive.capacity == IBM_2314.layout.capacity
    assert isinstance(machine.disc.drive.scheduler, Fcfs)
    assert isinstance(machine.trimmer._rule, ByReference)
    assert isinstance(machine.cache._flushing, MakesRoom)
    assert isinstance(machine.cache._unmapping, DirtyPagesStay)
    assert isinstance(machine.cache.lazy._waking, WhileWritersWait)
    assert len(machine.writers.accounts) == 1
    programs = machine.load(Probe((Process("p", (Thread(cpu=Bell(1.0)),)),), 2.0), 1, 5.0)
    assert list(programs._programs) == ["Probe", "p 1/1", "server"]
    assert set(machine.machine.parts) == {"disc", "logical_disc", "memory", "cache", "trimmer", "sets", "system",
                                          "cpu"}  # fmt: skip


def test_two_threads_of_a_priority_take_turns_of_a_quantum_and_a_system_thread_is_never_put_off() -> None:
    machine = laptop(change(SMALL, quantum=0.25, lazy_first=3600.0, touch_period=100.0, log_interval=100.0))
    ended = dict[str, float]()

    def burst(name: str, priority: int, seconds: float) -> Wait:
        yield thread(machine.cpu, name, priority).burst(seconds)
        ended[name] = machine.env.now

    machine.env.run(50.0)
    for name, priority, seconds in (("a", 15, 1.0), ("b", 15, 0.5), ("c", 1, 0.5), ("d", 1, 0.25), ("e", 16, 1.0),
                                    ("f", 16, 0.25)):  # fmt: skip
        machine.env.process(burst(name, priority, seconds))
    machine.env.run(60.0)
    assert ended == {"e": 51.0, "f": 51.25, "b": 52.25, "a": 52.75, "d": 53.25, "c": 53.5}


@pytest.mark.parametrize(("pages", "fits"), [(6, False), (7, True), (1872, True), (1873, False)])
def test_a_fixed_cache_holds_more_than_the_system_needs_and_at_most_all(pages: int, fits: bool) -> None:
    parameters = change(SMALL, memory=9 * MIB, nonpaged=9 * MIB - 1872 * PAGE, csrss_pages=0, monitor_pages=0,
                        monitor_active=0, inactive_pages=0)  # fmt: skip
    if not fits:
        with pytest.raises(UserError, match=f"cache must be more than {6 * PAGE} and at most {1872 * PAGE} bytes"):
            laptop(parameters, fixed=pages * PAGE)
        return
    made = laptop(parameters, fixed=pages * PAGE + 5).cache.set
    assert (made.name, made.minimum, made.maximum, made.favour) == ("cache", pages, pages, 0)


def test_what_the_laptop_reads() -> None:
    machine = laptop()
    straight = [FileAction(file, mode=Mode.UNBUFFERED) for file in (FILE, LARGE)]
    script = Probe((Process("p", (Thread((*straight, FileAction(FILE))), Thread())),))
    machine.load(script, 1, 5.0)
    assert set(machine.reading().values()) == {0.0}
    for number, each in enumerate(machine.accesses):
        each.calls = 10**number
    for number, direct in enumerate(machine.accesses[:2]):
        direct.bytes_read, direct.bytes_written = 5 * 10**number, 7 * 10**number  # type: ignore[attr-defined]
    for number, made in enumerate(machine.threads):
        made.cycles, made.seconds = 3 * 10**number, 0.5 * 10**number
    assert machine.reading() == {"system_calls": 111.0, "cycles": 33.0, "response_seconds": 5.5, "system_cpu": 0.0,
                                 "direct_bytes_read": 55.0, "direct_bytes_written": 77.0}  # fmt: skip


def test_a_frame_that_is_lost_and_a_counter_that_is_wrong_are_noticed() -> None:
    machine = laptop()
    machine.env.run(3.0)
    machine.check()
    machine.memory.lists.zeroed += 1
    with pytest.raises(LawBroken, match="zeroed"):
        machine.check()
    machine.memory.lists.zeroed -= 1
    section = machine.volume._privates[0]
    page = next(iter(section.pages.values()))
    page.users += 1
    with pytest.raises(LawBroken, match="wrong place"):
        machine.check()
    page.users -= 1
    machine.cache.copy.sync_hits += 1000
    with pytest.raises(LawBroken, match="copy_reads"):
        machine.check()


# Counters, and the identities among them.

COUNTED = {name: float(number) for number, name in enumerate(sorted(
    {reading for _, *readings in COUNTERS.values() for reading in readings}), 1)}  # fmt: skip


def test_counters_are_rates_shares_percentages_busy_times_and_levels() -> None:
    found = counters(COUNTED, 4.0)
    reads, hits = COUNTED["cache.copy_reads"], COUNTED["cache.copy_reads_hits"]
    pages = COUNTED["memory.pages_input"] + COUNTED["memory.pages_output"]
    assert list(found) == list(COUNTERS)
    assert {name: found[name] for name in (
        "Cache: Copy Reads/sec", "Cache: Copy Read Hits %", "Memory: Pages/sec", "LogicalDisk: % Disk Time",
        "LogicalDisk: Avg. Disk Bytes/Read", "Memory: Available Bytes",
    )} == {
        "Cache: Copy Reads/sec": reads / 4, "Cache: Copy Read Hits %": 100.0 * hits / reads,
        "Memory: Pages/sec": pages / 4,
        "LogicalDisk: % Disk Time": 100.0 * COUNTED["disc.busy"] / 4,
        "LogicalDisk: Avg. Disk Bytes/Read": COUNTED["disc.bytes_read"] / COUNTED["disc.reads"],
        "Memory: Available Bytes": COUNTED["memory.available_bytes"],
    }  # fmt: skip


def test_a_share_of_nothing_is_nothing_and_a_level_that_was_not_read_is_no_number() -> None:
    nothing = dict.fromkeys(COUNTED, 0.0)
    del nothing["memory.available_bytes"]
    found = counters(nothing, 1.0)
    assert found.pop("Memory: Available Bytes") == pytest.approx(nan, nan_ok=True)
    assert set(found.values()) == {0.0}


def test_levels_are_told_from_counters() -> None:
    reading = {"memory.available_bytes": 1.0, "memory.page_faults": 2.0, "sets.cache": 3.0, "cache.dirty_pages": 4.0}
    assert levels(reading) == {"memory.available_bytes": 1.0, "sets.cache": 3.0, "cache.dirty_pages": 4.0}


SOUND: dict[str, float] = {
    "disc.bytes_read": 3 * PAGE + 5.0, "memory.pages_input": 3.0, "system.direct_bytes_read": 5.0,
    "disc.bytes_written": 6 * PAGE + 7.0, "cache.data_flush_pages": 5.0, "cache.already_clean": 1.0,
    "memory.pages_output": 2.0, "system.direct_bytes_written": 7.0,
    **{f"cache.{of}{kind}{end}": number for kind in ("copy_reads", "fast_reads", "mdl_reads", "pin_reads", "data_maps")
       for of, end, number in (("sync_", "", 2.0), ("async_", "", 1.0), ("", "", 3.0), ("", "_hits", 3.0))},
    "cache.lazy_write_flushes": 2.0, "cache.data_flushes": 2.0, "cache.lazy_write_pages": 5.0,
    "cache.cache_faults": 4.0, "memory.page_faults": 4.0, "memory.page_reads": 3.0, "memory.page_writes": 2.0,
    "memory.available_bytes": 6 * PAGE, "memory.zeroed_pages": 1.0, "memory.free_pages": 2.0,
    "memory.standby_pages": 3.0,
}  # fmt: skip
"""A reading in which all that may be equal is."""
LAWS = {
    "disc.bytes_read": "Disk Read Bytes = 4096 x Pages Input + unbuffered",
    "disc.bytes_written": "Disk Write Bytes = 4096 x (Data Flush Pages + Pages Output) + unbuffered, "
                          "except clean pages",
    **{f"cache.{of}{kind}": f"sync + async = total {kind}" for of in ("sync_", "async_")
       for kind in ("copy_reads", "fast_reads", "mdl_reads", "pin_reads", "data_maps")},
    **{f"cache.{kind}_hits": f"hits of {kind}"
       for kind in ("copy_reads", "fast_reads", "mdl_reads", "pin_reads", "data_maps")},
    "cache.lazy_write_flushes": "Lazy Write Flushes <= Data Flushes",
    "cache.lazy_write_pages": "Lazy Write Pages <= Data Flush Pages",
    "cache.cache_faults": "Cache Faults <= Page Faults", "memory.page_reads": "Page Reads <= Pages Input",
    "memory.page_writes": "Page Writes <= Pages Output",
    "memory.available_bytes": "Available Bytes = zeroed + free + standby",
}  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_a_reading_that_is_one_too_many_breaks_its_law(name: str) -> None:
    check_identities(SOUND)
    with pytest.raises(LawBroken) as broken:
        check_identities({**SOUND, name: SOUND[name] + 1.0})
    assert str(broken.value).partition(": ")[0] == LAWS[name]


def test_fewer_are_in_order() -> None:
    fewer = ("cache.lazy_write_flushes", "cache.lazy_write_pages", "cache.cache_faults", "memory.page_reads",
             "memory.page_writes", "cache.copy_reads_hits", "cache.data_maps_hits")  # fmt: skip
    check_identities({**SOUND, **dict.fromkeys(fewer, 0.0)})
    for name in ("disc.bytes_read", "disc.bytes_written", "memory.available_bytes", "cache.copy_reads"):
        with pytest.raises(LawBroken):
            check_identities({**SOUND, name: SOUND[name] - 1.0})
