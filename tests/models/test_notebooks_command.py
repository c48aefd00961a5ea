"""``spindle notebooks``: all of them are copied, and nothing is overwritten."""

from pathlib import Path

import pytest

from models.__main__ import main

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def test_the_notebooks_are_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notebooks", str(tmp_path / "mine")]) == 0
    copies = sorted((tmp_path / "mine").iterdir())
    assert [path.name for path in copies] == sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
    assert all(path.read_bytes() == (NOTEBOOKS / path.name).read_bytes() for path in copies)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in lines] == list(map(str, copies))
    assert all(line.partition(": ")[2] for line in lines)


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "hp3000.ipynb"
    mine.write_text("my own")
    assert main(["notebooks", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"spindle: {mine} is there already, and is not overwritten; name another folder\n"
    assert [path.read_text() for path in tmp_path.iterdir()] == ["my own"]
