"""The machine from parts by hand: its costs, its places, its text; and mistakes in one line."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from spindle import KIB, MIB, MS, OpenFile
from spindle.cli.main import main
from spindle.machine.start import Parameters, run, transaction
from spindle.machine.system import START, SYSTEM, machine_text
from spindle.sim.error import UserError
from spindle.systems import find_system

SHORT = {"terminals": 2, "minutes": 0.5, "warm_up": 0.5}
REPLY = 1.0 / 960.0
"""Seconds until the first character of a reply is on the screen."""


def places(parameters: Parameters, size: int, files: int = 1) -> list[tuple[str, int, int]]:
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
    session: Any = SimpleNamespace(random=Random(1), account=None, reply=lambda characters: iter(()))
    list(transaction(parameters, named, size)(machine, session))
    return asked


def test_where_all_is_in_memory_a_response_is_the_time_of_the_cpu() -> None:
    result = run(terminals=1, minutes=1.0, warm_up=1.0, data=4 * KIB, accesses=3, compute=20 * MS, call=2 * MS)
    summary = result.summary()
    assert (summary["hit_ratio"], summary["disc_busy"]) == (1.0, 0.0)
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


def test_a_fifth_of_the_data_gets_four_fifths_of_the_accesses_and_both_files_the_same() -> None:
    asked = places(Parameters(accesses=5000, writes=0.25, record=1), 1000, files=2)
    assert sum(place < 200 for _, _, place in asked) / 5000 == pytest.approx(0.8, abs=0.02)
    assert sum(call == "write" for call, _, _ in asked) / 5000 == pytest.approx(0.25, abs=0.02)
    assert sum(file for _, file, _ in asked) / 5000 == pytest.approx(0.5, abs=0.02)


def test_read_ahead_makes_hits_of_reads_in_order() -> None:
    alone, ahead = (run(**SHORT, sequential=1.0, read_ahead=each).summary() for each in (0, 32 * KIB))
    assert ahead["hit_ratio"] > alone["hit_ratio"] + 0.2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"drives": 0}, "drives must be 1 to 64, not 0"),
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


def test_an_array_has_one_file_over_all_drives() -> None:
    one = run(2, drives=4, raid="5", minutes=0.2, warm_up=0.1, writes=0.5)
    assert one.counters["raid1.writes"] > 0.0
    assert sum(one.counters[f"drive{number}.completed"] for number in range(1, 5)) > one.counters["raid1.completed"]
    with pytest.raises(UserError, match="raid 5: it takes 3 to 384 drives, not 2"):
        run(2, drives=2, raid="5")


def test_as_many_cores_as_users_let_none_wait_for_the_cpu() -> None:
    alone, all_cores = (run(8, cores=cores, compute=0.5, minutes=1.0, warm_up=0.2, think=1.0) for cores in (1, 8))
    assert alone.summary()["part_cpu_wait"] > 0.5
    assert all_cores.summary()["part_cpu_wait"] == 0.0
    assert all_cores.summary()["part_cpu"] == pytest.approx(alone.summary()["part_cpu"])
