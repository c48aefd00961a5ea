"""Describes a simulated system (System) for commands, the page and the report: its run, parts, paper and studies.

A shipped system is a folder of models with a card, ``system.toml``, for everything of it that is no code.
"""

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Protocol, overload

from spindle.folders import folder
from spindle.sim import MODEL

if TYPE_CHECKING:  # studies need numpy, which a browser's Python has not; the others take a while
    from spindle.questions.settings import Setting
    from spindle.sim.measure.result import Result
    from spindle.sim.script import Script
    from spindle.studies.ensemble import Ensemble
    from spindle.studies.study import Study

MODELS_FOLDER = folder("models")
"""The folder of the shipped systems."""
CARD = "system.toml"
"""The file of a system's folder with its description."""
STUDIES = "studies.toml"
"""The file of a system's folder that lists its studies."""
SYSTEM_ANSWERS = ("response_mean", "response_p95", "throughput", "cpu_busy", "disc_busy", "hit_ratio")
"""Measures that a sweep shows of a system that names none."""
Files = Mapping[str, str]
"""The text of each file of a script by its name; the first file is the script itself."""


@dataclass(frozen=True)
class PaperCase:
    """A run of which a paper prints numbers: its *arguments* that are not default, and *claims* by measure.

    A measure is a number of the run's summary in the unit of the claim whose id is given.
    """

    claims: Mapping[str, str]
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TourStep:
    """A step of the page's tour: a question of the paper, the setting *vary* with its *values*, and others *given*."""

    asks: str
    vary: str
    values: Sequence[str]
    given: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PlayPage:
    """Describes what the page of ``spindle play`` offers of one system.

    *places* are the places of the slider of each argument that is offered; a menu and a switch need none.
    *begin* are the first settings that differ from the defaults, *vary* is varied at first, with *values*, *curves* are
    the measures of the two curves, and *window* is the part of a run that a moving picture shows at first. Arguments
    *among_parts* stand among the parts of the machine.
    """

    places: Mapping[str, Sequence[str]]
    begin: Mapping[str, str]
    vary: str
    values: Sequence[str]
    curves: Sequence[str]
    window: str
    tour: Sequence[TourStep] = ()
    among_parts: Sequence[str] = ()


@dataclass(frozen=True)
class Scripting:
    """The scripts of terminals that a system takes: *read* reads files of them for the argument ``scripts`` of its run.

    *catalogue* gives the programs that scripts may run, with those that files describe; *sets* are the names of the
    data sets that programs may ask, with the number of sets of each name.
    """

    read: "Callable[..., tuple[Script, ...]]"
    catalogue: Callable[..., Mapping[str, Any]]
    sets: Mapping[str, int]


