"""Loads the user's own parts and systems by name, from a file or an installed package, and checks them by a trial.

``sptf(ageing=0.006)`` is a part with arguments, ``mine.py:Lru2`` a part in a file, ``machine.py`` the only system in a
file. A package offers parts by the entry points ``spindle.policies``, ``.schedulers``, ``.drives``, ``.systems`` and
``.formats``.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial, partialmethod
from hashlib import blake2b
from os.path import isfile
from pathlib import Path
from traceback import extract_tb
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from spindle.sim.error import UserError, check_known, line_of, quote, unknown
from spindle.sim.eviction.policy import NeedsCapacity, make
from spindle.sim.inputs import protect_inputs, read_whole
from spindle.sim.offers import ENTRY_POINTS, installed_parts

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

NEEDED_METHODS = {"policy": ("insert", "touch", "choose", "remove", "__len__"),
           "scheduler": ("via", "attach", "add", "take", "__len__")}  # fmt: skip
"""Methods that a part of each kind must have."""
FILE = ".py:"
TRIAL_ENTRIES = 8
"""Capacity of a policy that is made on trial."""
PART_AND_ARGUMENTS = re.compile(r"([^()]*)(?:\((.*)\))?", re.DOTALL)
TYPES: dict[str, tuple[type, str]] = {}
"""By kind of part that another package defines, its class and where that is; that package enters both."""
_FILES: set[str] = set()
"""Files of the user's code that were loaded."""
_TEXTS: ContextVar[Mapping[str, str]] = ContextVar("_TEXTS", default=MappingProxyType({}))
"""Texts of files that another process has read for this one, which may not see the files."""


def part(kind: str, text: str, choices: Mapping[str, Any]) -> Any:
    """Return the part that *text* names, one of *choices* or the user's, with its arguments; UserError if unknown."""
    call = PART_AND_ARGUMENTS.fullmatch(text)
    if call is None:
        raise UserError(f"{_word(kind)} must be NAME or NAME(argument=value), not {quote(text)}")
    name, given = call[1], call[2]
    if name in choices and given is None:
        return choices[name]
    value = choices[name] if name in choices else _own(kind, name, choices)
    ready = value if given is None else _apply(f"{_word(kind)} {name}", value, given)
    _check(kind, text, ready, choices)
    return ready


def split(text: str) -> list[str]:
    """Split names at commas, except at those within parentheses."""
    return re.split(r",(?![^()]*\))", text)


def sources(kind: str, texts: Iterable[str]) -> dict[str, str]:
    """Return the sources of the user's parts among *texts*, by file or package: kept results depend on them."""
    found: dict[str, str] = {}
    for name in {_with_attribute(kind, text.partition("(")[0]) for text in texts}:
        entry = installed_parts(kind).get(name)
        if kind in ENTRY_POINTS and FILE in name:
            file = name.rpartition(":")[0]
            found[file] = _text(file)
        elif entry is not None:
            _load(name, entry)
            found[name] = inspect.getsource(sys.modules[entry.module])
    return dict(sorted(found.items()))


def _word(kind: str) -> str:
    return kind.replace("_", "-")


def _with_attribute(kind: str, name: str) -> str:
    """FILE.py:NAME where *name* is a FILE.py that has one value of a kind in TYPES, else *name*."""
    if kind not in TYPES or not name.endswith(".py"):
        return name
    found = [each for each, value in vars(_module(name, _text(name))).items() if isinstance(value, TYPES[kind][0])]
    return f"{name}:{found[0]}" if len(found) == 1 else name


def _own(kind: str, name: str, choices: Mapping[str, Any]) -> Any:
    name = _with_attribute(kind, name)
    if kind in ENTRY_POINTS and FILE in name:
        return value_in_file(name)
    offered = installed_parts(kind)
    if name not in offered and kind in ENTRY_POINTS and (name.endswith(".py") or isfile(name)):
        ways = "FILE.yaml or FILE.py:NAME" if kind == "drive" else "FILE.py:NAME"
        raise UserError(f"{_word(kind)} {quote(name)} is a file, and must be given as {ways}")
    if name not in offered:
        raise unknown(_word(kind), name, [*choices, *offered])
    return _load(name, offered[name])


def value_in_file(name: str) -> Any:
    """Return the value that FILE.py:NAME names."""
    file, _, attribute = name.rpartition(":")
    module = _module(file, _text(file))
    if attribute.startswith("_") or not hasattr(module, attribute):
        raise unknown(f"name in {file}", attribute, [each for each in vars(module) if _is_of(module, each)])
    return getattr(module, attribute)


def is_own(file: str) -> bool:
    """Tell if code of *file* is the user's."""
    return file in _FILES


