"""From one SCRIPT section of a terminal script to a Script: its settings, each at most once, and its steps."""

from collections.abc import Mapping
from math import inf

from lark import Token, Tree

from sim.script import Script
from sim.streams import Constant, Distribution, Uniform
from workloads.programs.program import Program
from workloads.tepe_language.check import Checker
from workloads.tepe_language.numbers import (
    place,
    read_count,
    read_distribution,
    read_rate,
    read_time,
    tokens,
    trees,
)
from workloads.tepe_language.source import Source, safe

MAX_TERMINALS = 10_000

_SETTINGS = ("terminals", "baud", "typing", "start", "stop")
_DEFAULT = Script("", ())


def read_sections(source: Source, tree: Tree[Token], programs: Mapping[str, Program]) -> tuple[Script, ...]:
    """Every section of the file as a Script; their names differ."""
    if not tree.children:
        raise source.error(1, 1, "there is no SCRIPT in this file")
    scripts: dict[str, Script] = {}
    for section in trees(tree):
        script = _section(source, section, programs)
        if script.name in scripts:
            raise source.error(*place(tokens(section)[0]), f"there is already a SCRIPT {safe(script.name, 40)}")
        scripts[script.name] = script
    return tuple(scripts.values())


def _section(source: Source, section: Tree[Token], programs: Mapping[str, Program]) -> Script:
    settings = _settings(source, section)
    (name,) = tokens(section)
    steps = [child for child in trees(section) if child.data not in _SETTINGS and child.data != "bye"]
    start, stagger = _start(source, settings)
    script = Script(
        name=name.upper(),
        steps=tuple(Checker(source, programs).block(steps).steps),
        terminals=_terminals(source, settings),
        baud=_rate(source, settings, "baud", _DEFAULT.baud),
        typing=_rate(source, settings, "typing", _DEFAULT.typing),
        start=start,
        stagger=stagger,
        stop=_stop(source, settings, start),
    )
    if not script.steps:
        raise source.error(*place(section), f"SCRIPT {safe(script.name, 40)} has no step")
    return script


def _settings(source: Source, section: Tree[Token]) -> dict[str, Tree[Token]]:
    settings: dict[str, Tree[Token]] = {}
    for statement in trees(section):
        if statement.data in _SETTINGS:
            if statement.data in settings:
                line = place(settings[statement.data])[0]
                raise source.error(*place(statement), f"{statement.data.upper()} was already said in line {line}")
            settings[statement.data] = statement
    return settings


def _terminals(source: Source, settings: dict[str, Tree[Token]]) -> int:
    if "terminals" not in settings:
        return _DEFAULT.terminals
    return read_count(source, tokens(settings["terminals"])[0], "the number of TERMINALS", MAX_TERMINALS)


def _rate(source: Source, settings: dict[str, Tree[Token]], name: str, default: float) -> float:
    if name not in settings:
        return default
    return read_rate(source, tokens(settings[name])[0], f"the {name.upper()} rate")


def _start(source: Source, settings: dict[str, Tree[Token]]) -> tuple[Distribution, float]:
    if "start" not in settings:
        return _DEFAULT.start, _DEFAULT.stagger
    start, *every = trees(settings["start"])
    return read_distribution(source, start), read_time(source, every[0]) if every else 0.0


def _stop(source: Source, settings: dict[str, Tree[Token]], start: Distribution) -> float:
    if "stop" not in settings:
        return inf
    stop = read_time(source, trees(settings["stop"])[0])
    earliest = start.low if isinstance(start, Uniform) else start.value if isinstance(start, Constant) else 0.0
    if stop <= earliest:
        raise source.error(*place(settings["stop"]), f"this STOP comes before anybody starts, at {earliest:g} s")
    return stop
