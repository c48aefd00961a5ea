"""Tests by hand what a measurement subtracts, how long it goes on, what it tells of a machine, what is simulated."""

import os
import platform
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from matplotlib.colors import to_hex

from spindle.lab.measure import call_cost, laboratory, programs
from spindle.lab.measure.call_cost import KEPT_COSTS, Sample, TimerCosts
from spindle.lab.measure.fit import MAX_STEPS, _part, kernel, simulates
from spindle.lab.measure.laboratory import Laboratory, environment, in_memory, summarise
from spindle.lab.measure.libc import Memory, Took
from spindle.lab.measure.page import COLOURS, _command, _number, numbers, picture
from spindle.lab.measure.programs import (
    Elements,
    MeasureBench,
    TimedCalls,
    _count_calls,
    _pass,
    describe_calls,
    fill,
    start_program,
)
from spindle.lab.measure.scratch import Scratch
from spindle.lab.measure.table import Cell, ProgramStart, cells, read, short
from spindle.models.unix_stdio.parameters import LECTURE as LECTURE_MACHINE
from spindle.models.unix_stdio.parameters import VIRTUAL_2026
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.sim.units import KIB, MIB
from spindle.studies.plots.style import FAINT
from spindle.workloads.stdio import Advice, Flag, StdioProgram
from tests.lab.measure.test_page import COMPARED, held
from tests.lab.measure.test_run import LECTURE, SMALL
from tests.lab.measure.test_table import LINE, table

EVERY = {cell.title: cell for cell in cells(64 * MIB)}


def test_who_waits_for_a_device() -> None:
    titles = ("w01 1 O_SYNC", "w04 512 O_DIRECT", "r06 512 O_DIRECT cold", "r01 4K cold", "w03 1", "r01 1 warm")
    assert [EVERY[title].waits for title in titles] == [True, True, True, True, False, False]


# What the loop around a call costs.

@pytest.mark.parametrize(("name", "changes", "cost"), [
    ("w03", {}, 3.0), ("w05", {}, 0.0), ("r01", {}, 3.0), ("r06", {}, 8.0 + 2 * 3.0), ("r08", {}, 8.0 + 5.0 + 4.0),
    ("r08", {"stride": 0}, 4.0),
])  # fmt: skip
def test_what_a_loop_adds_to_a_call(name: str, changes: dict[str, Any], cost: float, tmp_path: Path) -> None:
    """A Python file adds 3, ctypes 5, ctypes without a system call 4, and a pair of calls 8."""
    (tmp_path / "data").write_bytes(b"6" * SMALL)
    with start_program(LECTURE[name].change(**changes), str(tmp_path / "data"), Memory(SMALL)) as loop:
        assert loop.overhead(TimerCosts(3.0, 5.0, 4.0, 8.0)) == cost


def test_how_calls_are_made_is_told() -> None:
    told = {name: describe_calls(LECTURE[name]) for name in ("w01", "w03", "r01", "r06", "w05", "w06", "r08")}
    file = "by Python's unbuffered file, less what a call of it costs beside the kernel"
    assert told == {"w01": file, "w03": file, "r01": file, "r06": file,
                    "w05": "fwrite by numpy's tofile, less opening and closing",
                    "w06": "fwrite by numpy's tofile, less opening and closing",
                    "r08": "fseek and fread by ctypes, less what calls of it cost"}  # fmt: skip


def test_advice_is_for_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").write_bytes(b"6")
    given: list[tuple[int, ...]] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda _, *rest: given.append(rest))
    with start_program(LECTURE["r01"].change(advice=Advice.RANDOM), str(tmp_path / "data"), Memory(SMALL)):
        pass
    fill(str(tmp_path / "data"), ProgramStart.WARM)
    assert len(given) == 1
    fill(str(tmp_path / "data"), ProgramStart.COLD)
    (tmp_path / "data").write_bytes(b"6" * (2 * MIB + 1))
    read_bytes, sizes = os.read, list[int]()

    def noted(descriptor: int, size: int) -> bytes:
        got = read_bytes(descriptor, size)
        sizes.append(len(got))
        return got

    monkeypatch.setattr(os, "read", noted)
    fill(str(tmp_path / "data"), ProgramStart.WARM)
    assert sizes == [MIB, MIB, 1, 0]  # all of it
    assert given == [(0, 0, os.POSIX_FADV_RANDOM), (0, 0, os.POSIX_FADV_DONTNEED)]


