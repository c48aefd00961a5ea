"""Answers ``spindle find``: makes the search, prints its progress, and shows the values tried as a table."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from time import monotonic
from typing import Any

import pandas as pd

from spindle.cli.find_question import WIDENING, FindQuestion
from spindle.cli.named_files import folder
from spindle.cli.run_options import is_certain, pairs, run_of, values
from spindle.measures import full_name
from spindle.output.text import plural
from spindle.questions.settings import SHOWN_DIGITS, Setting
from spindle.questions.words import rising
from spindle.sim.error import UserError
from spindle.sim.quantity import common_unit, quantity, show, unit_of
from spindle.studies.settings import usual
from spindle.studies.sweep.find import Condition, FindAnswer, NotPartedError, SearchProbe, SearchStopped, find, gain
from spindle.studies.sweep.grid import Run
from spindle.studies.theory import MVA, add_theory
from spindle.system import System

SILENT_SECONDS = 5.0
"""Seconds after which a search prints progress even where the output is no terminal."""
GUESSED_COUNTS = ("terminals", "users")
"""Arguments that give the number of users, for which queueing theory guesses the answer."""
MAX_GUESSES = 200
"""Numbers of users for which the guess, by mean value analysis, is computed at most."""
PILOT_DIVISORS = {"minutes": 8, "warm_up": 2, "requests": 8}
"""Divisors that make a short pilot run of a long one, by the argument that sets its length."""


def answer_find(
    asked: FindQuestion, system: System, name: str, setting: Setting, fixed: Mapping[str, Any]
) -> FindAnswer:  # fmt: skip
    """Search the value of *name*, a *setting*, with the other arguments *fixed*."""
    condition, between = Condition.read(full_name(asked.where)), _range(system, name, setting, asked.between)
    run = _run(asked, system, condition, fixed)
    seeds = asked.seeds or (1 if is_certain(asked.named.system) else 10)
    search = partial(
        find, run, name, condition, between, seeds=seeds, most=max(asked.most, seeds),
        precision=asked.precision, workers=asked.runners.where(),
        guess=_theory(name, condition, between)
        if condition.measure == "response_mean" and name in GUESSED_COUNTS else None,
        store=folder("--store", asked.store) if asked.store else None,
        probed=ProbeLines(setting), pilot=_pilot(system, name, run),
    )  # fmt: skip
    return _answer(search, name, setting, between, asked.between, fixed)


def _run(asked: FindQuestion, system: System, condition: Condition, fixed: Mapping[str, Any]) -> Run:
    """Return the run whose measure the *condition* tests; for a gain, a run of two machines that are compared."""
    against = values(system, pairs(system, "--against", asked.against))
    both = {name: [each[name] for each in (fixed, against) if name in each] for name in {**fixed, **against}}
    run = run_of(asked.named.system, system, both)
    if condition.measure != "gain":
        if against:
            raise UserError(f"--against is for gain, not for {condition.measure}")
        return run
    if not against:
        raise UserError("gain needs values to compare with, such as --against caching=false")
    return gain(run, against)


def _range(system: System, name: str, setting: Setting, text: str) -> tuple[float, float]:
    if text:
        low, high = rising("--between", text, setting.read)
        setting.check_range(name, low)
        return low, high
    middle = usual(system, name)
    if not middle or not isinstance(middle, int | float):
        raise UserError(f"{name} has no usual value to search around; give --between LOW:HIGH")
    least = max(1, middle // WIDENING) if isinstance(middle, int) else middle / WIDENING
    return least, middle * WIDENING


def _answer(
    search: Callable[..., FindAnswer], name: str, setting: Setting, between: tuple[float, float], said: str,
    fixed: Mapping[str, Any],
) -> FindAnswer:  # fmt: skip
    """Make *search*; where its ends are the default ones, an error's message says so."""
    try:
        return search(**fixed)
    except SearchStopped as stop:
        raise KeyboardInterrupt(stop.text(setting.unit)) from None
    except UserError as error:
        parted = isinstance(error, NotPartedError)
        says = error.text(setting.unit) if isinstance(error, NotPartedError) else str(error)
        if said or not (parted or f"{name}=" in says):
            raise UserError(says) from error
        low, high = (_text(setting, end) for end in between)
        raise UserError(f"{says}; without --between {name} is searched from {low} to {high}") from error


