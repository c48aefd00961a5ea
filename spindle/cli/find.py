"""``spindle find``: the largest or smallest value of an argument or parameter at which a system meets a condition."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from time import monotonic
from typing import Any

from spindle.cli import plotting
from spindle.cli.arguments import ArgumentParser, add_worker_options, folder, outputs, workers_of
from spindle.cli.printing import finish
from spindle.cli.run_options import (
    WRITTEN,
    add_options,
    given_texts,
    is_trace,
    pairs,
    run_of,
    system_of,
    values,
)
from spindle.measures import full_name
from spindle.questions.settings import SHOWN_DIGITS, Setting
from spindle.questions.words import count, number
from spindle.sim.error import UserError, unknown
from spindle.sim.quantity import quantity, show
from spindle.studies.settings import settings_of, usual
from spindle.studies.sweep.find import Condition, FindAnswer, NotPartedError, SearchProbe, SearchStopped, find, gain
from spindle.studies.sweep.grid import Run
from spindle.studies.theory import MVA, add_theory
from spindle.systems import System

ABOUT = """\
Search for the end of the values that meet a condition: the largest number of terminals, the smallest
memory. Each value is run with the same seeds; the interval holds the true value in 95 of 100
searches. A condition is a number of the summary, <= or >=, and a bound in its unit. `gain` is
1 - R / S, with the mean response R of the run, and S of the run with the values --against.
Progress goes to the screen with what is known by then; Ctrl-C ends a search with that. p95 and iops
are short for response_p95 and throughput."""

EXAMPLES = """\
  spindle find hp3000 terminals --where "p95 <= 2"
  spindle find hp3000 terminals --where "response_mean <= 1" --no-caching --minutes 10
  spindle find trace.csv cache --where "response_p99 <= 50ms" --between 64K:16M
  spindle find hp3000 memory --where "gain >= 0.5" --against caching=false --between 4M:12M"""

WIDER = 8
"""Factor below and above the usual value of an argument between which it is searched by default."""
QUIET_SECONDS = 5.0
"""Seconds of a search from which on progress is told, whoever reads it."""
USERS = ("terminals", "users")
MAX_GUESSES = 200
"""Numbers of users for which mean value analysis is solved."""
SHORTER = {"minutes": 8, "warm_up": 2, "requests": 8}
"""Divisors of the arguments that make a run long, for a pilot."""


def main(arguments: Sequence[str]) -> int:
    parser = _parser()
    system = system_of(parser, arguments)
    parser.add_argument("name", help="the argument or parameter to search, a number")
    add_options(parser, system, without=WRITTEN)
    options = parser.take(arguments)
    known = {name: each for name, each in settings_of(system).items() if isinstance(each, Setting) and each.is_number}
    name = options.name.replace("-", "_")
    if name not in known:
        raise unknown("name of a number", options.name, known)
    condition, between = Condition.read(full_name(options.where)), _range(system, name, known[name], options.between)
    picture = outputs([], {"--plot": plotting.plot_file(options.plot)})["--plot"]
    fixed = values(system, given_texts(system, options, WRITTEN))
    if name in fixed:
        raise UserError(f"{name} is searched, and cannot be given as well")
    options.seeds = options.seeds or ("2" if is_trace(options.system) else "10")
    run = _run(options, system, condition, fixed)
    search = partial(
        find, run, name, condition, between, seeds=count("--seeds", options.seeds, least=2),
        most=max(count("--most", options.most), count("--seeds", options.seeds)),
        precision=number("--precision", options.precision), workers=workers_of(options),
        guess=_theory(name, condition, between) if condition.measure == "response_mean" and name in USERS else None,
        store=None if options.store is None else folder("--store", options.store),
        probed=ProbeLines(known[name]), pilot=_pilot(system, name, run),
    )  # fmt: skip
    answer = _answer(search, name, known[name], between, options.between, fixed)
    if options.json:
        return finish(json.dumps({
            "system": system.name, "name": name, "where": str(condition), "value": answer.value, "low": answer.low,
            "high": answer.high, "largest": answer.largest, "runs": answer.runs,
            "curve": answer.curve.to_dict("records")}, indent=2))  # fmt: skip
    drawn = [] if options.plot is None else plotting.plot_found(answer, known[name], picture)
    return finish("\n".join([_table(answer, known[name]), "", answer.text(known[name].unit), *drawn]))


def _parser() -> ArgumentParser:
    parser = ArgumentParser("find", ABOUT, EXAMPLES)
    parser.add_argument("--where", metavar="CONDITION", required=True, help='such as "response_p95 <= 2"')
    parser.add_argument("--between", metavar="LOW:HIGH", help=f"default usual value / {WIDER} to usual value * {WIDER}")
    parser.add_argument("--against", action="append", default=[], metavar="NAME=VALUE",
                        help="values of the run that a gain is against")
    parser.add_argument("--seeds", metavar="N", help="replications near the answer; default 10, of a trace 2")
    parser.add_argument("--most", metavar="N", default="40", help="most replications; default 40")
    parser.add_argument("--precision", metavar="P", default="0.05", help="of the answer, to either side; default 0.05")
    parser.add_argument("--store", metavar="FOLDER", help="keep finished runs there, and reuse them")
    plotting.add_plot(parser)
    parser.add_argument("--json", action="store_true", help="the answer and the curve that was probed, as JSON")
    add_worker_options(parser, "its workers must see the folder of --store")
    return parser


def _run(options: Namespace, system: System, condition: Condition, fixed: Mapping[str, Any]) -> Run:
    """Return the run of which the *condition* tests a measure, or, for a gain, the run that compares two."""
    against = values(system, pairs(system, "--against", options.against))
    both = {name: [each[name] for each in (fixed, against) if name in each] for name in {**fixed, **against}}
    run = run_of(options.system, system, both)
    if condition.measure != "gain":
        if against:
            raise UserError(f"--against is for gain, not for {condition.measure}")
        return run
    if not against:
        raise UserError("gain needs values to compare with, such as --against caching=false")
    return gain(run, against)


def _range(system: System, name: str, setting: Setting, text: str | None) -> tuple[float, float]:
    if text is not None:
        low, colon, high = text.partition(":")
        if not colon:
            raise UserError(f"--between takes LOW:HIGH, not {text!r}")
        ends = setting.read("--between", low), setting.read("--between", high)
        if not ends[0] < ends[1]:
            raise UserError(f"--between must go up, not from {low} to {high}")
        return ends
    middle = usual(system, name)
    if not middle or not isinstance(middle, int | float):
        raise UserError(f"{name} has no usual value to search around; give --between LOW:HIGH")
    return (max(1, middle // WIDER), middle * WIDER) if isinstance(middle, int) else (middle / WIDER, middle * WIDER)


def _answer(
    search: Callable[..., FindAnswer], name: str, setting: Setting, between: tuple[float, float], said: str | None,
    fixed: Mapping[str, Any],
) -> FindAnswer:  # fmt: skip
    """Run *search*; an error about default ends of the search says that they are."""
    try:
        return search(**fixed)
    except SearchStopped as stop:
        raise KeyboardInterrupt(stop.text(setting.unit)) from None
    except UserError as error:
        parted = isinstance(error, NotPartedError)
        says = error.text(setting.unit) if isinstance(error, NotPartedError) else str(error)
        if said is not None or not (parted or f"{name}=" in says):
            raise UserError(says) from error
        low, high = (_text(setting, end) for end in between)
        raise UserError(f"{says}; without --between {name} is searched from {low} to {high}") from error


def _pilot(system: System, name: str, run: Run) -> Run | None:
    """Return the *run* made short by an argument other than *name*; None where the system has none."""
    usual = {each: signature(system.run).parameters[each].default for each in SHORTER
             if each != name and each in signature(system.run).parameters}  # fmt: skip
    return partial(_short, run, usual) if usual else None


def _short(run: Run, usual: Mapping[str, Any], **point: Any) -> Any:
    lengths = {each: point.get(each, usual[each]) / SHORTER[each] for each in usual}
    whole = {each: max(1, int(length)) for each, length in lengths.items() if isinstance(usual[each], int)}
    return run(**{**point, **lengths, **whole})


def _theory(name: str, condition: Condition, between: tuple[float, float]) -> Callable[[Mapping[str, Any]], float]:
    """Return a function from one run's summary to the users at which mean value analysis meets the *condition*."""

    def guess(row: Mapping[str, Any]) -> float:
        import pandas as pd

        step = max(1, int((between[1] - between[0]) / MAX_GUESSES))
        users = range(int(between[0]), int(between[1]) + 1, step)
        table = add_theory(pd.DataFrame([{**row, name: each} for each in users]), name)
        met = [each for each, mean in zip(users, table[MVA[1]], strict=True) if condition.is_met(float(mean))]
        return met[-1] if met else between[0]

    return guess