def test_of_an_array_the_stream_that_is_opened_for_it_is_subtracted(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = iter([Took(1.0, 0.5), Took(5.0, 3.0)])
    monkeypatch.setattr(programs, "measure_time", lambda work: (None, next(taken)))
    assert Elements(LECTURE["w05"].change(block=2), None).advance(4) == (8, Took(4.0, 2.5))


def test_a_call_of_the_kernel_is_that_of_the_library_less_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sample").write_bytes(b"6")
    taken = iter([5.0, 2.0])
    monkeypatch.setattr(Sample, "_by_fgets", lambda _, stream: next(taken))
    assert Sample(str(tmp_path / "sample"))._by_library() == 3.0


def test_what_a_call_costs_is_beside_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a call by a file 7, by ctypes 9, by ctypes without a system call 4, of a pair 2; the kernel takes 5."""
    (tmp_path / "sample").write_bytes(b"6" * 4096)
    taken, read, made = iter([7.0, 9.0, 4.0, 2.0]), list[int](), list[Any]()
    monkeypatch.setattr(call_cost, "_time_call", lambda work: read.append(work()) or next(taken))
    monkeypatch.setattr(Sample, "_by_library", lambda _: 5.0)
    total = call_cost.total
    monkeypatch.setattr(call_cost, "total", lambda *given: made.append((given[1], type(given[2]))) or total(*given))
    assert Sample(str(tmp_path / "sample"))._find() == (2.0, 4.0, 4.0, 2.0)
    assert read == [4096] * 4
    assert made == [(4096, memoryview), (4096, int), (4096, int)]


def test_the_library_reads_the_sample_a_byte_at_a_time_and_no_further(tmp_path: Path) -> None:
    """4,096 bytes, and the end that fgets puts behind them; of an empty file it reads nothing."""
    (tmp_path / "sample").write_bytes(b"6" * 4096)
    sample = Sample(str(tmp_path / "sample"))
    sample._by_library()
    assert bytes(sample._memory.view) == b"6" * 4096 + b"\0"
    (tmp_path / "sample").write_bytes(b"")
    with pytest.raises(OSError, match="cannot be read"):
        sample._by_library()


def test_costs_are_medians_of_the_latest_and_none_is_negative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ten of which the first is the least; nine are kept."""
    (tmp_path / "sample").write_bytes(b"6")
    found = iter([TimerCosts(float(number), -1.0, 10.0, 1.0 / number) for number in range(1, 11)])
    monkeypatch.setattr(Sample, "_find", lambda _: next(found))
    sample = Sample(str(tmp_path / "sample"))
    assert sample.costs() == (1.0, 0.0, 10.0, 1.0)
    for _ in range(KEPT_COSTS):
        costs = sample.costs()
    assert costs == (6.0, 0.0, 10.0, 1.0 / 6)


# How long a program is run.

class Loop:
    """A program whose every call takes a millisecond, half of it of the processor, and a tenth of it by the loop."""

    def __init__(self, program: StdioProgram, seconds: float = 1e-3) -> None:
        self.batches: list[int] = []
        self._program, self._seconds = program, seconds

    def advance(self, calls: int) -> tuple[int, Took]:
        self.batches.append(calls)
        return calls * self._program.block, Took(calls * self._seconds, calls * self._seconds / 2)

    def overhead(self, costs: TimerCosts) -> float:
        return 0.1 * self._seconds


@pytest.mark.parametrize(("title", "each", "seconds", "batches"), [
    ("w04 64K", 1e-6, 10.0, [256, 512, 256]),  # of 1,024 calls; 16 MiB at first
    ("w03 1", 1e-3, 10.0, [16 * KIB]), ("w04 64K", 1e-3, 0.3, [256, 256]),  # 256 calls took more than a tenth of 1 s
    ("w02 64K O_DIRECT O_SYNC", 1e-3, 0.05, [4, 8, 16, 32]), ("w02 64K O_DIRECT O_SYNC", 0.03, 0.3, [4, 4, 4]),
    ("w02 64K O_DIRECT O_SYNC", 0.02, 0.2, [4, 8]),
    ("w02 64K O_DIRECT O_SYNC", 0.01, 0.12, [4, 8]),
    ("w02 64K O_DIRECT O_SYNC", 0.025, 0.35, [4, 8, 8]), ("w04 64K", 1e-3, 0.0, [256]),
])  # fmt: skip
def test_batches_are_doubled_while_they_are_short(title: str, each: float, seconds: float, batches: list[int]) -> None:
    cell = EVERY[title]
    loop = Loop(cell.program, each)
    done = _pass(cell, loop, seconds)
    assert loop.batches == batches
    assert {*map(type, loop.batches)} == {int}
    assert (done.calls, done.reached) == (sum(batches), sum(batches))
    assert done.took == pytest.approx((sum(batches) * each, sum(batches) * each / 2))


def test_a_pass_counts_its_system_calls_but_not_the_look_at_them(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = EVERY["w04 64K"]
    for before, after, counted in ((10, 30, 19), (None, 30, None), (10, None, None), (None, None, None)):
        looks = iter([before, after])
        monkeypatch.setattr(programs, "_count_calls", lambda looks=looks: next(looks))
        assert _pass(cell, Loop(cell.program), 0.0).system_calls == counted


def test_the_kernels_counters_are_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "COUNTERS", tmp_path / "io")
    assert _count_calls() is None
    for text, calls in (("rchar: 1\nsyscr: 30\nsyscw: 4\nother: 5\n", 34), ("syscr: 30\n", None), ("syscw: 4\n", None),
                        ("nothing", None)):  # fmt: skip
        (tmp_path / "io").write_text(text)
        assert _count_calls() == calls


def ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int, seconds: float, call: float = 1e-3
) -> tuple[TimedCalls, list[float]]:
    """A run of which each pass makes *calls* calls, of *call* seconds, and the seconds that were left for each."""
    left: list[float] = []

    def passed(cell: Cell, loop: Loop, rest: float) -> TimedCalls:
        left.append(rest)
        return TimedCalls(calls, calls, loop.advance(calls)[1], 7)

    @contextmanager
    def started(program: StdioProgram, path: str, memory: Memory) -> Iterator[Loop]:
        yield Loop(program, call)

    monkeypatch.setattr(programs, "_pass", passed)
    monkeypatch.setattr(programs, "start_program", started)
    bench = MeasureBench(Scratch(tmp_path, SMALL), "", Sample.__new__(Sample), SMALL)
    return bench.run(Cell(LECTURE["w05"], ProgramStart.NEW), seconds), left


