"""``spindle drive --errors`` and ``--all``: what they print of small drives, and mistakes in one line."""

import json
from pathlib import Path

import pytest

from spindle.cli.main import main
from tests.cli.test_drive_command import CLOSED, SHEET


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two measured drives, and one that was asked in an open loop."""
    for name, requests in {"one": CLOSED, "two": CLOSED, "open": "arrival_s,lba,sectors,op\n0,0,1,R\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "drive.yaml").write_text(SHEET)
        (tmp_path / name / "requests.csv").write_text(requests)
    return tmp_path


def test_all_drives_of_a_folder_have_a_line_each(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = "seq,disksim_ms\n0,10\n1,5\n2,12\n"
    (folder / "two" / "disksim_predicted.csv").write_text(answers)
    assert main(["drive", "--all", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    # 10.5, 5 and 11 of the model less 10, 6 and 11: the sorted errors are -1, 0.5 and 0.
    assert [line.split()[:3] for line in lines[1:3]] == [["one", "7.17", "-"], ["two", "7.17", "9.07"]]


def test_the_errors_of_one_drive_are_parted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = folder / "one"
    words = ["drive", str(place / "drive.yaml"), str(place / "requests.csv"), "--errors"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["predicted"]["all"]["median_difference"] == pytest.approx(0.5e-3)
    assert [row["mean"] for row in found["groups"]["after"]] == pytest.approx([-0.25e-3, 0.0])
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "of the mean square error" in told
    # Three requests in as many groups tell nothing by them.
    assert "3 requests are too few to tell by " in " ".join(told.split())
    assert "100.0%" not in told
    assert "size, sectors" in found["too_few_requests_for"]


MISTAKES = [
    (["--all", "nowhere"], "there is no folder nowhere"),
    (["--all", "{}/one"], "no folder in"),
    (["--all", "{}", "--open"], "--all and --open exclude each other"),
    (["{}/one/drive.yaml", "--all", "{}"], "--all and DRIVE.yaml exclude each other"),
    (["{}/one/drive.yaml", "{}/one/requests.csv", "--errors", "--out=x.csv"], "--errors and --out exclude each other"),
    (["{}/open/drive.yaml", "{}/open/requests.csv", "--errors"], "request 0 has no gap"),
]


@pytest.mark.parametrize(("words", "says"), MISTAKES)
def test_mistakes_are_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert main(["drive", *(word.replace("{}", str(folder)) for word in words)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err


def test_measured_drives(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("HP_C2247A", "QUANTUM_QM39100TD_ATLAS_III"):
        (tmp_path / name).symlink_to(shared / "data" / "drives" / name)
    assert main(["drive", "--all", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found) == 2
    assert all(next(iter(drive["phases"])) == "rotation" for drive in found.values())
    assert found["HP_C2247A"]["predicted"]["all"]["demerit_share"] < 0.01
