"""Writes a request of the page as commands for a shell, as statements of Python, or as a file of Python."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from spindle.questions.field import option_of
from spindle.system import System
from spindle.web.play.request import PlayRequest

FILM_FILE = "moving.html"
"""The file of a moving picture, in the commands."""
MACHINE_FILE = "machine.py"
"""The name of the file of Python that describes the machine."""


def command(request: PlayRequest, system: str = "") -> str:
    """Return lines for a shell that give what the page shows; a script must be in the folder under its name.

    With a window, the command writes the moving picture. *system* is the system's name there, if it is another.
    """
    machine, name = request.machine, system or request.system
    if request.vary and not request.files:
        axes = {**request.given, request.vary: ",".join(request.values)}
        words = [word for each, text in axes.items() for word in (option_of(each), text)]
        return shlex.join(["spindle", "sweep", name, *words, "--seeds", str(request.seeds)])
    film = ["--html", FILM_FILE, "--window", request.window] if request.window else []
    return "\n".join(
        shlex.join(["spindle", "run", name, *_script(request), *_options(machine, point),
                    *(["--seed", str(seed)] if seed > 1 else []), *film])
        for point in request.points() for seed in range(1, request.seeds + 1)
    )  # fmt: skip


def _script(request: PlayRequest) -> list[str]:
    language = request.machine.language
    return [f"--{language.option}", next(iter(request.files))] if request.files and language is not None else []


def _options(machine: System, point: Mapping[str, str]) -> Iterator[str]:
    for name, text in point.items():
        option = option_of(name)
        if name in machine.settings and machine.settings[name].kind is bool:
            yield option if machine.settings[name].read(name, text) else f"--no-{option[2:]}"
        else:
            yield from (option, text)


def python(request: PlayRequest) -> str:
    """Return statements of Python that give what the page shows, as ``result`` or ``results``."""
    machine, points = request.machine, request.points()
    parts = [name for name in [*request.given, request.vary] if name in machine.parts]
    lines = [f"from {machine.run.__module__} import run"]
    if parts:
        lines.append(f"from {machine.choose.__module__} import {machine.choose.__name__}")
        lines.append(f"from spindle.models.{request.system}.system import PARTS")
    if any(_is_file(machine, point) for point in points) or request.files:
        lines.insert(0, "from pathlib import Path")
    lines += _reading(request)
    first = ", ".join(_arguments(request, points[0]))
    if not request.vary and request.seeds == 1:
        return "\n".join([*lines, "", f"result = run({first}, seed=1)" if first else "result = run(seed=1)"])
    rows = [f"    dict({', '.join(_arguments(request, point))})," for point in points]
    return "\n".join([
        *lines, "", "points = [", *rows, "]",
        f"results = [run(**point, seed=seed) for seed in range(1, {request.seeds + 1}) for point in points]",
    ])  # fmt: skip


def file(request: PlayRequest) -> dict[str, str] | None:
    """Return the machine, with its settings, as a file of Python, and the command for it; None where it has no text."""
    if request.machine.text is None:
        return None
    text = request.machine.text(request.arguments(request.given))
    return {"name": MACHINE_FILE, "text": text, "command": command(replace(request, given={}), MACHINE_FILE)}


def _reading(request: PlayRequest) -> list[str]:
    """Return statements that read the script, where there is one."""
    if not request.files:
        return []
    name = next(iter(request.files))
    if request.machine.language is not None and request.machine.language.option == "probe":
        return []
    return ["from spindle.workloads import tepe", "from spindle.workloads.shipped_programs import CATALOGUE", "",
            f"scripts = tepe.read(Path({name!r}), CATALOGUE)"]  # fmt: skip


def _is_file(machine: System, point: Mapping[str, str]) -> bool:
    """Tell if a word of *point* stands for a file."""
    return any(isinstance(machine.menu(name).get(text), Path) for name, text in point.items())


def _arguments(request: PlayRequest, point: Mapping[str, str]) -> Iterator[str]:
    """Yield the arguments of a call of ``run`` as Python; the parts are one argument."""
    machine = request.machine
    parts = [f'{name}=PARTS["{name}"]["{text}"]' for name, text in point.items() if name in machine.parts]
    script = next(iter(request.files), None)
    probe = machine.language is not None and machine.language.option == "probe"
    for name, text in point.items():
        if name in machine.parts or (script and not probe and name == "terminals"):
            continue
        words = machine.menu(name)
        if words:
            yield f"{name}=Path({text!r})" if _is_file(machine, {name: text}) else f"{name}={text!r}"
        else:
            yield f"{name}={machine.settings[name].read(name, text)!r}"
    if script:
        terminals = f"tepe.with_terminals(scripts, {int(point['terminals'])})" if "terminals" in point else "scripts"
        yield f"probe=Path({script!r})" if probe else f"scripts={terminals}"
    if parts:
        yield f"choices={machine.choose.__name__}({', '.join(parts)})"
