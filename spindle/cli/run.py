"""``spindle run``: one run of a system as a page or as JSON, with a timeline, a moving picture or replications."""

import inspect
import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from spindle.cli import run_options
from spindle.cli.arguments import outputs
from spindle.cli.fields import SETTING_PREFIX
from spindle.cli.film import OPENS, FilmOptions, write_film
from spindle.cli.printing import finish
from spindle.cli.run_options import arguments as keywords_of
from spindle.questions.field import Asked, ask, check_needs
from spindle.questions.words import seed
from spindle.studies.settings import parts_of

if TYPE_CHECKING:
    from spindle.system import System

USUAL_SYSTEM = "hp3000"
ANY_SYSTEM = ("", "--seed 2 --json", "--precision 0.05", "--timeline run.pftrace")
"""Examples for systems without their own."""
AUTO = "auto"
"""The value of --warm-up for which it is found."""
TIMELINE, HTML = "timeline", "html"
VIEWER = "ui.perfetto.dev opens it"
SHOW_ONE = ("seed", TIMELINE, HTML)
"""Fields of a single run, which many runs for a precision do not take."""
ONE_SHOWN = Asked(excludes=("report", *run_options.WRITTEN), why="one makes many runs, the other shows one")


@dataclass(frozen=True)
class RunQuestion:
    """One run of a system, or as many as a precision takes, and what is shown."""

    named: run_options.SystemOptions = run_options.AS_IT_IS
    json: bool = ask(False, "everything measured, as JSON")
    timeline: str = ask("", f"who did what when: {VIEWER}; in Chrome's JSON if FILE ends with .json", metavar="FILE")
    film: FilmOptions = FilmOptions()
    seed: str = ask("1", "the same seed gives the same run", metavar="SEED")
    precision: float | None = ask(None, "replicate until the mean response is this precise, as 0.02; default one run",
                                  metavar="SHARE", excludes=SHOW_ONE)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    words = {"built_in": _built_in(arguments), "examples": _examples(arguments)}
    runs = run_options.take_runs("run", RunQuestion, arguments, **words)
    asked, system, texts = runs.question, runs.system, runs.texts
    writes = _writes(asked, runs.options, texts)
    auto = texts.get("warm_up") == AUTO
    point = run_options.values(system, {name: text for name, text in texts.items() if not (auto and name == "warm_up")})
    point["seed"] = seed(asked.seed)
    if auto:
        from spindle.cli import replications  # which takes numpy, and a tenth of a second

        point["warm_up"] = replications.warm_up_of(asked.named.system, system, point)
    if asked.precision is not None:
        return _replicate(system, point, asked, asked.precision)
    keywords = keywords_of(system, point, run_options.loads(system, {name: [value] for name, value in point.items()}))
    # Imported here, because a help text needs no machine.
    from spindle.cli.one_run import watch_run
    from spindle.cli.paper_numbers import paper_numbers
    from spindle.cli.result_page import as_json, page

    began, film = time(), asked.film.film()
    result = watch_run(system, keywords, writes[f"--{TIMELINE}"], film)
    if film is not None:
        write_film(writes[f"--{HTML}"], film.film(system.title))
    parts = {name: value for name, value in point.items() if name in parts_of(system)}
    result = replace(result, parameters={**result.parameters, **parts})
    paper, files = paper_numbers(system, point, result), _list_written(writes, began)
    return finish(as_json(result, paper, files) if asked.json else page(system, result, paper, files))


def _writes(asked: RunQuestion, options: Namespace, texts: Mapping[str, str]) -> dict[str, Path | None]:
    """Return the paths of the files that the run writes; other names of files are read."""
    logs = {name: texts.get(name) for name in run_options.WRITTEN}
    written = logs | {TIMELINE: asked.timeline, HTML: asked.film.html}
    read = {name: value for name, value in vars(options).items()
            if name.removeprefix(SETTING_PREFIX).removeprefix(run_options.SYSTEM_PREFIX) not in written}  # fmt: skip
    words = [word for value in read.values() for word in (value if isinstance(value, list) else [value])]
    words += [text for name, text in texts.items() if name not in written]
    reads = dict.fromkeys(Path(word) for word in words if isinstance(word, str) and os.path.isfile(word))
    return outputs(reads, {f"--{name}": text for name, text in written.items()})


def _list_written(writes: Mapping[str, Path | None], began: float) -> dict[str, str]:
    """Return the files written since the run *began*, with advice on each; a log has tables next to it."""
    files: dict[str, str] = {}
    for option, path in writes.items():
        if path is not None:
            opens = {f"--{TIMELINE}": VIEWER, f"--{HTML}": OPENS}.get(option)
            beside = () if opens else path.parent.glob(f"{path.stem}_*{path.suffix}")
            names = [path, *sorted(each for each in beside if each.stat().st_mtime >= began - 1.0)]
            files |= {str(name): opens or option.removeprefix("--") for name in names}
    return files


def _replicate(system: "System", point: Mapping[str, Any], asked: RunQuestion, precision: float) -> int:
    """Replicate the run at *point* with other seeds until the mean response has the wanted precision."""
    from spindle.cli import replications

    check_needs({"precision": ONE_SHOWN}, ["precision", *(name for name, value in point.items() if value)])
    result = replications.replicate(asked.named.system, system, point, precision)
    if asked.json:
        return finish(replications.as_json(result))
    return finish(replications.page(result, _warm_up(system, point)))


def _warm_up(system: "System", point: Mapping[str, Any]) -> float | None:
    """Return the minutes of warm-up of the runs at *point*; None for a system without one."""
    parameters = inspect.signature(system.run).parameters
    return point.get("warm_up", parameters["warm_up"].default) if "warm_up" in parameters else None


def _system_named(arguments: Sequence[str]) -> "System | None":
    """Return the system that *arguments* name, if they name one."""
    return run_options.system_called(arguments[0]) if arguments and not arguments[0].startswith("-") else None


def _built_in(arguments: Sequence[str]) -> str:
    """Say which mechanisms of the system no option switches off."""
    named = _system_named(arguments)
    if named is None or not named.built_in:
        return ""
    return "\n  ".join([f"\n\n{named.name} is built on these, which no option switches off:", *named.built_in])


def _examples(arguments: Sequence[str]) -> str:
    """Return examples of the system that *arguments* name."""
    named = _system_named(arguments)
    name, shown = (USUAL_SYSTEM, ANY_SYSTEM) if named is None else (arguments[0], named.examples or ANY_SYSTEM)
    return "\n".join(f"  spindle run {name} {words}".rstrip() for words in shown)
