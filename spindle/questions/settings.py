"""Settings of a run or a question by name: each can read its value from text, check it, and show it.

They follow from the arguments of the run, which ``field.flat`` describes, and from the parameters of a system.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import UnionType
from typing import Any, TypeAlias, TypeVar, Union, get_args, get_origin

from spindle.questions.field import BYTE_RATE, NONE, NOT_ASKED, Asked, arguments_of, description_of, flat
from spindle.questions.words import SEED_RANGE, counts, value
from spindle.sim.error import UserError, check_known, quote
from spindle.sim.part_forms import NAMED_PARTS, PartForm
from spindle.sim.quantity import quantity
from spindle.sim.units import Bytes

Q = TypeVar("Q")
Words: TypeAlias = tuple[str, ...]
"""The type of a field for several words: words that a command takes in turn, or an option that may be repeated."""
SIMPLE_TYPES = (int, float, bool, str, Bytes, Path, Words)
"""Types of arguments that can be read from text."""
NUMBER_TYPES = (int, float, Bytes)
"""Types of arguments that are numbers."""
SETTING_UNITS = {"minutes": "min", "warm_up": "min", "seconds": "s", "tail": "s"}
"""Units of the arguments of runs that are times; a parameter states its own unit."""
SHOWN_DIGITS = 6
"""Significant digits of a number that is shown."""
NO_SETTINGS = ("interval", "keep_rows")
"""Arguments of runs that are no settings, as they only record more or less."""
SEED = "seed"
"""The argument of runs for the seed. It is no setting, as commands and Python have their own ways to give seeds, unless
it is declared as a field.
"""


def plain_value(given: Any) -> Any:
    """Return a number of NumPy as one of Python, an array or a column of a table as a list, other values unchanged."""
    return given.tolist() if hasattr(given, "tolist") else given


@dataclass(frozen=True)
class Setting:
    """A setting of the type *kind*, one of SIMPLE_TYPES, with the *unit* of a number, and its description *asked*."""

    kind: Any
    unit: str = "1"
    asked: Asked = NOT_ASKED

    @property
    def is_number(self) -> bool:
        return self.kind in NUMBER_TYPES

    def split(self, text: str) -> list[str]:
        """Return the values of an axis as texts: ``1,2,7``, or for whole numbers also ``1-4``."""
        from spindle.sim import user_parts

        words = [text] if self.asked.whole else user_parts.split(text)
        if self.kind is not int:
            return words
        return [each for word in words for each in
                (map(str, counts("the axis", word, 0)) if SEED_RANGE.fullmatch(word) else [word])]  # fmt: skip

    def read(self, name: str, text: str) -> Any:
        """Read a value from *text*; UserError where it is none of this type, or beyond the bounds."""
        if self.kind == Words:
            return tuple(text)
        return self.check(name, value(name, self.asked.as_value(text), self.kind, self.unit))

    def check(self, name: str, given: Any) -> Any:
        """Return the value *given*; UserError where it is beyond the bounds, of another type, or none of the words."""
        made = plain_value(given)
        if self.kind is bool and not isinstance(made, bool):
            raise UserError(f"{name} must be true or false, not {quote(str(made))}")
        if self.is_number and made is not None:
            made = self._number(name, made)
        if self.kind is str and made is not None:
            made = _text(name, made)
        self.asked.check(name, made)
        return made

    def _number(self, name: str, given: Any) -> int | float:
        """Return *given* as a number, a whole one if the setting takes only those; UserError where it is none."""
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise UserError(f"{name} must be a number, not {quote(str(given))}")
        if self.kind is float:
            return given
        if given % 1:
            raise UserError(f"{name} must be a whole number, not {given!r}")
        return int(given)

    def check_range(self, name: str, low: float) -> None:
        """Raise UserError where a search from *low* on would take 0 for a small value, and it stands for another."""
        if self.asked.nought and low <= 0:
            raise UserError(f"{name} of 0 is {self.asked.nought}, and no small value: search from above 0")

    def text(self, given: object) -> str:
        """Return the value *given* as text with its unit."""
        given = plain_value(given)
        if isinstance(given, bool):
            return str(given).lower()
        if isinstance(given, int | float) and self.is_number:
            return quantity(given, self.unit, SHOWN_DIGITS)
        return str(given) or NONE


def _text(name: str, given: Any) -> str:
    """Return the text *given*, which may be a number or a path; UserError for anything else."""
    if isinstance(given, bool) or not isinstance(given, str | int | float | Path):
        raise UserError(f"{name} must be text, not {quote(str(given))}")
    return str(given)


@dataclass(frozen=True)
class PartSetting:
    """A setting that names a *part*: one of *choices*, or a user's own, whose file is read when a run is made.

    The part is an *argument* of the run, or one of the choices that the system makes for it.
    """

    part: str
    choices: Mapping[str, Any]
    argument: bool = False
    asked: Asked = field(default=NOT_ASKED, compare=False)
    is_number = False

    def split(self, text: str) -> list[str]:
        from spindle.sim import user_parts

        return user_parts.split(text)

    def read(self, name: str, text: str) -> str:
        from spindle.sim.forms import choose

        if self.asked.as_value(text) or not self.asked.absent:
            choose(self.part, text, self.choices)
        return self.asked.as_value(text)

    def check(self, name: str, given: Any) -> Any:
        if self.part == "policy" and given is not None:
            from spindle.sim.forms import policy

            policy(given)
        return given

    def text(self, given: object) -> str:
        return str(given) or NONE


@dataclass(frozen=True)
class FilesSetting:
    """A setting that names files, of scripts that run at once or of programs for them; they are read by the run."""

    asked: Asked = NOT_ASKED
    is_number = False

    def split(self, text: str) -> list[str]:
        return text.split(",")

    def read(self, name: str, text: str) -> str:
        return text

    def check(self, name: str, given: Any) -> Any:
        return given

    def text(self, given: object) -> str:
        return str(given)


AnySetting: TypeAlias = Setting | PartSetting | FilesSetting


def parts_of_run(run: Callable[..., Any]) -> dict[str, PartSetting]:
    """Return the arguments of *run* that are parts, known by annotations such as ``DriveForm``."""
    kinds = {name: description_of(each) for name, each in arguments_of(run).items()}
    return {name: PartSetting(kind.kind, NAMED_PARTS[kind.kind], argument=True, asked=asked)
            for name, (kind, asked) in kinds.items() if isinstance(kind, type) and issubclass(kind, PartForm)}


def settings_of_run(run: Callable[..., Any]) -> dict[str, Setting]:
    """Return a setting for each argument of *run* that has a simple type, or a simple type or None."""
    parts = parts_of_run(run)
    given = {name: description_of(each) for name, each in arguments_of(run).items()
             if name not in (*NO_SETTINGS, *parts)}  # fmt: skip
    kinds = {name: (_simple(kind), asked) for name, (kind, asked) in given.items()
             if name != SEED or asked is not NOT_ASKED}  # fmt: skip
    return {name: Setting(kind, _unit_of(name, kind, asked), asked)
            for name, (kind, asked) in kinds.items() if kind is not None}  # fmt: skip


def _unit_of(name: str, kind: Any, asked: Asked) -> str:
    if kind is Bytes:
        return BYTE_RATE if asked.unit == BYTE_RATE else "bytes"
    return SETTING_UNITS.get(name, asked.unit)


def _simple(annotation: Any) -> Any:
    """Return the type of SIMPLE_TYPES that *annotation* allows; None where it allows none, or several."""
    either = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    kinds = [kind for kind in either if kind in SIMPLE_TYPES]
    return kinds[0] if len(kinds) == 1 else None


def settings_of_fields(asked: Callable[..., Any]) -> dict[str, AnySetting]:
    """Return the settings of the fields of *asked*, a group or a question, in their order."""
    made = flat(asked)
    known: Mapping[str, AnySetting] = {**parts_of_run(made), **settings_of_run(made)}
    return {name: known[name] for name in made.__signature__.parameters if name in known}  # type: ignore[attr-defined]


def read_one(setting: AnySetting, name: str, text: str, sweep: str) -> Any:
    """Read the one value *text*; where it is several, the UserError names the command *sweep*, which takes them."""
    try:
        return setting.read(name, text)
    except UserError:
        if sweep and _is_axis(setting, name, text):
            raise UserError(f"{name} has one value here, not {quote(text)}: {sweep} takes several") from None
        raise


def _is_axis(setting: AnySetting, name: str, text: str) -> bool:
    """Tell if *text* is several values of *setting*."""
    try:
        return len([setting.read(name, each) for each in setting.split(text)]) > 1
    except UserError:
        return False


def unusual_fields(*groups: Any) -> dict[str, Any]:
    """Return the fields of *groups* that differ from their defaults, by name; a part that has no name as text."""
    given = {each.name: getattr(group, each.name) for group in groups for each in fields(group)
             if getattr(group, each.name) != each.default}  # fmt: skip
    return {name: value if isinstance(value, str | int | float) else getattr(value, "__name__", str(value))
            for name, value in given.items()}  # fmt: skip


def texts_of(asked: Callable[..., Any], given: Mapping[str, Any]) -> list[str]:
    """Return the fields of *asked* that are *given* in words: ``network latency 1 ms``."""
    settings = settings_of_fields(asked)
    return [f"{name.replace('_', ' ')} {settings[name].text(value)}" for name, value in given.items()]


def made_of(asked: Callable[..., Q], given: Mapping[str, Any]) -> Q:
    """Return *asked*, a question, with the values *given* by name, which may be text; a list is text with commas."""
    settings = settings_of_fields(asked)
    check_known("name of an argument", settings, *given)
    return flat(asked)(**{name: _value(name, settings[name], each) for name, each in given.items() if each is not None})


def _value(name: str, setting: AnySetting, given: Any) -> Any:
    given = plain_value(given)
    if isinstance(given, list | tuple | range):
        given = ",".join(map(str, given))
    return setting.read(name, given) if isinstance(given, str) else setting.check(name, given)


def settings_of_parameters(described: Any) -> dict[str, Setting]:
    """Return a setting for each field of the dataclass *described*, with the unit that the field states."""
    kinds = {each.name: (type(each.default), each.metadata["unit"]) for each in fields(described)}
    return {name: Setting(Bytes if (kind, unit) == (int, "bytes") else kind, unit)
            for name, (kind, unit) in kinds.items()}  # fmt: skip
