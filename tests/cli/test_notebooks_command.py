"""``spindle notebooks``: all of them are copied, and nothing is overwritten."""

import json
from pathlib import Path

import pytest

from spindle.cli.main import main

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def test_the_notebooks_are_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notebooks", str(tmp_path / "mine")]) == 0
    copies = sorted(path for path in (tmp_path / "mine").rglob("*") if path.is_file())
    names = [path.relative_to(tmp_path / "mine") for path in copies]
    there = [*NOTEBOOKS.rglob("[!.]*.ipynb"), NOTEBOOKS / "course/TEACHERS.md",
             NOTEBOOKS / "course/nbgrader_config.py"]
    assert names == sorted(path.relative_to(NOTEBOOKS) for path in there if "results" not in path.parts[:-2])
    assert all((NOTEBOOKS / name).read_bytes() == path.read_bytes() for name, path in zip(names, copies, strict=True))
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.partition(": ")[0] for line in lines) == sorted(map(str, copies))
    assert all(line.partition(": ")[2] for line in lines)


def test_a_copy_writes_into_its_own_folder() -> None:
    """A cell that writes elsewhere would do so beside the folder that the user chose."""
    assert not [path.name for path in NOTEBOOKS.rglob("*.ipynb") if '\\"../results' in path.read_text("utf-8")]


def test_nothing_is_written_by_way_of_a_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "course").symlink_to(tmp_path / "nowhere")
    assert main(["notebooks", str(tmp_path / "mine")]) == 2
    assert capsys.readouterr().err.endswith("course is a link, and leads elsewhere: remove it\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "hp3000.ipynb").symlink_to(tmp_path / "nowhere")
    assert main(["notebooks", str(tmp_path / "other")]) == 2
    assert "is there already" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "other"]


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "hp3000.ipynb"
    mine.write_text("my own")
    assert main(["notebooks", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"spindle: {mine} is there already, and is not overwritten; name another folder\n"
    assert [path.read_text() for path in tmp_path.iterdir()] == ["my own"]


@pytest.mark.parametrize("student", ["ada", 'O"Neil\\', "J\u00f6rg Müller"])
def test_a_students_copies_have_the_name(tmp_path: Path, student: str) -> None:
    assert main(["notebooks", str(tmp_path / "mine"), "--student", student]) == 0
    for path in (tmp_path / "mine" / "course").glob("*.ipynb"):
        source = "".join(json.loads(path.read_text("utf-8"))["cells"][2]["source"])
        names: dict[str, object] = {}
        exec(source.replace("from spindle.course import exercise", "exercise = lambda name, student: student"), names)
        assert names["task"] == student


def test_no_name_is_no_student(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["notebooks", str(tmp_path / "mine"), "--student", " "]) == 2
    assert "--student must be a name" in capsys.readouterr().err
