"""Tests the terminal scripts that are written on the web page: those that are shipped, and whom they bring."""

import pytest

from spindle.models.hp3000.system import SYSTEM, TepeScripts
from spindle.sim.error import UserError

TEXT = 'SCRIPT {name}\nTERMINALS {terminals}\nRUN ORDERS\nLOOP\n  THINK 8\n  ENTER "LIST"\nEND\nBYE\n'
FILES = {"mine.tepe": TEXT.format(name="ONE", terminals=3) + TEXT.format(name="OTHER", terminals=2)}


def test_a_script_of_the_page_takes_the_place_of_the_people() -> None:
    """Given terminals are those of the first script, as on the command line."""
    for given, terminals in (({}, [3, 2]), ({"terminals": 7}, [7, 2])):
        arguments = TepeScripts().arguments(FILES, {**given, "seed": 4})
        assert [(each.name, each.terminals) for each in arguments.pop("scripts")] == list(
            zip(["ONE", "OTHER"], terminals, strict=True)
        )
        assert arguments == {**given, "seed": 4}


def test_clerks_are_not_counted_in_a_script_and_its_mistakes_have_their_place() -> None:
    for clerks in (3, 0):
        with pytest.raises(UserError, match="clerks counts Spindle's own people; a script says who sits at its term"):
            TepeScripts().arguments(FILES, {"clerks": clerks})
    with pytest.raises(UserError, match=r"mine\.tepe:1:1: "):
        TepeScripts().arguments({"mine.tepe": "SCRIPTS ONE\n"}, {})


def test_shipped_scripts_are_there_by_name() -> None:
    assert isinstance(SYSTEM.language, TepeScripts)
    shipped = SYSTEM.language.shipped_files()
    assert {"orders_63.tepe", "hybrid_101.tepe", "development_38.tepe"} <= set(shipped)
    assert all(list(files) == [name] and name.endswith(".tepe") for name, files in shipped.items())
    assert "TERMINALS 63\n" in shipped["orders_63.tepe"]["orders_63.tepe"]
    scripts = SYSTEM.language.arguments(shipped["hybrid_101.tepe"], {})["scripts"]
    assert sum(script.terminals for script in scripts) == 101
