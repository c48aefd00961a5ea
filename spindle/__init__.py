"""Spindle: a discrete-event simulator of storage and the computer around it; the public names of its library.

A name is imported when first asked for, so that ``import spindle`` costs nothing and a page needs only what it uses.
"""

from importlib import import_module
from os.path import dirname, isdir, isfile, join

TOP = dirname(dirname(__file__))
if not isdir(join(__path__[0], "sim")) and isfile(join(TOP, "sim", "clock.py")):
    __path__.append(TOP)  # a checkout: sim, models and workloads lie beside this folder, and are spindle.sim, ...

with open(join(dirname(__file__), "__init__.pyi"), encoding="utf-8") as stub:
    IMPORTS = [line.split() for line in stub if line.startswith("from ")]
MODULES = {name: module for _, module, _, name, *_ in IMPORTS}
"""The module that defines each public name, as the stub for type checkers has it, a line for each."""

__all__ = [*sorted(MODULES), "__version__"]


def __getattr__(name: str) -> object:
    """The public *name*, from the module that defines it."""
    if name == "__version__":
        from spindle.version import VERSION

        return VERSION
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
