"""``spindle run``: one run of a system, as a page for people or as JSON for machines."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from tqdm import tqdm

from models.commands.arguments import Parser, system
from models.commands.given import add_options, run_arguments
from sim.account import Part
from sim.experiment.system import System
from sim.measure.result import Result
from sim.mistake import Mistake
from workloads import tepe
from workloads.programs import CATALOGUE

EXAMPLES = """\
  spindle run hp3000 --terminals 63 --no-caching
  spindle run hp3000 --terminals 63 --development 38 --seed 3 --json
  spindle run hp3000 --drive hp7925 --scheduler c-look --policy lru --set memory=6291456"""


def main(arguments: Sequence[str]) -> int:
    parser = Parser("run", "One run of a system.", EXAMPLES)
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("--json", action="store_true", help="everything measured, as JSON")
    if not arguments or arguments[0] in ("-h", "--help"):
        parser.take(arguments)
    if arguments[0].startswith("-"):
        raise Mistake(f"run: first comes the system, then options such as {arguments[0]}: spindle run SYSTEM ...")
    chosen = system(arguments[0])
    add_options(parser, chosen)
    if chosen.scripted:
        parser.add_argument("--script", action="append", default=[], metavar="FILE", help="TEPE script; repeatable")
    taken = parser.take(arguments)
    given = run_arguments(chosen, taken)
    if chosen.scripted and taken.script:
        given["scripts"] = _scripts(taken.script, arguments, given)
    result = _watched(chosen, given)
    print(as_json(result) if taken.json else page(chosen, result))
    return 0


def _scripts(files: Sequence[str], arguments: Sequence[str], given: dict[str, Any]) -> list[Any]:
    """All scripts of *files*; ``--terminals``, where it is given, replaces the number of the first one's."""
    scripts = tuple(script for file in files for script in tepe.read(Path(file), CATALOGUE))
    names = [script.name for script in scripts]
    scripts = tuple(
        replace(script, name=f"{script.name} ({number})") if names.count(script.name) > 1 else script
        for number, script in enumerate(scripts, 1)
    )
    if any(argument.split("=")[0] == "--terminals" for argument in arguments):
        scripts = tepe.with_terminals(scripts, given["terminals"])
    if given.pop("development", 0):
        raise Mistake("--development counts Spindle's own programmers; a script says how many terminals it has")
    return list(scripts)


def _watched(chosen: System, given: Mapping[str, Any]) -> Result:
    """The run, with a progress bar where somebody looks on."""
    shape = "{l_bar}{bar}| {n:.0f} simulated s, {remaining} left"
    with tqdm(unit="s", disable=None, leave=False, bar_format=shape) as bar:

        def watch(now: float, end: float) -> None:
            bar.total = end
            bar.update(now - bar.n)

        result = chosen.run(**given, watch=watch)
    assert isinstance(result, Result)
    return result


def as_json(result: Result) -> str:
    """NaN, which JSON does not have, becomes null."""
    said = {
        "system": result.system, "parameters": result.parameters, "seed": result.seed,
        "start": result.start, "end": result.end,
        "summary": finite(result.summary()), "counters": finite(result.counters),
    }  # fmt: skip
    return json.dumps(said, indent=2, default=str)


def finite(numbers: Mapping[str, float]) -> dict[str, float | None]:
    return {name: value if isfinite(value) else None for name, value in numbers.items()}


def page(chosen: System, result: Result) -> str:
    """Response times, where they go, and rates, for a screen of 80 columns."""
    said = ", ".join(f"{name} {value}" for name, value in result.parameters.items())
    response = result.response()
    lines = [
        f"{chosen.title}: {said}, seed {result.seed}",
        f"{result.seconds / 60:g} minutes measured after {result.start / 60:g} of warm-up",
        "",
        "response, s   mean     sd  median   p95     max   responses",
        "           {response_mean:7.3f}{response_sd:7.3f}{response_median:8.3f}{response_p95:6.2f}{response_max:8.2f}"
        "{responses:12.0f}".format(**response),
        "",
        "where the time goes",
        *_bars(result.breakdown(), response["response_mean"]),
        "",
        *(f"{name.replace('_', ' '):>18}  {value:.4g}" for name, value in result.extras.items()),
    ]
    return "\n".join(lines)


def _bars(parts: Mapping[str, float], whole: float) -> list[str]:
    if not whole > 0:
        raise Mistake("nobody was answered within the measured time: run for more minutes")
    names = [part.name.lower() for part in Part]
    return [
        f"{name.replace('_', ' '):>18}  {parts[name]:7.4f} s  {'#' * round(40 * parts[name] / whole)}".rstrip()
        for name in names
        if parts[name] >= 0.005 * whole
    ]
