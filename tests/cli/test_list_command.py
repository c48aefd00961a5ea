"""``spindle list``: a few lines a system, and quick, for it reads the cards of the systems and none of their code."""

import subprocess
import sys
from pathlib import Path

import pytest

from spindle.cli.main import COMMAND_GROUPS, COMMANDS, main
from spindle.systems import find_system, read_card, system_names

ROOT = Path(__file__).parents[2]
MAX_CARD_LINES = 4
"""Of a system, with its name: the list stays short because each card does, however many systems there are."""
MAX_MODULES = 15


def imported(*arguments: str) -> set[str]:
    """The modules that Python imports to do so, as ``-X importtime`` says."""
    command = [sys.executable, "-X", "importtime", *arguments]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stderr.splitlines()
    return {line.rpartition("|")[2].strip() for line in lines}


def test_it_imports_few_modules() -> None:
    more = imported("-m", "spindle", "list") - imported("-c", "pass")
    assert more & {"numpy", "pandas", "yaml", "simpy", "pyarrow", "jinja2"} == set()
    assert 5 < len([name for name in more if name.startswith("spindle")]) <= MAX_MODULES, sorted(more)


def test_it_names_every_system_in_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    listed: dict[str, int] = {}
    for line in capsys.readouterr().out.partition("\n\n")[0].splitlines():
        if line[:1].strip():
            listed[line.split()[0]] = 0
        listed[[*listed][-1]] += 1
    assert {*system_names()} <= {*listed}
    assert [name for name, lines in listed.items() if lines > MAX_CARD_LINES] == [], "shorten `question` in system.toml"


@pytest.mark.parametrize("name", system_names())
def test_the_card_of_a_system_is_what_it_says_of_itself(name: str) -> None:
    system, card = find_system(name), read_card(name)
    assert (system.name, system.title, system.paper, system.question, system.machines) == (
        name, card.title, card.paper, card.question, card.machines)


def test_the_machine_of_a_paper_is_found_by_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert "The machine is a Series 64; --series has a 44 and a III." in capsys.readouterr().out


def test_the_studies_of_a_system_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "sata_ncq"]) == 0
    out = capsys.readouterr().out
    assert all(f"    {study.name}\n" in out for study in find_system("sata_ncq").studies)


def test_every_command_stands_in_one_group() -> None:
    assert sorted(name for group in COMMAND_GROUPS.values() for name in group) == sorted(COMMANDS)
