"""``spindle run``: one run of a system, as a page for people or as JSON for machines."""

import inspect
import json
import os
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from tqdm import tqdm

from models.commands import replications
from models.commands.arguments import ArgumentParser, find_system, outputs, system_names
from models.commands.printing import finish
from models.commands.run_options import add_options, part_names, run_arguments, settings_of
from models.commands.tepe import add_program, catalogue
from models.commands.values import number
from models.reported import Reported
from sim.account import Phase
from sim.error import UserError
from sim.measure.observer import Observers
from sim.measure.result import Result
from sim.measure.timeline import Timeline
from sim.output.files import draft
from sim.quantity import quantity, unit_of
from sim.study.system import System
from workloads import tepe

USUAL = "hp3000"
WRITES = ("timeline", "log")
"""Options that name a file to be written; any other that names a file has it read."""


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("run", "One run of a system.", _examples(arguments))
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("--json", action="store_true", help="everything measured, as JSON")
    parser.add_argument(
        "--timeline", metavar="FILE",
        help="who did what when, to be opened in ui.perfetto.dev; Chrome's JSON if FILE ends with .json",
    )
    if not arguments or arguments[0] in ("-h", "--help"):
        parser.take(arguments)
    if arguments[0].startswith("-"):
        raise UserError(f"run: first comes the system, then options such as {arguments[0]}: spindle run SYSTEM ...")
    system = find_system(arguments[0])
    add_options(parser, system)
    if system.scripted:
        parser.add_argument("--script", action="append", default=[], metavar="FILE", help="TEPE script; repeatable")
        add_program(parser)
    parser.add_argument("--precision", metavar="SHARE", help="replicate until the mean response is known so well: 0.02")
    options = parser.take(arguments)
    auto = getattr(options, "warm_up", None) == replications.AUTO
    if auto:
        options.warm_up = None
    writes = outputs(_reads(options), {f"--{name}": getattr(options, name, None) for name in WRITES})
    keywords = run_arguments(system, options)
    if system.scripted and options.script:
        keywords["scripts"] = _scripts(options, arguments, keywords)
    elif system.scripted and options.program:
        raise UserError("--program is for a --script that runs it")
    if auto:
        keywords["warm_up"] = replications.settled(system, keywords)
    if options.precision is not None:
        return _replicate(system, keywords, options, arguments)
    result = _watched(system, keywords, writes["--timeline"])
    result = replace(result, parameters={**result.parameters, **part_names(system, options)})
    return finish(as_json(result) if options.json else with_report(page(system, result), result))


def _reads(options: Namespace) -> list[Path]:
    values = {name: value for name, value in vars(options).items() if name not in WRITES}
    words = [word for value in values.values() for word in (value if isinstance(value, list) else [value])]
    return [Path(word) for word in words if isinstance(word, str) and os.path.isfile(word)]


def _replicate(system: System, keywords: Mapping[str, Any], options: Namespace, arguments: Sequence[str]) -> int:
    """Runs of the same with other random numbers, until their mean has the wanted precision."""
    if any(argument.split("=")[0] == "--seed" for argument in arguments):
        raise UserError("--precision takes the seeds 1, 2, 3 and so on; leave out --seed")
    for one in ("timeline", "report"):
        if getattr(options, one, None):
            raise UserError(f"--precision makes many runs, and --{one} shows one; leave out one of them")
    result = replications.replicated(system, keywords, number("--precision", options.precision))
    if options.json:
        return finish(replications.as_json(result))
    return finish(replications.page(result, _warm_up(system, keywords)))


def _warm_up(system: System, keywords: Mapping[str, Any]) -> float | None:
    """Of the runs that are *keywords*, in minutes; None for a system that starts where it is measured."""
    parameters = inspect.signature(system.run).parameters
    return keywords.get("warm_up", parameters["warm_up"].default) if "warm_up" in parameters else None


def _examples(arguments: Sequence[str]) -> str:
    """Of the system that is named, or of one that shows most."""
    named = arguments[0] if arguments and arguments[0] in system_names() else USUAL
    return "\n".join(f"  spindle run {named} {words}".rstrip() for words in find_system(named).examples or ("",))


