"""Tests the output of ``spindle tepe check`` on scripts, and on the driver machines that would run them."""

from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.cli.tepe import scripting
from spindle.workloads import tepe
from spindle.workloads.program_files.reader import INTRINSICS
from spindle.workloads.program_files.text import text_of
from spindle.workloads.tepe import SHIPPED

EXAMPLES = Path(__file__).parents[2] / "examples"
HYBRID = str(SHIPPED / "hybrid_101.tepe")


def test_it_tells_which_driver_has_which_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tepe", "check", HYBRID, str(EXAMPLES / "shop.tepe"), f"--program={EXAMPLES / 'shop.toml'}"]) == 0
    out, other, rest = capsys.readouterr().out.partition(f"{EXAMPLES / 'shop.tepe'}: OK\n")
    assert other
    assert "TILLS" in rest
    assert out.splitlines()[1] == tepe.describe(tepe.read(Path(HYBRID), scripting().catalogue(()))).splitlines()[0]
    lines = out.splitlines()
    assert lines[0] == f"{HYBRID}: OK"
    assert [line for line in lines if line.startswith("driver")] == ["driver 1", "driver 2", "driver 3"]
    assert lines[-1].split() == ["ports", "1", "to", "1", "BASIC", "10", "to", "10", "start", "0", "to", "60", "s"]


def test_so_many_drivers_may_be_too_few(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tepe", "check", "--drivers", "2", HYBRID]) == 2
    assert "drivers must be at least 3" in capsys.readouterr().err


def test_it_shows_programs_as_a_file_has_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed may be changed and run."""
    assert main(["tepe", "programs", "orders"]) == 0
    mine = tmp_path / "mine.toml"
    mine.write_text(capsys.readouterr().out.replace("ORDERS", "MINE"))
    script = tmp_path / "mine.tepe"
    script.write_text('SCRIPT A\nRUN MINE\nENTER "LIST"\n')
    assert main(["tepe", "check", str(script), "--program", str(mine)]) == 0
    assert main(["tepe", "check", str(script)]) == 2
    assert "unknown program 'MINE'" in capsys.readouterr().err


def test_it_shows_all_programs_below_what_they_may_do(capsys: pytest.CaptureFixture[str]) -> None:
    found = scripting()
    assert main(["tepe", "programs"]) == 0
    shown = capsys.readouterr().out
    assert "\n\n\n" not in shown
    words = " ".join(shown.split())
    assert ", ".join(f"{name} ({count})" for name, count in found.sets.items()) in words
    assert ", ".join(INTRINSICS) in words
    places = [shown.index(f"\n\n{text_of(each)}") for each in found.catalogue(()).values()]
    assert places == sorted(places)
    assert len(places) > 3
    assert main(["tepe", "programs", "fortran", "Orders"]) == 0
    assert capsys.readouterr().out.endswith(f"\n\n{text_of(found.catalogue(())['ORDERS'])}\n")


def test_the_example_of_the_language_is_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tepe", "language"]) == 0
    out = capsys.readouterr().out
    assert out == f"{(SHIPPED / 'README.md').read_text('utf-8').rstrip()}\n"
    script = tmp_path / "clerks.tepe"
    script.write_text(out.split("```")[1].strip())
    assert main(["tepe", "check", str(script)]) == 0
    assert "21" in capsys.readouterr().out


def test_a_run_takes_programs_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    files = ["--script", str(EXAMPLES / "shop.tepe"), "--program", str(EXAMPLES / "shop.toml")]
    assert main(["run", "hp3000", *files, "--minutes", "2", "--warm-up", "1"]) == 0
    assert "TILLS+OFFICE" in capsys.readouterr().out
    assert main(["run", "hp3000", *files[2:]]) == 2
    assert "--program is for a --script that runs it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [(["check"], "tepe check needs a script"), (["chek", "a"], "unknown tepe command 'chek': did you mean check?"),
     (["language", "x"], "it takes no 'x'"),
     (["programs", "ORDER"], "unknown program 'ORDER': did you mean ORDERS or FORTRAN?")],
)  # fmt: skip
def test_mistakes_are_one_line(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tepe", *words]) == 2
    assert says in capsys.readouterr().err