def test_a_program_is_repeated_until_it_took_a_fiftieth_of_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight calls of a millisecond: after 24 ms, of which a tenth was the loop's."""
    found, left = ran(tmp_path, monkeypatch, 8, 10.0)
    assert (found.calls, found.reached, found.system_calls) == (24, 8, 21)
    assert found.took == pytest.approx((0.0216, 0.0096))
    assert left == pytest.approx([10.0, 9.992, 9.984])
    assert len(ran(tmp_path, monkeypatch, 8, 0.01)[1]) == 2
    assert len(ran(tmp_path, monkeypatch, 8, 0.0)[1]) == 1
    assert len(ran(tmp_path, monkeypatch, 10, 10.0)[1]) == 2
    assert ran(tmp_path, monkeypatch, 1, 10.0, 0.0)[1] == [10.0] * 20, "twenty times at most"
    assert ran(tmp_path, monkeypatch, 1, 10.0, -1.0)[1] == [10.0] * 20, "what took less than nothing gives no more time"


# What is told of the machine.

FACTS = {
    "/proc/loadavg": "0.50 0.25 0.12 2/345 6789",
    "/proc/cpuinfo": "processor : 0\nvendor_id : x\nmodel name\t: A: B\nmodel name : C\nModel : D",
    "/proc/sys/vm/dirty_ratio": "20", "/proc/sys/vm/dirty_background_ratio": "x" * 200,
}  # fmt: skip


