"""Flash where a command asks for a drive: it works, or one line says what does."""

import json
from pathlib import Path

import pytest

from spindle.cli.main import main

REQUESTS = "op,lba,sectors,gap_before_ms\nR,0,8,1\nW,800,8,1\nR,4000,256,1\n"


@pytest.fixture
def requests(tmp_path: Path) -> str:
    path = tmp_path / "requests.csv"
    path.write_text(REQUESTS)
    return str(path)


@pytest.fixture
def sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The template, as a file."""
    assert main(["drive", "--template", "flash"]) == 0
    path = tmp_path / "ssd.yaml"
    path.write_text(capsys.readouterr().out)
    return str(path)


@pytest.fixture
def disc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The template of a disc, as a file."""
    assert main(["drive", "--template"]) == 0
    path = tmp_path / "disc.yaml"
    path.write_text(capsys.readouterr().out)
    return str(path)


def test_a_list_is_replayed_on_flash(requests: str, sheet: str, capsys: pytest.CaptureFixture[str]) -> None:
    for drive in ("intels3700", sheet):
        assert main(["drive", drive, requests]) == 0
        assert "units written 1," in capsys.readouterr().out
        assert main(["replay", requests, "--drive", drive]) == 0
        assert "3 simulated" in capsys.readouterr().out
        assert main(["check", drive]) == 0
        assert "1 of 1 promises are kept" in capsys.readouterr().out


@pytest.mark.parametrize("short", ["max_iv --users 5 --minutes 1 --warm-up 0", "windows_nt --seconds 2",
                                   "unix_stdio --program r06 --seconds 0.1"])  # fmt: skip
def test_machines_are_built_with_flash(short: str, sheet: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By name or by its sheet; nothing takes as long as on a disc."""
    told = []
    for drive in ("toshibamk2124fc", "intels3700", sheet):
        assert main(["run", *short.split(), "--drive", drive, "--json"]) == 0
        drives = {name: value for name, value in json.loads(capsys.readouterr().out)["counters"].items()
                  if name.startswith(("drive", "disc"))}  # fmt: skip
        told.append(sum(value for name, value in drives.items() if name.endswith((".rotation", ".seek"))))
        assert ("senses" in " ".join(drives)) is (drive != "toshibamk2124fc")
    assert told[0] > 0 == told[1] == told[2]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "hp3000", "--drive", "intels3700"], "drive intels3700 is flash, and a disc is asked for"),
        (["run", "sata_ncq", "--drive", "SHEET"], "is flash, and a disc is asked for"),
        (["run", "ml_loader", "--drive", "DISC"], "is no solid-state drive, and one is asked for, such as"),
        (["run", "kv_cache", "--drive", "DISC"], "is no solid-state drive, and one is asked for, such as"),
        (["drive", "intels3700", "REQUESTS", "--bus", "HP-IB"], "has a link of its own, and shares no bus"),
        (["replay", "REQUESTS", "--drive", "intel_s3700"], "did you mean intels3700?"),
        (["serve", "intels3700", "--size", "2000GB"], "an export of 2000000000000 bytes is larger than the Intel"),
        (["drive", "--template", "ssd"], "unknown template 'ssd'"),
    ],
)
def test_what_flash_cannot_do_is_refused_in_a_line(
    arguments: list[str], says: str, requests: str, sheet: str, disc: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"REQUESTS": requests, "SHEET": sheet, "DISC": disc}
    assert main([names.get(each, each) for each in arguments]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
