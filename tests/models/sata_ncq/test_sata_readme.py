"""Tests that the commands in the README of Kim's drive can be run."""

import re
import shlex
from pathlib import Path

import pytest

import spindle.models.sata_ncq
from spindle.cli.main import main
from spindle.models.sata_ncq.system import SYSTEM
from spindle.studies.claims.claims import read_claims

README = (Path(spindle.models.sata_ncq.__file__).parent / "README.md").read_text("utf-8")


def test_its_python_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


@pytest.mark.parametrize("command", re.findall(r"^    spindle (.*)$", README, re.MULTILINE))
def test_its_commands_run(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)) == 0
    assert "total service time" in capsys.readouterr().out


def test_it_names_studies_that_there_are() -> None:
    for names in re.findall(r"`spindle experiment sata_ncq ([\w ]+)`", README):
        assert set(names.split()) <= {study.name for study in SYSTEM.studies}


def test_every_claim_of_its_table_is_one() -> None:
    table = set(re.findall(r"^\| (S4-\d+b?) ", README, re.MULTILINE))
    assert len(table) > 10
    assert table <= {claim.id for claim in read_claims(SYSTEM.claims)}


def test_each_fitted_parameter_begins_with_a_claim_that_is_calibrated() -> None:
    fitted = [each.metadata["source"].note.split(":")[0] for each in SYSTEM.parameters.__dataclass_fields__.values()
              if each.metadata["source"].kind == "fitted"]
    calibrated = {claim.id for claim in read_claims(SYSTEM.claims) if claim.role == "calibrated"}
    assert len(fitted) == len(set(fitted)) == 6
    assert set(fitted) <= calibrated