def test_facts_of_a_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(laboratory, "_read", lambda path: FACTS.get(str(path), ""))
    monkeypatch.setattr(laboratory, "_queue", lambda folder: iter([("scheduler", "none"), ("rotational", "")]))
    said = environment(tmp_path)
    assert said["python"] == platform.python_version()
    assert said["c library"] == " ".join(platform.libc_ver())
    assert (said["load average"], said["processor"]) == ("0.50 0.25 0.12 2/345", "A: B")
    assert (said["drive scheduler"], said["vm.dirty_ratio"]) == ("none", "20")
    assert said["vm.dirty_background_ratio"] == "x" * 120
    assert not {"drive rotational", "vm.dirty_expire_centisecs", "file system"} & set(said)
    assert laboratory._processor() == "A: B"
    monkeypatch.setitem(FACTS, "/proc/cpuinfo", "Model : Board 5")
    assert laboratory._processor() == "Board 5"


@pytest.mark.parametrize(("mounts", "found"), [
    ([("8:1", "/", "ext4", "rw"), ("8:1", "/a", "xfs", "ro"), ("9:9", "/a/b", "tmpfs", "rw")], ("xfs", "ro")),
    ([("9:9", "/", "ext4", "rw"), ("9:8", "/a", "tmpfs", "rw"), ("9:7", "/else", "xfs", "rw")], ("tmpfs", "rw")),
    ([("8:1", "/else", "ext4", "rw")], None), ([], None),
])  # fmt: skip
def test_a_folder_is_on_the_nearest_mount_of_its_device(
    mounts: list[tuple[str, str, str, str]], found: tuple[str, str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the device's number 8:1; where none has it, by the path alone."""
    lines = [f"1 2 {number} / {point} {options} shared:1 - {kind} /dev/x - rw"
             for number, point, kind, options in mounts]  # fmt: skip
    monkeypatch.setattr(laboratory, "_read", lambda path: "\n".join([*lines, "short - x", "1 2 3 4 5 6 -"]))
    real = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **more: type("S", (), {"st_dev": os.makedev(8, 1)})()
                        if str(path) == "/a/b" else real(path, **more))  # fmt: skip
    assert laboratory._mount(Path("/a/b")) == found
    assert in_memory(Path("/a/b")) == (found is not None and found[0] == "tmpfs")


def test_a_mount_point_may_have_a_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laboratory, "_read", lambda path: "1 2 8:1 / /a\\040b\\040c rw shared:1 - ext4 /dev/x - rw\n"
                        "1 2 8:1 / /without-options - ext4")  # fmt: skip
    assert list(laboratory._mounts()) == [("8:1", Path("/a b c"), "ext4", "rw")]


@pytest.mark.parametrize("whole", [True, False])
def test_settings_are_of_the_drive_of_a_partition_too(
    whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel has them in the folder of the drive, which is that above a partition's."""
    drive = tmp_path / "sda"
    (drive / "sda1").mkdir(parents=True)
    (drive / "queue").mkdir()
    for name, text in (("rotational", "0\n"), ("read_ahead_kb", "128\n"), ("other", "9\n")):
        (drive / "queue" / name).write_text(text)
    asked: list[str] = []
    monkeypatch.setattr(laboratory, "Path", lambda text: asked.append(text) or (drive if whole else drive / "sda1"))
    found = dict(laboratory._queue(tmp_path))
    assert found == {**dict.fromkeys(laboratory.QUEUE_SETTINGS, ""), "rotational": "0", "read_ahead_kb": "128"}
    device = os.stat(tmp_path).st_dev
    assert asked == [f"/sys/dev/block/{os.major(device)}:{os.minor(device)}"]
    (drive / "queue").rename(drive / "else")
    assert list(laboratory._queue(tmp_path)) == []


def test_programs_read_sixes(tmp_path: Path) -> None:
    for size in (0, 10, MIB, MIB + 5):
        laboratory._write(str(tmp_path / "data"), size)
        assert (tmp_path / "data").read_bytes() == b"6" * size


def test_runs_without_a_system_call_count_none() -> None:
    took = Took(1.0, 1.0)
    for counts, whole in (((0, 0), 0), ((0, 5), 5), ((None, 5), None)):
        runs = [TimedCalls(1, 1, took, count) for count in counts]
        assert summarise(EVERY["w05 1"], runs, "").system_calls == whole


def test_files_of_the_kernel_that_are_not_text_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "fact").write_bytes(b" a\xff \n")
    assert laboratory._read(tmp_path / "fact") == "a\ufffd"
    assert laboratory._read(tmp_path / "none") == ""


