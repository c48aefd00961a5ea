"""``spindle find``: the largest or smallest value of an argument or parameter for which a system meets a condition."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd

from models.commands import workers
from models.commands.arguments import ArgumentParser, find_system, folder
from models.commands.printing import finish
from models.commands.run_options import named, parts, settings_of, split
from models.commands.values import count, number
from models.settings import Setting
from sim.error import UserError, unknown
from sim.quantity import quantity, unit_of
from sim.statistics.analytic import MVA, beside
from sim.statistics.confidence import Interval
from sim.study.system import System
from sim.sweep.condition import Condition
from sim.sweep.find import FindAnswer, find, gain
from sim.sweep.point import Run

ABOUT = """\
Search for the end of the values that meet a condition: the largest number of terminals, the smallest
memory. Each value is run with the same seeds; the interval holds the true value in 95 of 100
searches. A condition is a number of the summary, <= or >=, and a bound in its unit. `gain` is
1 - response / response --against something else."""

EXAMPLES = """\
  spindle find hp3000 terminals --where "response_p95 <= 2"
  spindle find hp3000 terminals --where "response_mean <= 1" --set caching=false --set minutes=10
  spindle find hp3000 memory --where "gain >= 0.5" --against caching=false --between 4M:12M"""

WIDER = 8
"""By so much below and above its usual value an argument is searched, where nothing is said."""
USERS = ("terminals", "users")
GUESSED = 200
SHORTER = {"minutes": 8, "warm_up": 2, "requests": 8}
"""By so much what makes a run long is less in a pilot."""


def main(arguments: Sequence[str]) -> int:
    options = _parser().take(arguments)
    system = find_system(options.system)
    known = settings_of(system)
    name, numbers = options.name.replace("-", "_"), [each for each in known if known[each].is_number]
    if name not in numbers:
        raise unknown("name of a number", options.name, numbers)
    condition = Condition.read(options.where)
    (fixed, made), (against, others) = (_given(system, known, pairs) for pairs in (options.set, options.against))
    run: Callable[..., Any] = partial(system.run, **made) if made else system.run
    if condition.measure == "gain":
        if not options.against:
            raise UserError("gain needs what it is a gain --against, such as --against caching=false")
        run = gain(run, {**against, **others})
    elif options.against:
        raise UserError(f"--against is for gain, not for {condition.measure}")
    between = _between(system, name, known[name], options.between)
    search = partial(
        find, run, name, condition, between, seeds=count("--seeds", options.seeds),
        most=max(count("--most", options.most), count("--seeds", options.seeds)),
        precision=number("--precision", options.precision), workers=workers.workers(options),
        guess=_theory(name, condition, between) if condition.measure == "response_mean" and name in USERS else None,
        store=None if options.store is None else folder("--store", Path(options.store)),
        probed=partial(_show, name, known[name]), pilot=_pilot(system, name, run),
    )  # fmt: skip
    answer = search(**fixed)
    if options.json:
        return finish(json.dumps({
            "system": system.name, "name": name, "where": str(condition), "value": answer.value, "low": answer.low,
            "high": answer.high, "largest": answer.largest, "runs": answer.runs,
            "curve": answer.curve.to_dict("records")}, indent=2))  # fmt: skip
    return finish(f"{_table(answer, known[name])}\n\n{answer.text(known[name].unit)}")


def _parser() -> ArgumentParser:
    parser = ArgumentParser("find", ABOUT, EXAMPLES)
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("name", help="an argument of its run or a parameter that is a number")
    parser.add_argument("--where", metavar="CONDITION", required=True, help='such as "response_p95 <= 2"')
    parser.add_argument("--between", metavar="LOW:HIGH", help=f"default: {WIDER} times below and above what is usual")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="what else is so")
    parser.add_argument("--against", action="append", default=[], metavar="NAME=VALUE", help="what a gain is against")
    parser.add_argument("--seeds", metavar="N", default="10", help="replications near the answer; default 10")
    parser.add_argument("--most", metavar="N", default="40", help="replications at most; default 40")
    parser.add_argument("--precision", metavar="P", default="0.05", help="of the answer, to either side; default 0.05")
    parser.add_argument("--store", metavar="FOLDER", help="keep finished runs there, and go on from those")
    parser.add_argument("--json", action="store_true", help="the answer and the curve that was probed, as JSON")
    workers.add_options(parser, "its workers must see the folder of --store")
    return parser


def _given(
    system: System, known: Mapping[str, Setting], pairs: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments and parameters by value; and the argument of parts made from their names, where there are such."""
    values: dict[str, Any] = {}
    names: dict[str, str] = {}
    for name, text in map(split, pairs):
        if name in known:
            values[name] = known[name].read(name, text)
        elif name in system.parts:
            named(name, text, system.parts[name])
            names[name] = text
        else:
            raise unknown("name to set", name, [*known, *system.parts])
    return values, parts(system, names)


