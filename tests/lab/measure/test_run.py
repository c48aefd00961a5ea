"""Programs run for real on small files: what they leave there, and how many calls that took; no times."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from spindle.lab.measure.call_cost import SAMPLE_CALLS, Sample
from spindle.lab.measure.libc import Memory
from spindle.lab.measure.programs import MeasureBench, matters, start_program
from spindle.lab.measure.scratch import Scratch
from spindle.lab.measure.table import Cell, ProgramStart, cells
from spindle.sim.error import UserError
from spindle.sim.request import WRITE
from spindle.sim.units import KIB, MIB
from spindle.workloads.stdio import Advice, Flag
from spindle.workloads.stdio_files import programs

SMALL = 64 * KIB
LECTURE = {name: each.change(size=SMALL, block=min(each.block, SMALL), stride=min(each.stride, 16 * KIB))
           for name, each in programs().items()}  # fmt: skip
MEMORY = Memory(SMALL)


@pytest.mark.parametrize("name", LECTURE)
def test_a_program_moves_every_byte_of_its_file(name: str, tmp_path: Path) -> None:
    program = LECTURE[name].change(block=512, flags=LECTURE[name].flags - {Flag.DIRECT})
    path = tmp_path / "data"
    path.write_bytes(b"" if program.operation is WRITE else b"6" * SMALL)
    with start_program(program, str(path), MEMORY) as loop:
        moved, took = loop.advance(100)
        assert moved == 100 * 512
        assert loop.advance(28)[0] == 28 * 512
        assert took.cpu < took.elapsed + 0.01
    assert path.read_bytes() == b"6" * SMALL


def test_a_stride_reads_where_the_program_says(tmp_path: Path) -> None:
    """Memory holds what was read last: of four strides of 16 KiB, the second 4 KiB of the third."""
    memory = Memory(SMALL)
    for name in ("r06", "r08"):
        program = LECTURE[name].change(block=4 * KIB)
        path = tmp_path / "data"
        path.write_bytes(b"".join(bytes([page]) * 4096 for page in range(16)))
        with start_program(program, str(path), memory) as loop:
            loop.advance(7)
        assert bytes(memory.view[:4096]) == bytes([9]) * 4096


def test_stdio_reads_from_front_to_back_as_well(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"6" * SMALL)
    with start_program(LECTURE["r08"].change(stride=0), str(tmp_path / "data"), MEMORY) as loop:
        assert loop.advance(SMALL)[0] == SMALL
        assert loop.advance(1)[0] == 0


def test_the_end_of_the_file_is_not_taken_for_bytes(tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"6" * 1000)
    with start_program(LECTURE["r01"].change(block=512), str(tmp_path / "short"), MEMORY) as loop:
        assert loop.advance(3)[0] == 1000


def test_flags_and_advice_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").write_bytes(b"6")
    given: list[int] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda *arguments: given.append(arguments[3]))
    for advice in Advice:
        with start_program(LECTURE["r01"].change(advice=advice), str(tmp_path / "data"), MEMORY):
            pass
    assert given == [os.POSIX_FADV_SEQUENTIAL, os.POSIX_FADV_RANDOM]
    monkeypatch.undo()
    with start_program(LECTURE["w01"], str(tmp_path / "data"), MEMORY):
        flags = [fcntl.fcntl(int(number), fcntl.F_GETFL) for number in os.listdir("/proc/self/fd")
                 if os.path.realpath(f"/proc/self/fd/{number}") == str(tmp_path / "data")]  # fmt: skip
    assert [flag & (os.O_SYNC | os.O_WRONLY) for flag in flags] == [os.O_SYNC | os.O_WRONLY]
    assert (tmp_path / "data").read_bytes() == b"6"  # nothing was cut off it


def test_costs_are_found_where_they_matter() -> None:
    assert [name for name, program in LECTURE.items() if matters(program)] == ["w03", "w04", "r01", "r06", "r08"]


def test_what_a_call_costs_is_less_than_a_call(tmp_path: Path) -> None:
    (tmp_path / "sample").write_bytes(b"6" * SAMPLE_CALLS)
    costs = Sample(str(tmp_path / "sample")).costs()
    assert all(0.0 <= each < 1e-3 for each in costs)
    (tmp_path / "sample").write_bytes(b"")
    with pytest.raises(OSError, match="the sample that calls are tried on cannot be read"):
        Sample(str(tmp_path / "sample")).costs()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[MeasureBench]:
    scratch = Scratch(tmp_path, SMALL)
    with scratch.file() as source, scratch.file() as sample:
        Path(source).write_bytes(b"6" * SMALL)
        Path(sample).write_bytes(b"6" * SAMPLE_CALLS)
        yield MeasureBench(scratch, source, Sample(sample), SMALL)


@pytest.mark.parametrize(
    ("name", "block", "start", "per_system_call"),
    [("w03", 1, ProgramStart.NEW, 1), ("w04", 512, ProgramStart.NEW, 1), ("w05", 1, ProgramStart.NEW, 4096),
     ("w06", 512, ProgramStart.NEW, 8),
     ("r01", 512, ProgramStart.WARM, 1), ("r06", 4096, ProgramStart.COLD, 1), ("r08", 4096, ProgramStart.WARM, 1)],
)  # fmt: skip
def test_stdio_makes_a_system_call_a_page(
    bench: MeasureBench, name: str, block: int, start: ProgramStart, per_system_call: int
) -> None:
    run = bench.run(Cell(LECTURE[name].change(block=block), start), 0.0)
    assert 4 <= run.calls == run.reached <= 16 * KIB
    if run.system_calls is not None:  # kernels may be built without counting them
        assert run.calls / per_system_call <= run.system_calls <= run.calls / per_system_call + 4
    assert list(bench.scratch.folder.iterdir()) == []


def test_a_run_goes_on_until_the_program_ends_or_its_time(bench: MeasureBench) -> None:
    cell = Cell(LECTURE["w03"], ProgramStart.NEW)
    assert bench.run(cell, 10.0).reached == SMALL
    assert bench.run(Cell(LECTURE["w04"].change(block=4096), ProgramStart.NEW), 10.0).calls > 16  # over and over


def test_what_the_kernel_refuses_is_said_in_its_words(bench: MeasureBench, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(bench.source).write_bytes(b"6")
    with pytest.raises(OSError, match="read did not do what it should"):
        bench.run(Cell(LECTURE["r01"].change(block=4096), ProgramStart.WARM), 1.0)
    monkeypatch.setattr(bench, "source", "/dev/full/nowhere")
    with pytest.raises(OSError, match="Not a directory"):
        bench.run(Cell(LECTURE["r08"], ProgramStart.WARM), 1.0)


def test_the_cells_are_programs_of_the_lecture_with_whole_calls() -> None:
    every = list(cells(2 * MIB))
    assert len(every) == len(set(every))
    assert {cell.program.name for cell in every} == set(programs())
    assert all(cell.program.size == 2 * MIB and not cell.program.size % cell.program.block for cell in every)
    for wrong in (0, MIB, 2 * MIB + 1, 2048 * MIB):
        with pytest.raises(UserError, match="--size must be whole MiB from 2 to 1024"):
            list(cells(wrong))
