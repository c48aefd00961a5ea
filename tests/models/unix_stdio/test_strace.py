"""Tests the list of system calls as strace prints it, by hand, and read-ahead by the lecture's exact predictor."""

import pytest

from spindle.models.unix_stdio.page_cache.folios import Folios
from spindle.models.unix_stdio.page_cache.read_ahead import OracleReadAhead, ReadAheadLimits
from spindle.models.unix_stdio.parameters import UnixParameters
from spindle.models.unix_stdio.program_calls import StracedResult, SystemCall
from spindle.models.unix_stdio.run import UnixOptions, run
from spindle.models.unix_stdio.system import page
from spindle.sim.measure.result import Result
from spindle.sim.units import KIB, MIB, Bytes

MACHINE = UnixParameters()


def calls(result: Result) -> list[SystemCall]:
    assert isinstance(result, StracedResult)
    return list(result.calls)


def test_stdio_writes_its_buffer_when_the_next_byte_does_not_fit() -> None:
    found = calls(run("w05", size=Bytes(10_000), strace=True))
    assert [(call.name, call.offset, call.result) for call in found] == [
        ("write", 0, 4096), ("write", 4096, 4096), ("write", 8192, 1808)]  # fmt: skip
    library = 4097 * MACHINE.library_call
    assert found[0].began == pytest.approx(library)
    assert found[0].seconds == pytest.approx(MACHINE.write_call + 4096 * MACHINE.copy + MACHINE.new_page)
    assert found[1].began == pytest.approx(found[0].began + found[0].seconds + 4096 * MACHINE.library_call)


def test_a_stride_by_stdio_goes_to_the_boundary_and_fills_a_page() -> None:
    found = calls(run("r08", strace=True))
    assert len(found) == 20
    assert [(call.name, call.offset, call.result) for call in found[:4]] == [
        ("lseek", 0, 0), ("read", 0, 4096), ("lseek", MIB, MIB), ("read", MIB, 4096)]  # fmt: skip
    assert found[2].seconds == pytest.approx(MACHINE.seek_call)
    assert found[1].seconds > MACHINE.read_request > found[2].seconds


@pytest.mark.parametrize("program", ["w03", "w05", "r01", "r06", "r08"])
def test_to_list_calls_changes_nothing(program: str) -> None:
    size = Bytes(2 * MIB)
    plain, listed = run(program, size=size), run(program, size=size, strace=True)
    assert listed.extras == pytest.approx(plain.extras, rel=1e-6, nan_ok=True)
    assert not isinstance(plain, StracedResult)
    one_after_the_other = [call.began + call.seconds <= later.began + 1e-12
                           for call, later in zip(calls(listed), calls(listed)[1:], strict=False)]  # fmt: skip
    assert all(one_after_the_other)


def test_the_page_lists_them_within_80_columns() -> None:
    lines = page(run("w02", size=Bytes(30 * 512), strace=True)).splitlines()
    assert lines[-2].split()[1:4] == ["write", "at", "9728"]
    assert lines[-1].strip() == "and 10 more"
    assert max(map(len, lines[-22:])) <= 80


def test_an_oracle_asks_for_all_at_once_and_for_nothing_again() -> None:
    folios = Folios()
    oracle = OracleReadAhead(folios, ReadAheadLimits(file=10, window=4, request=8))
    assert [[folio.first for folio in run] for run in oracle.on_miss(7, 1)] == [[*range(10)]]
    assert all(page in folios for page in range(10))
    size = Bytes(10 * MIB)
    linux, exact = (run("r06", size=size, choices=choices).extras
                    for choices in (UnixOptions(), UnixOptions(prefetcher=OracleReadAhead)))  # fmt: skip
    assert exact["device_reads"] == 8
    assert exact["in_disc"] == pytest.approx(0.2 * linux["in_disc"], rel=0.2)
    assert exact["in_calls"] == pytest.approx(linux["in_calls"])


@pytest.mark.parametrize(("block", "shorter"), [(1, False), (64 * KIB, True)])
def test_from_front_to_back_an_oracle_helps_who_is_fast_enough_to_wait(block: int, shorter: bool) -> None:
    """Byte by byte Linux is ahead after its first, small request; the oracle's first is as large as the disc takes."""
    waits = [run("r01", Bytes(block), choices=choices).extras["in_disc"]
             for choices in (UnixOptions(), UnixOptions(prefetcher=OracleReadAhead))]  # fmt: skip
    assert (waits[1] < waits[0]) is shorter
