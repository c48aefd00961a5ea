"""Machines for the page of ``spindle play``: Playable, a run with settings, menus and a tour; sliders; and scripts.

``shipped_system`` makes the System of a shipped machine from its Playable.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field
from functools import cached_property
from importlib import import_module
from math import inf, isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import spindle.workloads.probe
from spindle.settings import Setting, settings_of_parameters, settings_of_run
from spindle.sim.error import UserError, unknown
from spindle.sim.measure.result import Result
from spindle.sim.parameter import Rule
from spindle.sim.quantity import BINARY, amount, quantity
from spindle.studies.system import LazyStudies, System
from spindle.systems import MACHINE, MODELS, read_card, system_names
from spindle.workloads import tepe
from spindle.workloads.probe import reader
from spindle.workloads.programs import CATALOGUE

# Scripts that are written on the page: the shipped ones to begin with, and what a run makes of the files.

Files = Mapping[str, str]
"""The text of each file by its name; the first is the script."""
MAX_FILES, MAX_CHARACTERS = 20, 64 * 1024
NAME = re.compile(r"\w[\w.-]{0,60}")


class ScriptLanguage(Protocol):
    """A language of scripts for a machine's users; *option* is that of ``spindle run``."""

    option: str

    def shipped_files(self) -> Mapping[str, Files]:
        """Return the files of each script that comes with Spindle, by its name."""

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a run of the script in *files* with *given*; UserError with file, line and column."""


def check_files(files: Files) -> None:
    """Raise UserError for a wrong name, for too many *files*, or for one that is too long."""
    if not 1 <= len(files) <= MAX_FILES:
        raise UserError(f"a script has 1 to {MAX_FILES} files, not {len(files)}")
    for name, text in files.items():
        if not NAME.fullmatch(name):
            raise UserError(f"{name[:60]!r} is no name of a script's file")
        if len(text) > MAX_CHARACTERS:
            raise UserError(f"{name}: a script on the page has at most {MAX_CHARACTERS} characters")


class TepeScripts:
    """TEPE scripts of terminals."""

    option = "script"

    def shipped_files(self) -> dict[str, Files]:
        paths = sorted(tepe.SHIPPED.glob("*.tepe"))
        return {path.name: {path.name: path.read_text("utf-8")} for path in paths}

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments; given terminals replace the number of the first script, as on the command line."""
        name, text = next(iter(files.items()))
        scripts = tepe.parse(text, name, CATALOGUE)
        if "terminals" in given:
            scripts = tepe.with_terminals(scripts, given["terminals"])
        if given.get("development"):
            raise UserError("development counts Spindle's own programmers; a script says how many terminals it has")
        return {**{name: value for name, value in given.items() if name != "development"}, "scripts": list(scripts)}


