"""``spindle list``: one screen, and quick, for it reads the cards of the systems and none of their code."""

import subprocess
import sys
from pathlib import Path

import pytest

from spindle.cli.main import COMMANDS, GROUPS, main
from spindle.systems import find_system, read_card, system_names

ROOT = Path(__file__).parents[2]
SCREEN = 24
MAX_MODULES = 60


def imported(*arguments: str) -> set[str]:
    """The modules that Python imports to do so, as ``-X importtime`` says."""
    command = [sys.executable, "-X", "importtime", *arguments]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stderr.splitlines()
    return {line.rpartition("|")[2].strip() for line in lines}


def test_it_imports_few_modules() -> None:
    more = imported("-m", "spindle", "list") - imported("-c", "pass")
    assert len(more) <= MAX_MODULES, sorted(more)


def test_it_is_one_screen_and_names_every_system(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= SCREEN
    assert {line.split()[0] for line in lines if line[:1].strip()} >= {*system_names()}


@pytest.mark.parametrize("name", system_names())
def test_the_card_of_a_system_is_what_it_says_of_itself(name: str) -> None:
    system, card = find_system(name), read_card(name)
    assert (system.name, system.title, system.paper, system.question) == (name, card.title, card.paper, card.question)


def test_the_studies_of_a_system_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "sata_ncq"]) == 0
    out = capsys.readouterr().out
    assert all(f"    {study.name}\n" in out for study in find_system("sata_ncq").studies)


def test_every_command_stands_in_one_group() -> None:
    assert sorted(name for group in GROUPS.values() for name in group) == sorted(COMMANDS)
