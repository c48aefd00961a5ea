"""The mechanisms of every paper: each command is one that ``spindle run`` takes, and it makes the run of the table."""

from importlib import import_module
from pathlib import Path
from shlex import split
from typing import Any

import pytest

import spindle.models
from spindle.cli import run_options
from spindle.cli.arguments import ArgumentParser
from spindle.systems import find_system

FOLDER = Path(spindle.models.__file__).parent
SYSTEMS = sorted(path.parent.parent.name for path in FOLDER.glob("*/studies/mechanisms.py"))
MODULES: dict[str, Any] = {name: import_module(f"spindle.models.{name}.studies.mechanisms") for name in SYSTEMS}
OPTIONS = [(name, options) for name, module in MODULES.items()
           for options in sorted({each for one in module.MECHANISMS
                                  for each in (one.on, one.options_without)})]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_the_command_line_reads_the_options_alike(name: str, options: str) -> None:
    system, parser = find_system(name), ArgumentParser("run", built_in="", examples="")
    parser.add_argument("system")
    run_options.add_options(parser, system)
    texts = run_options.given_texts(system, parser.take([name, *split(options)]), ())
    point = run_options.values(system, texts)
    assert run_options.arguments(system, point, {}) == MODULES[name].MACHINE.arguments(options)


@pytest.mark.parametrize("name", SYSTEMS)
def test_each_has_a_name_of_its_own_and_differs_from_what_it_is_compared_with(name: str) -> None:
    mechanisms = MODULES[name].MECHANISMS
    assert len({each.name for each in mechanisms}) == len(mechanisms) >= 10
    assert all(each.options_without != each.on for each in mechanisms)