@pytest.mark.parametrize(("seconds", "rounds"), [(10.0, 3), (1000.0, 5)])
def test_cells_are_run_in_rounds_for_their_share_of_the_time(
    seconds: float, rounds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[tuple[Cell, float]] = []

    class Bench:
        def __init__(self, *_: Any) -> None: ...

        def run(self, cell: Cell, share: float) -> TimedCalls:
            ran.append((cell, share))
            if cell.title == "w05 1":
                raise OSError(5, "it is broken")
            return TimedCalls(1, 1, Took(1.0, 1.0), None)

    monkeypatch.setattr(laboratory, "MeasureBench", Bench)
    monkeypatch.setattr(laboratory, "in_memory", lambda folder: False)
    monkeypatch.setattr(laboratory, "run_in_thread", lambda work: work())
    every = list(cells(2 * MIB))
    watched: list[int] = []
    (tmp_path / "spindle-measure.0123456789abcdef.scratch").touch()  # left by one that was killed
    found = Laboratory(tmp_path, 2 * MIB, seconds, lambda work: watched.append(len(work)) or work).work()
    assert list(tmp_path.iterdir()) == []
    assert (found.left_out, len(found.rows)) == (["w05 1: it is broken"], len(every) - 1)
    times = Counter(cell for cell, _ in ran)
    assert {cell.title: count for cell, count in times.items() if count < rounds} == {"w05 1": 1}, "asked once"
    assert watched == [rounds * len(every)]
    assert {cell for cell, _ in ran[: len(every)]} == set(every), "each once in a round"
    assert {share for _, share in ran} == {0.6 * seconds / (rounds * len(every))}


def test_few_that_are_left_out_are_all_named() -> None:
    refused = {EVERY["w03 1"]: "no", EVERY["w04 64"]: "why", EVERY["w04 512"]: "no", EVERY["w05 1"]: "no",
               EVERY["r01 1 warm"]: "why"}  # fmt: skip
    assert list(laboratory._by_reason(refused)) == ["w03 1, w04 512, w05 1: no", "w04 64, r01 1 warm: why"]


# What is simulated.

@pytest.mark.parametrize(("title", "reached", "size", "stride"), [
    ("w01 512 O_SYNC", 100, 51_200, 0), ("w01 512 O_SYNC", 1000, 256 * 512, 0),
    ("w04 4K O_DIRECT", 1000, 256 * 4096, 0), ("w04 4K", 1000, MIB, 0), ("w04 64K", 1000, MIB, 0),
    ("w04 64K", 7, 7 * 65536, 0), ("w04 64", 5, 320, 0),
    ("r01 4K cold", 1000, 1000 * 4096, 0), ("r06 4K cold", 1000, 64 * MIB, MIB), ("r06 512 warm", 100, 4 * MIB, 65536),
    ("r06 512 O_DIRECT cold", 100, 64 * 1024, 1024), ("r06 64K O_DIRECT cold", 1000, 64 * 4 * 65536, 4 * 65536),
])  # fmt: skip
def test_a_part_of_a_program_has_calls_that_take_as_long(title: str, reached: int, size: int, stride: int) -> None:
    """Those that wait 256 at most, others as much as a MiB; of a stride all columns, 64 KiB apart at most."""
    part = _part(EVERY[title], reached)
    assert (part.size, part.stride, part.block) == (size, stride, EVERY[title].program.block)


def test_a_stride_of_no_whole_blocks_is_simulated_as_it_is() -> None:
    program = EVERY["r06 512 warm"].program.change(block=3072, stride=512 * 3072, size=40 * 512 * 3072)
    odd = Cell(program, ProgramStart.WARM)  # 64 KiB are 21 blocks and a third
    assert _part(odd, 100) == odd.program


def test_the_most_steps_that_are_simulated() -> None:
    base = EVERY["r06 1 warm"].program.change(stride=0, block=512)
    for size, simulated in (((MAX_STEPS - 1) * 4096 + 512, True), (MAX_STEPS * 4096, False)):
        cell = Cell(base.change(size=size, flags=frozenset()), ProgramStart.COLD)
        assert simulates(cell, size // 512) is simulated


def test_a_setting_of_ten_digits_is_refused() -> None:
    assert kernel({"drive read_ahead_kb": "000000128"}) == {"read_ahead": 128 * KIB}
    with pytest.raises(UserError, match="must be KiB up to 1048576, not '0000000128'"):
        kernel({"drive read_ahead_kb": "0000000128"})


# Pages and pictures.

@pytest.mark.parametrize(("value", "text"), [
    (999.9, "999.9"), (1000.0, "1,000"), (1234.5, "1,234"), (0.00012346, "0.0001235"),
])  # fmt: skip
def test_numbers_have_four_digits_or_all_before_the_point(value: float, text: str) -> None:
    assert _number(value) == text


def test_a_command_has_whole_numbers_whole() -> None:
    lines = _command(VIRTUAL_2026)
    assert lines[:2] == ["A program with these numbers:", "spindle run unix_stdio --program r01 \\"]
    assert "  --set read_ahead=8388608 \\" in lines
    assert f"  --set read_call={VIRTUAL_2026.read_call:.4g} \\" in lines
    assert not lines[-1].endswith("\\")
    assert "  --set seek_call=3.333e-07" in _command(change(LECTURE_MACHINE, seek_call=1e-6 / 3))[-1]
    assert _command(LECTURE_MACHINE)[1:] == ["spindle run unix_stdio --program r01"], "what is usual is not said"


def test_a_row_in_json() -> None:
    found = numbers(COMPARED, {"kernel": "Linux"}, ["w01: refused"])
    assert {name: found[name] for name in ("environment", "left_out", "stretched", "judged", "near", "mean_error")} == {
        "environment": {"kernel": "Linux"}, "left_out": ["w01: refused"], "stretched": pytest.approx(1.1), "judged": 1,
        "near": 0, "mean_error": pytest.approx(0.2)}  # fmt: skip
    assert found["rows"][0] == {
        "program": "w04", "flags": [], "block": 512, "size": 2 * MIB, "stride": 0, "start": "new",
        "measured_seconds": 1e-6, "median_seconds": pytest.approx(1.1e-6), "quartiles_seconds": [1e-6, 2e-6],
        "predicted_seconds": 1.2e-6, "error": pytest.approx(0.2), "fitted": False, "judged": True, "near": False,
    }  # fmt: skip
    assert found["rows"][2]["start"] == "cold"
    direct = numbers(type(COMPARED)(COMPARED.fit, [held("w02 512 O_DIRECT O_SYNC", 1e-3, None)]), {}, [])["rows"][0]
    assert direct["flags"] == ["O_DIRECT", "O_SYNC"]


def test_a_picture_has_rates_by_block_in_the_lectures_colours() -> None:
    rows = [held("w04 4K", 2e-6, 4e-6), held("w04 512", 1e-6, None), held("w02 512 O_DIRECT O_SYNC", 1e-3, 2e-3),
            held("r01 1 warm", 1e-6, 1e-6)]  # fmt: skip
    drawn = picture(type(COMPARED)(COMPARED.fit, rows), "title")
    writes, reads = drawn.axes
    for ax, head in ((writes, "writes"), (reads, "reads")):
        assert (ax.get_title(loc="left"), ax.get_xlabel(), ax.get_xscale(), ax.get_yscale()) == (
            head, "block, bytes", "log", "log")  # fmt: skip
        assert [round(tick) for tick in ax.get_xticks()] == [1, 16, 512, 4096, 65536, 1 << 20]
        assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "16", "512", "4K", "64K", "1M"]
        assert len(ax.get_xticks(minor=True)) == 0
    assert writes.get_shared_y_axes().joined(writes, reads)
    assert drawn.get_suptitle() == "title"
    assert drawn.get_size_inches().tolist() == [9.6, 4.4]
    assert writes.get_ylabel() == "MB/s: measured (points), predicted (lines)"
    legend = writes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["write", "write, O_DIRECT, O_SYNC"]
    points, line, waiting, predicted = writes.lines
    assert [points.get_xdata().tolist(), points.get_ydata().tolist()] == [[512, 4096], pytest.approx([512.0, 2048.0])]
    assert [line.get_xdata().tolist(), line.get_ydata().tolist()] == [[4096], pytest.approx([1024.0])]
    assert (points.get_linestyle(), points.get_marker(), line.get_linestyle()) == ("None", "o", "-")
    assert (waiting.get_ydata()[0], predicted.get_ydata()[0]) == pytest.approx((0.512, 0.256))
    assert [to_hex(each.get_color()) for each in writes.lines] == [
        to_hex(COLOURS[name]) for name in ("write", "write", "write, O_DIRECT, O_SYNC", "write, O_DIRECT, O_SYNC")]
    (quartiles,) = writes.collections
    ((x, low), (_, high)) = quartiles.get_segments()[0]
    assert [to_hex(each) for each in quartiles.get_color()] == [to_hex(FAINT)]
    assert (line.get_linewidth(), predicted.get_linewidth()) == (1.2, 1.2)
    assert (x, sorted((low, high))) == (512, pytest.approx([0.256, 0.512]))
    assert len(reads.collections) == 0, "quartiles are of the clock, where a drive is waited for"


# Files.

def test_files_of_others_and_pipes_are_not_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = tmp_path / "spindle-measure.0123456789abcdef.scratch"
    os.mkfifo(left)
    assert Scratch(tmp_path, 1).sweep() == 0
    left.unlink()
    left.with_name(f"{left.name}.kept").touch()
    left.write_bytes(b"left")
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: left.stat().st_uid + 1)
        assert Scratch(tmp_path, 1).sweep() == 0
    assert Scratch(tmp_path, 1).sweep() == 1
    assert [path.name for path in tmp_path.iterdir()] == [f"{left.name}.kept"]


