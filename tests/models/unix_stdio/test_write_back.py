"""Tests Linux's write-back by hand: when dirty pages are written, who waits, and the time of a synchronous write."""

from typing import Any

import pytest
import simpy

from spindle.models.unix_stdio.page_cache.writing import CachedWriting
from spindle.models.unix_stdio.parameters import PAGE, UnixParameters
from spindle.models.unix_stdio.run import UnixOptions, run_stack
from spindle.models.unix_stdio.stack import UnixStack
from spindle.sim.clock import Phase
from spindle.sim.disc.sheets import HITACHI_7K1000C, HP7906
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.sim.parts import parts_on
from spindle.sim.units import KIB, MIB, MS, US
from spindle.workloads.stdio import Flag, StdioCall, StdioProgram

ROUND = UnixOptions(change(
    UnixParameters(),
    library_call=1 * US, write_call=10 * US, copy=0.0, new_page=0.0, new_folio=0.0, write_request=10 * MS,
    write_byte=1e-6, flush=5 * MS, write_out=0.0, allocate=2 * MS, memory=100 * MIB, request=64 * KIB,
))  # fmt: skip
"""Round numbers: a call of 10 us, a request of 10 ms, 1 us a byte."""


def program(block: int, size: int, *flags: Flag, call: StdioCall = StdioCall.WRITE) -> StdioProgram:
    return StdioProgram("p", "p", call, block, size, 0, frozenset(flags))


def ran(which: StdioProgram, **given: Any) -> UnixStack:
    return run_stack(which, 1000.0, False, ROUND, **given)


def test_pages_are_written_when_the_first_is_old_enough_and_the_daemon_looks() -> None:
    stack = ran(program(4096, 4 * PAGE), expiry=12.0)
    assert stack.performer.progress.seconds == pytest.approx(40 * US)
    assert stack.sizes == [4 * PAGE]  # neighbours go together
    assert stack.at_risk.left_at(14.9).lost_bytes == 4 * PAGE
    # The daemon looks at 15 s; the disc takes 10 ms and 16 KiB; the metadata go with the journal's commit at 20 s.
    assert stack.at_risk.safe_at() == 20.0
    assert stack.at_risk.left_at(19.9).lost_bytes == 4 * PAGE
    assert stack.at_risk.left_at(20.0) == (4 * PAGE, 0, 4 * PAGE, 4 * PAGE)


def test_requests_are_no_larger_than_the_disc_takes() -> None:
    assert ran(program(4096, 40 * PAGE)).sizes == [16 * PAGE, 16 * PAGE, 8 * PAGE]


def test_beyond_the_background_they_are_written_at_once() -> None:
    stack = ran(program(4096, 64 * PAGE), memory=64 * PAGE, background=0.5, limit=0.9)
    assert stack.performer.progress.seconds == pytest.approx(
        64 * 10 * US + stack.work.account.seconds[Phase.WRITE_WAIT])
    assert stack.at_risk.safe_at() > 5.0
    assert stack.performer.progress.requests > 0


def test_a_background_beyond_the_limit_is_half_of_it() -> None:
    """Linux: bg_thresh >= thresh. Else nobody would write until the daemon looks, and the writer would wait."""
    given = {"memory": 64 * PAGE, "limit": 0.5}
    beyond, half = (ran(program(4096, 64 * PAGE), background=share, **given) for share in (0.9, 0.25))
    assert beyond.performer.progress.seconds == half.performer.progress.seconds < 1.0


def test_a_page_is_as_old_as_its_first_byte(env: simpy.Environment) -> None:
    parameters = change(ROUND.machine, expiry=12.0, period=5.0)
    stack = UnixStack(env, parameters, None, program(4096, PAGE), False, 0.0)
    assert stack.write_back in parts_on(env)
    stack.write_back.wrote(0, 100)
    env.run(10.0)
    stack.write_back.wrote(0, 100)
    env.run(14.9)
    assert stack.sizes == []
    env.run(15.1)
    assert stack.sizes == [PAGE]


def test_the_daemon_begins_nothing_while_pages_are_written(env: simpy.Environment) -> None:
    """Forty pages are beyond the background, in three requests of 10 s; one more is old from 6 s on."""
    parameters = change(ROUND.machine, expiry=5.0, period=5.0, write_request=10.0, memory=100 * PAGE, limit=1.0,
                        background=0.1)  # fmt: skip
    stack = UnixStack(env, parameters, None, program(4096, 60 * PAGE), False, 0.0)
    for page in range(40):
        stack.write_back.wrote(page, PAGE)
    assert list(stack.write_back.balance(stack.work.account)) == []
    env.run(1.0)
    stack.write_back.wrote(50, PAGE)
    written = []
    for instant in (29.0, 36.0):
        env.run(instant)
        written.append(len(stack.sizes))
    assert written == [3, 4]