def _between(system: System, name: str, setting: Setting, text: str | None) -> tuple[float, float]:
    if text is not None:
        low, colon, high = text.partition(":")
        if not colon:
            raise UserError(f"--between takes LOW:HIGH, not {text!r}")
        ends = setting.read("--between", low), setting.read("--between", high)
        if not ends[0] < ends[1]:
            raise UserError(f"--between must go up, not from {low} to {high}")
        return ends
    usual = _usual(system, name)
    if not usual:
        raise UserError(f"{name} has no usual value to search around; give --between LOW:HIGH")
    return (max(1, usual // WIDER), usual * WIDER) if isinstance(usual, int) else (usual / WIDER, usual * WIDER)


def _usual(system: System, name: str) -> Any:
    arguments = signature(system.run).parameters
    if name in arguments:
        default = arguments[name].default
        return default if isinstance(default, int | float) else None
    return next(each.default for each in fields(system.parameters) if each.name == name)


def _pilot(system: System, name: str, run: Run) -> Run | None:
    """The *run* made short, where the system has an argument that makes it so, and that is not searched itself."""
    usual = {each: signature(system.run).parameters[each].default for each in SHORTER
             if each != name and each in signature(system.run).parameters}  # fmt: skip
    return partial(_short, run, usual) if usual else None


def _short(run: Run, usual: Mapping[str, Any], **point: Any) -> Any:
    lengths = {each: point.get(each, usual[each]) / SHORTER[each] for each in usual}
    whole = {each: max(1, int(length)) for each, length in lengths.items() if isinstance(usual[each], int)}
    return run(**{**point, **lengths, **whole})


def _theory(name: str, condition: Condition, between: tuple[float, float]) -> Callable[[Mapping[str, Any]], float]:
    """The number of users at which mean value analysis of what one run measured meets the *condition*."""

    def guess(row: Mapping[str, Any]) -> float:
        step = max(1, int((between[1] - between[0]) / GUESSED))
        users = range(int(between[0]), int(between[1]) + 1, step)
        table = beside(pd.DataFrame([{**row, name: each} for each in users]), name)
        met = [each for each, mean in zip(users, table[MVA[1]], strict=True) if condition.met(float(mean))]
        return met[-1] if met else between[0]

    return guess


def _table(answer: FindAnswer, setting: Setting) -> str:
    """The curve that was probed, for a screen."""
    name, *measures, _ = answer.curve.columns
    unit = unit_of(answer.condition.measure)
    shown = {name: setting.text, **dict.fromkeys(measures, lambda value: quantity(value, unit))}
    return answer.curve.to_string(index=False, formatters=shown)


def _show(name: str, setting: Setting, probe: float, interval: Interval) -> None:
    if sys.stderr.isatty():
        half = (interval.high - interval.low) / 2
        mean = f"{interval.mean:.4g} \u00b1 {half:.2g} ({interval.count} seeds)"
        print(f"{name} {setting.text(probe)}: {mean}", file=sys.stderr)