class ProbeScripts:
    """Experiments of Response Probe: a .SCR file, and those that it names."""

    option = "probe"

    def shipped_files(self) -> dict[str, Files]:
        folder = Path(spindle.workloads.probe.__file__).parent
        texts = {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.sc[rpt]"))}
        return {name: _with_named_files(name, texts) for name in texts if name.endswith(".scr")}

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """The files are read from a folder, for that is how they name each other."""
        with TemporaryDirectory() as folder:
            for name, text in files.items():
                Path(folder, name).write_text(text, "utf-8")
            try:
                probe = reader.read(Path(folder, next(iter(files))), given.get("seconds"))
            except UserError as error:
                raise UserError(re.sub(rf"{re.escape(folder)}[/\\]", "", str(error))) from None
        return {**given, "probe": probe}


def _with_named_files(name: str, texts: Files) -> dict[str, str]:
    """Return the file *name*, and all that it names, directly or not."""
    found = {name: texts[name]}
    for word in texts[name].split():
        if word in texts and word != name:
            found |= _with_named_files(word, texts)
    return found


# The places of a slider: values about the usual one, as a command line has them, within the rule of a parameter.

SLIDER_DIGITS = 2
"""Digits of a slider's place; the default keeps all of its digits."""
FACTORS = [2 ** (step / 4) for step in range(-8, 9)]
SIZE_FACTORS = (0.125, 0.1875, 0.25, 0.375, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 8)
"""Places of a slider over its default, of numbers and of sizes."""
NUMBERS_FROM_ZERO = (0, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
SIZES_FROM_ZERO = (0, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536)
"""Places of a slider whose default is 0."""
SMALL_NUMBERS, MAX_USUAL = 9, 64
"""A slider of whole numbers up to MAX_USUAL stops at each of the first SMALL_NUMBERS."""
VARIED_VALUES = 6
"""Values of a varied setting, where none are chosen."""


def value_text(value: float, setting: Setting) -> str:
    """Format *value* shortly for a command line, which reads it back to within rounding of a product."""
    return next(each for each in _texts(value, setting) if _reads(each, setting.unit, value))


def _reads(text: str, unit: str, value: float) -> bool:
    read = amount(text, unit)
    return read is not None and isclose(read, value, rel_tol=1e-12)


def _texts(value: float, setting: Setting) -> Iterator[str]:
    """Yield ways to write *value*, the most legible first; the last is exact."""
    if setting.unit.startswith("bytes"):
        yield from (f"{value / size:.{digits}g}{name}" for digits in (4, 7) for name, size in BINARY.items()
                    if size <= value < 10**digits * size)  # fmt: skip
    if setting.unit.startswith(("s", "bytes", "min")) and not setting.unit.startswith("sectors"):
        yield re.split("[ /]", quantity(value, setting.unit, 6).replace(" ", "", 1))[0]
    yield f"{value:.6g}"
    yield repr(value)


def usual_of(field: Field[Any]) -> Any:
    """The default of *field*."""
    return field.default


def ticks(field: Field[Any], setting: Setting) -> list[str]:
    """The places of the slider of the parameter *field*, in their order, its default among them."""
    rule, usual = field.metadata["rule"], usual_of(field)
    values = sorted({usual, *(each for each in _places_around(usual, setting, rule) if _is_allowed(each, rule))})
    return list(dict.fromkeys(value_text(each, setting) for each in values))


def _places_around(usual: float, setting: Setting, rule: Rule) -> Iterator[float]:
    if setting.kind is float and setting.unit == "1" and rule.high <= 1.0:
        yield from (step / 20 for step in range(21))
    elif setting.unit == "bytes":
        yield from (round(usual * each) for each in SIZE_FACTORS) if usual else SIZES_FROM_ZERO
    elif setting.kind is int:
        yield from (round(float(f"{usual * each:.{SLIDER_DIGITS}g}")) for each in FACTORS) if usual else range(11)
        yield from range(SMALL_NUMBERS if usual <= MAX_USUAL else 0)
    else:
        yield from (float(f"{usual * each:.{SLIDER_DIGITS}g}") for each in FACTORS) if usual else NUMBERS_FROM_ZERO


def _is_allowed(value: float, rule: Rule) -> bool:
    return rule.low <= value <= rule.high and not (rule.positive and value <= 0) and value < inf


SYSTEMS = (*system_names(), MACHINE)
"""The systems on the page: the shipped ones, and the machine from parts."""


WORD = Setting(str)
"""The setting of an argument that is a part, by its name."""


@dataclass(frozen=True)
class Offered:
    """An argument of a run that the page offers, described by *says*, with either *values* for a command line, or
    words.

    The *values* are places of a slider; *words* stand for the values of a menu. True and false need neither. One that
    *is_part* of the machine stands among its parts.
    """

    says: str
    values: Sequence[str] = ()
    words: Mapping[str, Any] = field(default_factory=dict)
    is_part: bool = False


def words_of(names: Iterable[str]) -> dict[str, str]:
    """The words of a menu that stand for themselves."""
    return {name: name for name in names}


@dataclass(frozen=True)
class Playable:
    """The part of a system that the page needs, and a browser's Python can import: neither studies nor pictures.

    *offered* are arguments of the *run*, *begin* the first settings that differ from its defaults, *vary* the setting
    that is varied at first, with its values, *curves* the measures of the two curves, and *window* the part of a run
    that a moving picture shows at first. *tour* has questions of the paper: what is varied, its values with commas, and
    what else is set. *users* are settings of which a command must name one, or it runs the paper's own case. *text*
    writes a machine with the settings given as a file of Python.
    """

    run: Callable[..., Result]
    parameters: Any
    offered: Mapping[str, Offered]
    begin: Mapping[str, str]
    vary: tuple[str, Sequence[str]]
    curves: tuple[str, str]
    window: str
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    choose: Callable[..., Any] = dict
    scripts: ScriptLanguage | None = None
    users: Mapping[str, str] = field(default_factory=dict)
    tour: Mapping[str, tuple[str, str, Mapping[str, str]]] = field(default_factory=dict)
    text: Callable[[Mapping[str, Any]], str] | None = None

    @cached_property
    def settings(self) -> Mapping[str, Setting]:
        """The arguments that are offered, and all parameters."""
        arguments = settings_of_run(self.run)
        offered = {name: arguments.get(name, WORD) for name in self.offered}
        return {**offered, **settings_of_parameters(self.parameters)}

    @property
    def names(self) -> list[str]:
        """All that may be set."""
        return [*self.settings, *self.parts]

    def words(self, name: str) -> Mapping[str, Any]:
        """The words that *name* may be, with what they stand for; none where it is a number."""
        return self.parts[name] if name in self.parts else self.offered[name].words if name in self.offered else {}


def shipped_system(
    name: str, model: int, machine: Playable, says: Mapping[str, str] | None = None, **others: Any,
) -> System:  # fmt: skip
    """The system of the folder *name* below models: its card, claims and studies, and the run and parts of *machine*.

    *says* has the help texts of arguments that the page does not offer, or offers in other words; *others* are the
    remaining fields of the System.
    """
    card = read_card(name)
    helps = {each: offered.says for each, offered in machine.offered.items()}
    return System(
        name, card.title, machine.run, machine.parameters, card.paper, card.question,
        LazyStudies(f"spindle.models.{name}.studies"), MODELS / name / "claims.toml", machine.parts, machine.choose,
        model=model, says={**helps, **(says or {})}, **others,
    )  # fmt: skip


def playable(system: str) -> Playable:
    """Return the Playable of *system*, which is imported only now."""
    if system not in SYSTEMS:
        raise unknown("machine", system, SYSTEMS)
    module = "spindle.machine.play" if system == MACHINE else f"spindle.models.{system}.system"
    machine = import_module(module).PLAYABLE
    assert isinstance(machine, Playable)
    return machine
