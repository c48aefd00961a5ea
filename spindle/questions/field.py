"""Declares fields of a question, each once with its unit, bounds and help, and groups of fields that questions share.

A question, or a group, is a frozen dataclass of fields made by ``ask``. ``flat`` makes the fields of groups arguments
of their own, so that a command, Python, a sweep and a page see one list of names.
"""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache, wraps
from math import inf
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from spindle.sim.error import UserError, unknown

T = TypeVar("T")
ASKED_KEY = "asked"
"""The key of a dataclass field's metadata that has its Asked."""
BYTE_RATE = "bytes/s"
"""The unit of bytes a second, whose values may be given with or without ``/s``."""
NONE = "none"
"""The word for the empty text of a field that may be absent: in help, and as a value."""
NAMED_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
"""Kinds of arguments that can be given by name."""


@dataclass(frozen=True)
class Asked:
    """The description of a field: *says* is its help, *least* and *most* bound a number of *unit*.

    Text may be one of *words*, which are each a *noun*. *whole* text is no axis of a sweep, for it has commas of its
    own. *metavar* stands for the value in a command's help. A field that *needs* another, one of several, is refused
    without it, in the words *because*: ``chunk is for an array; raid gives its level``; one that *excludes* others is
    refused with them, for *why*. Of one that may be *absent*, ``none`` is the empty text. One that comes *first* is a
    word of a command before its options, ``"1"``, or may be, ``"?"``, or is several, ``"*"``. An option that takes
    *several* has them one after another; one is *required*; one that has a *bare* value takes it where it is given
    without one. *nought* is what 0 stands for where it is no small value, as ``no limit``: no search begins there.
    """

    says: str = ""
    unit: str = "1"
    least: float = -inf
    most: float = inf
    words: Collection[str] = ()
    noun: str = ""
    whole: bool = False
    metavar: str = ""
    needs: tuple[str, ...] = ()
    because: str = ""
    excludes: tuple[str, ...] = ()
    why: str = ""
    first: str = ""
    several: bool = False
    bare: str | None = None
    required: bool = False
    absent: bool = False
    nought: str = ""

    def as_value(self, text: str) -> str:
        """Return *text*; the empty one for the word by which help calls it, ``none``."""
        return "" if text == NONE and (self.absent or "" in self.words) else text

    def _fraction(self) -> bool:
        """Tell if the field takes fractions: if one of its bounds is written as one."""
        return any(isinstance(each, float) and abs(each) != inf for each in (self.least, self.most))

    def check(self, name: str, given: Any) -> None:
        """Raise UserError where *given* is beyond the bounds, or none of the words."""
        if given is None:
            return
        if len(self.words) and given not in self.words:
            raise unknown(self.noun or name, str(given), [word for word in self.words if word])
        if (self.least, self.most) != (-inf, inf) and not self.least <= given <= self.most:
            whole = isinstance(given, int) and not self._fraction()
            what = self.unit if self.unit in ("bytes", BYTE_RATE) else "a whole number" if whole else "a number"
            least, most = map(_bound, (self.least, self.most))
            bounds = f"at least {least}" if self.most == inf else f"{what} from {least} to {most}"
            raise UserError(f"{name} must be {bounds}, not {given!r}")


def _bound(value: float) -> str:
    """Return a bound as text: whole numbers to the last digit."""
    return str(int(value)) if value % 1 == 0 else f"{value:g}"


NOT_ASKED, TEXT_OR_NONE = Asked(), Asked(absent=True)
"""The description of a field that has none, and of one whose default is the empty text."""
_spelling: ContextVar[Callable[[str], str]] = ContextVar("how a face writes the name of a field", default=str)


def ask(default: Any, says: str, unit: str = "1", **more: Any) -> Any:
    """Return a field of a dataclass with a *default* and a description; *more* are other fields of Asked."""
    says = f"{says}; 0 is {more['nought']}" if more.get("nought") else says
    return field(default=default, metadata={ASKED_KEY: Asked(says, unit, **more)})


def group(default: T, needs: tuple[str, ...], because: str = "{}") -> T:
    """Return a field whose *default* is a group of fields, each of which *needs* another field, as in Asked."""
    made: T = field(default=default, metadata={ASKED_KEY: Asked(needs=needs, because=because)})
    return made


def spell(name: str) -> str:
    """Return the *name* of a field as the caller's users write it: ``warm_up`` in Python, ``--warm-up`` in commands."""
    return _spelling.get()(name)


def spell_as_options() -> None:
    """From now on, in this context, write names of fields in messages as options of a command."""
    _spelling.set(option_of)


def option_of(name: str) -> str:
    """Return the option of a command for the field *name*: ``--warm-up`` for ``warm_up``."""
    return f"--{name.rstrip('_').replace('_', '-')}"


