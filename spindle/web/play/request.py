"""A request of the page (machine, settings, varied values, seeds, scripts) as runs, a command, Python, or a link."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from spindle.machine.play import FILE
from spindle.output.text import thin_out
from spindle.playable import SYSTEMS, Files, Playable, playable
from spindle.questions.settings import Setting
from spindle.sim.error import UserError, unknown
from spindle.sim.parameter import change
from spindle.sim.quantity import BINARY, amount, quantity

if TYPE_CHECKING:  # a browser's Python has no pandas
    from spindle.studies.study import Runs, Study
    from spindle.studies.system import System

MAX_CHARACTERS = 1 << 20
MAX_VALUES, MAX_SEEDS = 40, 10
VARIED_VALUES = 6
"""Values of a varied setting, where none are chosen."""


@dataclass(frozen=True)
class PlayRequest:
    """Runs of a *system*, *seeds* times: at every one of *values* of the setting *vary*, or one if nothing is varied.

    *given* are settings by name, as words of a command line; *files* are those of a script. For a single run, *seed* is
    its seed, and *window* the part that a moving picture shows, as 2min:30s.
    """

    system: str
    given: Mapping[str, str] = field(default_factory=dict)
    vary: str = ""
    values: Sequence[str] = ()
    seeds: int = 1
    seed: int = 1
    files: Files = field(default_factory=dict)
    window: str = ""

    @classmethod
    def read(cls, text: str) -> "PlayRequest":
        """Read the request in JSON; UserError if it is invalid, or has an unknown name."""
        if len(text) > MAX_CHARACTERS:
            raise UserError(f"a request has at most {MAX_CHARACTERS} characters")
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            raise UserError("a request is JSON") from None
        if not isinstance(content, dict) or not set(content) <= set(cls.__dataclass_fields__):
            raise UserError(f"a request has {', '.join(cls.__dataclass_fields__)}, and nothing else")
        request = cls(**{"system": "", **content})
        request._check()
        return request

    def _check(self) -> None:
        if not all(isinstance(each, str) for each in (self.system, self.vary, self.window)):
            raise UserError("system, vary and window are texts")
        for texts in (self.given, self.files):
            if not isinstance(texts, dict) or not all(isinstance(each, str) for each in texts.values()):
                raise UserError("given and files are texts by name")
        if not isinstance(self.values, list | tuple) or not all(isinstance(each, str) for each in self.values):
            raise UserError("values are a list of texts")
        for name, count in (("seeds", self.seeds), ("seed", self.seed)):
            if not isinstance(count, int) or not 1 <= count <= MAX_SEEDS:
                raise UserError(f"{name} must be a whole number from 1 to {MAX_SEEDS}, not {count!r}")
        if self.vary and not 1 <= len(self.values) <= MAX_VALUES:
            raise UserError(f"{self.vary} must take 1 to {MAX_VALUES} values, not {len(self.values)}")
        if self.vary in self.given:
            raise UserError(f"{self.vary} is varied, and cannot be given as well")

    @property
    def machine(self) -> Playable:
        return playable(self.system)

    def points(self) -> list[dict[str, str]]:
        """Return the settings of each run, without its seed; UserError for a wrong name or value."""
        points = [{**self.given, self.vary: value} for value in self.values] if self.vary else [dict(self.given)]
        for point in points:
            self.check(point)
        return points

    def check(self, point: Mapping[str, str]) -> None:
        machine, ready = self.machine, self.arguments(point)
        known = [name for name in ready if hasattr(machine.parameters, name) and name not in machine.offered]
        change(machine.parameters, **{name: ready[name] for name in known})

    def arguments(self, point: Mapping[str, str]) -> dict[str, Any]:
        """The keyword arguments of the run at *point*."""
        machine = self.machine
        ready: dict[str, Any] = {name: _value(machine, name, text) for name, text in point.items()}
        chosen = {name: ready.pop(name) for name in list(ready) if name in machine.parts}
        if chosen:
            ready["choices"] = machine.choose(**chosen)
        if not self.files:
            return ready
        if machine.scripts is None:
            raise UserError(f"{self.system} takes no scripts")
        check_files(self.files)
        return machine.scripts.arguments(self.files, ready)


def _value(machine: Playable, name: str, text: str) -> Any:
    if name not in machine.names:
        raise unknown("setting", name, machine.names)
    words = machine.words(name)
    if not words:
        return machine.settings[name].read(name, text)
    if text not in words:
        raise unknown(name, text, words)
    return words[text]


# Where a figure of the report leads on the page: the run of its study, as far as it has settings of the system.

def link_of(system: "System", study: "Study") -> str:
    """The words behind # of the page's address for *study*; empty for a *system* that is not on the page."""
    if system.name not in SYSTEMS:
        return ""
    requests = [_request(system.name, runs) for runs in study.runs]
    return words_of(max(requests, key=lambda each: len(each.values) + len(each.given)))


def words_of(request: PlayRequest) -> str:
    words = dict(request.given)
    if request.vary:
        words |= {"vary": request.vary, "values": ",".join(request.values)}
    return f"{request.system}?{urlencode(words, safe=',/')}" if words else request.system


def _request(name: str, runs: "Runs") -> PlayRequest:
    """Build the page's request for *runs*: the axis with most values is varied, the others take their last value."""
    texts = dict(_texts(playable(name), runs.settings()))
    vary = max(texts, key=lambda each: len(texts[each]), default="")
    vary = vary if vary and len(texts[vary]) > 1 else ""
    given = {each: values[-1] for each, values in texts.items() if each != vary}
    values = texts[vary] if vary else []
    request = PlayRequest(name, given, vary, values if len(values) <= MAX_VALUES else thin_out(values, VARIED_VALUES))
    try:
        request.points()
    except UserError:  # a study may have values that its own run allows alone
        return PlayRequest(name)
    return request


