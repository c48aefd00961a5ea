"""Tests by hand the layers below a program: what each call costs and counts, what it asks of the disc, and its list."""

from dataclasses import replace
from math import isnan
from types import SimpleNamespace
from typing import Any

import pytest
import simpy

from spindle.models.unix_stdio.disc import FileDisc, Fixed, MetadataJournal, pieces
from spindle.models.unix_stdio.layers import Fwrites, OutputBuffer, Reads
from spindle.models.unix_stdio.measured import MeasuredProgram, measured_programs, not_fitted
from spindle.models.unix_stdio.page_cache.at_risk import WriteHistory
from spindle.models.unix_stdio.page_cache.folios import Folio, Folios, largest, warm_folios
from spindle.models.unix_stdio.page_cache.read_ahead import (
    FileReadAhead,
    ReadAheadLimits,
    _first_window,
    _next_window,
)
from spindle.models.unix_stdio.page_cache.reading import CachedReading
from spindle.models.unix_stdio.page_cache.writing import by_page
from spindle.models.unix_stdio.parameters import LECTURE, PAGE, VIRTUAL_2026
from spindle.models.unix_stdio.program_calls import ProgramWork, SystemCall, SystemCallList, listing
from spindle.models.unix_stdio.run import ADVICE, FLAGS, UnixOptions, find_program, perform, run_stack
from spindle.models.unix_stdio.stack import UnixStack, extras
from spindle.models.unix_stdio.system import page
from spindle.questions.runs import Recorded
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.sheets import HP7906, HP7912
from spindle.sim.disc.virtual import FixedService
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.sim.request import READ, WRITE, Access
from spindle.sim.streams import stream
from spindle.sim.units import KIB, MIB, Bytes
from spindle.workloads.stdio import Advice, Flag, StdioCall, StdioProgram

LIBRARY, WRITE_CALL, READ_CALL, SEEK_CALL = 2.0**-10, 2.0**-8, 2.0**-6, 2.0**-7
COPY, NEW_PAGE, NEW_FOLIO = 2.0**-21, 2.0**-9, 2.0**-5
WRITES, WRITTEN, READS, FETCHED = 0.5, 2.0**-20, 0.25, 2.0**-22
FLUSH, OUT, ALLOCATE = 0.125, 2.0**-4, 2.0**-3
MACHINE = change(
    LECTURE, library_call=LIBRARY, write_call=WRITE_CALL, read_call=READ_CALL, seek_call=SEEK_CALL, copy=COPY,
    new_page=NEW_PAGE, new_folio=NEW_FOLIO, write_request=WRITES, write_byte=WRITTEN, read_request=READS,
    read_byte=FETCHED, flush=FLUSH, write_out=OUT, allocate=ALLOCATE, memory=MIB, request=8 * PAGE, read_ahead=4 * PAGE,
)  # fmt: skip
"""Times are powers of two, so that a sum says what is in it."""


def program(call: StdioCall, block: int, size: int, stride: int = 0, *flags: Flag, **said: Any) -> StdioProgram:
    return StdioProgram("p", "p", call, block, size, stride, frozenset(flags), **said)


def ran(which: StdioProgram, warm: bool = False, **given: Any) -> UnixStack:
    return run_stack(which, 1000.0, warm, UnixOptions(MACHINE), **given)


# What is counted and owed.

def work_of(env: simpy.Environment, most: int = 0) -> ProgramWork:
    return ProgramWork(FcfsCpu(env), MACHINE, SystemCallList(env, most))


def test_calls_are_counted_and_their_seconds_owed_until_they_are_paid(env: simpy.Environment) -> None:
    work = work_of(env)
    assert work.owed_seconds == 0.0
    work.called_library()
    work.called_library(3)
    work.called_seek()
    work.called_seek(4)
    work.called_read(100)
    work.called_read(10, 5)
    work.called_write(200)
    work.called_write(20, 6)
    work.note_copy(4096)
    work.note_allocation(3, 2)
    work.kernel(1.0)
    calls = 5 * SEEK_CALL + 6 * READ_CALL + 7 * WRITE_CALL
    pages = 3 * NEW_PAGE + 2 * NEW_FOLIO + 1.0
    assert work.reading() == {
        "library_calls": 4, "reads": 6, "writes": 7, "seeks": 5, "bytes_read": 150, "bytes_written": 320,
        "library": 4 * LIBRARY, "calls": calls, "copying": 4096 * COPY, "pages": pages,
    }  # fmt: skip
    owed = 4 * LIBRARY + calls + 4096 * COPY + pages
    assert work.owed_seconds == owed
    env.run(env.process(work.pay()))
    assert (env.now, work.owed_seconds) == (owed, 0.0)
    seconds = work.account.seconds
    assert (seconds[Phase.CPU], seconds[Phase.CACHE]) == (4 * LIBRARY + calls, 4096 * COPY + pages)
    assert list(work.pay()) == []
    assert work.account.name == "program"
    listed = work_of(env, 1)
    listed.called_seek()
    assert [str(call).split()[1:4] for call in listed.listed.calls] == [["lseek", "at", "0"]]