def test_who_dirties_beyond_the_limit_waits() -> None:
    few = ran(program(4096, 64 * PAGE), memory=64 * PAGE, background=0.1, limit=0.2)
    many = ran(program(4096, 64 * PAGE), memory=64 * PAGE, background=0.1, limit=1.0)
    assert few.work.account.seconds[Phase.WRITE_WAIT] > 0.0 == many.work.account.seconds[Phase.WRITE_WAIT]
    assert few.performer.progress.seconds > many.performer.progress.seconds


def test_a_synchronous_write_waits_for_a_page_and_for_its_metadata() -> None:
    stack = ran(program(1, 2, Flag.SYNC))
    # Each: 10 us of call, 10 ms and a page of disc, 5 ms of commit; the first allocates a block as well.
    each = 10 * US + 10 * MS + PAGE * 1e-6 + 5 * MS
    assert stack.performer.progress.seconds == pytest.approx(2 * each + 2 * MS)
    assert stack.at_risk.max_risk() == 0
    assert stack.at_risk.left_at(each + 2.001 * MS) == (1, 0, 1, 1)


def test_a_direct_write_takes_its_own_bytes_and_leaves_the_length_of_the_file_at_risk() -> None:
    stack = ran(program(512, 1024, Flag.DIRECT))
    assert stack.performer.progress.seconds == pytest.approx(2 * (10 * US + 10 * MS + 512e-6) + 2 * MS)
    assert stack.at_risk.safe_at() == 5.0
    durable = ran(program(512, 1024, Flag.DIRECT, Flag.SYNC))
    assert durable.performer.progress.seconds == pytest.approx(stack.performer.progress.seconds + 10 * MS)
    assert durable.at_risk.max_risk() == 0


def test_a_large_write_has_few_folios_and_a_small_one_many() -> None:
    large = ran(program(64 * KIB, 64 * KIB), new_folio=1 * MS, new_page=1 * US)
    small = ran(program(4 * KIB, 64 * KIB), new_folio=1 * MS, new_page=1 * US)
    assert large.work.pages == pytest.approx(1 * MS + 16 * US)
    assert small.work.pages == pytest.approx(16 * MS + 16 * US)


def test_pages_that_the_file_had_are_not_allocated_again(env: simpy.Environment) -> None:
    """Eight pages over one: beside it a folio of one page, one of two and one of four."""
    parameters = change(ROUND.machine, new_folio=1 * MS, new_page=1 * US)
    stack = UnixStack(env, parameters, None, program(4096, 8 * PAGE), False, 0.0)
    writing = CachedWriting(stack.work, stack.folios, stack.write_back)
    for first, length in ((PAGE, PAGE), (0, 8 * PAGE)):
        env.run(env.process(writing.write(first, length)))
    assert stack.work.pages == pytest.approx(4 * MS + 8 * US)


def test_a_synchronous_write_allocates_for_any_page_that_is_new() -> None:
    """Of two writes of one and a half pages the second begins on a page that is there."""
    stack = ran(program(6144, 12_288, Flag.SYNC))
    each = 10 * US + 10 * MS + 2 * PAGE * 1e-6 + 5 * MS + 2 * MS
    assert stack.performer.progress.seconds == pytest.approx(2 * each)


def test_what_stdio_holds_is_lost_with_the_program() -> None:
    stack = ran(program(1, 5000, call=StdioCall.FWRITE), library_call=1 * MS)
    left = stack.at_risk.left_at(5.1)  # all 5000 are handed over, and fclose has written what was held
    assert (left.handed_over, left.in_library) == (5000, 0)
    left = stack.at_risk.left_at(4.2)
    assert left.handed_over - left.in_library == 4096


def test_a_small_drive_has_a_small_journal() -> None:
    """Its 20 MB are a third for files, and the journal goes round and round in the last third."""
    stack = run_stack(program(512, 600 * 512, Flag.SYNC), choices=UnixOptions(drive=HP7906))
    assert stack.performer.progress.calls == 600
    with pytest.raises(UserError, match="does not go on this disc"):
        run_stack(program(MIB, 8 * MIB), choices=UnixOptions(drive=HP7906))


def test_on_a_drive_with_a_sheet_a_byte_waits_for_page_and_journal_on_the_medium() -> None:
    stack = run_stack(program(1, 20, Flag.SYNC), choices=UnixOptions(drive=HITACHI_7K1000C))
    each = stack.performer.progress.seconds / 20
    revolution = HITACHI_7K1000C.revolution
    assert 2 * revolution < each < 6 * revolution
    assert stack.disc.drive.counts.reading(stack.machine.env.now)["completed"] == 60
