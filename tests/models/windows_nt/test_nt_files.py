"""Tests by hand the ways to access a file, and the volume and disc below: what each costs, counts and asks for."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import simpy

from spindle.models.windows_nt.disc import METADATA_BYTES, LogicalDisc, NtVolume, limit_link
from spindle.models.windows_nt.file_access import AsynchronousAccess, Buffered, FileAccess, Mapped, UnbufferedAccess
from spindle.models.windows_nt.working_set import PAGE, FileSection
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import PreemptiveCpu
from spindle.sim.disc.buffer_sheet import HostLink
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.sheets import IBM_2314, TOSHIBA_MK2124FC
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.sim.parts import credits_of
from spindle.sim.request import READ, WRITE, Access, Hint, Op, Span, access
from spindle.sim.units import KIB, MIB
from tests.models.windows_nt.test_nt_cache import COPY, DISC, FREE, Rig
from tests.models.windows_nt.test_nt_cache_by_hand import filled
from tests.models.windows_nt.test_nt_memory_by_hand import asked

SEEK, READ_CALL, WRITE_CALL, CALL = 0.0625, 0.25, 0.125, 1.0
PLACE, LOAD, STORE, SOFT = 2.0, 1e-6, 3e-6, 0.5
COSTS = change(FREE, seek_call=SEEK, read_call=READ_CALL, write_call=WRITE_CALL, disc_call=CALL, place=PLACE, load=LOAD,
               store=STORE)  # fmt: skip


def waited(rig: Rig, work: Wait) -> tuple[float, Any]:
    """The seconds that pass, and those that the caller has yet to spend."""
    began = rig.env.now
    value = rig.env.run(rig.env.process(work))
    return pytest.approx(rig.env.now - began), value


# Through the cache.

@pytest.mark.parametrize("made", [Buffered, AsynchronousAccess])
def test_what_hits_costs_two_calls_and_its_copy(made: Callable[..., FileAccess]) -> None:
    rig = filled(0, map_view=0.0)
    file = made(rig.cache, rig.file, COSTS)
    assert file.calls == 0
    assert file.try_now(READ, 4, 100) == SEEK + READ_CALL + 100 * COPY
    assert file.try_now(WRITE, 4, 100) == SEEK + WRITE_CALL + 100 * COPY
    assert file.calls == 4
    assert file.try_now(READ, PAGE, 1) is file.try_now(WRITE, PAGE, 1) is None
    assert (file.calls, rig["copy_reads"], rig["dirty_pages"]) == (4, 1, 1)
    rig.cache.read_now(rig.file, 4, 8, waits=made is Buffered)
    assert (file.try_now(READ, 4, 8), file.calls) == (SEEK + READ_CALL + 8 * COPY, 6)
    kind = "async" if made is AsynchronousAccess else "sync"
    assert rig[f"{kind}_copy_reads"] == rig["copy_reads"] == 3


def test_what_misses_is_waited_for_and_costs_as_much_besides() -> None:
    rig = Rig()
    file = Buffered(rig.cache, rig.file, COSTS)
    assert waited(rig, file.wait(READ, 3 * PAGE, 100, rig.caller)) == (DISC, SEEK + READ_CALL + 100 * COPY)
    assert waited(rig, file.wait(WRITE, 7 * PAGE, 100, rig.caller)) == (DISC, SEEK + WRITE_CALL + 100 * COPY)
    assert (file.calls, sorted(rig.section.pages), list(rig.section.unwritten)) == (4, [3, 7], [7])
    assert (rig["sync_copy_reads"], rig["data_flushes"]) == (1, 0)


def test_only_writes_go_through_to_the_disc() -> None:
    rig = filled(0, map_view=0.0)
    file = Buffered(rig.cache, rig.file, COSTS, through=True)
    assert file.try_now(READ, 0, 8) == SEEK + READ_CALL + 8 * COPY
    assert file.try_now(WRITE, 0, 8) is None
    assert waited(rig, file.wait(WRITE, 0, 8, rig.caller)) == (DISC, SEEK + WRITE_CALL + 8 * COPY)
    assert (file.calls, rig["data_flushes"], rig["dirty_pages"]) == (4, 1, 0)


# Asynchronously.

def test_the_read_under_way_is_waited_for_before_the_next_access() -> None:
    """The fault of a read takes half a second before the disc; the thread comes back after 5 ms, and pays the rest."""
    rig = filled(0, map_view=0.0, read_ahead=4 * PAGE)
    file = AsynchronousAccess(rig.cache, rig.file, COSTS)
    assert waited(rig, file.wait(READ, 9 * PAGE, 100, rig.caller)) == (0.0, SEEK + READ_CALL)
    assert file.calls == 2
    rig.env.run(0.005)
    assert file.try_now(READ, 0, 8) is file.try_now(WRITE, 0, 8) is None, "one at a time"
    left = SOFT - 0.005 + DISC + 100 * COPY
    assert waited(rig, file.wait(READ, 20 * PAGE, 8, rig.caller)) == (left, SEEK + READ_CALL)
    spent = rig.caller.account.seconds
    assert sum(spent) == pytest.approx(left)
    assert spent[Phase.CPU] == pytest.approx(SOFT - 0.005 + 100 * COPY)
    assert (file.calls, rig["async_copy_reads"]) == (4, 1)
    rig.env.run(5.0)
    assert file.try_now(WRITE, 0, 8) == SEEK + WRITE_CALL + 8 * COPY
    assert waited(rig, file.wait(WRITE, 30 * PAGE, 8, rig.caller))[1] == SEEK + WRITE_CALL + 8 * COPY
    assert (file.calls, rig["async_copy_reads"], rig["sync_copy_reads"]) == (8, 2, 0)
    assert list(rig.section.unwritten) == [0, 30]


def test_the_disc_is_asked_by_the_call_and_not_when_the_thread_gives_way() -> None:
    """The thread computes for a second at once; its read, which takes a call of 4 ms, comes first."""
    rig = Rig(paging_call=0.004)
    file = AsynchronousAccess(rig.cache, rig.file, COSTS)

    def live() -> Wait:
        yield from file.wait(READ, 9 * PAGE, 8, rig.caller)
        yield rig.caller.burst(1.0)

    rig.env.process(live())
    rig.env.run(0.004 + DISC + 1e-6)
    assert list(rig.section.pages) == [9]
    assert rig.section.pages[9].coming is None
    assert file._ledger.name == rig.caller.account.name


# Straight to the disc.

def test_an_unbuffered_access_is_a_call_and_a_request_for_its_bytes() -> None:
    rig = Rig()
    section = FileSection("file", Span(8 * PAGE, 4 * PAGE))
    accesses = asked(rig)  # type: ignore[arg-type]
    file = UnbufferedAccess(rig.drive, section, COSTS)  # type: ignore[arg-type]
    assert file.try_now(READ, 0, 512) is None
    assert (file.calls, file.bytes_read, file.bytes_written) == (0, 0, 0)
    account = rig.caller.account
    for number, (op, first, size) in enumerate(((READ, 512, 1024), (WRITE, PAGE, 512), (READ, 0, 512)), 1):
        assert waited(rig, file.wait(op, first, size, rig.caller)) == (SEEK + CALL + DISC, 0.0)
        span = Span(8 * PAGE + first, size)
        assert accesses[-1] == Access(op, span, section.extent, file, Hint.NONE, False, account)
        assert (file.calls, account.seconds[Phase.CPU]) == (2 * number, number * (SEEK + CALL))
    assert (file.bytes_read, file.bytes_written) == (1536, 512)


# Mapped.

@pytest.mark.parametrize(("first", "size", "there"), [
    (PAGE, PAGE, True), (2 * PAGE - 1, 2, True), (3 * PAGE - 1, 1, True), (PAGE, 2 * PAGE, True),
    (PAGE - 1, 2, False), (3 * PAGE - 1, 2, False), (4 * PAGE, 1, False), (0, 1, False),
])  # fmt: skip
def test_mapped_bytes_are_touched_at_once_where_all_their_pages_are_there(first: int, size: int, there: bool) -> None:
    """Pages 1 and 2 are there, and page 4 is coming."""
    rig = filled(1, 2)
    rig.memory.fetch(rig.cache.set, rig.section, 4, 1, rig.caller)
    file = Mapped(rig.memory, rig.cache.set, rig.section, COSTS)
    assert file.try_now(READ, first, size) == (PLACE + size * LOAD if there else None)
    assert file.try_now(WRITE, first, size) == (size * STORE if there else None)
    pages = sorted({first // PAGE, (first + size - 1) // PAGE}) if there else []
    assert [page.number for page, lately in rig.cache.set.pages.items() if lately] == pages
    assert [number for number, page in rig.section.pages.items() if page.dirty] == pages
    assert file.calls == 0


def test_a_mapped_page_that_was_trimmed_costs_a_soft_fault() -> None:
    rig = filled(0, 1)
    file = Mapped(rig.memory, rig.cache.set, rig.section, COSTS)
    for number in (0, 1):
        rig.memory.remove(rig.cache.set, rig.section.pages[number])
    assert file.try_now(READ, 0, 2 * PAGE) == PLACE + 2 * PAGE * LOAD + 2 * SOFT
    assert not any(page.dirty for page in rig.section.pages.values())


def test_only_a_write_at_the_place_of_the_last_access_needs_no_look_up() -> None:
    rig = filled(0)
    file = Mapped(rig.memory, rig.cache.set, rig.section, COSTS)
    assert file.try_now(WRITE, 1, 1) == PLACE + STORE, "nothing was accessed before"
    asked_for: tuple[tuple[Op, int], ...] = ((WRITE, 0), (WRITE, 0), (READ, 0), (READ, 0), (WRITE, 0), (WRITE, 8),
                                             (READ, 16), (WRITE, 16))  # fmt: skip
    costs = [file.try_now(op, first, 8) for op, first in asked_for]
    read, write = 8 * LOAD, 8 * STORE
    assert costs == [PLACE + write, write, PLACE + read, PLACE + read, write, PLACE + write, PLACE + read, write]


@pytest.mark.parametrize("op", [READ, WRITE])
def test_mapped_pages_are_waited_for_and_those_written_are_dirty(op: Op) -> None:
    rig = Rig()
    file = Mapped(rig.memory, rig.cache.set, rig.section, COSTS)
    seconds, cost = waited(rig, file.wait(op, 3 * PAGE - 1, PAGE + 2, rig.caller))
    assert (seconds, cost) == (DISC, PLACE + (PAGE + 2) * (LOAD if op is READ else STORE))
    assert {number: page.dirty for number, page in rig.section.pages.items()} == dict.fromkeys((2, 3, 4), op is WRITE)
    assert (rig.memory.page_reads, file.calls) == (1, 0)


# The volume.

def test_files_lie_in_a_row_behind_the_systems_and_the_page_file() -> None:
    """A disc of 2 MB: the allocation table, 10 pages of the system (and a part), 5 of the page file, and files."""
    volume = NtVolume(2 * MIB, 10 * PAGE + 9, 5 * PAGE + 1)
    assert (volume.metadata.name, volume.metadata.extent) == ("file allocation table", Span(0, METADATA_BYTES))
    one = volume.create("one", PAGE + 1)
    begin = METADATA_BYTES + 15 * PAGE
    assert (one.name, one.extent, one.size, one.valid) == ("one", Span(begin, 2 * PAGE), PAGE + 1, PAGE + 1)
    other = volume.create("other", PAGE, empty=True)
    assert (other.extent, other.size, other.valid) == (Span(begin + 2 * PAGE, PAGE), PAGE, 0)
    assert volume.create("one", 9 * PAGE) is one
    held = [volume.private("a", 2), volume.private("b", 3)]
    assert [each.extent for each in held] == [Span(METADATA_BYTES + 10 * PAGE, 2 * PAGE),
                                              Span(METADATA_BYTES + 12 * PAGE, 3 * PAGE)]  # fmt: skip
    assert [each.name for each in held] == ["a", "b"]
    assert volume.all_sections() == [volume.metadata, one, other, *held]
    with pytest.raises(UserError, match="c: 1 pages are more"):
        volume.private("c", 1)


@pytest.mark.parametrize("extent", [Span(1, PAGE), Span(PAGE, PAGE + 1), Span(1, 1), Span(0, 0), Span(0, -PAGE)])
def test_a_file_is_of_whole_pages(extent: Span) -> None:
    with pytest.raises(ValueError, match="not of whole pages"):
        FileSection("odd", extent)


def test_a_disc_is_filled_to_its_last_byte_and_no_further() -> None:
    """Of a small disc the system and the page file get a quarter each, in whole pages."""
    volume = NtVolume(4 * METADATA_BYTES + PAGE, 9 * MIB, 9 * MIB)
    left = METADATA_BYTES + PAGE
    assert volume.private("all", METADATA_BYTES // PAGE).extent == Span(2 * METADATA_BYTES, METADATA_BYTES)
    with pytest.raises(UserError, match=f"file large of {left + 1} bytes does not fit on a disc of 1052672 bytes"):
        volume.create("large", left + 1)
    assert volume.create("large", left).extent == Span(3 * METADATA_BYTES, left)


# The disc and its link.

def test_a_link_is_slowed_to_what_the_processor_moves_and_never_quickened() -> None:
    buffer, sector = TOSHIBA_MK2124FC.buffer, TOSHIBA_MK2124FC.layout.sector_bytes
    assert buffer is not None
    read, written = buffer.link.reading, buffer.link.writing
    for byte in (0.0, read / sector / 2, 4e-6):
        slowed = limit_link(TOSHIBA_MK2124FC, byte)
        assert slowed.buffer is not None
        assert slowed.buffer.link.reading == max(read, byte * sector)  # type: ignore[union-attr]
        assert slowed.buffer.link.writing == max(written, byte * sector)  # type: ignore[union-attr]
        assert slowed.layout == TOSHIBA_MK2124FC.layout  # type: ignore[union-attr]
    slow_to_write = replace(TOSHIBA_MK2124FC, buffer=replace(buffer, link=HostLink(read, 2 * read)))
    halved = limit_link(slow_to_write, 1.5 * read / sector).buffer  # type: ignore[union-attr]
    assert halved is not None
    assert halved.link == HostLink(1.5 * read, 2 * read)
    assert limit_link(IBM_2314, 4e-6) is IBM_2314, "it has no buffer"
    assert limit_link(INTEL_S3700, 0.0) is INTEL_S3700
    assert limit_link(INTEL_S3700, 4e-6).front.rate == 250_000  # type: ignore[union-attr]


@pytest.mark.parametrize("op", [READ, WRITE])
def test_the_bytes_of_a_read_are_moved_last_and_those_of_a_write_first(op: Op) -> None:
    env = simpy.Environment()
    cpu = PreemptiveCpu(env)
    disc = LogicalDisc(env, cpu, IBM_2314, Fcfs(), 1e-6)
    request = disc.start(access(op, MIB, 8 * KIB, Account("somebody")))
    env.run(request)
    service, moving = request.value, 8 * KIB * 1e-6
    env.run(env.now + 1.0)
    assert cpu.reading()["busy_interrupt"] == pytest.approx(moving)
    assert disc.drive.mechanism.account.seconds[Phase.INTERRUPT] == pytest.approx(moving)
    other, end = simpy.Environment(), service.total if op is READ else service.overhead + moving
    spent = PreemptiveCpu(other)
    LogicalDisc(other, spent, IBM_2314, Fcfs(), 1e-6).start(access(op, MIB, 8 * KIB, Account("somebody")))
    other.run(end - moving + 1e-9)
    assert spent.reading()["busy_interrupt"] == pytest.approx(0.0, abs=1e-8)
    other.run(end + 1e-9)
    assert spent.reading()["busy_interrupt"] == pytest.approx(moving, abs=1e-8)


def test_times_of_the_logical_disc_include_its_queue_and_reads_are_apart_from_writes() -> None:
    env = simpy.Environment()
    disc = LogicalDisc(env, PreemptiveCpu(env), TOSHIBA_MK2124FC, Fcfs(), 0.0)
    assert (disc.name, disc.drive.name, credits_of(env)) == ("disc", "disc", [TOSHIBA_MK2124FC])
    first, second = (disc.start(access(READ, where * MIB, 4096, Account("somebody"))) for where in (1, 9))
    assert disc.reading() == {"read_seconds": 0.0, "write_seconds": 0.0, "queue_length": 2.0}
    env.run(first)
    one = env.now
    env.run(second)
    two = env.now
    written = [disc.start(access(WRITE, where * MIB, 4096, Account("somebody"))) for where in (3, 4)]
    env.run(written[0])
    three = env.now
    assert disc.reading()["queue_length"] == 1.0
    env.run(written[1])
    assert disc.reading() == {"read_seconds": pytest.approx(one + two), "queue_length": 0.0,
                              "write_seconds": pytest.approx(three - two + env.now - two)}  # fmt: skip
    assert isinstance(disc.drive, Drive)


def test_a_flush_of_the_disc_is_one_of_its_drive_and_a_discard_nothing() -> None:
    env, flushed = simpy.Environment(), list[Span]()
    disc = LogicalDisc(env, PreemptiveCpu(env), TOSHIBA_MK2124FC, Fcfs(), 0.0)

    def flush(span: Span) -> Wait:
        flushed.append(span)
        yield env.timeout(2.0)

    disc.drive.flush = flush  # type: ignore[method-assign]
    disc.discard(Span(MIB, 4096))
    env.run(env.process(disc.flush(Span(MIB, 4096))))
    assert (env.now, flushed) == (2.0, [Span(MIB, 4096)])
