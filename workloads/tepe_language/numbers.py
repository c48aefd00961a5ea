"""The numbers of a terminal script, each within its bounds."""

from math import isfinite

from lark import Token, Tree

from sim.streams import Constant, Distribution, Exponential, Uniform
from sim.units import MINUTE, MS, SECOND
from workloads.tepe_language.source import Source, safe

LARGEST = 1e9
"""No time in seconds, no rate and no count may be larger; 1e9 s are 32 years."""

SLOWEST = 1e-3
"""No rate a second may be smaller: at this one a word takes hours, and with a much smaller one longer than for ever."""

_UNITS = {"S": SECOND, "MS": MS, "MIN": MINUTE}


def read_number(source: Source, token: Token, what: str, most: float = LARGEST, scale: float = 1.0) -> float:
    """The number *token* times *scale*, from 0 to *most*; *what* names it in a mistake."""
    value = float(token) * scale + 0.0  # so that -0 is 0
    line, column = place(token)
    if not isfinite(value):
        raise source.error(line, column, f"{safe(token, 40)} is not a finite number")
    if value < 0.0:
        raise source.error(line, column, f"{what} cannot be negative, like {safe(token, 40)}")
    if value > most:
        raise source.error(line, column, f"{what} can be {most:,.0f} at most, not {safe(token, 40)}")
    return value


def read_positive(source: Source, token: Token, what: str, most: float = LARGEST) -> float:
    """The number *token*, which zero would make senseless."""
    value = read_number(source, token, what, most)
    if value == 0.0:
        raise source.error(*place(token), f"{what} must be more than zero")
    return value


def read_rate(source: Source, token: Token, what: str) -> float:
    """The number *token* of characters or bits a second."""
    value = read_positive(source, token, what)
    if value < SLOWEST:
        raise source.error(*place(token), f"{what} must be at least {SLOWEST:g}, not {safe(token, 40)}")
    return value


def read_count(source: Source, token: Token, what: str, most: float = LARGEST) -> int:
    """The whole number *token*, at least one."""
    value = read_positive(source, token, what, most)
    if not value.is_integer():
        raise source.error(*place(token), f"{what} must be a whole number, not {safe(token, 40)}")
    return int(value)


def read_time(source: Source, tree: Tree[Token]) -> float:
    """The seconds of a ``time``: a number and perhaps its unit."""
    number, *unit = tokens(tree)
    return read_number(source, number, "a time in seconds", scale=_UNITS[unit[0].type] if unit else SECOND)


def read_distribution(source: Source, tree: Tree[Token]) -> Distribution:
    """A ``constant``, ``exponential`` or ``uniform``, as a Distribution."""
    times = [read_time(source, child) for child in trees(tree)]
    if tree.data == "constant":
        return Constant(times[0])
    if tree.data == "exponential":
        return Exponential(times[0])
    low, high = times
    if high < low:
        raise source.error(*place(tree), f"UNIFORM runs backwards, from {low:g} to {high:g} s")
    return Uniform(low, high)


def place(item: Token | Tree[Token]) -> tuple[int, int]:
    """The line and the column where *item* begins."""
    where = item.meta if isinstance(item, Tree) else item
    assert where.line is not None
    assert where.column is not None
    return where.line, where.column


def tokens(tree: Tree[Token]) -> list[Token]:
    return [child for child in tree.children if isinstance(child, Token)]


def trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in tree.children if isinstance(child, Tree)]
