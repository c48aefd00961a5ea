"""How a value of a sweep is written in a table: numbers and text as they are, everything else by a readable name."""

import re
from collections.abc import Mapping

from sim.error import LONGEST

PLAIN = (bool, int, float, str)
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""An object's address in its repr, which differs from run to run."""


def label(value: object) -> object:
    """*value* if it is a number or text; else its ``__name__``, its ``name``, or its repr without addresses.

    A list has the labels of what is in it.
    """
    if isinstance(value, PLAIN):
        return value
    if type(value) is list:
        return "[" + ", ".join(repr(each) if isinstance(each, PLAIN) else str(label(each)) for each in value) + "]"
    for attribute in ("__name__", "name"):
        name = getattr(value, attribute, None)
        if isinstance(name, str):
            return name
    return ADDRESS.sub("", repr(value))


def labels(point: Mapping[str, object]) -> dict[str, object]:
    return {name: label(value) for name, value in point.items()}


def named(point: Mapping[str, object]) -> str:
    """*point* as a mistake names it: ``terminals=63, caching=True``; nothing at full length that has no end."""
    texts = {name: str(text) for name, text in labels(point).items()}
    return ", ".join(f"{name}={text if len(text) <= LONGEST else text[:LONGEST - 3] + '...'}"
                     for name, text in texts.items()) or "without arguments"
