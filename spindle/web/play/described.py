"""Describes the systems as data for the page: settings with their steps, units and sources, and questions of a tour."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from inspect import signature
from typing import TYPE_CHECKING, Any

from spindle.measures import label_of
from spindle.output.text import thin_out
from spindle.sim.parameter import describe as describe_parameters
from spindle.studies.confidence import quantile
from spindle.system import PlayPage, System
from spindle.web.play.links import VARIED_VALUES, words_of
from spindle.web.play.request import FIRST_SEEDS, MAX_SEEDS, PlayRequest
from spindle.web.play.sliders import ticks, usual_of
from spindle.web.play.spelling import value_text

if TYPE_CHECKING:
    import pandas as pd

PARAMETERS_SHOWN = 10
"""Parameters that the page shows at first, before the user asks for all."""


def describe(systems: Sequence[System], orders: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Describe *systems* for the page; *orders* has the parameters by effect, where the effects were computed."""
    return {
        "student": [quantile(count, 0.975) for count in range(1, MAX_SEEDS)],
        "seeds": FIRST_SEEDS,
        "machines": {each.name: _machine(each, [*varied_parameters(each), *orders.get(each.name, ())])
                     for each in systems},
    }


def _machine(machine: System, order: Sequence[str]) -> dict[str, Any]:
    page, language = machine.offer, machine.language
    scripts = None if language is None else {"option": language.option, "shipped": language.shipped_files()}
    return {
        "title": machine.title, "paper": machine.paper, "question": machine.question,
        "settings": [*_arguments(machine), *_parts(machine), *_parameters(machine, order)],
        "begin": dict(page.begin), "vary": page.vary, "values": list(page.values), "curves": list(page.curves),
        "labels": {name: label_of(name) for name in page.curves},
        "window": page.window, "scripts": scripts, "tour": list(_tour(machine.name, page)),
    }  # fmt: skip


def _tour(name: str, page: PlayPage) -> Iterator[dict[str, str]]:
    """Yield the questions of a tour, each with the address of the runs that answer it."""
    for step in page.tour:
        yield {"says": step.asks, "words": words_of(PlayRequest(name, {**page.begin, **step.given}, step.vary,
                                                                step.values))}  # fmt: skip


def _arguments(machine: System) -> Iterator[dict[str, Any]]:
    usual = signature(machine.run).parameters
    for name, places in machine.offer.places.items():
        setting, default = machine.settings[name], usual[name].default
        shown = "" if default is None else value_text(default, setting) if setting.is_number else str(default).lower()
        words = ["true", "false"] if setting.kind is bool else list(machine.menu(name))
        group = "part" if name in machine.offer.among_parts else "run"
        yield _row(name, group, shown, places, words, "", machine.says[name])


def _parts(machine: System) -> Iterator[dict[str, Any]]:
    for name, choices in machine.parts.items():
        yield _row(name, "part", "", (), list(choices), "", "a part that may be exchanged")


def _parameters(machine: System, order: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the parameters of *order* first, the others as they were declared."""
    field_of = {each.name: each for each in fields(machine.parameters)}
    rows = list(describe_parameters(machine.parameters))
    rows.sort(key=lambda row: order.index(row.name) if row.name in order else len(order))
    for place, row in enumerate(rows):
        setting = machine.settings[row.name]
        group = "first" if place < PARAMETERS_SHOWN else "other"
        places = ticks(field_of[row.name], setting)
        yield _row(row.name, group, value_text(usual_of(field_of[row.name]), setting), places, (), row.kind, row.note,
                   "" if row.unit == "1" else row.unit)  # fmt: skip


def _row(
    name: str, group: str, usual: str, places: Sequence[str], words: Sequence[str], kind: str, note: str,
    unit: str = "",
) -> dict[str, Any]:  # fmt: skip
    return {
        "name": name, "group": group, "usual": usual, "places": list(places), "words": list(words), "kind": kind,
        "note": note, "unit": unit, "spread": list(words) or thin_out(places, VARIED_VALUES),
    }  # fmt: skip


def varied_parameters(system: System) -> list[str]:
    """List the parameters that studies of *system* vary, first the parameters that most of them vary."""
    axes = [{name for runs in study.runs for name, values in runs.grid.items() if isinstance(values, Sequence)
             and not isinstance(values, str) and len(values) > 1} for study in system.studies]  # fmt: skip
    counts = Counter(name for names in axes for name in sorted(names) if hasattr(system.parameters, name))
    return [name for name, _ in counts.most_common()]


def by_importance(sensitivity: "pd.DataFrame") -> list[str]:
    """Order the parameters of a table of sensitivity by how many verdicts change, and then by the largest change."""
    rows = sensitivity.assign(size=sensitivity["change"].abs()).groupby("parameter", sort=False)
    ranked = rows.agg(flips=("flips", "sum"), size=("size", "max")).sort_values(["flips", "size"], ascending=False)
    return [str(name) for name in ranked.index]
