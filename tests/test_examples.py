"""The examples are true: what their pages say of the shop and of the sheet."""

from pathlib import Path

import pandas as pd
import pytest

from spindle.cli.main import main
from spindle.systems import find_system

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


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
    assert "--template prints a drive file" in capsys.readouterr().err
