"""The machine from parts by hand: its costs, its places, its text; and mistakes in one line."""

import json
import subprocess
import sys
from inspect import Parameter, signature
from itertools import pairwise
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from spindle import KIB, MIB, MS, OpenFile
from spindle.cli.main import main
from spindle.machine import start
from spindle.machine.start import Parameters, run, transaction
from spindle.machine.system import START, SYSTEM, machine_text
from spindle.sim.cache.write_policy import CacheWriteBack
from spindle.sim.error import UserError
from spindle.systems import find_system

SHORT = {"terminals": 2, "minutes": 0.5, "warm_up": 0.5}
REPLY = 1.0 / 960.0
"""Seconds until the first character of a reply is on the screen."""


def places(
    parameters: Parameters, size: int, files: int = 1, random: Any = None
) -> list[tuple[str, int, int]]:
    """What one transaction asks for: the call, the file and the place."""
    asked: list[tuple[str, int, int]] = []
    named: list[Any] = [SimpleNamespace(number=number) for number in range(files)]

    def call(name: str) -> Any:
        def perform(file: OpenFile, place: int, length: int, account: object) -> Any:
            assert length == parameters.record
            asked.append((name, named.index(file.file), place))
            return iter(())

        return perform

    cpu = SimpleNamespace(burst=lambda *given: None)
    machine: Any = SimpleNamespace(cpu=cpu, read=call("read"), write=call("write"))
    session: Any = SimpleNamespace(random=random or Random(1), account=None, reply=lambda characters: iter(()))
    list(transaction(parameters, named, size)(machine, session))
    return asked


def test_where_all_is_in_memory_a_response_is_the_time_of_the_cpu() -> None:
    result = run(terminals=1, minutes=1.0, warm_up=1.0, data=4 * KIB, accesses=3, compute=20 * MS, call=2 * MS)
    summary = result.summary()
    assert (summary["hit_ratio"], summary["disc_busy"]) == (1.0, 0.0)
    written = run(terminals=1, minutes=1.0, warm_up=1.0, data=4 * KIB, writes=1.0, compute=20 * MS, call=4 * MS)
    assert written.summary()["part_cpu"] == pytest.approx(20 * MS + 10 * 4 * MS)
    assert summary["part_cpu"] == pytest.approx(20 * MS + 3 * 2 * MS)
    assert summary["response_mean"] == pytest.approx(26 * MS + REPLY, abs=0.1 * MS)


def test_without_a_cache_every_access_is_one_of_a_drive() -> None:
    result = run(**SHORT, drives=2, memory=0, accesses=4, locality=0.5)
    drives = [result.counters[f"drive{number}.completed"] for number in (1, 2)]
    assert sum(drives) == pytest.approx(4 * result.summary()["responses"], abs=8)
    assert min(drives) > 0.3 * sum(drives)
    assert "hit_ratio" not in result.summary()
    assert result.summary()["disc_busy"] == pytest.approx(
        (result.summary()["drive1_busy"] + result.summary()["drive2_busy"]) / 2)  # fmt: skip


def test_nobody_waits_for_a_write_that_is_written_back() -> None:
    through, back = (run(**SHORT, writes=1.0, write_back=each).summary() for each in (False, True))
    assert sum(through[f"part_{name}"] for name in ("seek", "rotation", "transfer")) > 0.1
    assert sum(back[f"part_{name}"] for name in ("seek", "rotation", "transfer")) == 0.0


def test_accesses_go_on_where_the_last_ended_and_begin_elsewhere_at_the_end() -> None:
    asked = places(Parameters(accesses=50, sequential=1.0, record=100), 1050)
    steps = [later[2] - place[2] for place, later in pairwise(asked)]
    assert all(step == 100 or place[2] == 900 for step, place in zip(steps, asked, strict=False))
    assert {place % 100 for _, _, place in asked} == {0}
    assert 900 in {place for _, _, place in asked}


def test_of_a_run_that_says_nothing_the_parts_are_those_of_the_manual() -> None:
    usual = {name: each.default for name, each in signature(run).parameters.items()}
    assert usual.pop("parameters") is Parameter.empty
    assert usual == {
        "terminals": 20, "cores": 1, "drives": 1, "drive": "hp7933", "raid": "", "scheduler": "fcfs",
        "memory": 1048576, "block": 4096, "policy": "lru", "read_ahead": 0, "write_back": False, "minutes": 5.0,
        "warm_up": 2.0, "seed": 1, "watch": None, "keep_rows": True}  # fmt: skip
    assert repr(run(minutes=0.01, warm_up=0.0)).startswith("computer: terminals 20, seed 1\n")