def place_of(error: BaseException) -> str:
    """The line of a user's own code that raised *error*; empty where other code did."""
    line = line_of(error)
    return line if is_own(line.rpartition(", line ")[0]) else ""


def _is_of(module: ModuleType, name: str) -> bool:
    """Tell if *module* defines *name*, and did not just import it."""
    value = getattr(module, name)
    if name.startswith("_") or isinstance(value, ModuleType | int | float | str):
        return False
    return not callable(value) or getattr(value, "__module__", None) == module.__name__


def _load(name: str, entry: "EntryPoint") -> Any:
    try:
        value = entry.load()
    except (Exception, SystemExit) as error:
        package = entry.dist.name if entry.dist is not None else entry.module
        raise UserError(f"{name} of the package {package} cannot be imported: {error_text(error)}") from error
    _FILES.add(str(sys.modules[entry.module].__file__))
    return value


@contextmanager
def use_texts(texts: Mapping[str, str]) -> Iterator[None]:
    """Use *texts* as the contents of files, whatever this machine has in their places."""
    token = _TEXTS.set(texts)
    try:
        yield
    finally:
        _TEXTS.reset(token)


def _text(file: str) -> str:
    protect_inputs(Path(file))
    texts = _TEXTS.get()
    return texts[file] if file in texts else read_whole(Path(file))


@cache
def _module(file: str, text: str) -> ModuleType:
    """Import the module in *file* under a unique name, so that it hides no other."""
    name = f"{Path(file).stem}_{blake2b(text.encode(), digest_size=8).hexdigest()}"
    module = sys.modules[name] = ModuleType(name)
    module.__file__ = file
    _FILES.add(file)
    try:
        exec(compile(text, file, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        lines = [each.lineno for each in extract_tb(error.__traceback__) if each.filename == file]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else 1
        raise UserError(f"{file}, line {line}: {error_text(error)}") from error
    from cloudpickle import register_pickle_by_value

    register_pickle_by_value(module)  # other processes get what it defines, and need not find its file
    return module


def error_text(error: BaseException) -> str:
    """Describe a failure of code outside of Spindle on one line."""
    what = error.msg if isinstance(error, SyntaxError) else error
    return " ".join(f"{type(error).__name__}: {what}".split()).removesuffix(":")


def _apply(name: str, value: Any, text: str) -> Any:
    """Apply *value*, which makes a part, to the arguments in *text*: ``ageing=0.006, depth=8``."""
    if not callable(value):
        raise UserError(f"{name} takes no arguments")
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Name)  # else there are parentheses after these
        given = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    except (AssertionError, MemoryError, RecursionError, SyntaxError, TypeError, ValueError):
        raise UserError(f"{name} takes arguments such as (name=0.5, other=3), not {quote(f'({text})')}") from None
    if call.args or "None" in given:
        raise UserError(f"{name} takes its arguments by name, such as (name=0.5), not {quote(f'({text})')}")
    if len(given) < len(call.keywords):
        raise UserError(f"{name} takes each argument once, not {quote(f'({text})')}")
    known = inspect.signature(value).parameters
    if not any(each.kind is each.VAR_KEYWORD for each in known.values()):
        check_known(f"argument of {name}", known, *given)
    if isinstance(value, type) and issubclass(value, NeedsCapacity):  # whoever makes it gives it its capacity
        return type(value.__name__, (value,), {"__init__": partialmethod(value.__init__, **given)})
    return partial(value, **given)


def _check(kind: str, text: str, value: Any, choices: Mapping[str, Any]) -> None:
    """Raise UserError if *value* is no part of that *kind*, or cannot be made."""
    if kind == "drive":
        from spindle.sim.disc.mechanism import DiscType

        kinds = tuple(dict.fromkeys(type(each) for each in choices.values())) or (DiscType,)
        if not isinstance(value, kinds):
            raise UserError(f"{quote(text)} is no drive: a drive is a {' or a '.join(each.__name__ for each in kinds)}")
    if kind in TYPES and not isinstance(value, TYPES[kind][0]):
        wanted, place = TYPES[kind]
        raise UserError(f"{quote(text)} is no {kind}: a {kind} is a {wanted.__name__}, of {place}")
    if kind in NEEDED_METHODS:
        made = _try_to_make(kind, text, value)
        lacks = [name for name in NEEDED_METHODS[kind] if not hasattr(made, name)]
        if lacks:
            raise UserError(f"{quote(text)} is no {kind}: it has no {' and no '.join(lacks)}")


def _try_to_make(kind: str, text: str, value: Any) -> Any:
    """Make one such part, to see whether there can be any."""
    if not callable(value):
        raise UserError(f"{quote(text)} makes no {kind}: a class does, or a function that returns one")
    try:
        return make(value, TRIAL_ENTRIES) if kind == "policy" else value()
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"{quote(text)} cannot be made: {error_text(error)}") from error