def _pilot(system: System, name: str, run: Run) -> Run | None:
    """Return *run* made shorter, by an argument other than *name*; None where the system has no such argument."""
    known = signature(system.run).parameters
    usual = {each: known[each].default for each in PILOT_DIVISORS
             if each != name and each in known and isinstance(known[each].default, int | float)}  # fmt: skip
    return partial(_short, run, usual) if usual else None


def _short(run: Run, usual: Mapping[str, Any], **point: Any) -> Any:
    lengths = {each: point.get(each, usual[each]) / PILOT_DIVISORS[each] for each in usual}
    whole = {each: max(1, int(length)) for each, length in lengths.items() if isinstance(usual[each], int)}
    return run(**{**point, **lengths, **whole})


def _theory(name: str, condition: Condition, between: tuple[float, float]) -> Callable[[Mapping[str, Any]], float]:
    """Return a function that guesses, by mean value analysis of one run's measures, the users that meet *condition*."""

    def guess(row: Mapping[str, Any]) -> float:
        step = max(1, int((between[1] - between[0]) / MAX_GUESSES))
        users = range(int(between[0]), int(between[1]) + 1, step)
        table = add_theory(pd.DataFrame([{**row, name: each} for each in users]), name)
        met = [each for each, mean in zip(users, table[MVA[1]], strict=True) if condition.is_met(float(mean))]
        return met[-1] if met else between[0]

    return guess


def answer_table(answer: FindAnswer, setting: Setting) -> str:
    """Return the values tried and their measures as a table, with bounds where there are several seeds."""
    measure = answer.condition.measure
    name, *measures, _ = answer.curve.columns
    unit = common_unit(answer.curve[measure], unit_of(measure))
    shown: Callable[[Any], str] = partial(show, measure, shown_in=unit)
    formatters: dict[str, Callable[[Any], str]] = {name: partial(_text, setting), **dict.fromkeys(measures, shown)}
    columns = None if answer.curve["seeds"].max() > 1 else [name, measure]
    return answer.curve.to_string(columns=columns, index=False, formatters=formatters)


class ProbeLines:
    """Prints a line of progress for each value that is tried: on a terminal at once, elsewhere after some seconds."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._began = monotonic()
        self._probes = 0

    def __call__(self, probe: SearchProbe) -> None:
        elapsed = monotonic() - self._began
        self._probes += 1
        if not sys.stderr.isatty() and elapsed < SILENT_SECONDS:
            return
        interval, measure = probe.interval, probe.measure
        unit = common_unit([interval.mean], unit_of(measure))
        mean, half = (show(measure, each, 3, unit) for each in (interval.mean, (interval.high - interval.low) / 2))
        within = f" \u00b1 {half}" if interval.count > 1 else ""
        left = f"; about {quantity(probe.left * elapsed / self._probes, 's', 2)} left" if probe.left else ""
        between = "" if probe.bracket is None else \
            f"; between {' and '.join(_text(self._setting, end) for end in probe.bracket)}"  # fmt: skip
        what = "a short run" if probe.short else plural(interval.count, "seed")
        value = _text(self._setting, probe.value)
        line = f"{probe.name} {value}: {measure} {mean}{within} ({what}){between}{left}"
        print(line, file=sys.stderr)


def _text(setting: Setting, value: float) -> str:
    """Return *value* with its unit as text, bytes in binary units."""
    if setting.unit != "bytes":
        return setting.text(value)
    return quantity(value, setting.unit, SHOWN_DIGITS, binary=True)
