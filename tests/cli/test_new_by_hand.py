"""``spindle new`` and ``spindle notebooks`` by hand: what a file begins with, which are copied, and their titles."""

import json
from pathlib import Path

import pytest

from spindle.cli import new
from spindle.cli.main import main
from spindle.machine.system import START
from spindle.sim.disc.sheet_file.sheet import TEMPLATES as SHEETS

KINDS = {"machine.py": START, "policy.py": new.TEMPLATES / "policy.py", "script.tepe": new.TEMPLATES / "script.tepe",
         "drive.yaml": SHEETS["disc"]}  # fmt: skip


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("kind", "following"), [
    ("machine.py", "spindle run {}"), ("policy.py", "spindle check {}:Mine"),
    ("script.tepe", "spindle run hp3000 --script {} --minutes 5"), ("drive.yaml", "spindle replay TRACE --drive {}"),
])  # fmt: skip
def test_a_file_to_begin_with_is_named_in_its_own_words(
    kind: str, following: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = KINDS[kind].read_text("utf-8")
    assert kind in text
    for words, name in (([], kind), (["--out", f"there/m\u00fc.{kind}"], f"there/m\u00fc.{kind}")):
        assert main(["new", kind, *words]) == 0
        assert capsys.readouterr().out == f"{name}: next {following.format(name)}\n"
        assert Path(name).read_text("utf-8") == text.replace(kind, name)
        assert main(["new", kind, *words]) == 2
        assert capsys.readouterr().err == (
            f"spindle: {name} is there already, and is not overwritten; name another by --out\n")


@pytest.mark.parametrize(("words", "says"), [
    (["disc.yaml"], "unknown kind of file 'disc.yaml': did you mean drive.yaml"),
    (["policy.py", "--out=."], "--out must name a file, not '.'"),
    ([], "new: the following arguments are required: KIND"),
])  # fmt: skip
def test_what_is_no_file_to_begin_with_is_refused(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", *words]) == 2
    assert capsys.readouterr().err.startswith(f"spindle: {says}")
    assert list(Path().iterdir()) == []


def notebook(*cells: list[str]) -> str:
    return json.dumps({"cells": [{"source": cell} for cell in cells]})


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of notebooks, of which four files are copied."""
    place = tmp_path / "shipped"
    files = {"a.ipynb": notebook(["# # The ", "first \n", "and more"], ["second"]),
             "course/b.ipynb": notebook(['"XIX"'], ['task("x", student="your name")']),
             "course/PAGE.md": "## X of \u00fc\n\nmore\n", "course/settings.py": '"""Settings."""\n',
             "course/__init__.py": "", "course/.ipynb_checkpoints/b.ipynb": notebook(["old"]), "data.csv": "1",
             "course/b.ipynb.bak": "old"}  # fmt: skip
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, "utf-8")
    monkeypatch.setattr(new, "NOTEBOOKS", place)
    return place


TITLES = {"a.ipynb": "The first ", "course/PAGE.md": "X of \u00fc", "course/b.ipynb": "XIX",
          "course/settings.py": "Settings."}  # fmt: skip


def test_notebooks_pages_and_settings_are_copied_and_named_by_their_titles(
    shipped: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["notebooks", "mine"]) == 0
    assert capsys.readouterr().out == "".join(f"mine/{name}: {title}\n" for name, title in TITLES.items())
    assert {path.relative_to("mine").as_posix() for path in Path("mine").rglob("*") if path.is_file()} == {*TITLES}
    assert all((Path("mine") / name).read_bytes() == (shipped / name).read_bytes() for name in TITLES)


@pytest.mark.parametrize(("student", "written"), [("Ada", "Ada"), ('O"Neil', 'O\\"Neil'), ("\u00fc", "\\u00fc")])
def test_the_name_of_a_student_is_written_as_python_reads_it(shipped: Path, student: str, written: str) -> None:
    assert main(["notebooks", "mine", f"--student={student}"]) == 0
    made = json.loads(Path("mine/course/b.ipynb").read_text("utf-8"))
    assert made["cells"][1]["source"] == [f'task("x", student="{written}")']
    assert (Path("mine") / "a.ipynb").read_bytes() == (shipped / "a.ipynb").read_bytes()


@pytest.mark.usefixtures("shipped")
@pytest.mark.parametrize(("words", "says"), [
    (["mine", "--student= "], "--student must be a name, not ' '"),
    (["mine", "--student=a\tb"], r"--student must be a name, not 'a\tb'"),
    (["there"], "there/course/PAGE.md is there already, and is not overwritten; name another folder"),
    (["file"], "DIR: cannot make the folder file"),
])  # fmt: skip
def test_copies_that_cannot_be_are_refused(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("there/course").mkdir(parents=True)
    Path("there/course/PAGE.md").symlink_to("nowhere")
    Path("file").touch()
    assert main(["notebooks", *words]) == 2
    assert capsys.readouterr().err.startswith(f"spindle: {says}")
    assert sorted(path.name for path in Path().iterdir()) == ["file", "shipped", "there"]
    assert [path.name for path in Path("there").rglob("*")] == ["course", "PAGE.md"]
