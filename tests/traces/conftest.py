"""Fixtures for tests of the commands on traces: a folder with a small drive and a trace, and a way to run commands."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from spindle.cli.main import main

SHEET = """\
name: Small Drive
sector_bytes: 256
cylinders: 100
heads: 2
sectors_per_track: 20
capacity_sectors: 4000
rpm: 6000
command_overhead_ms: 1.0
head_switch_ms: 0.0
seek: {points_cyl_ms: [[1, 1.0], [99, 5.0]]}
"""
"""It turns in 10 ms, in which ten sectors of 512 bytes come by; 2000 of them are on it."""

Said = Callable[..., str]


def trace_of(*rows: tuple[object, ...], head: str = "time_s,op,lba_512,sectors") -> str:
    return "\n".join([head, *(",".join(map(str, row)) for row in rows), ""])


def some(requests: int) -> str:
    """Requests within 1000 sectors, two thirds of them reads, some of which go on where the one before ended."""
    random = Random("some")
    time, rows, first = 0.0, [], 0
    for _ in range(requests):
        time += random.expovariate(20.0)
        if random.random() > 0.3:
            first = 8 * int(110 * random.random() ** 3)
        sectors = random.choice((1, 8, 8, 16))
        rows.append((f"{time:.6f}", "R" if random.random() < 0.66 else "W", first, sectors))
        first += sectors
    return trace_of(*rows)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a drive and a trace."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(SHEET)
    (tmp_path / "trace.csv").write_text(some(60))
    return tmp_path


@pytest.fixture
def said(place: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs a command, which must go well; what it said."""

    def run(*arguments: str) -> str:
        status = main(arguments)
        out, err = capsys.readouterr()
        assert (status, err) == (0, "")
        return out

    return run


@pytest.fixture
def refused(place: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs a command, which must refuse and leave nothing behind; what it said on its one line."""

    def run(*arguments: str) -> str:
        before = sorted(place.iterdir())
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), err[:9]) == ("", 1, "spindle: ")
        assert sorted(place.iterdir()) == before
        return err[9:-1]

    return run