def test_a_folder_is_asked_for_both_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Path, int]] = []
    monkeypatch.setattr(os, "access", lambda path, mode: asked.append((path, mode)) or True)
    Scratch(tmp_path, 1)
    assert asked == [(tmp_path, os.W_OK | os.X_OK)]
    room = os.statvfs(tmp_path)
    free = room.f_bavail * room.f_frsize
    with pytest.raises(UserError, match="bytes free"):
        Scratch(tmp_path, free)
    just = SimpleNamespace(f_bavail=40, f_frsize=512)
    monkeypatch.setattr(os, "statvfs", lambda path: just)
    Scratch(tmp_path, 40 * 128)
    with pytest.raises(UserError, match=r"has 20480 bytes free; files of 5121 need 20484"):
        Scratch(tmp_path, 40 * 128 + 1)


def test_sizes_in_short() -> None:
    assert [short(size) for size in (1, 1023, 1024, 1536, 65536, MIB, MIB + 512, 3 * MIB)] == [
        "1", "1023", "1K", "1536", "64K", "1M", "1049088", "3M"]  # fmt: skip


def test_a_program_has_its_stride_and_a_file_of_a_gibibyte(tmp_path: Path) -> None:
    line = LINE.replace("w02,O_DIRECT O_SYNC,512,2097152,0,new", "r06,,512,1073741824,1048576,warm")
    (row,), _ = read(table(tmp_path, line))
    assert (row.cell.program.stride, row.cell.program.size, row.cell.start) == (MIB, 1 << 30, ProgramStart.WARM)


def test_quartiles_may_be_equal_and_counts_have_fifteen_digits(tmp_path: Path) -> None:
    (row,), _ = read(table(tmp_path, LINE.replace("0.003", "0.002").replace("0.001", "0.002")))
    assert row.low == row.median == row.high == 0.002
    (row,), _ = read(table(tmp_path, LINE.replace(",100,", f",{'0' * 12}100,")))
    assert row.calls == 100
    with pytest.raises(UserError, match="calls must be a whole number from 1"):
        read(table(tmp_path, LINE.replace(",100,", f",{'0' * 13}100,")))


def test_a_value_may_have_500_letters(tmp_path: Path) -> None:
    (row,), _ = read(table(tmp_path, LINE.replace("by hand", "x" * 500)))
    assert row.how == "x" * 500
    assert Flag.DIRECT in row.cell.program.flags