def _table(answer: FindAnswer, setting: Setting) -> str:
    """Return the probed values and their measures as a table."""
    name, *measures, _ = answer.curve.columns
    measure: Callable[[Any], str] = partial(show, answer.condition.measure)
    formatters: dict[str, Callable[[Any], str]] = {name: partial(_text, setting), **dict.fromkeys(measures, measure)}
    return answer.curve.to_string(index=False, formatters=formatters)


class ProbeLines:
    """A line of progress for each value that is probed: on a terminal from the first on, elsewhere if it takes long."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._began = monotonic()
        self._probes = 0

    def __call__(self, probe: SearchProbe) -> None:
        elapsed = monotonic() - self._began
        self._probes += 1
        if not sys.stderr.isatty() and elapsed < QUIET_SECONDS:
            return
        interval, measure = probe.interval, probe.measure
        mean, half = (show(measure, each, 3) for each in (interval.mean, (interval.high - interval.low) / 2))
        left = f"; about {quantity(probe.left * elapsed / self._probes, 's', 2)} left" if probe.left else ""
        between = "" if probe.bracket is None else \
            f"; between {' and '.join(_text(self._setting, end) for end in probe.bracket)}"  # fmt: skip
        what = "a short run" if probe.short else f"{interval.count} seeds"
        value = _text(self._setting, probe.value)
        line = f"{probe.name} {value}: {measure} {mean} \u00b1 {half} ({what}){between}{left}"
        print(line, file=sys.stderr, flush=True)


def _text(setting: Setting, value: float) -> str:
    """Return *value* with its unit: bytes in binary units, whole or not, as in the answer."""
    if setting.unit != "bytes":
        return setting.text(value)
    return quantity(value, setting.unit, SHOWN_DIGITS, binary=True)
