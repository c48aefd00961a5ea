"""Runs put together from values by name, as a command line, a design or a search has them."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

from models import own
from models.commands.arguments import find_system, system_names
from models.commands.patience import ONE_EVENT, patience_with_events
from models.commands.settings import PROGRAM, SCRIPT, SHEET, TOGETHER, named
from models.hp3000.scripts import scripts
from sim.error import UserError
from sim.script import Script
from sim.study.system import System
from sim.sweep.point import Run
from workloads import tepe

Loads = Mapping[tuple[str, str], Sequence[Script]]
"""The scripts of files, by the names of these and of the files of their programs."""


def with_users(system: System, names: Collection[str]) -> Mapping[str, Any]:
    """Whom a run has that names no users, neither itself nor in a script: those of the paper's own case."""
    return {} if SCRIPT in names or any(name in names for name in system.users) else system.users


def loads(system: System, axes: Mapping[str, Sequence[Any]]) -> Loads:
    """All scripts that points of *axes* have, read; UserError for what is wrong in them."""
    if not system.scripted:
        return {}
    if PROGRAM in axes and SCRIPT not in axes:
        raise UserError("--program is for a --script that runs it")
    pairs = product(axes.get(SCRIPT, ()), axes.get(PROGRAM, [""]))
    return {(files, programs): scripts(*files.split(TOGETHER), programs=programs.split(TOGETHER) if programs else ())
            for files, programs in pairs}  # fmt: skip


def arguments(system: System, point: Mapping[str, Any], read: Loads) -> dict[str, Any]:
    """The keyword arguments of a run from the values of a *point*."""
    values = {name: value for name, value in point.items() if name not in system.parts}
    if system.scripted and SCRIPT in values:
        load = tuple(read[values.pop(SCRIPT), values.pop(PROGRAM, "")])
        if values.pop("development", 0):
            raise UserError("--development counts Spindle's own programmers; a script says how many terminals it has")
        values["scripts"] = list(tepe.with_terminals(load, values["terminals"]) if "terminals" in values else load)
    return values | parts(system, point)


def parts(system: System, names: Mapping[str, Any]) -> dict[str, Any]:
    """The ``choices`` of a run with the parts that are *names* by name; nothing where none is."""
    choice = {part: named(part, names[part], choices) for part, choices in system.parts.items()
              if names.get(part) is not None}
    return {"choices": system.choose(**choice)} if choice else {}


def run_of(name: str, system: System, axes: Mapping[str, Sequence[Any]]) -> Run:
    """The run of the *system* called *name* that takes points of *axes*.

    The source of a part from a file or a package, and the scripts, belong to the key of the run, and are passed to the
    workers. A worker that makes no parts by name starts without the modules of their names: pandas, matplotlib.
    """
    words = {part: list(axes[part]) for part in system.parts if part in axes}
    read = loads(system, axes)
    if not words and not read and name in system_names():
        return system.run
    names = {each for values in words.values() for each in values if each.endswith(SHEET)}
    sheets = {each: sha256(Path(each).read_bytes()).hexdigest() for each in sorted(names)}
    texts = own.sources("system", [name])
    for part, values in words.items():
        texts |= own.sources(part, values)
    return partial(_assembled, name, sheets, texts, read)


def _assembled(name: str, _sheets: Mapping[str, str], texts: Mapping[str, str], read: Loads, **point: Any) -> Any:
    """A run of the system *name*, the parts and scripts of which *point* names.

    Own code that loops is given up, but for that in a thread, which the workers of Dask are.
    """
    with own.told(texts):
        system = find_system(name)
        given = arguments(system, point, read)
    with patience_with_events(ONE_EVENT):
        return system.run(**given)