def test_a_list_has_the_first_calls_each_from_where_the_one_before_ended(env: simpy.Environment) -> None:
    listed = SystemCallList(env, 3)
    assert listed.open
    assert not SystemCallList(env, 0).open
    listed.begin("read", 100, 0.5)
    env.run(2.0)
    listed.end(0.25)
    listed.end(0.75)  # it has ended before
    listed.begin("lseek", 0, 0.5, 4096)
    listed.begin("read", 10, 1.0)
    assert listed.open, "the last has not ended"
    listed.begin("read", 10, 1.5)
    assert not listed.open
    listed.begin("read", 10, 9.0)
    assert listed.calls == [SystemCall("read", 0, 100, 0.5, 1.75), SystemCall("lseek", 4096, 0, 2.5, 0.5),
                            SystemCall("read", 4096, 10, 3.0, 0.5)]  # fmt: skip
    assert [call.result for call in listed.calls] == [100, 4096, 10]
    quick = SystemCallList(env, 1)
    quick.begin("lseek", 0, 0.5)
    for owed in (0.5, 0.75):
        quick.end(owed)
    assert quick.calls[0].seconds == 0.0, "a call of no time has ended, too"


def test_calls_are_listed_as_strace_prints_them() -> None:
    calls = [SystemCall("read", 4096, 10, 3.0, 0.5), SystemCall("lseek", 7, 0, 12.25, 0.0)]
    lines = [f"{'at, s':>14}  {'system call':<31}   {'result':<9} {'took, s':>12}",
             "   3.000000000  read at 4096 for 10             = 10         0.500000000",
             "  12.250000000  lseek at 7                      = 7          0.000000000"]  # fmt: skip
    assert list(listing(calls, {"system_calls": 1.0, "seeks": 1.0})) == lines
    assert list(listing(calls, {"system_calls": 1.0, "seeks": 2.0})) == [*lines, f"{'':>14}  and 1 more"]
    assert list(listing(calls, {"system_calls": 1234.0, "seeks": 1.0}))[-1] == f"{'':>14}  and 1,233 more"


# Programs, by the seconds of their calls.

@pytest.mark.parametrize(("block", "size", "calls"), [(4096, 12288, 3), (1024, 12288, 12), (4096, 9000, 3),
                                                      (5000, 10000, 2)])  # fmt: skip
def test_warm_reads_are_calls_and_copies(block: int, size: int, calls: int) -> None:
    stack = ran(program(StdioCall.READ, block, size), warm=True)
    progress = stack.performer.progress
    assert progress.seconds == calls * READ_CALL + size * COPY
    assert (progress.calls, progress.bytes, progress.interrupted, progress.requests) == (calls, size, False, 0)
    assert (stack.work.reads, stack.work.bytes_read, stack.work.seeks, stack.work.library_calls) == (calls, size, 0, 0)
    assert (progress.in_calls, progress.copying, progress.library) == (calls * READ_CALL, size * COPY, 0.0)
    assert stack.performer.share() == 1.0
    assert stack.cpu.reading()["bursts"] == 1


@pytest.mark.parametrize(("block", "size", "stride", "calls"), [
    (1024, 8 * PAGE, 2 * PAGE, 32), (PAGE, 4 * PAGE, PAGE, 4), (2048, 3 * PAGE, PAGE, 6), (512, 3 * 512, 1024, 3),
    (1024, 5 * 1024, 2048, 5),
])  # fmt: skip
def test_warm_strides_seek_before_each_call(block: int, size: int, stride: int, calls: int) -> None:
    stack = ran(program(StdioCall.READ, block, size, stride), warm=True)
    assert stack.performer.progress.seconds == calls * (READ_CALL + SEEK_CALL) + size * COPY
    assert (stack.work.reads, stack.work.seeks, stack.performer.progress.calls) == (calls, calls, calls)
    assert stack.performer.progress.bytes == size


def test_warm_strides_by_stdio_fill_a_page_each_time() -> None:
    """Two rows of two pages: each seek leaves the page, so that each of eight calls reads all of one."""
    stack = ran(program(StdioCall.FREAD, 1024, 2 * PAGE, PAGE), warm=True)
    work = stack.work
    assert (work.library_calls, work.seeks, work.reads, work.bytes_read) == (8, 8, 8, 8 * PAGE)
    assert stack.performer.progress.seconds == 8 * (LIBRARY + SEEK_CALL + READ_CALL + PAGE * COPY)
    assert extras(stack, 1)["amplification"] == 4.0


def test_warm_fread_calls_the_system_once_a_buffer() -> None:
    stack = ran(program(StdioCall.FREAD, 1024, 10 * 1024), warm=True)
    work = stack.work
    assert (work.library_calls, work.reads, work.bytes_read, work.seeks) == (10, 3, 10 * 1024, 0)
    assert stack.performer.progress.seconds == 10 * LIBRARY + 3 * READ_CALL + 10 * 1024 * COPY


