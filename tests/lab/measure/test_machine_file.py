"""The file of a fitted machine: a run takes it, and it has the fitted numbers to the last digit."""

from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.lab.measure.fit import fit
from spindle.lab.measure.machine_file import machine_text
from spindle.lab.measure.table import read, write
from spindle.models.unix_stdio.parameters import LECTURE, VIRTUAL_2026
from spindle.models.unix_stdio.system import SYSTEM
from spindle.sim.user_parts import value_in_file
from tests.lab.measure.test_fit import said_by

SHORT = ("--program", "w03", "--block", "16", "--seconds", "0.01")


def test_what_was_fitted_is_a_machine_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = said_by(VIRTUAL_2026)
    write(rows, tmp_path / "measured.csv", {"kernel": "6.18", "file system": "ext4"})
    mine = tmp_path / "mine.py"
    assert main(["measure", "--from", str(tmp_path / "measured.csv"), "--machine", str(mine)]) == 0
    assert mine.read_text().startswith("# Fitted by spindle measure; measured on: 6.18, ext4.\nfrom ")
    machine = value_in_file(f"{mine}:MACHINE")
    assert machine == fit(read(tmp_path / "measured.csv")[0], {}).machine
    assert machine != LECTURE
    capsys.readouterr()
    assert _page(capsys, str(mine)) != _page(capsys, "lecture")
    (tmp_path / "same.py").write_text(f"from {VIRTUAL_2026.__module__} import VIRTUAL_2026\n")
    assert _page(capsys, f"{tmp_path}/same.py:VIRTUAL_2026") == _page(capsys, "virtual-2026")


def _page(capsys: pytest.CaptureFixture[str], machine: str) -> str:
    assert main(["run", "unix_stdio", *SHORT, "--machine", machine]) == 0
    head, _, rest = capsys.readouterr().out.partition(", seed 1")
    assert head.endswith(machine)
    return rest


def test_a_drive_that_was_not_fitted_and_a_place_without_a_name_are_said(tmp_path: Path) -> None:
    made = fit([row for row in said_by(VIRTUAL_2026) if not row.cell.waits], {})
    first, second, *_ = machine_text(made, {}).splitlines()
    assert first == "# Fitted by spindle measure; measured on: a machine that is not named."
    assert second == "# Its drive was not fitted: programs that wait for it take next to no time."
    (tmp_path / "mine.py").write_text(machine_text(made, {"kernel": "two\nlines = 1"}))
    assert value_in_file(f"{tmp_path}/mine.py:MACHINE") == made.machine


@pytest.mark.parametrize(("words", "says"), [
    (["measure", "--from", "kept.csv", "--machine", "mine.csv"], "--machine must name a file that ends in .py"),
    (["run", "unix_stdio", "--machine", "other.py:PAGE"], "is no machine: a machine is a UnixParameters, of"),
    (["run", "unix_stdio", "--machine", "virtual-2027"], "did you mean virtual-2026?"),
])  # fmt: skip
def test_what_is_no_machine_is_refused_in_one_line(
    words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.py").write_text("PAGE = 4096\n")
    assert main(words) == 2
    assert says in capsys.readouterr().err
    assert "machine" in SYSTEM.parts
