"""Turns values into text: JSON without NaN, labels of values, counts with a noun, cells of CSV safe to open."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TypeVar

from spindle.sim.error import MAX_QUOTED, plain

# What is printed as JSON, which has no NaN and no infinity: both become null.

def json_text(content: object, indent: int | None = 2, default: Callable[[object], object] | None = None) -> str:
    """Return *content* as JSON; *default* converts a value that JSON does not know."""
    return json.dumps(_finite(content), indent=indent, default=default, allow_nan=False)


def _finite(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value


# How a value of a sweep is written in a table: numbers and text as they are, everything else by a readable name.

PLAIN = (bool, int, float, str)
"""Types of values that are their own labels."""
ADDRESS_IN_REPR = re.compile(r" at 0x[0-9a-fA-F]+")
"""Matches an object's address in its repr, which differs from run to run."""


def label(value: object) -> object:
    """Return *value* if it is a number or text; else its ``__name__``, its ``name``, or its repr without addresses.

    The label of a list has the labels of its values.
    """
    if isinstance(value, PLAIN):
        return value
    if type(value) is list:
        return "[" + ", ".join(repr(each) if isinstance(each, PLAIN) else str(label(each)) for each in value) + "]"
    for attribute in ("__name__", "name"):
        name = getattr(value, attribute, None)
        if isinstance(name, str):
            return name
    return ADDRESS_IN_REPR.sub("", repr(value))


def labels(point: Mapping[str, object]) -> dict[str, object]:
    """Return *point* with labels in place of its values."""
    return {name: label(value) for name, value in point.items()}


def point_text(point: Mapping[str, object]) -> str:
    """Format *point* for an error message: ``terminals=63, caching=True``; long values are cut."""
    texts = {name: str(text) for name, text in labels(point).items()}
    return ", ".join(f"{name}={text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED - 3] + '...'}"
                     for name, text in texts.items()) or "without arguments"


T = TypeVar("T")


def plural(count: float, noun: str) -> str:
    """Format a count: ``1 block``, ``2,000 blocks``, ``0.5 minutes``, ``2 misses``."""
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:{',' if isinstance(count, int) else 'g'}} {noun}{ending}"


def thin_out(values: Sequence[T], most: int) -> list[T]:
    """Choose at most *most* of *values*, evenly from the first to the last."""
    if len(values) <= most:
        return list(values)
    return [values[round(place * (len(values) - 1) / (most - 1))] for place in range(most)]


# Text as a cell of a table: nothing that a spreadsheet computes, and nothing that ends the cell before its time.

FORMULA_START = re.compile(r"'*[=+\-@#\t\r]")
"""Matches text that a spreadsheet would compute, or a reader skip, with any number of apostrophes before it."""
QUOTED_FORMULA_START = re.compile(r"'+[=+\-@#\t\r]")
"""Matches such text behind an apostrophe at least."""
QUOTED_CHARACTERS = re.compile(r'[",\n\r]')
"""Matches a character for which a cell is put between quotation marks."""


def quote_formula(text: str) -> str:
    """Return *text*, after an apostrophe if it begins like a formula."""
    return f"'{text}" if FORMULA_START.match(text) else text


def unquote(value: object) -> object:
    """Undo ``quote_formula``."""
    return value[1:] if isinstance(value, str) and QUOTED_FORMULA_START.match(value) else value


def csv_cell(text: str) -> str:
    """Return *text* as a cell of a line of CSV, without control characters."""
    return quote_cell(quote_formula(plain(text)))


def quote_cell(cell: str) -> str:
    """Quote *cell* so that every reader takes it as one: Python's writer, before 3.13, leaves carriage returns bare."""
    return '"' + cell.replace('"', '""') + '"' if QUOTED_CHARACTERS.search(cell) else cell
