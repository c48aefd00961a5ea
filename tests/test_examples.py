"""The examples are true: every line that begins with spindle runs, and what is shown twice is the same."""

import re
from pathlib import Path
from shlex import split

import pandas as pd
import pytest

from spindle.cli.main import main
from spindle.settings import settings_of_run
from spindle.systems import find_system

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGES = [(EXAMPLES / name).read_text("utf-8") for name in ("README.md", "your_own_machine.md")]
COMMANDS = [command for page in PAGES for command in re.findall(r"^    spindle (.*)$|`spindle ([^`]* [^`]*)`", page,
                                                               re.MULTILINE)]  # fmt: skip
QUICK = [words for block, inline in COMMANDS if (words := split(block or inline))[0] not in ("sweep", "find")]


def test_there_are_commands_for_every_file() -> None:
    files = {path.name for path in EXAMPLES.iterdir() if path.suffix in (".csv", ".yaml", ".tepe", ".scr", ".py")}
    named = {Path(word.partition(":")[0]).name for words in QUICK for word in words}
    assert files - named == set()


@pytest.mark.parametrize("words", QUICK, ids=" ".join)
def test_a_command_of_the_examples_runs(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With less simulated time, where there is any to choose; a new file goes to an empty folder."""
    monkeypatch.chdir(tmp_path if words[0] == "new" else ROOT)
    timed = words[0] == "run" and "--shift" not in words and "minutes" in settings_of_run(find_system(words[1]).run)
    short = ["--minutes", "0.2", "--warm-up", "0.1"] if timed else []
    assert main([*words, *short]) == 0
    assert capsys.readouterr().out


def test_both_remedies_help_and_more_clerks_do_not() -> None:
    """What the page on one's own machine says, in half a minute of the simulated shop."""
    run = find_system(f"{EXAMPLES / 'machine.py'}:SHOP").run
    cases = {"now": {}, "drive": {"drives": 5}, "memory": {"memory": 8 << 20}, "clerks": {"terminals": 48}}
    means = pd.Series({name: run(minutes=0.5, warm_up=0.5, **case).response()["response_mean"]
                       for name, case in cases.items()})  # fmt: skip
    assert means["memory"] < means["now"] < means["clerks"]
    assert means["drive"] < means["now"]


def test_the_sheet_of_the_examples_is_the_template(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drive", "--template"]) == 0
    assert capsys.readouterr().out == (EXAMPLES / "drive.yaml").read_text("utf-8")


def test_all_that_a_sheet_lacks_is_said_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "half.yaml"
    sheet.write_text("name: half\nrpm: 3600\nheads: 2\n")
    assert main(["drive", str(sheet), str(EXAMPLES / "requests.csv")]) == 2
    said = "there is no sector_bytes, capacity_sectors, cylinders, head_switch_ms, seek, sectors_per_track"
    assert said in capsys.readouterr().err
    assert main(["drive"]) == 2
    assert "--template prints a sheet" in capsys.readouterr().err