def check_needs(notes: Mapping[str, Asked], given: Collection[str]) -> None:
    """Raise UserError where a field in *given* needs another that is not given, or excludes one that is."""
    for name in given:
        asked = notes.get(name, NOT_ASKED)
        if asked.needs and not any(needed in given for needed in asked.needs):
            raise UserError(f"{spell(name)} is for {asked.because.format(*map(spell, asked.needs))}")
        if others := [other for other in asked.excludes if other in given]:
            other = notes.get(others[0], NOT_ASKED)
            named = other.metavar if other.first else spell(others[0])
            raise UserError(f"{spell(name)} and {named} exclude each other; {asked.why or 'choose one'}")


def is_group(kind: object) -> bool:
    """Tell if *kind* is a group: a dataclass all of whose fields are made by ``ask`` or ``group``."""
    return isinstance(kind, type) and is_dataclass(kind) and all(ASKED_KEY in each.metadata for each in fields(kind))


def arguments_of(run: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the arguments of *run* that can be given by name, with annotations as types where these can be found."""
    try:
        signature = inspect.signature(run, eval_str=True)
    except (NameError, TypeError, AttributeError, SyntaxError):  # a name that only a type checker imports
        signature = inspect.signature(run)
    return {name: each for name, each in signature.parameters.items() if each.kind in NAMED_KINDS}


def description_of(parameter: inspect.Parameter) -> tuple[Any, Asked]:
    """Return the type of *parameter*, and its description."""
    if get_origin(parameter.annotation) is not Annotated:
        is_text = isinstance(parameter.default, str) and not parameter.default
        return parameter.annotation, TEXT_OR_NONE if is_text else NOT_ASKED
    kind, *notes = get_args(parameter.annotation)
    return kind, next((note for note in notes if isinstance(note, Asked)), NOT_ASKED)


def flat(make: Callable[..., T]) -> Callable[..., T]:
    """Return *make*, a run or a question, with the fields of its groups as arguments of their own."""
    return _flat(make)


@cache
def _flat(make: Callable[..., Any]) -> Callable[..., Any]:
    whole = inspect.signature(make)
    groups = {name: each.annotation for name, each in arguments_of(make).items() if is_group(each.annotation)}

    own = _notes_of(make)
    names = [each.name for kind in groups.values() for each in fields(kind)]
    notes = {each.name: _in_group(each.metadata[ASKED_KEY], own.get(name, NOT_ASKED))
             for name, kind in groups.items() for each in fields(kind)} | own  # fmt: skip
    assert len({*names, *whole.parameters}) == len(names) + len(whole.parameters), f"{make}: a name has two meanings"

    @wraps(make, updated=())
    def call(*given: Any, **named: Any) -> Any:
        if len(given) > len(places):
            raise TypeError(f"{make.__name__}() takes {len(places)} arguments by place, and {len(given)} were given")
        named |= dict(zip(places, given, strict=False))
        check_needs(notes, [name for name, value in named.items() if value is not False and value not in ("", ())])
        for name, value in named.items():
            notes.get(name, NOT_ASKED).check(spell(name), value)
        for name, kind in groups.items():
            inner = {each.name: named.pop(each.name) for each in fields(kind) if each.name in named}
            if inner:
                named[name] = replace(named.get(name, whole.parameters[name].default), **inner)
        return make(**named)

    parameters = sorted(_flat_parameters(make, groups), key=lambda each: each.kind)
    places = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    call.__signature__ = whole.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call


def _notes_of(make: Callable[..., Any]) -> dict[str, Asked]:
    """Describe the fields of *make* itself, where it is a question or a group."""
    if not (isinstance(make, type) and is_dataclass(make)):
        return {}
    return {each.name: each.metadata[ASKED_KEY] for each in fields(make) if ASKED_KEY in each.metadata}


def _in_group(asked: Asked, whole: Asked) -> Asked:
    """Return the description of a field in a group, with what the group as a *whole* needs."""
    return asked if asked.needs or not whole.needs else replace(asked, needs=whole.needs, because=whole.because)


def _flat_parameters(make: Callable[..., Any], groups: Mapping[str, Any]) -> Iterator[inspect.Parameter]:
    notes, known = _notes_of(make), arguments_of(make)
    for name, parameter in inspect.signature(make).parameters.items():
        if name in groups:
            yield from _fields_of(groups[name], parameter.default)
        elif name in notes:
            yield parameter.replace(annotation=Annotated[known[name].annotation, notes[name]])
        else:
            yield known.get(name, parameter)


def _fields_of(kind: Any, default: Any) -> Iterator[inspect.Parameter]:
    kinds = get_type_hints(kind)
    for each in fields(kind):
        yield inspect.Parameter(each.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=getattr(default, each.name),
                                annotation=Annotated[kinds[each.name], each.metadata[ASKED_KEY]])  # fmt: skip