def test_each_argument_reaches_its_part() -> None:
    """Of ten terminals that wait for one drive, the nearest first moves the arm less."""
    asked: dict[str, Any] = {"terminals": 10, "memory": 0, "minutes": 0.15, "warm_up": 0.1, "think": 0.1}
    plain, near, other = (run(**asked, **each) for each in ({}, {"scheduler": "sstf"}, {"seed": 2}))
    assert near.summary()["part_seek"] < 0.9 * plain.summary()["part_seek"]
    assert other.counters != plain.counters
    assert (plain.seed, other.seed) == (1, 2)
    small = {**asked, "memory": 64 * KIB, "data": 256 * KIB}
    lru, fifo, large = (run(**small, **each).counters for each in ({}, {"policy": "fifo"}, {"block": 16 * KIB}))
    assert lru["cache1.hits"] != fifo["cache1.hits"]
    assert 2 * large["cache1.hits"] < lru["cache1.hits"], "four blocks, not sixteen"
    ticks: list[float] = []
    summed = run(**asked, keep_rows=False, watch=lambda now, end: ticks.append(now))
    assert len(ticks) > 0
    assert summed.counters == plain.counters
    with pytest.raises(UserError, match="did not keep its responses"):
        summed.frame()


def test_written_blocks_of_a_drive_take_its_share_of_memory_and_half_of_it_begins_to_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Any] = []

    class Noted(CacheWriteBack):
        def __init__(self, *given: Any, **named: Any) -> None:
            made.append((*given, named))
            super().__init__(*given, **named)

    monkeypatch.setattr(start, "CacheWriteBack", Noted)
    run(1, drives=2, memory=2 * MIB, write_back=True, minutes=0.01, warm_up=0.0, expiry=7.0)
    run(1, drives=3, raid="5", memory=2 * MIB, write_back=True, minutes=0.01, warm_up=0.0)
    run(1, drives=3, memory=30005, block=512, write_back=True, minutes=0.01, warm_up=0.0)
    assert made == [(5.0, 7.0, {"background": MIB // 2, "limit": MIB})] * 2 + [
        (5.0, 30.0, {"background": MIB, "limit": 2 * MIB})] + [
        (5.0, 30.0, {"background": 5000, "limit": 10001})] * 3  # fmt: skip


def test_a_fifth_of_the_data_gets_four_fifths_of_the_accesses_and_both_files_the_same() -> None:
    asked = places(Parameters(accesses=5000, writes=0.25, record=1), 1000, files=2)
    assert sum(place < 200 for _, _, place in asked) / 5000 == pytest.approx(0.8, abs=0.02)
    near = places(Parameters(accesses=2000, locality=0.9, record=1), 1000)
    assert sum(place < 100 for _, _, place in near) / 2000 == pytest.approx(0.9, abs=0.02)
    assert sum(call == "write" for call, _, _ in asked) / 5000 == pytest.approx(0.25, abs=0.02)
    assert sum(file for _, file, _ in asked) / 5000 == pytest.approx(0.5, abs=0.02)


def test_the_last_record_lies_within_the_file() -> None:
    most = SimpleNamespace(random=lambda: 0.999999)
    assert {place for *_, place in places(Parameters(accesses=3, record=100, locality=0.5), 1090, random=most)} == {900}


def test_a_share_of_none_is_never() -> None:
    """Even where the least of all random numbers is drawn."""
    least = SimpleNamespace(random=lambda: 0.0)
    assert places(Parameters(accesses=3, record=100), 1000, random=least) == [("read", 0, 0)] * 3
    assert places(Parameters(accesses=3, record=400, sequential=1.0, writes=1.0), 1000, random=least) == [
        ("write", 0, 0), ("write", 0, 400), ("write", 0, 0)]  # fmt: skip
    assert places(Parameters(accesses=2, record=500, sequential=1.0), 1000, random=least)[1] == ("read", 0, 500)


def test_read_ahead_makes_hits_of_reads_in_order() -> None:
    alone, ahead = (run(**SHORT, sequential=1.0, read_ahead=each).summary() for each in (0, 32 * KIB))
    assert ahead["hit_ratio"] > alone["hit_ratio"] + 0.2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"drives": 0}, "drives must be 1 to 64, not 0"),
        ({"drives": 65}, "drives must be 1 to 64, not 65"),
        ({"memory": 1 * KIB}, "a block of a cache has 1 byte or more, and room in memory: 4096 bytes of 1024"),
        ({"record": 2 * MIB, "data": 3 * MIB, "drives": 2}, r"bytes on 2 drive\(s\) has no room for a record"),
        ({"data": 1 << 40}, "file1: 1099511627776 bytes do not fit into"),
        ({"locality": 0.3}, "locality must be at least 0.5 and at most 0.99, not 0.3"),
    ],
)
def test_a_mistake_is_one_line(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        run(**SHORT, **given)


def test_the_text_is_that_of_the_start_with_other_defaults() -> None:
    assert machine_text({}) == START.read_text("utf-8")
    given = {"think": 2.5, "data": 3000, "drive": "hp7925", "memory": 2 * MIB, "block": 512, "read_ahead": 8 * KIB,
             "write_back": True, "terminals": 7}  # fmt: skip
    before, after = (set(machine_text(each).splitlines()) for each in ({}, given))
    assert sorted(line.strip() for line in after - before) == [
        'data: int = assumed(3000, "of all files together, one on each drive", "bytes", Rule(1))',
        'memory: Bytes = Bytes(2 * MIB), block: Bytes = Bytes(512), policy: PolicyForm = "lru",',
        "read_ahead: Bytes = Bytes(8 * KIB), write_back: bool = True, minutes: float = 5.0, warm_up: float = 2.0,",
        'terminals: int = 7, cores: int = 1, drives: int = 1, drive: DriveForm = "hp7925", raid: str = "",',
        'think: float = assumed(2.5, "mean time that a user looks at the screen", "s")',
    ]


def test_the_command_line_has_it_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_system("machine") is SYSTEM
    short = [word for name, value in SHORT.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    means = []
    assert main(["new", "machine.py"]) == 0
    for name in ("machine", "machine.py:MACHINE"):
        capsys.readouterr()
        assert main(["run", name, *short, "--drives", "2", "--policy", "s3-fifo", "--json"]) == 0
        means.append(json.loads(capsys.readouterr().out)["summary"])
    assert means[0] == means[1]


def test_python_runs_the_file_too(tmp_path: Path) -> None:
    """Which is the first thing that somebody tries; with a shorter window here."""
    file = tmp_path / "machine.py"
    file.write_text(START.read_text("utf-8").replace("print(run())", "print(run(minutes=0.2, warm_up=0.1))"), "utf-8")
    ended = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("computer: terminals 20, seed 1\n12 s measured after 6 of warm-up\n")


def test_there_may_be_64_drives() -> None:
    assert run(1, drives=64, minutes=0.01, warm_up=0.0).counters["drive64.completed"] >= 0.0


def test_an_array_has_one_file_over_all_drives() -> None:
    one = run(2, drives=4, raid="5", minutes=0.2, warm_up=0.1, writes=0.5)
    assert one.counters["raid1.writes"] > 0.0
    assert sum(one.counters[f"drive{number}.completed"] for number in range(1, 5)) > one.counters["raid1.completed"]
    with pytest.raises(UserError, match="raid 5: it takes 3 to 384 drives, not 2"):
        run(2, drives=2, raid="5")


@pytest.mark.parametrize(("raid", "files"), [("", 4), ("5", 1)])
def test_all_of_the_data_lies_on_the_drives_or_on_their_array(
    monkeypatch: pytest.MonkeyPatch, raid: str, files: int
) -> None:
    noted: list[tuple[int, int]] = []

    def note(p: Parameters, there: Any, size: int) -> Any:
        noted.append((len(there), size))
        return transaction(p, there, size)

    monkeypatch.setattr(start, "transaction", note)
    run(1, drives=4, raid=raid, minutes=0.01, warm_up=0.0)
    assert noted == [(files, 64 * MIB // files)]


def test_as_many_cores_as_users_let_none_wait_for_the_cpu() -> None:
    alone, two, all_cores = (
        run(8, cores=cores, compute=0.5, minutes=0.5, warm_up=0.2, think=1.0, memory=0) for cores in (1, 2, 8))
    assert alone.summary()["part_cpu_wait"] > 0.5
    assert 0.0 < two.summary()["part_cpu_wait"] < 0.6 * alone.summary()["part_cpu_wait"]
    assert all_cores.summary()["part_cpu_wait"] == 0.0
    assert all_cores.summary()["part_cpu"] == pytest.approx(alone.summary()["part_cpu"])
