"""Fields of a question: each said once with its unit, bounds and help; and groups of fields that questions share.

A question, or a group, is a frozen dataclass of fields made by ``asked``. ``flat`` makes the fields of groups arguments
of their own, so that a command, Python, a sweep and a page see one list of names.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import wraps
from math import inf
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")
ASKED = "asked"
NO_WORDS: Mapping[str, Any] = {}
NAMED_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@dataclass(frozen=True)
class Asked:
    """Description of a field: *says* is its help, *least* and *most* bound a number of *unit*.

    Text may be one of *words*, which are each a *noun*. *whole* text is no axis of a sweep, for it has commas of its
    own. *metavar* stands for the value in a command's help.
    """

    says: str = ""
    unit: str = "1"
    least: float = -inf
    most: float = inf
    words: Mapping[str, Any] = field(default_factory=dict)
    noun: str = ""
    whole: bool = False
    metavar: str = ""


NOT_ASKED = Asked()


def asked(default: Any, says: str, unit: str = "1", **more: Any) -> Any:
    """Return a dataclass's field that is *default* where nothing is asked; *more* are other fields of Asked."""
    return field(default=default, metadata={ASKED: Asked(says, unit, **more)})


def is_group(kind: object) -> bool:
    """Tell if *kind* is a dataclass of asked fields."""
    return isinstance(kind, type) and is_dataclass(kind) and all(ASKED in each.metadata for each in fields(kind))


def arguments_of(run: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The arguments of *run* that have a name, with their annotations as types where these can be found."""
    try:
        signature = inspect.signature(run, eval_str=True)
    except (NameError, TypeError, AttributeError, SyntaxError):  # a name that only a type checker imports
        signature = inspect.signature(run)
    return {name: each for name, each in signature.parameters.items() if each.kind in NAMED_KINDS}


def described(parameter: inspect.Parameter) -> tuple[Any, Asked]:
    """Return the type of *parameter*, and how it was asked for."""
    if get_origin(parameter.annotation) is not Annotated:
        return parameter.annotation, NOT_ASKED
    kind, *notes = get_args(parameter.annotation)
    return kind, next((note for note in notes if isinstance(note, Asked)), NOT_ASKED)


def flat(make: Callable[..., T]) -> Callable[..., T]:
    """Return *make*, a run or a question, with the fields of its groups as arguments of their own."""
    whole = inspect.signature(make)
    groups = {name: each.annotation for name, each in arguments_of(make).items() if is_group(each.annotation)}

    @wraps(make, updated=())
    def call(*given: Any, **named: Any) -> T:
        for name, group in groups.items():
            own = {each.name: named.pop(each.name) for each in fields(group) if each.name in named}
            if own:
                named[name] = replace(named.get(name, whole.parameters[name].default), **own)
        return make(*given, **named)

    parameters = sorted(_flat_parameters(make, groups), key=lambda each: each.kind)
    call.__signature__ = whole.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call


def _flat_parameters(make: Callable[..., Any], groups: Mapping[str, Any]) -> Iterator[inspect.Parameter]:
    notes = {each.name: each.metadata[ASKED] for each in fields(make) if ASKED in each.metadata} \
        if isinstance(make, type) and is_dataclass(make) else {}  # fmt: skip
    known = arguments_of(make)
    for name, parameter in inspect.signature(make).parameters.items():
        if name in groups:
            yield from _fields_of(groups[name], parameter.default)
        elif name in notes:
            yield parameter.replace(annotation=Annotated[known[name].annotation, notes[name]])
        else:
            yield known.get(name, parameter)


def _fields_of(group: Any, default: Any) -> Iterator[inspect.Parameter]:
    kinds = get_type_hints(group)
    for each in fields(group):
        yield inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=getattr(default, each.name),
                                annotation=Annotated[kinds[each.name], each.metadata[ASKED]])  # fmt: skip