def _texts(machine: Playable, settings: Mapping[str, Sequence[object]]) -> Iterator[tuple[str, list[str]]]:
    """The *settings* that the page has, each with its values as a command line has them."""
    for name, values in settings.items():
        texts = [_text(machine, name, each) for each in values] if name in machine.names else []
        if texts and all(text is not None for text in texts):
            yield name, [str(text) for text in texts]


def _text(machine: Playable, name: str, value: Any) -> str | None:
    """Return *value* as a command line has it; None where it cannot."""
    if words := machine.words(name):
        return value if value in words else None
    setting = machine.settings[name]
    if isinstance(value, bool):
        return str(value).lower() if setting.kind is bool else None
    return value_text(value, setting) if setting.is_number and isinstance(value, int | float) else None


# The commands and the Python that give what the page shows.

FILM = "moving.html"


def command(request: PlayRequest, system: str = "") -> str:
    """Lines for a shell; a script must lie in the folder as the file that it is called.

    With a window, the command writes the moving picture. *system* is another name of the system there.
    """
    machine, name = request.machine, system or request.system
    if request.vary and not request.files:
        axes = {**request.given, request.vary: ",".join(request.values)}
        words = [word for each, text in axes.items() for word in (_option(each), text)]
        return shlex.join(["spindle", "sweep", name, *words, "--seeds", str(request.seeds)])
    film = ["--html", FILM, "--window", request.window] if request.window else []
    return "\n".join(
        shlex.join(["spindle", "run", name, *_script(request), *_options(machine, point),
                    *(["--seed", str(seed)] if seed > 1 else []), *film])
        for point in request.points() for seed in range(1, request.seeds + 1)
    )  # fmt: skip


def _script(request: PlayRequest) -> list[str]:
    scripts = request.machine.scripts
    return [f"--{scripts.option}", next(iter(request.files))] if request.files and scripts is not None else []


def _options(machine: Playable, point: Mapping[str, str]) -> Iterator[str]:
    for name, text in point.items():
        option = _option(name)
        if name in machine.settings and machine.settings[name].kind is bool:
            yield option if machine.settings[name].read(name, text) else f"--no-{option[2:]}"
        else:
            yield from (option, text)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def python(request: PlayRequest) -> str:
    """Statements of Python, which end with ``result`` or ``frame``."""
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
    """The machine with the settings given as a *text* of Python, and the command for it; None where there is none."""
    if request.machine.text is None:
        return None
    text = request.machine.text(request.arguments(request.given))
    return {"name": FILE, "text": text, "command": command(replace(request, given={}), FILE)}


def _reading(request: PlayRequest) -> list[str]:
    """Statements that read the script, where there is one."""
    if not request.files:
        return []
    name = next(iter(request.files))
    if request.machine.scripts is not None and request.machine.scripts.option == "probe":
        return []
    return ["from spindle.workloads import tepe", "from spindle.workloads.shipped_programs import CATALOGUE", "",
            f"scripts = tepe.read(Path({name!r}), CATALOGUE)"]  # fmt: skip


def _is_file(machine: Playable, point: Mapping[str, str]) -> bool:
    """Tell if a word of *point* stands for a file."""
    return any(isinstance(machine.words(name).get(text), Path) for name, text in point.items())


def _arguments(request: PlayRequest, point: Mapping[str, str]) -> Iterator[str]:
    """Arguments of a call, as they are written; parts are given together."""
    machine = request.machine
    parts = [f'{name}=PARTS["{name}"]["{text}"]' for name, text in point.items() if name in machine.parts]
    script = next(iter(request.files), None)
    probe = machine.scripts is not None and machine.scripts.option == "probe"
    for name, text in point.items():
        if name in machine.parts or (script and not probe and name == "terminals"):
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
        yield f"choices={machine.choose.__name__}({', '.join(parts)})"


# Files of scripts, and values as words of a command line.

MAX_SCRIPT_FILES, MAX_SCRIPT_CHARACTERS = 20, 64 * 1024
NAME = re.compile(r"\w[\w.-]{0,60}")


def check_files(files: Files) -> None:
    """Raise UserError for a wrong name, for too many *files*, or for one that is too long."""
    if not 1 <= len(files) <= MAX_SCRIPT_FILES:
        raise UserError(f"a script has 1 to {MAX_SCRIPT_FILES} files, not {len(files)}")
    for name, text in files.items():
        if not NAME.fullmatch(name):
            raise UserError(f"{name[:60]!r} is no name of a script's file")
        if len(text) > MAX_SCRIPT_CHARACTERS:
            raise UserError(f"{name}: a script on the page has at most {MAX_SCRIPT_CHARACTERS} characters")


def value_text(value: float, setting: Setting) -> str:
    """Format *value* shortly for a command line, which reads it back to within rounding of a product."""
    return next(each for each in _spellings(value, setting) if _reads(each, setting.unit, value))


def _reads(text: str, unit: str, value: float) -> bool:
    read = amount(text, unit)
    return read is not None and isclose(read, value, rel_tol=1e-12)


def _spellings(value: float, setting: Setting) -> Iterator[str]:
    """Yield ways to write *value*, the most legible first; the last is exact."""
    if setting.unit.startswith("bytes"):
        yield from (f"{value / size:.{digits}g}{name}" for digits in (4, 7) for name, size in BINARY.items()
                    if size <= value < 10**digits * size)  # fmt: skip
    if setting.unit.startswith(("s", "bytes", "min")) and not setting.unit.startswith("sectors"):
        yield re.split("[ /]", quantity(value, setting.unit, 6).replace(" ", "", 1))[0]
    yield f"{value:.6g}"
    yield repr(value)