@pytest.mark.parametrize(("block", "size", "calls", "folios"), [
    (PAGE, 4 * PAGE, 4, 4), (4 * PAGE, 4 * PAGE, 1, 1), (1024, 2 * PAGE, 8, 2), (3 * PAGE, 3 * PAGE, 1, 2),
    (1500, 4500, 3, 2),
])  # fmt: skip
def test_cached_writes_are_calls_copies_pages_and_folios(block: int, size: int, calls: int, folios: int) -> None:
    stack = ran(program(StdioCall.WRITE, block, size))
    pages = -(-size // PAGE)
    allocated = pages * NEW_PAGE + folios * NEW_FOLIO
    assert stack.performer.progress.seconds == calls * WRITE_CALL + size * COPY + allocated
    assert (stack.work.writes, stack.work.bytes_written, stack.performer.progress.pages) == (calls, size, allocated)
    assert stack.at_risk.max_risk() == size
    assert (stack.sizes, stack.performer.progress.requests) == ([pages * PAGE], 0)


def test_fwrite_calls_the_system_once_a_buffer_and_at_the_end() -> None:
    """Ten KB by KB: 4 KB each when the next byte does not fit, and 2 KB by fclose, which is not the program's time."""
    stack = ran(program(StdioCall.FWRITE, 1024, 10 * 1024))
    work = stack.work
    assert (work.library_calls, work.writes, work.bytes_written) == (10, 3, 10 * 1024)
    one = WRITE_CALL + 4096 * COPY + NEW_PAGE + NEW_FOLIO
    assert stack.performer.progress.seconds == 10 * LIBRARY + 2 * one
    assert extras(stack, 1)["of_others"] == pytest.approx(WRITE_CALL + 2048 * COPY + NEW_PAGE + NEW_FOLIO)
    left = stack.at_risk.left_at(stack.performer.progress.seconds)
    assert (left.handed_over, left.in_library) == (10 * 1024, 2048)


def test_fwrite_of_a_stride_writes_what_it_holds_before_it_seeks() -> None:
    stack = ran(program(StdioCall.FWRITE, 1024, 2 * PAGE, PAGE))
    work = stack.work
    assert (work.library_calls, work.seeks, work.writes, work.bytes_written) == (8, 8, 8, 2 * PAGE)
    assert sorted(stack.folios.by_page) == [0, 1]
    seven = 7 * WRITE_CALL + 7 * 1024 * COPY + 2 * (NEW_PAGE + NEW_FOLIO)
    assert stack.performer.progress.seconds == 8 * (LIBRARY + SEEK_CALL) + seven


def test_fwrite_goes_on_where_it_was_sent(env: simpy.Environment) -> None:
    """What is held is written where the program was; what comes after a seek, where it went."""
    written = list[tuple[int, int]]()

    def write(first: int, length: int) -> Wait:
        written.append((first, length))
        return iter(())

    writing: Any = SimpleNamespace(write=write)
    layer = Fwrites(env, work_of(env), writing, OutputBuffer(PAGE), WriteHistory())
    for work in (layer.seek(5000), layer.call(5000, 10), layer.call(5010, PAGE), layer.seek(100), layer.call(100, 20),
                 layer.close()):  # fmt: skip
        env.run(env.process(work))
    assert written == [(5000, PAGE), (5000 + PAGE, 10), (100, 20)]


def test_a_synchronous_write_is_sent_and_its_metadata_waited_for() -> None:
    stack = ran(program(StdioCall.WRITE, 2048, 2 * PAGE, 0, Flag.SYNC))
    first = WRITE_CALL + 2048 * COPY + NEW_PAGE + NEW_FOLIO + OUT + ALLOCATE + WRITES + PAGE * WRITTEN + FLUSH
    second = WRITE_CALL + 2048 * COPY + OUT + WRITES + PAGE * WRITTEN + FLUSH
    assert stack.performer.progress.seconds == pytest.approx(2 * (first + second), rel=1e-12)
    assert stack.sizes == [PAGE] * 4
    found = extras(stack, 1)
    assert found["in_waiting_to_write"] == pytest.approx(4 * FLUSH)
    assert found["in_disc"] == pytest.approx(4 * (WRITES + PAGE * WRITTEN))
    assert found["in_pages"] == pytest.approx(2 * (NEW_PAGE + NEW_FOLIO + ALLOCATE) + 4 * OUT)
    assert (found["most_at_risk"], found["safe_after"]) == (0, 0)
    assert found["device_writes"] == found["device_writes_meanwhile"] == 4


@pytest.mark.parametrize("sync", [False, True])
def test_a_direct_write_is_one_of_the_disc(sync: bool) -> None:
    stack = ran(program(StdioCall.WRITE, 1536, 4 * 1536, 0, Flag.DIRECT, *([Flag.SYNC] if sync else [])))
    each = WRITE_CALL + WRITES + 1536 * WRITTEN + (FLUSH if sync else 0.0)
    seconds = stack.performer.progress.seconds
    assert seconds == pytest.approx(4 * each + 2 * ALLOCATE), "the first is in a page, the third in another"
    assert stack.sizes == [1536] * 4
    assert stack.at_risk.safe_at() == (seconds if sync else 5.0)
    assert stack.at_risk.left_at(5.0).whole == 4 * 1536
    assert stack.work.copying == 0.0


def test_a_direct_read_is_one_of_the_disc() -> None:
    stack = ran(program(StdioCall.READ, 1536, 4 * 1536, 0, Flag.DIRECT))
    assert stack.performer.progress.seconds == pytest.approx(4 * (READ_CALL + READS + 1536 * FETCHED))
    found = extras(stack, 1)
    assert (stack.sizes, found["device_reads"], found["amplification"]) == ([1536] * 4, 4, 1.0)
    strided = ran(program(StdioCall.READ, 512, 2 * PAGE, PAGE, Flag.DIRECT))
    assert (strided.work.reads, strided.work.seeks, strided.sizes) == (16, 16, [512] * 16)


def test_cold_reads_wait_for_the_disc() -> None:
    """Without read-ahead a request for each call's pages; of the last, only to the end of the file."""
    stack = ran(program(StdioCall.READ, 2 * PAGE, 5 * PAGE + 100), read_ahead=0)
    assert stack.sizes == [2 * PAGE, 2 * PAGE, PAGE + 100]
    size = 5 * PAGE + 100
    assert stack.performer.progress.seconds == pytest.approx(3 * READ_CALL + size * COPY + 3 * READS + size * FETCHED)
    found = extras(stack, 1)
    assert (found["device_reads"], found["device_bytes"]) == (3, size)
    assert (found["device_writes"], found["device_writes_meanwhile"]) == (0, 0)
    assert found["in_disc"] == pytest.approx(3 * READS + size * FETCHED)


def test_the_kernel_remembers_where_the_last_read_ended(env: simpy.Environment) -> None:
    """A read of the page there, or of the next, is one in order; whether calls were made one by one or together."""
    ahead = FileReadAhead(Folios(), ReadAheadLimits(16, 0, 16))
    work = work_of(env)
    folios = Folios()
    folios.add(Folio(3, 1))
    reading = CachedReading(work, FileDisc(env, MACHINE, None, 16 * PAGE), folios, ahead, 16 * PAGE)
    assert list(reading.read(3 * PAGE, 100)) == []
    assert ahead.previous == 3
    work.reads = work.bytes_read = 0
    layer = Reads(work, reading, cached=True)
    assert list(layer.repeat(PAGE, 512, 15)) == []
    assert ahead.previous == (PAGE + 15 * 512) // PAGE == 2
    assert (work.reads, work.bytes_read) == (15, 15 * 512)
    assert layer.alike(PAGE + 512, 512) == 7
    assert [layer.alike(at, 1000) for at in (0, 1, 97, PAGE - 1000, PAGE - 999)] == [0, 4, 3, 1, 0]


def test_a_folio_is_there_when_the_request_of_its_last_byte_is(env: simpy.Environment) -> None:
    """Requests of eight pages, the last to the end of the file; who needs the third folio waits for the third."""
    work, disc = work_of(env), FileDisc(env, MACHINE, None, 18 * PAGE + 100)
    reading = CachedReading(work, disc, Folios(), FileReadAhead(Folios(), ReadAheadLimits(19, 0, 8)), 18 * PAGE + 100)
    run = [Folio(0, 4), Folio(4, 4), Folio(8, 16)]
    reading._fetch([run])
    assert reading.sizes == [8 * PAGE, 8 * PAGE, 2 * PAGE + 100]
    assert [folio.request.access.span.first // PAGE for folio in run if folio.request] == [0, 0, 16]
    assert not run[0].is_read
    env.run()
    assert all(folio.is_read for folio in run)


def test_a_run_of_folios_is_waited_for_piece_by_piece() -> None:
    """Sixteen pages at once in two requests; the program has its first eight pages when the first is done."""
    stack = ran(program(StdioCall.READ, 16 * PAGE, 16 * PAGE), read_ahead=0)
    assert stack.sizes == [8 * PAGE, 8 * PAGE]
    assert stack.performer.progress.seconds == pytest.approx(
        READ_CALL + 16 * PAGE * COPY + 2 * (READS + 8 * PAGE * FETCHED))


# Where a program ends.

@pytest.mark.parametrize(("seconds", "calls"), [(3.5, 4), (3.0, 3), (0.5, 1), (4.0, 4), (9.0, 10)])
def test_a_program_begins_no_call_after_its_time(seconds: float, calls: int) -> None:
    """Calls of one second each, of which none waits for anything; ten of them."""
    for stride in (0, PAGE):
        stack = run_stack(program(StdioCall.READ, PAGE, 10 * PAGE, stride), seconds, True, UnixOptions(MACHINE),
                          read_call=1.0, seek_call=0.0, copy=0.0)  # fmt: skip
        progress = stack.performer.progress
        assert (progress.calls, progress.seconds) == (min(calls, int(-(-seconds // 1))), progress.calls)
        assert progress.interrupted == (seconds <= 9.0)
        assert stack.performer.share() == min(1.0, max(progress.calls / 10, progress.calls / seconds))


# Measures.

def test_measures_of_a_program(env: simpy.Environment) -> None:
    """Every one by hand, of a program that has read 3000 bytes in 6 calls and 2 s, with twenty reads of the disc."""
    which = program(StdioCall.READ, 500, 3000)
    stack = UnixStack(env, MACHINE, None, which, False, 10.0)
    progress, work = stack.performer.progress, stack.work
    progress.calls, progress.bytes, progress.seconds, progress.interrupted = 6, 3000, 2.0, True
    progress.library, progress.in_calls, progress.copying, progress.pages = 0.1, 0.2, 0.3, 0.4
    progress.phases = tuple(float(2**phase) for phase in Phase)
    work.reads, work.writes, work.seeks, work.bytes_read = 7, 0, 3, 9000
    work.account.seconds[Phase.CPU] = sum(progress.phases) + 5.0
    stack.sizes[:] = [100, 200, *([300] * 16), 400, 600]
    disc = sum(2**phase for phase in (Phase.QUEUE, Phase.OVERHEAD, Phase.SEEK, Phase.ROTATION, Phase.TRANSFER,
                                      Phase.CHANNEL))  # fmt: skip
    found = extras(stack, 7)
    fails_at = 2.0 * stream(7, "power").random()
    assert found == {
        "rate": 1500.0, "ln_rate": pytest.approx(7.313220387), "us_per_call": pytest.approx(1e6 / 3),
        "interrupted": 1.0, "calls": 6.0, "system_calls": 7.0, "seeks": 3.0, "device_reads": 20.0, "device_writes": 0.0,
        "device_writes_meanwhile": 0.0, "device_bytes": 6100.0, "first_reads": 150.0, "last_reads": 500.0,
        "amplification": 3.0, "elapsed": 2.0, "in_library": 0.1, "in_calls": 0.2, "in_copying": 0.3, "in_pages": 0.4,
        "in_disc": float(disc), "in_waiting_to_write": float(2**Phase.WRITE_WAIT), "of_others": pytest.approx(5.0),
        "most_at_risk": 0.0, "safe_after": 0.0, "power_fails_at": fails_at, "written_then": 0.0, "lost_then": 0.0,
        "whole_then": 0.0,
    }  # fmt: skip


def test_measures_of_a_writer_and_of_the_power_that_fails(env: simpy.Environment) -> None:
    stack = UnixStack(env, MACHINE, None, program(StdioCall.WRITE, 500, 3000), False, 10.0)
    assert (set(stack.machine.parts), stack.work.listed.open) == ({"cpu", "work", "drive"}, False)
    progress = stack.performer.progress
    progress.phases = (0.0,) * len(Phase)
    found = extras(stack, 7)
    assert found["interrupted"] == 0.0
    assert [isnan(found[name]) for name in ("rate", "ln_rate", "us_per_call", "amplification")] == [True] * 4
    progress.seconds, progress.requests, progress.bytes = 2.0, 1, 3000
    stack.work.reads, stack.work.writes = 0, 6
    stack.sizes[:] = [100, 200]
    stack.at_risk.handed_over(0.0, 3000, 2000)
    stack.at_risk.note_stored(0.0, [(0, 1000)])
    stack.at_risk.note_stored(12.0, [(0, 3000)])
    found = extras(stack, 7)
    assert (found["device_reads"], found["device_writes"], found["device_writes_meanwhile"]) == (0.0, 2.0, 1.0)
    assert (found["first_reads"], found["last_reads"], found["system_calls"]) == (0.0, 0.0, 6.0)
    assert (found["most_at_risk"], found["safe_after"]) == (2000.0, 10.0)
    assert isnan(found["amplification"]), "who writes fetches nothing"
    assert found["power_fails_at"] == 12.0 * stream(7, "power").random()
    assert (found["written_then"], found["lost_then"], found["whole_then"]) == (3000.0, 2000.0, 1000.0)


# The disc.

def requests(drive: Drive) -> list[Access]:
    """Return the list to which what is asked of the drive is added."""
    accesses: list[Access] = []
    start = drive.start

    def noted(asked: Access) -> Any:
        accesses.append(asked)
        return start(asked)

    drive.start = noted  # type: ignore[method-assign]
    return accesses


def test_a_device_without_a_drive_file_takes_r_and_u(env: simpy.Environment) -> None:
    disc, account = FileDisc(env, MACHINE, None, 9 * PAGE), Account("somebody")
    assert (disc.start, disc.most, disc.drive.name, disc.drive.capacity) == (0, 8 * PAGE, "disc", 1 << 50)
    for work, seconds in (
        (disc.read(0, 1000, account), READS + 1000 * FETCHED), (disc.commit.wait(account), FLUSH),
        (disc.write(0, 1000, account, False), WRITES + 1000 * WRITTEN),
    ):  # fmt: skip
        assert finished(env, work) == pytest.approx(seconds)
    assert account.seconds[Phase.WRITE_WAIT] == pytest.approx(FLUSH)
    assert disc.permanent_at() == env.now
    assert list(Fixed(env, 0.0).wait(account)) == []
    assert disc.background.name == "write-back and read-ahead"


def test_a_large_request_is_cut_into_pieces_of_the_file(env: simpy.Environment) -> None:
    disc = FileDisc(env, MACHINE, HP7906, MIB)
    asked = requests(disc.drive)
    assert disc.start == HP7906.layout.capacity // 3 // PAGE * PAGE
    read = disc.fetch(PAGE, 20 * PAGE)
    written = disc.store(0, 8 * PAGE)
    pages = [(each.access.op, (each.access.span.first - disc.start) / PAGE, each.access.span.length / PAGE)
             for each in (*read, *written)]  # fmt: skip
    assert pages == [(READ, 1, 8), (READ, 9, 8), (READ, 17, 4), (WRITE, 0, 8)]
    assert all(each.account is disc.background for each in asked)
    assert not any(each.durable for each in asked)
    assert list(pieces(5, 10, 4)) == [(5, 4), (9, 4), (13, 2)]
    assert list(pieces(5, 8, 4)) == [(5, 4), (9, 4)]


@pytest.mark.parametrize("durable", [False, True])
def test_direct_requests_are_the_programs_own(env: simpy.Environment, durable: bool) -> None:
    disc, account = FileDisc(env, MACHINE, HP7906, MIB), Account("somebody")
    asked = requests(disc.drive)
    env.run(env.process(disc.read(512, 1024, account)))
    env.run(env.process(disc.write(1024, 512, account, durable)))
    assert [(each.op, each.span.first - disc.start, each.span.length, each.durable) for each in asked] == [
        (READ, 512, 1024, False), (WRITE, 1024, 512, durable)]  # fmt: skip
    assert all(each.account is account for each in asked)
    assert account.total() == pytest.approx(env.now)


def test_what_a_drive_has_only_reported_is_permanent_later(env: simpy.Environment) -> None:
    disc = FileDisc(env, MACHINE, None, MIB)
    disc.drive.mechanism.settled_at = lambda: 5.0  # type: ignore[method-assign]
    assert disc.permanent_at() == 5.0
    env.run(6.0)
    assert disc.permanent_at() == 6.0


def test_a_commit_writes_metadata_and_then_the_block_that_commits_them(env: simpy.Environment) -> None:
    """Twelve KB each; a journal of 28 KB begins anew where it would end."""
    drive = Drive(env, FixedService(0.5, 0.0, 100 * PAGE))
    asked, account = requests(drive), Account("somebody")
    journal = MetadataJournal(drive, 91 * PAGE)
    assert journal._size == 7 * PAGE
    for _ in range(4):
        env.run(env.process(journal.wait(account)))
    places = [(each.span.first // PAGE - 91, each.span.length // PAGE) for each in asked]
    assert places == [(0, 2), (2, 1), (3, 2), (5, 1), (6, 2), (1, 1), (2, 2), (4, 1)]
    assert all(each.durable and each.op is WRITE and each.account is account for each in asked)
    assert env.now == 4.0
    assert MetadataJournal(Drive(env, FixedService(0.5, 0.0, 1 << 40)), 0)._size == 32 * MIB


def test_a_file_must_go_on_a_third_of_the_disc(env: simpy.Environment) -> None:
    third = HP7912.layout.capacity // 3
    begin = third // PAGE * PAGE
    most = HP7912.layout.capacity - 2 * begin
    assert FileDisc(env, MACHINE, HP7912, most).start == begin
    with pytest.raises(UserError, match=f"a file of {most + 1} bytes does not go on this disc.*: {third} bytes"):
        FileDisc(env, MACHINE, HP7912, most + 1)
    journal = FileDisc(env, MACHINE, HP7912, PAGE).commit
    assert isinstance(journal, MetadataJournal)
    assert journal._first == HP7912.layout.capacity * 2 // 3 // PAGE * PAGE


# Pages and folios.

def test_bytes_by_page() -> None:
    assert by_page(0, PAGE) == [(0, PAGE)]
    assert by_page(PAGE - 1, 2) == [(0, 1), (1, 1)]
    assert by_page(100, 2 * PAGE) == [(0, PAGE - 100), (1, PAGE), (2, 100)]
    assert by_page(2 * PAGE, 1) == [(2, 1)]


def test_folios_of_a_file() -> None:
    folios = Folios()
    folio = Folio(4, 2)
    folios.add(folio)
    assert folios.by_page == {4: folio, 5: folio}
    assert [page in folios for page in (3, 4, 5, 6)] == [False, True, True, False]
    assert [folios.get(page) for page in (3, 4)] == [None, folio]
    assert [folios.free(first, 2) for first in (2, 3, 5, 6)] == [True, False, False, True]
    assert (folio.marked, folio.is_read, Folio(0, 1, True).marked) == (False, True, True)
    assert [(each.first, each.pages, each.marked) for each in warm_folios(3)] == [
        (0, 1, False), (1, 1, False), (2, 1, False)]  # fmt: skip
    assert [largest(page, 8) for page in range(8)] == [8, 1, 2, 1, 4, 1, 2, 1]
    assert [largest(0, end) for end in (1, 2, 3, 4, 7)] == [1, 2, 2, 4, 4]


def test_windows_begin_and_grow_by_linuxs_table() -> None:
    """Of at most 128 pages: below a 32nd of it fourfold, up to a quarter twofold, and else all; then likewise."""
    assert [_first_window(wanted, 128) for wanted in (1, 2, 3, 4, 5, 8, 16, 32, 33, 200)] == [
        4, 8, 16, 16, 16, 16, 32, 64, 128, 128]  # fmt: skip
    assert [_next_window(size, 128) for size in (1, 7, 8, 32, 64, 65, 128)] == [4, 28, 16, 64, 128, 128, 128]
    assert (_next_window(2, 40), _next_window(20, 41), _first_window(8, 35), _first_window(1, 63)) == (4, 40, 16, 4)


def test_a_larger_request_than_the_window_may_have_what_the_disc_takes() -> None:
    for window, request, most in ((4, 16, [4, 4, 5, 16, 16]), (16, 4, [16] * 5), (4, 4, [4] * 5)):
        ahead = FileReadAhead(Folios(), ReadAheadLimits(100, window, request))
        assert [ahead._max_window(wanted) for wanted in (1, 4, 5, 16, 17)] == most


# The table of what was measured.

def test_programs_that_were_measured() -> None:
    first = measured_programs()[0]
    which = StdioProgram("r01 cold", "-", StdioCall.READ, 1, 10 * MIB, 0, frozenset(), Advice.NORMAL)
    assert first == MeasuredProgram("r01 cold, 1 bytes", which, False, 0.3661, (0.366126, 0.436333), False)
    named = {each.name: each for each in measured_programs()}
    strided = [each for each in named.values() if each.program.stride]
    assert strided
    assert all(each.name.endswith(f", stride {each.program.stride}") for each in strided)
    both = [each for each in named.values() if len(each.program.flags) == 2]
    assert [each.program.flags for each in both] == [frozenset({Flag.SYNC, Flag.DIRECT})] * len(both)
    assert len(not_fitted()) == sum(not each.fitted for each in measured_programs()) < len(measured_programs())
    assert any(each.warm for each in named.values())


@pytest.mark.parametrize(("size", "seconds"), [(1 << 27, 1000.0), ((1 << 27) + 1, 0.1)])
def test_programs_on_large_files_are_simulated_for_a_moment(size: int, seconds: float) -> None:
    each = measured_programs()[0]
    assert each._replace(program=program(StdioCall.READ, 1, size)).seconds == seconds


# What is asked for, and how it is shown.

def test_a_program_is_changed_as_it_is_asked_for() -> None:
    plain = find_program("r01")
    changed = find_program("r01", 512, 8192, 1024, "O_DIRECT", "random")
    assert (changed.block, changed.size, changed.stride) == (512, 8192, 1024)
    assert (changed.flags, changed.advice) == (frozenset({Flag.DIRECT}), Advice.RANDOM)
    assert find_program("r01", None, None, 0, "", "normal") == plain
    assert find_program("w02", flags=" O_SYNC ,O_DIRECT,").flags == {Flag.SYNC, Flag.DIRECT}
    assert find_program("w02", flags="").flags == frozenset() != find_program("w02").flags
    assert FLAGS == {"O_SYNC": Flag.SYNC, "O_DSYNC": Flag.DSYNC, "O_DIRECT": Flag.DIRECT}
    assert ADVICE == {"normal": Advice.NORMAL, "sequential": Advice.SEQUENTIAL, "random": Advice.RANDOM}


@pytest.mark.parametrize("seconds", [0.0, -1.0, 1e9 + 1, float("nan")])
def test_seconds_out_of_range_are_refused(seconds: float) -> None:
    with pytest.raises(UserError, match="seconds must be positive and at most 1e\\+09, not"):
        perform(program(StdioCall.READ, 1, 1), seconds=seconds)
    assert perform(program(StdioCall.READ, 1, 1), seconds=1e9).extras["calls"] == 1.0


def test_a_stack_has_its_drive_and_a_thousand_seconds() -> None:
    stack = run_stack(program(StdioCall.READ, PAGE, PAGE), choices=UnixOptions(MACHINE, HP7906))
    assert isinstance(stack.disc.commit, MetadataJournal)
    assert (stack.performer._until, stack.sizes) == (1000.0, [PAGE])


def test_a_result_says_what_was_run() -> None:
    which = program(StdioCall.WRITE, 512, 1024, 0, Flag.SYNC, Flag.DIRECT)
    result = perform(which, 3, 50.0, True, UnixOptions(MACHINE), listed=1, copy=0.0)
    assert result.parameters == {"program": "p", "block": 512, "size": 1024, "stride": 0, "flags": "O_DIRECT,O_SYNC",
                                 "advice": "normal", "warm": True, "copy": 0.0}  # fmt: skip
    assert (result.system, result.seed, len(result.calls)) == ("unix_stdio", 3, 1)  # type: ignore[attr-defined]
    assert result.extras == pytest.approx(perform(which, 3, 9.0, False, UnixOptions(MACHINE), copy=0.0).extras,
                                          nan_ok=True)  # fmt: skip


def test_a_run_is_recorded_as_it_is_asked_for() -> None:
    """Two calls of one second each, watched every half."""
    which, given = program(StdioCall.READ, PAGE, 2 * PAGE), {"read_call": 1.0, "copy": 0.0}
    options = UnixOptions(MACHINE)
    result = perform(which, warm=True, choices=options, recorded=Recorded(interval=0.5, keep_rows=False), **given)
    assert [row["until"] for row in result.intervals][:4] == [0.5, 1.0, 1.5, 2.0]
    assert (result.transactions, result.recorder.count, result.seed) == ([], 1, 1)


def test_bytes_are_at_risk_while_they_are_dirty_and_while_they_are_written(env: simpy.Environment) -> None:
    """Three pages, of which two are sent; one more is written to while they are."""
    stack = UnixStack(env, MACHINE, None, program(StdioCall.WRITE, PAGE, 8 * PAGE), False, 10.0)
    written = stack.write_back
    for page_number in (0, 1, 5):
        written.wrote(page_number, PAGE)
    env.process(written.write_out([0, 1], Account("somebody"), lambda pages: None))
    env.run(WRITES / 2)
    assert written.levels() == {"unwritten_bytes": 3.0 * PAGE}
    assert written.unsafe
    env.run(2 * WRITES)
    assert written.levels() == {"unwritten_bytes": 1.0 * PAGE}
    env.run(env.process(written.write_out([0], Account("somebody"), lambda pages: None)))  # clean, as it may be
    assert written.levels() == {"unwritten_bytes": 1.0 * PAGE}
    assert stack.sizes == [2 * PAGE, PAGE]


def test_a_program_is_one_response_and_its_last_call_ends_with_it() -> None:
    result = perform(program(StdioCall.READ, PAGE, 2 * PAGE), warm=True, choices=UnixOptions(MACHINE), listed=5)
    (row,) = result.transactions
    each = READ_CALL + PAGE * COPY
    assert (row.terminal, row.name, row.began, row.responded, row.ended) == ("program", "p", 0.0, 2 * each, 2 * each)
    assert sum(row.phases) == 2 * each
    assert result.calls == [SystemCall("read", number * PAGE, PAGE, number * each, each)  # type: ignore[attr-defined]
                            for number in (0, 1)]  # fmt: skip


def test_stdio_seeks_to_the_boundary_before_what_it_is_asked_for() -> None:
    """Two rows of 512 bytes in pages 0 and 2; the second row begins within pages that are filled again."""
    which = program(StdioCall.FREAD, 512, 4 * PAGE, 2 * PAGE)
    result = perform(which, warm=True, choices=UnixOptions(MACHINE), listed=8)
    assert [(call.name, call.offset // PAGE, call.offset % PAGE, call.size)
            for call in result.calls] == [(*call, 0, size) for call, size in (  # type: ignore[attr-defined]
                (("lseek", 0), 0), (("read", 0), PAGE), (("lseek", 2), 0), (("read", 2), PAGE)) * 2]  # fmt: skip


def test_calls_that_are_listed_are_made_one_by_one() -> None:
    result = perform(program(StdioCall.READ, 1024, 2 * PAGE), warm=True, choices=UnixOptions(MACHINE), listed=6)
    assert [call.offset for call in result.calls] == [1024 * number for number in range(6)]  # type: ignore[attr-defined]
    assert result.extras["calls"] == 8.0


SHOWN = {
    "rate": 1234567.0, "ln_rate": 14.026, "us_per_call": 0.81, "interrupted": 0.0, "calls": 2000.0,
    "system_calls": 1000.0, "seeks": 0.0, "device_reads": 0.0, "device_writes": 0.0, "device_bytes": 0.0,
    "amplification": 1.0, "elapsed": 2.0, "in_library": 1.0, "in_calls": 0.5, "in_copying": 0.01, "in_pages": 0.0099,
    "in_disc": 0.0, "in_waiting_to_write": 0.05, "most_at_risk": 5000.0, "safe_after": 3.25, "power_fails_at": 1.5,
    "lost_then": 4000.0, "written_then": 6000.0, "whole_then": 2000.0,
}  # fmt: skip
TIMES = ["where the time goes", "           library   50.0%  ####################",
         "      system calls   25.0%  ##########", "           copying    0.5%",
         "    commit or room    2.5%  #"]  # fmt: skip


def shown(parameters: dict[str, Any], **changed: float) -> list[str]:
    result = perform(program(StdioCall.READ, 1, 1), choices=UnixOptions(MACHINE))
    return page(replace(result, parameters=parameters, extras={**SHOWN, **changed}, seed=5)).splitlines()


def test_the_page_of_a_program_that_asks_nothing_of_the_disc() -> None:
    usual = {"program": "mine", "block": 1, "size": 10 * MIB, "stride": 0, "flags": "", "advice": "normal",
             "warm": False}  # fmt: skip
    assert shown(usual) == [
        "mine", "block 1 B, size 10 MiB, seed 5", "", "              rate  1,235,000 bytes/s, ln 14.03",
        "             calls  2,000 in 2 s, 0.81 us each", "      system calls  1,000",
        "              disc  0 reads", "", *TIMES]  # fmt: skip
    said = {**usual, "program": "w03", "stride": 4096, "flags": "O_SYNC", "advice": "random", "warm": True, "copy": 0.0}
    head, given = shown(said)[:2]
    assert head == f"w03: {find_program('w03').says}"
    assert given == "block 1 B, size 10 MiB, stride 4 KiB, flags O_SYNC, advice random, copy 0.0, warm, seed 5"


def test_the_page_of_a_program_that_was_interrupted_while_it_read() -> None:
    lines = shown({"program": "mine"}, interrupted=1.0, seeks=30.0, device_reads=4.0, device_bytes=1e4 * 1024,
                  amplification=4096.0, rate=float("nan"), ln_rate=float("nan"))  # fmt: skip
    assert lines[3:8] == [
        "              rate  none bytes/s, ln nan", "             calls  2,000 in 2 s, 0.81 us each, then interrupted",
        "      system calls  1,000 and 30 seeks", "              disc  4 reads, 2,500.0 KiB each",
        "           fetched  4,096 bytes for each that was asked for"]  # fmt: skip
    assert lines[9:] == TIMES


def test_the_page_of_a_program_that_wrote() -> None:
    lines = shown({"program": "mine"}, device_writes=2.0, device_bytes=2048.0)
    assert lines[6] == "              disc  2 writes, 1.0 KiB each"
    assert lines[-4:] == [
        "", "what is at risk", "           at most  5,000 bytes; none 3.2 s after the last call",
        "if the power fails  at 1.5 s: 4,000 bytes lost of 6,000, the file whole up to 2,000"]  # fmt: skip


def test_a_program_that_took_no_time_has_no_bars() -> None:
    nothing = {name: 0.0 for name in SHOWN if name.startswith("in_")}
    assert shown({"program": "mine"}, elapsed=0.0, **nothing)[-1] == "where the time goes"


def test_machines_differ() -> None:
    assert UnixOptions().machine is LECTURE
    assert UnixOptions(VIRTUAL_2026).drive is None
    assert Bytes(PAGE) == 4 * KIB


def finished(env: simpy.Environment, work: Wait) -> float:
    began = env.now
    env.run(env.process(work))
    return float(env.now) - began
