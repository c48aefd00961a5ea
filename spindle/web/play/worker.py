"""Answers the page's requests, in JSON: plans the runs of a request, computes one run, or films a part of one.

It runs in a worker of the browser. It is ordinary Python, so that tests call the same functions.
"""

import json
import re
from collections.abc import Callable
from functools import wraps
from hashlib import blake2b
from math import isfinite
from typing import Any, ParamSpec

from spindle.measures import check_measures, label_of
from spindle.output.text import json_text
from spindle.sim.error import UserError, plain
from spindle.sim.measure.observer import Observers
from spindle.sim.measure.result import MIN_SHOWN_SHARE, Result
from spindle.sim.quantity import BYTE_UNITS, TIME_UNITS, quantity, unit_of
from spindle.web.moving.filming import film_run, read_window
from spindle.web.play.commands import command, file, python
from spindle.web.play.request import PlayRequest

P = ParamSpec("P")
RUN_ERRORS = (ArithmeticError, MemoryError, RecursionError, RuntimeError, AssertionError, KeyError, TypeError)
"""Errors of a run that broke down: a broken law, a run that is stuck, no memory left. The page shows a sentence."""
ERROR_PLACE = re.compile(r"(?P<file>[\w.-]+):(?P<line>\d+):(?P<column>\d+): (?P<says>[^\n]*)")
"""Matches the file, line and column with which an error in a script begins."""


def in_json(ask: Callable[P, dict[str, Any]]) -> Callable[P, str]:
    """Wrap *ask* so that it returns JSON: its result, or its error, with the place in a script if it has one."""

    @wraps(ask)
    def answer(*given: P.args, **named: P.kwargs) -> str:
        try:
            return json_text(ask(*given, **named), indent=None)
        except UserError as error:
            return json.dumps(mistake(str(error)))
        except RUN_ERRORS as error:
            return json.dumps({"error": f"the run broke down: {type(error).__name__}: {plain(str(error))}"})

    return answer


def mistake(text: str) -> dict[str, Any]:
    """Return the error message *text* as data, apart from its place in a script, if it has one."""
    place = ERROR_PLACE.match(text)
    if place is None:
        return {"error": plain(text)}
    return {"error": place["says"], "file": place["file"], "line": int(place["line"]), "column": int(place["column"])}


@in_json
def plan(text: str) -> dict[str, Any]:
    """Return the runs of the request *text*, in the order in which they are made, notes on them, and their commands."""
    request = PlayRequest.read(text)
    points = request.points()
    return {
        "points": points, "seeds": request.seeds, "vary": request.vary, "axis": _axis(request),
        "notes": request.notes(), "command": command(request), "python": python(request), "file": file(request),
    }  # fmt: skip


def _axis(request: PlayRequest) -> dict[str, Any]:
    """Return the places of the points on the varied axis: values of the setting in a unit, or 0, 1, 2 ... for words."""
    machine, name = request.machine, request.vary
    if not name or machine.menu(name) or not machine.settings[name].is_number:
        labels = list(request.values) or ["one run"]
        return {"places": list(range(len(labels))), "unit": "", "labels": labels}
    setting = machine.settings[name]
    numbers = [float(setting.read(name, each)) for each in request.values]
    factor, unit = scale(max(numbers, key=abs), setting.unit)
    return {"places": [each / factor for each in numbers], "unit": unit, "labels": None}


def scale(value: float, unit: str) -> tuple[float, str]:
    """Return the divisor and the unit with which *value*, a number of *unit*, is shown."""
    word = quantity(value, unit).partition(" ")[2]
    if not unit.startswith(("s", "bytes")):
        return 1.0, word
    return float({**TIME_UNITS, **BYTE_UNITS}.get(re.split("[ /]", word)[0], 1)), word


@in_json
def compute(text: str, tell: Callable[[float], object] | None = None) -> dict[str, Any]:
    """Compute the one run of the request *text*, which varies nothing; *tell* is called with the share done."""
    request = single_run(text)

    def watch(now: float, end: float) -> None:
        if tell is not None and end > 0.0:
            tell(min(1.0, now / end))

    result = request.machine.run(**request.arguments(request.given), seed=request.seed, watch=watch)
    return {"given": request.given, "seed": request.seed, **row(result)}


def single_run(text: str) -> PlayRequest:
    """Read the request *text*, which must be of one run."""
    request = PlayRequest.read(text)
    if request.vary:
        raise UserError("one run is computed at a time: nothing may vary")
    return request


def row(result: Result) -> dict[str, Any]:
    """Return all measures of *result*, with units, the phases of the response, and a digest of all numbers."""
    summary = check_measures(result).summary()
    mean = summary["response_mean"]
    phases = {name: seconds for name, seconds in result.breakdown().items() if seconds >= MIN_SHOWN_SHARE * mean}
    return {
        "summary": summary,
        "shown": {name: quantity(value, unit_of(name)) for name, value in summary.items() if isfinite(value)},
        "units": {name: unit for name in summary if (unit := unit_of(name)) != "1"},
        "labels": {name: label_of(name) for name in summary},
        "phases": phases,
        "digest": digest(result),
    }


def digest(result: Result) -> str:
    """Return a digest of all numbers of *result*, each in the shortest digits that are read back as the same."""
    text = json.dumps([result.summary(), result.counters], sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


# The film of a part of one run, as JSON, for the moving picture of the page.

MAX_FILM_VALUES = 50_000
"""Most slices and values of a film, some 4 MB, which a worker passes to the page in less than a second."""


@in_json
def film(text: str, tell: Callable[[float], object] | None = None) -> dict[str, Any]:
    """Film the window of the run of the request *text*; *tell* is called with the share done.

    The run is the same as that of ``compute``, with a trace, and is ended when the window is over.
    """
    request = single_run(text)
    begin, seconds = read_window("the window", request.window or request.machine.offer.window)
    arguments = request.arguments(request.given)

    def report(now: float, _: float) -> None:
        if tell is not None:
            tell(min(1.0, now / (begin + seconds)))

    return {
        "film": film_run(
            lambda watch: request.machine.run(**arguments, seed=request.seed, watch=Observers(watch, report)),
            title(request), begin, seconds, MAX_FILM_VALUES),
        "command": command(request),
    }  # fmt: skip


def title(request: PlayRequest) -> str:
    """Return the title of a film: the system, script, settings and seed of its run."""
    settings = [f"{name} {text}" for name, text in request.given.items()]
    words = [next(iter(request.files), ""), *settings, f"seed {request.seed}"]
    return f"{request.system}: {', '.join(filter(None, words))}"
