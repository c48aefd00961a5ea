"""What is typed to have on a command line or in a notebook what the page shows."""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from models.play.playable import Playable
from models.play.request import PlayRequest

FILM = "moving.html"


def command(request: PlayRequest) -> str:
    """Lines for a shell; a script must lie in the folder as the file that it is called.

    Of a request with a window it is that which writes its moving picture.
    """
    machine = request.machine
    if request.vary and not request.files:
        axes = users_in(request, {**request.given, request.vary: ",".join(request.values)})
        words = [word for name, text in axes.items() for word in ("--set", f"{name}={text}")]
        return shlex.join(["spindle", "sweep", request.system, *words, "--seeds", str(request.seeds)])
    film = ["--html", FILM, "--window", request.window] if request.window else []
    return "\n".join(
        shlex.join(["spindle", "run", request.system, *_script(request), *_options(machine, users_in(request, point)),
                    *(["--seed", str(seed)] if seed > 1 else []), *film])
        for point in request.points() for seed in range(1, request.seeds + 1)
    )  # fmt: skip


def _script(request: PlayRequest) -> list[str]:
    scripts = request.machine.scripts
    return [f"--{scripts.option}", next(iter(request.files))] if request.files and scripts is not None else []


def _options(machine: Playable, point: Mapping[str, str]) -> Iterator[str]:
    for name, text in point.items():
        option = "--" + name.replace("_", "-")
        if name not in machine.offered and name not in machine.parts:
            yield from ("--set", f"{name}={text}")
        elif name in machine.settings and machine.settings[name].kind is bool:
            yield option if machine.settings[name].read(name, text) else f"--no-{option[2:]}"
        else:
            yield from (option, text)


def users_in(request: PlayRequest, point: Mapping[str, str]) -> Mapping[str, str]:
    """*point* with users in it, without whom, or a script, a command would take those of the paper."""
    users = request.machine.users
    return point if request.files or users.keys() & point.keys() else {**users, **point}


def python(request: PlayRequest) -> str:
    """Statements of Python, which end with ``result`` or ``frame``."""
    machine, points = request.machine, request.points()
    parts = [name for name in [*request.given, request.vary] if name in machine.parts]
    lines = [f"from models.{request.system}.run import run"]
    if parts:
        lines.append(f"from models.{request.system}.parts import PARTS, choose")
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


def _reading(request: PlayRequest) -> list[str]:
    """Statements that read the script, where there is one."""
    if not request.files:
        return []
    name = next(iter(request.files))
    if request.machine.scripts is not None and request.machine.scripts.option == "probe":
        return []
    return ["from workloads import tepe", "from workloads.programs import CATALOGUE", "",
            f"scripts = tepe.read(Path({name!r}), CATALOGUE)"]  # fmt: skip


def _is_file(machine: Playable, point: Mapping[str, str]) -> bool:
    """Whether a word of *point* stands for a file."""
    return any(isinstance(machine.words(name).get(text), Path) for name, text in point.items())


def _arguments(request: PlayRequest, point: Mapping[str, str]) -> Iterator[str]:
    """Arguments of a call, as they are written; parts are given together."""
    machine = request.machine
    parts = [f'{name}=PARTS["{name}"]["{text}"]' for name, text in point.items() if name in machine.parts]
    script = next(iter(request.files), None)
    probe = machine.scripts is not None and machine.scripts.option == "probe"
    for name, text in point.items():
        if name in machine.parts or (script and not probe and name in ("terminals", "development")):
            continue
        words = machine.words(name)
        if words:
            yield f"{name}=Path({text!r})" if _is_file(machine, {name: text}) else f"{name}={text!r}"
        else:
            yield f"{name}={machine.settings[name].read(name, text)!r}"
    if script:
        terminals = f"tepe.with_terminals(scripts, {int(point['terminals'])})" if "terminals" in point else "scripts"
        yield f"probe=Path({script!r})" if probe else f"scripts={terminals}"
    if parts:
        yield f"choices=choose({', '.join(parts)})"

