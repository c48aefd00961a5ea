"""Description of the machines in JSON for the page: settings with their steps, units and sources."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from inspect import signature
from typing import Any

import pandas as pd

from spindle.output.text import thin_out
from spindle.playable import VARIED_VALUES, Playable, playable, ticks, usual_of, value_text
from spindle.sim.parameter import describe as describe_parameters
from spindle.studies.student import quantile
from spindle.studies.system import System
from spindle.web.play.request import MAX_SEEDS, PlayRequest, words_of

FIRST = 10
"""Parameters that are shown at once."""


def describe(systems: Sequence[System], orders: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Describe all *systems*; *orders* are their parameters by their effect, if that was computed."""
    return {
        "student": [quantile(count, 0.975) for count in range(1, MAX_SEEDS)],
        "machines": {each.name: _machine(each, [*varied_parameters(each), *orders.get(each.name, ())])
                     for each in systems},
    }


def _machine(system: System, order: Sequence[str]) -> dict[str, Any]:
    of = playable(system.name)
    rows = [*_arguments(of), *_parts(of), *_parameters(of, order)]
    scripts = None if of.scripts is None else {"option": of.scripts.option, "shipped": of.scripts.shipped_files()}
    return {
        "title": system.title, "paper": system.paper, "question": system.question, "settings": rows,
        "begin": dict(of.begin), "vary": of.vary[0], "values": list(of.vary[1]), "curves": list(of.curves),
        "window": of.window, "scripts": scripts, "tour": list(_tour(system.name, of)),
    }  # fmt: skip


def _tour(name: str, of: Playable) -> Iterator[dict[str, str]]:
    """The questions of a tour, and the address of the runs that answer each."""
    for question, (vary, values, given) in of.tour.items():
        yield {"says": question, "words": words_of(PlayRequest(name, {**of.begin, **given}, vary, values.split(",")))}


def _arguments(of: Playable) -> Iterator[dict[str, Any]]:
    usual = signature(of.run).parameters
    for name, offered in of.offered.items():
        setting, default = of.settings[name], usual[name].default
        shown = "" if default is None else value_text(default, setting) if setting.is_number else str(default).lower()
        words = ["true", "false"] if setting.kind is bool else list(offered.words)
        yield _row(name, "run", shown, offered.values, words, "", offered.says)


def _parts(of: Playable) -> Iterator[dict[str, Any]]:
    for name, choices in of.parts.items():
        yield _row(name, "part", "", (), list(choices), "", "a part that may be exchanged")


def _parameters(of: Playable, order: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Those that matter most first, the others as they were declared."""
    field_of = {each.name: each for each in fields(of.parameters)}
    rows = list(describe_parameters(of.parameters))
    rows.sort(key=lambda row: order.index(row.name) if row.name in order else len(order))
    for place, row in enumerate(rows):
        setting = of.settings[row.name]
        group = "first" if place < FIRST else "other"
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
    """List the parameters that studies of *system* vary, those of most studies first: what its paper asks about."""
    axes = [{name for runs in study.runs for name, values in runs.grid.items() if isinstance(values, Sequence)
             and not isinstance(values, str) and len(values) > 1} for study in system.studies]  # fmt: skip
    counts = Counter(name for names in axes for name in sorted(names) if hasattr(system.parameters, name))
    return [name for name, _ in counts.most_common()]


def by_importance(sensitivity: pd.DataFrame) -> list[str]:
    """The parameters of a table of sensitivity: by how many verdicts flip, and then by the largest change."""
    rows = sensitivity.assign(size=sensitivity["change"].abs()).groupby("parameter", sort=False)
    ranked = rows.agg(flips=("flips", "sum"), size=("size", "max")).sort_values(["flips", "size"], ascending=False)
    return [str(name) for name in ranked.index]