class ScriptLanguage(Protocol):
    """A language of scripts that users may write on the page; *option* is the option of ``spindle run`` for them."""

    option: str

    def shipped_files(self) -> Mapping[str, Files]:
        """Return the files of each script that comes with Spindle, by its name."""

    def arguments(self, files: Files, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a run of the script in *files* with *given*; UserError with file, line and column."""


class LazyStudies(Sequence["Study"]):
    """The studies of the shipped system *name*, imported when first asked for: a run needs nothing that draws.

    They are the ``STUDIES`` of all its modules of studies, in the order of ``studies.toml``.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def _studies(self) -> "Sequence[Study]":
        first = import_module(f"spindle.models.{self._name}.studies")
        names = [each.name for each in iter_modules(getattr(first, "__path__", ()), f"{first.__name__}.")]
        found: list[Study] = [study for module in [first, *map(import_module, names)]
                              for study in getattr(module, "STUDIES", ())]  # fmt: skip
        shows = read_studies(self._name)
        order = list(shows)
        found.sort(key=lambda study: order.index(study.name))
        return [replace(study, shows=shows[study.name]) for study in found]

    @overload
    def __getitem__(self, place: int) -> "Study": ...
    @overload
    def __getitem__(self, place: slice) -> "Sequence[Study]": ...
    def __getitem__(self, place: int | slice) -> "Study | Sequence[Study]":
        return self._studies[place]

    def __len__(self) -> int:
        return len(self._studies)


def no_choices(**chosen: Any) -> None:
    """Return None, the choices of a system that has no parts to exchange."""


def no_remark(result: "Result") -> Sequence[str]:
    """Return no lines, for a system that adds none below the responses."""
    return ()


def words_of(names: Iterable[str]) -> dict[str, str]:
    """Return a menu of *names*, each of which stands for itself."""
    return {name: name for name in names}


@dataclass(frozen=True)
class System:
    """The description of a system for commands, the page of ``spindle play`` and the report.

    *parts* names, for each exchangeable part, the choices; *choose* makes a run's ``choices`` from them. *words* are
    what the words of an argument stand for. A system with *scripting* takes TEPE scripts; those of a *language* may be
    written on the page. One without a paper has no *claims*. *page* is what ``spindle run`` prints for a system without
    terminals, *remark* what it adds below the responses of one with them; *examples* are what may follow ``spindle
    run`` and the name; *built_in* the paper's mechanisms that no option switches off; *says* has the help texts of the
    run's arguments. *answers* are the numbers of a summary that a sweep shows; of two arguments that are *instead* of
    one another a command takes one. An option in *acts_with* changes nothing where the one given there, or one of
    several, is 0, false or none; where ``not`` stands before it, where it is anything else. *cases* are the runs of
    which the paper prints numbers. *text* writes a machine with the settings given as a file of Python.

    *model* is the number of its model, raised by hand when its answers change: its kept runs carry it.
    """

    name: str
    title: str
    run: Callable[..., Any]
    parameters: Any
    paper: str = ""
    question: str = ""
    studies: "Sequence[Study]" = ()
    claims: Path | None = None
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    choose: Callable[..., Any] = no_choices
    scripting: Scripting | None = None
    ensemble: "Ensemble | None" = None
    page: "Callable[[Result], str] | None" = None
    remark: "Callable[[Result], Sequence[str]]" = no_remark
    examples: Sequence[str] = ()
    built_in: Sequence[str] = ()
    says: Mapping[str, str] = field(default_factory=dict)
    answers: Sequence[str] = SYSTEM_ANSWERS
    instead: Sequence[str] = ()
    acts_with: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    cases: Sequence[PaperCase] = ()
    model: int = 0
    words: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    play: PlayPage | None = None
    language: ScriptLanguage | None = None
    text: Callable[[Mapping[str, Any]], str] | None = None
    machines: str = ""
    """A sentence on which of a series is simulated."""

    @classmethod
    def of_card(cls, name: str, model: int, run: Callable[..., Any], parameters: Any, **code: Any) -> "System":
        """Return the system of the folder *name* below models; *code* are fields that its card cannot have."""
        return cls(name, run=run, parameters=parameters, model=model, claims=MODELS_FOLDER / name / "claims.toml",
                   studies=LazyStudies(name), **card_fields(MODELS_FOLDER / name), **code)

    @property
    def models(self) -> str:
        """The model numbers that answers of this system depend on: its own, and the one of the shared parts."""
        return f"{self.name} {self.model}, sim {MODEL}"

    @property
    def offer(self) -> PlayPage:
        """The description of what the page offers of this system, which must be on it."""
        assert self.play is not None, f"{self.name} is not on the page"
        return self.play

    @cached_property
    def settings(self) -> "Mapping[str, Setting]":
        """The settings by name: the arguments that the page offers, and all parameters."""
        from spindle.questions.settings import Setting, settings_of_parameters, settings_of_run

        arguments, word = settings_of_run(self.run), Setting(str)
        offered = {name: arguments.get(name, word) for name in self.offer.places}
        return {**offered, **settings_of_parameters(self.parameters)}

    @property
    def names(self) -> list[str]:
        """The names of all settings on the page."""
        return [*self.settings, *self.parts]

    def menu(self, name: str) -> Mapping[str, Any]:
        """Return the words that the setting *name* may be, with their values; none where it is a number."""
        from spindle.questions.settings import parts_of_run

        if name in self.parts or name in self.words:
            return self.parts.get(name) or self.words[name]
        part = parts_of_run(self.run).get(name)
        return {} if part is None else words_of(part.choices)


def read_card_file(place: Path) -> dict[str, Any]:
    """Read the card in the folder *place*."""
    return tomllib.loads((place / CARD).read_text("utf-8"))


def read_studies(name: str) -> dict[str, str]:
    """Return a line on each study of the shipped system *name*, without importing it, pandas and matplotlib."""
    return tomllib.loads((MODELS_FOLDER / name / STUDIES).read_text("utf-8"))


def card_fields(place: Path) -> dict[str, Any]:
    """Return the fields of a System that the card in the folder *place* has."""
    card = read_card_file(place)
    play, cases = card.pop("play"), card.pop("cases", ())
    play["places"] = {name: _places(given) for name, given in play["places"].items()}
    tour = [TourStep(**step) for step in play.pop("tour")]
    return {**card, "cases": [PaperCase(**case) for case in cases], "play": PlayPage(**play, tour=tour)}


def _places(given: str | list[str]) -> list[str]:
    """Return the places of a slider: of a list its values, of ``1..127`` all whole numbers between."""
    if isinstance(given, list):
        return given
    first, last = map(int, given.split(".."))
    return [str(number) for number in range(first, last + 1)]


def with_card(system: System, place: Path, **code: Any) -> System:
    """Return *system* with the fields that the card in the folder *place* has, and *code*."""
    card = card_fields(place)
    return replace(system, **{**card, "says": {**system.says, **card["says"]}}, **code)
