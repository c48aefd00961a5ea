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
from models.commands.arguments import ArgumentParser, outputs, system, system_names
from models.commands.given import add_options, run_arguments, said_parts
from models.commands.printing import finish
from models.commands.values import number
from sim.account import Phase
from sim.error import UserError
from sim.measure.observer import Observers
from sim.measure.result import Result
from sim.measure.timeline import Timeline
from sim.output.files import draft
from sim.study.system import System
from workloads import tepe
from workloads.programs import CATALOGUE

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
    chosen = system(arguments[0])
    add_options(parser, chosen)
    if chosen.scripted:
        parser.add_argument("--script", action="append", default=[], metavar="FILE", help="TEPE script; repeatable")
    parser.add_argument("--precision", metavar="SHARE", help="replicate until the mean response is known so well: 0.02")
    taken = parser.take(arguments)
    auto = getattr(taken, "warm_up", None) == replications.AUTO
    if auto:
        taken.warm_up = None
    writes = outputs(_reads(taken), {f"--{name}": getattr(taken, name, None) for name in WRITES})
    given = run_arguments(chosen, taken)
    if chosen.scripted and taken.script:
        given["scripts"] = _scripts(taken.script, arguments, given)
    if auto:
        given["warm_up"] = replications.settled(chosen, given)
    if taken.precision is not None:
        return _replicate(chosen, given, taken, arguments)
    result = _watched(chosen, given, writes["--timeline"])
    result = replace(result, parameters={**result.parameters, **said_parts(chosen, taken)})
    return finish(as_json(result) if taken.json else page(chosen, result))


def _reads(taken: Namespace) -> list[Path]:
    options = {name: value for name, value in vars(taken).items() if name not in WRITES}
    words = [word for value in options.values() for word in (value if isinstance(value, list) else [value])]
    return [Path(word) for word in words if isinstance(word, str) and os.path.isfile(word)]


def _replicate(chosen: System, given: Mapping[str, Any], taken: Namespace, arguments: Sequence[str]) -> int:
    """Runs of the same with other random numbers, until their mean is known as well as was asked for."""
    if any(argument.split("=")[0] == "--seed" for argument in arguments):
        raise UserError("--precision takes the seeds 1, 2, 3 and so on; leave out --seed")
    if taken.timeline is not None:
        raise UserError("--precision makes many runs, and --timeline shows one; leave out one of them")
    found = replications.replicated(chosen, given, number("--precision", taken.precision))
    return finish(replications.as_json(found) if taken.json else replications.page(found, _warm_up(chosen, given)))


def _warm_up(chosen: System, given: Mapping[str, Any]) -> float | None:
    """Of the runs that are *given*, in minutes; None for a system that starts where it is measured."""
    known = inspect.signature(chosen.run).parameters
    return given.get("warm_up", known["warm_up"].default) if "warm_up" in known else None


def _examples(arguments: Sequence[str]) -> str:
    """Of the system that is named, or of one that shows most."""
    named = arguments[0] if arguments and arguments[0] in system_names() else USUAL
    return "\n".join(f"  spindle run {named} {words}".rstrip() for words in system(named).examples or ("",))


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
        raise UserError("--development counts Spindle's own programmers; a script says how many terminals it has")
    return list(scripts)


def _watched(chosen: System, given: Mapping[str, Any], timeline: Path | None) -> Result:
    """The run, with a progress bar where somebody looks on, and a timeline where it is wanted."""
    shape = "{l_bar}{bar}| {n:.0f} simulated s, {remaining} left"
    with tqdm(unit="s", disable=None, leave=False, bar_format=shape) as bar:

        def watch(now: float, end: float) -> None:
            bar.total = end
            bar.update(now - bar.n)

        if timeline is None:
            result = chosen.run(**given, watch=watch)
        else:
            with _timeline(timeline) as looking:
                result = chosen.run(**given, watch=Observers(watch, looking))
    assert isinstance(result, Result)
    return result


@contextmanager
def _timeline(path: Path) -> Iterator[Timeline]:
    """A timeline that becomes the file *path*, with what there is of it if its run fails."""
    failure: BaseException | None = None
    with draft(path) as file:
        with Timeline(Path(file.name)) as looking:
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
    said = {
        "system": result.system, "parameters": result.parameters, "seed": result.seed,
        "start": result.start, "end": result.end,
        "summary": finite(result.summary()), "counters": finite(result.counters),
    }  # fmt: skip
    return json.dumps(said, indent=2, default=str)


def finite(numbers: Mapping[str, float]) -> dict[str, float | None]:
    return {name: value if isfinite(value) else None for name, value in numbers.items()}


def page(chosen: System, result: Result) -> str:
    """The system's own page of *result*, or response times, where they go, and rates, for a screen of 80 columns."""
    if chosen.page is not None:
        return chosen.page(result)
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
        raise UserError("nobody was answered within the measured time: run for more minutes")
    names = [part.name.lower() for part in Phase]
    return [
        f"{name.replace('_', ' '):>18}  {parts[name]:7.4f} s  {'#' * round(40 * parts[name] / whole)}".rstrip()
        for name in names
        if parts[name] >= 0.005 * whole
    ]
