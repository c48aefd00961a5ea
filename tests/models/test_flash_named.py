"""Flash where a command asks for a drive: it works, or one line says what does."""

from pathlib import Path

import pytest

from models.__main__ import main

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


def test_a_list_is_replayed_on_flash(requests: str, sheet: str, capsys: pytest.CaptureFixture[str]) -> None:
    for drive in ("intels3700", sheet):
        assert main(["drive", drive, requests]) == 0
        assert "units written 1," in capsys.readouterr().out
        assert main(["replay", requests, "--drive", drive]) == 0
        assert "3 simulated" in capsys.readouterr().out
        assert main(["check", drive]) == 0
        assert "1 of 1 promises are kept" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "max_iv", "--drive", "intels3700"], "drive intels3700 is flash, and a disc is asked for"),
        (["run", "windows_nt", "--drive", "SHEET"], "is flash, and a disc is asked for"),
        (["drive", "intels3700", "REQUESTS", "--bus", "HP-IB"], "has a link of its own, and shares no bus"),
        (["replay", "REQUESTS", "--drive", "intel_s3700"], "did you mean intels3700?"),
        (["serve", "intels3700", "--size", "2000GB"], "an export of 2000000000000 bytes is larger than the Intel"),
        (["drive", "--template", "ssd"], "unknown template 'ssd'"),
    ],
)
def test_what_flash_cannot_do_is_refused_in_a_line(
    arguments: list[str], says: str, requests: str, sheet: str, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"REQUESTS": requests, "SHEET": sheet}
    assert main([names.get(each, each) for each in arguments]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
