"""``spindle run``: runs a system once and prints the result, writes a timeline or moving picture, or replicates it."""

import inspect
import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from spindle.cli import run_options
from spindle.cli.fields import SETTING_PREFIX
from spindle.cli.film import OPENED_BY_BROWSER, FilmOptions, write_film
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish
from spindle.cli.run_options import arguments as keywords_of
from spindle.questions.field import Asked, ask, check_needs
from spindle.questions.words import seed
from spindle.studies.idle import idle_notes
from spindle.studies.settings import parts_of

if TYPE_CHECKING:
    from spindle.system import System

USUAL_SYSTEM = "hp3000"
"""The system whose examples the help shows where none is named."""
USUAL_EXAMPLES = ("", "--seed 2 --json", "--precision 0.05", "--timeline run.pftrace")
"""Arguments of example commands, for systems without examples of their own."""
AUTO_WARM_UP = "auto"
"""The value of --warm-up for which the warm-up is searched by pilot runs."""
TIMELINE, HTML = "timeline", "html"
"""Options that name a file to write: of a timeline, and of a moving picture."""
PERFETTO = "ui.perfetto.dev opens it"
"""What opens a timeline."""
FIELDS_OF_ONE_RUN = ("seed", TIMELINE, HTML)
"""Options of a single run, which cannot be given with --precision, as that makes many."""
ONE_SHOWN = Asked(excludes=("report", *run_options.WRITTEN_FILES), why="one makes many runs, the other shows one")
"""Arguments that report or write a single run, which --precision therefore excludes."""


@dataclass(frozen=True)
class RunQuestion:
    """Options of ``spindle run``: a system, and the output; with --precision, how precise the mean shall be."""

    named: run_options.SystemOptions = run_options.AS_IT_IS
    json: bool = ask(False, "everything measured, as JSON")
    timeline: str = ask("", f"who did what when: {PERFETTO}; in Chrome's JSON if FILE ends with .json", metavar="FILE")
    film: FilmOptions = FilmOptions()
    seed: str = ask("1", "the same seed gives the same run", metavar="SEED")
    precision: float | None = ask(None, "replicate until the mean response is this precise, as 0.02; default one run",
                                  metavar="SHARE", excludes=FIELDS_OF_ONE_RUN)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    words = {"built_in": _built_in(arguments), "examples": _examples(arguments)}
    runs = run_options.take_runs("run", RunQuestion, arguments, **words)
    asked, system, texts = runs.question, runs.system, runs.texts
    writes = _writes(asked, runs.options, texts)
    auto = texts.get("warm_up") == AUTO_WARM_UP
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
    notes = idle_notes(system, {name: [value] for name, value in point.items()})
    result = replace(result, parameters={**result.parameters, **parts}, notes=notes)
    paper, files = paper_numbers(system, point, result), _list_written(writes, began)
    return finish(as_json(result, paper, files) if asked.json else page(system, result, paper, files))


def _writes(asked: RunQuestion, options: Namespace, texts: Mapping[str, str]) -> dict[str, Path | None]:
    """Return the paths of the files that the run writes, by option; the names of files that it reads are left out."""
    logs = {name: texts.get(name) for name in run_options.WRITTEN_FILES}
    written = logs | {TIMELINE: asked.timeline, HTML: asked.film.html}
    read = {name: value for name, value in vars(options).items()
            if name.removeprefix(SETTING_PREFIX).removeprefix(run_options.SYSTEM_PREFIX) not in written}  # fmt: skip
    words = [word for value in read.values() for word in (value if isinstance(value, list) else [value])]
    words += [text for name, text in texts.items() if name not in written]
    reads = dict.fromkeys(Path(word) for word in words if isinstance(word, str) and os.path.isfile(word))
    return outputs(reads, {f"--{name}": text for name, text in written.items()})


def _list_written(writes: Mapping[str, Path | None], began: float) -> dict[str, str]:
    """Return the files written since the run *began*, each with what opens it; a log has tables beside it."""
    files: dict[str, str] = {}
    for option, path in writes.items():
        if path is not None:
            opens = {f"--{TIMELINE}": PERFETTO, f"--{HTML}": OPENED_BY_BROWSER}.get(option)
            beside = () if opens else path.parent.glob(f"{path.stem}_*{path.suffix}")
            names = [path, *sorted(each for each in beside if each.stat().st_mtime >= began - 1.0)]
            files |= {str(name): opens or option.removeprefix("--") for name in names}
    return files


def _replicate(system: "System", point: Mapping[str, Any], asked: RunQuestion, precision: float) -> int:
    """Replicate the run at *point* with other seeds until the mean response has the wanted precision."""
    from spindle.cli import replications

    check_needs({"precision": ONE_SHOWN}, ["precision", *(name for name, value in point.items() if value)])
    result = replications.replicate(asked.named.system, system, point, precision)
    notes = idle_notes(system, {name: [value] for name, value in point.items()})
    if asked.json:
        return finish(replications.as_json(result, notes))
    return finish("\n".join([replications.page(result, _warm_up(system, point)), *notes]))


def _warm_up(system: "System", point: Mapping[str, Any]) -> float | None:
    """Return the minutes of warm-up of the runs at *point*; None for a system without one."""
    parameters = inspect.signature(system.run).parameters
    return point.get("warm_up", parameters["warm_up"].default) if "warm_up" in parameters else None


def _system_named(arguments: Sequence[str]) -> "System | None":
    """Return the system that *arguments* name, if they name one."""
    return run_options.system_called(arguments[0]) if arguments and not arguments[0].startswith("-") else None


def _built_in(arguments: Sequence[str]) -> str:
    """Return lines on the mechanisms of the system that no option switches off."""
    named = _system_named(arguments)
    if named is None or not named.built_in:
        return ""
    return "\n  ".join([f"\n\n{named.name} is built on these, which no option switches off:", *named.built_in])


def _examples(arguments: Sequence[str]) -> str:
    """Return example commands for the system that *arguments* name."""
    named = _system_named(arguments)
    name, shown = (USUAL_SYSTEM, USUAL_EXAMPLES) if named is None else (arguments[0], named.examples or USUAL_EXAMPLES)
    return "\n".join(f"  spindle run {name} {words}".rstrip() for words in shown)