def _scripts(options: Namespace, arguments: Sequence[str], keywords: dict[str, Any]) -> list[Any]:
    """All scripts in *options*; ``--terminals``, where it is given, replaces the number of the first one's."""
    programs = catalogue(options)
    scripts = tuple(script for file in options.script for script in tepe.read(Path(file), programs))
    names = [script.name for script in scripts]
    scripts = tuple(
        replace(script, name=f"{script.name} ({number})") if names.count(script.name) > 1 else script
        for number, script in enumerate(scripts, 1)
    )
    if any(argument.split("=")[0] == "--terminals" for argument in arguments):
        scripts = tepe.with_terminals(scripts, keywords["terminals"])
    if keywords.pop("development", 0):
        raise UserError("--development counts Spindle's own programmers; a script says how many terminals it has")
    return list(scripts)


def _watched(system: System, keywords: Mapping[str, Any], timeline: Path | None) -> Result:
    """The run, with a progress bar on a terminal, and a timeline where it is wanted."""
    shape = "{l_bar}{bar}| {n:.0f} simulated s, {remaining} left"
    with tqdm(unit="s", disable=None, leave=False, bar_format=shape) as bar:

        def watch(now: float, end: float) -> None:
            bar.total = end
            bar.update(now - bar.n)

        if timeline is None:
            result = system.run(**keywords, watch=watch)
        else:
            with _timeline(timeline) as looking:
                result = system.run(**keywords, watch=Observers(watch, looking))
    assert isinstance(result, Result)
    return result


@contextmanager
def _timeline(path: Path) -> Iterator[Timeline]:
    """A timeline that becomes the file *path*, with what there is of it if its run fails."""
    failure: BaseException | None = None
    with draft(path) as file:
        with Timeline(Path(file.name), path) as looking:
            try:
                yield looking
            except BaseException as error:
                failure = error
        if failure is not None and not os.fstat(file.fileno()).st_size:
            raise failure
    if failure is not None:
        raise failure


def as_json(result: Result) -> str:
    """NaN, which JSON does not have, becomes null."""
    content = {
        "system": result.system, "parameters": result.parameters, "seed": result.seed,
        "start": result.start, "end": result.end,
        "summary": finite(result.summary()), "counters": finite(result.counters),
    }  # fmt: skip
    report = {"report": [_nulls(row) for row in result.report_rows()]} if isinstance(result, Reported) else {}
    return json.dumps({**content, **report}, indent=2, default=str)


def _nulls(row: Mapping[str, object]) -> dict[str, object]:
    return {name: None if isinstance(value, float) and not isfinite(value) else value for name, value in row.items()}


def with_report(page: str, result: Result) -> str:
    """*page*, and below it the report of a *result* that has one."""
    return f"{page}\n\n{result.report_text()}" if isinstance(result, Reported) else page


def finite(numbers: Mapping[str, float]) -> dict[str, float | None]:
    return {name: value if isfinite(value) else None for name, value in numbers.items()}


def page(system: System, result: Result) -> str:
    """The system's own page of *result*, or response times, where they go, and rates, for a screen of 80 columns."""
    if system.page is not None:
        return system.page(result)
    known = settings_of(system)
    values = ", ".join(f"{name} {known[name].text(value) if name in known else value}"
                       for name, value in result.parameters.items())
    response = result.response()
    lines = [
        f"{system.title}: {values}, seed {result.seed}",
        f"{result.seconds / 60:g} minutes measured after {result.start / 60:g} of warm-up",
        "",
        "response, s   mean     sd  median   p95     max   responses",
        "           {response_mean:7.3f}{response_sd:7.3f}{response_median:8.3f}{response_p95:6.2f}{response_max:8.2f}"
        "{responses:12.0f}".format(**response),
        "",
        "where the time goes",
        *_bars(result.breakdown(), response["response_mean"]),
        "",
        *(f"{name.replace('_', ' '):>18}  {quantity(value, unit_of(name))}" for name, value in result.extras.items()),
    ]
    return "\n".join(lines)


def _bars(parts: Mapping[str, float], whole: float) -> list[str]:
    if not whole > 0:
        raise UserError("nobody was answered within the measured time: run for more minutes")
    names = [part.name.lower() for part in Phase]
    return [
        f"{name.replace('_', ' '):>18}  {parts[name]:7.4f} s  {'#' * round(40 * parts[name] / whole)}".rstrip()
        for name in names
        if parts[name] >= 0.005 * whole
    ]
