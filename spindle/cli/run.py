"""``spindle run``: one run of a system as a page or as JSON, with a timeline, a moving picture or replications."""

import inspect
import os
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.fields import SETTING_PREFIX, add_fields, read_fields
from spindle.cli.film import OPENS, FilmOptions, write_film
from spindle.cli.paper_numbers import paper_numbers
from spindle.cli.patience import patience_with_events
from spindle.cli.printing import finish
from spindle.cli.result_page import as_json, page
from spindle.cli.run_options import (
    WRITTEN,
    add_options,
    given_texts,
    loads,
    system_called,
    system_of,
    values,
)
from spindle.cli.run_options import arguments as keywords_of
from spindle.measures import check_measures
from spindle.output.files import draft
from spindle.output.progress import progress_bar
from spindle.questions.words import number, seed
from spindle.sim.error import UserError
from spindle.sim.measure.observer import Observers
from spindle.sim.measure.result import Result
from spindle.sim.measure.timeline import Timeline
from spindle.studies.settings import parts_of
from spindle.systems import System

if TYPE_CHECKING:
    from spindle.web.moving.filming import Filmed

USUAL_SYSTEM = "hp3000"
ANY_SYSTEM = ("", "--seed 2 --json", "--precision 0.05", "--timeline run.pftrace")
"""Examples for systems without their own."""
AUTO = "auto"
"""The value of --warm-up for which it is found."""
TIMELINE, HTML = "timeline", "html"
VIEWER = "ui.perfetto.dev opens it"


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("run", _about(arguments), _examples(arguments))
    parser.add_argument("--json", action="store_true", help="everything measured, as JSON")
    parser.add_argument(
        "--timeline", metavar="FILE",
        help="who did what when, for ui.perfetto.dev; in Chrome's JSON if FILE ends with .json",
    )
    add_fields(parser, FilmOptions)
    parser.add_argument("--seed", metavar="SEED", help="default 1; the same seed gives the same run")
    parser.add_argument("--precision", metavar="SHARE", help="replicate until the mean response is this precise: 0.02")
    system = system_of(parser, arguments)
    add_options(parser, system)
    options = parser.take(arguments)
    texts = given_texts(system, options)
    writes = _writes(options, texts)
    auto = texts.get("warm_up") == AUTO
    point = values(system, {name: text for name, text in texts.items() if not (auto and name == "warm_up")})
    point["seed"] = seed("1" if options.seed is None else options.seed)
    if auto:
        from spindle.cli import replications  # which takes numpy, and a tenth of a second

        point["warm_up"] = replications.warm_up_of(options.system, system, point)
    if options.precision is not None:
        return _replicate(system, point, options)
    keywords = keywords_of(system, point, loads(system, {name: [value] for name, value in point.items()}))
    began = time()
    film = read_fields(FilmOptions, options).film()
    with patience_with_events():
        result = _watch_run(system, keywords, writes[f"--{TIMELINE}"], film)
    if film is not None:
        write_film(writes[f"--{HTML}"], film.film(system.title))
    parts = {name: value for name, value in point.items() if name in parts_of(system)}
    result = replace(result, parameters={**result.parameters, **parts})
    paper, files = paper_numbers(system, point, result), _list_written(writes, began)
    return finish(as_json(result, paper, files) if options.json else page(system, result, paper, files))


def _writes(options: Namespace, texts: Mapping[str, str]) -> dict[str, Path | None]:
    """Return the paths of the files that the run writes; other names of files are read."""
    html = getattr(options, SETTING_PREFIX + HTML)
    written = {name: texts.get(name) for name in WRITTEN} | {TIMELINE: options.timeline, HTML: html}
    read = {name: value for name, value in vars(options).items() if name.removeprefix(SETTING_PREFIX) not in written}
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


def _replicate(system: System, point: Mapping[str, Any], options: Namespace) -> int:
    """Replicate the run at *point* with other seeds until the mean response has the wanted precision."""
    from spindle.cli import replications

    if options.seed is not None:
        raise UserError("--precision takes the seeds 1, 2, 3 and so on; leave out --seed")
    for one in (TIMELINE, HTML, "report", *WRITTEN):
        if getattr(options, one, None) or getattr(options, SETTING_PREFIX + one, None) or point.get(one):
            raise UserError(f"--precision makes many runs, and --{one} shows one; leave out one of them")
    result = replications.replicate(options.system, system, point, number("--precision", options.precision))
    if options.json:
        return finish(replications.as_json(result))
    return finish(replications.page(result, _warm_up(system, point)))


def _warm_up(system: System, point: Mapping[str, Any]) -> float | None:
    """Return the minutes of warm-up of the runs at *point*; None for a system without one."""
    parameters = inspect.signature(system.run).parameters
    return point.get("warm_up", parameters["warm_up"].default) if "warm_up" in parameters else None


def _name_of(arguments: Sequence[str]) -> str:
    """Return the system that *arguments* name, else USUAL_SYSTEM."""
    return arguments[0] if arguments and not arguments[0].startswith("-") else USUAL_SYSTEM


def _about(arguments: Sequence[str]) -> str:
    """Say what the command does, and which mechanisms of the system no option switches off."""
    named = _name_of(arguments)
    built_in = ("", f"{named} is built on these, which no option switches off:", *(
        f"  {each}" for each in system_called(named).built_in))  # fmt: skip
    lines = ["Make one run of a system, and show what was measured.", *(built_in if len(built_in) > 2 else ())]
    return "\n".join(lines)


def _examples(arguments: Sequence[str]) -> str:
    """Return examples of the system that *arguments* name."""
    named = _name_of(arguments)
    shown = system_called(named).examples or ANY_SYSTEM
    return "\n".join(f"  spindle run {named} {words}".rstrip() for words in shown)


def _watch_run(system: System, keywords: Mapping[str, Any], timeline: Path | None, film: "Filmed | None") -> Result:
    """Run with a progress bar on a terminal, and write a timeline and a *film* if wanted."""
    shape = "{l_bar}{bar}| {n:.0f} simulated s, {remaining} left"
    with progress_bar(unit="s", bar_format=shape) as bar:

        def watch(now: float, end: float) -> None:
            bar.total = end
            bar.update(now - bar.n)

        if timeline is None:
            result = system.run(**keywords, watch=Observers(watch, film))
        else:
            with _timeline(timeline) as observer:
                result = system.run(**keywords, watch=Observers(watch, observer, film))
    assert isinstance(result, Result)
    return check_measures(result)


@contextmanager
def _timeline(path: Path) -> Iterator[Timeline]:
    """Open a timeline that becomes the file *path*, as far as it came if the run fails."""
    failure: BaseException | None = None
    with draft(path) as file:
        with Timeline(Path(file.name), path) as observer:
            try:
                yield observer
            except BaseException as error:
                failure = error
        if failure is not None and not os.fstat(file.fileno()).st_size:
            raise failure
    if failure is not None:
        raise failure
