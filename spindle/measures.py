"""Looks up measures of runs by name, with unit, label and definition from ``measures.toml``; checks their bounds."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.sim.error import unknown
from spindle.sim.parts import LawBroken
from spindle.sim.quantity import TAILS, unit_of

if TYPE_CHECKING:
    from spindle.sim.measure.result import Result

MEASURES_FILE = Path(__file__).with_suffix(".toml")
"""The file that defines all measures."""
PHASE_GROUP = "parts"
"""The group of the file that names the phases of a response."""
BOUND_KINDS, KINDS_OF_TRACES = "kinds", "kinds_of_traces"
"""The groups of the file with the kinds of numbers, which decide the bounds, of runs and of replays."""
SHARE, SIGNED, AMOUNT = "share", "signed", "amount"
"""Kinds of numbers: from 0 to 1; of either sign; not negative."""
ROUNDING = 1e-9
"""The distance that a number may be beyond its bound, by rounding."""
PHASE_PREFIX = "part_"
"""Beginning of the names of measures that are the time of one phase of a response."""
STATISTIC_WORDS = {"mean": "mean", "median": "median", "p95": "95th percentile", "p99": "99th percentile",
              "p999": "99.9th percentile", "p9999": "99.99th percentile", "sd": "standard deviation",
              "max": "longest", "min": "shortest"}  # fmt: skip
"""Words for the ending of a name that is a statistic."""

SHORT_NAMES = {**{tail: f"response_{tail}" for tail in TAILS.split("|")}, "p99.9": "response_p999",
               "p99.99": "response_p9999", "p50": "response_median", "iops": "throughput", "bw": "bandwidth",
               "latency": "response_mean"}  # fmt: skip
"""Names of measures by short or common words for them."""
MEDIAN_ENDING = re.compile(r"(?<=_)p50$")
"""Matches the end of another name of a median: ``read_p50``."""


def full_name(text: str) -> str:
    """Return *text*, a measure or a condition that begins with one, with its name in full: ``p95 <= 2``."""
    word = re.match(r"\s*[\w.]*", text)
    assert word is not None, "no character is enough"
    name = SHORT_NAMES.get(word[0].strip().lower(), word[0])
    return f"{MEDIAN_ENDING.sub('median', name)}{text[word.end() :]}"


@dataclass(frozen=True)
class Measure:
    """A number of a run's summary: its *label* on an axis, and its definition, *says*."""

    name: str
    label: str
    says: str

    @property
    def unit(self) -> str:
        return unit_of(self.name)


@cache
def _table() -> Mapping[str, Mapping[str, tuple[str, str]]]:
    return {group: {name: (label, says) for name, (label, says) in rows.items()}
            for group, rows in _file().items() if not group.startswith(BOUND_KINDS)}


@cache
def _file() -> Mapping[str, Mapping[str, list[str]]]:
    return tomllib.loads(MEASURES_FILE.read_text("utf-8"))


def names() -> list[str]:
    """Return the names, and patterns of names, that the file defines."""
    return [name for group, rows in _table().items() if group != PHASE_GROUP for name in rows]


@cache
def find_measure(name: str) -> Measure | None:
    """Return the measure *name*; None where the file does not define it."""
    rows = {each: texts for group, table in _table().items() if group != PHASE_GROUP for each, texts in table.items()}
    if name in rows and "*" not in name:
        return Measure(name, *rows[name])
    for pattern, (label, says) in rows.items():
        begin, star, end = pattern.partition("*")
        if star and name.startswith(begin) and name.endswith(end) and len(name) > len(begin) + len(end):
            middle = _words(name, name[len(begin) : len(name) - len(end)])
            return Measure(name, label.replace("{}", middle), says.replace("{}", middle))
    return None


def _words(name: str, middle: str) -> str:
    parts = _table()[PHASE_GROUP]
    if name.startswith(PHASE_PREFIX) and middle in parts:
        return parts[middle][0]
    return STATISTIC_WORDS.get(middle, middle.replace("_", " "))


def measure(name: str) -> Measure:
    """Return the measure *name*; UserError, with the nearest names, if it is unknown."""
    found = find_measure(name) or find_measure(full_name(name))
    if found is None:
        raise unknown("measure", name, [each for each in (*names(), *SHORT_NAMES) if "*" not in each])
    return found


def label_of(name: str) -> str:
    """Return the axis label of the column *name*, without its unit: from the table, else its name."""
    found = find_measure(name)
    return name.replace("_", " ") if found is None else found.label


def axis_label(name: str, unit: str) -> str:
    """Return the axis label with *unit*: ``mean response, s``, ``throughput, 1/s``; a share or a count has none."""
    return label_of(name) if unit in ("", "1") else f"{label_of(name)}, {unit}"


# The laws of every answer: a share is in 0 to 1, and no count, no time and no size is negative.

@cache
def kind_of(name: str) -> str:
    """Return the kind of the number called *name*, which decides its bounds: SHARE, SIGNED or AMOUNT."""
    return next((kind for table in (BOUND_KINDS, KINDS_OF_TRACES) for kind, patterns in _file()[table].items()
                 if any(fnmatchcase(name, pattern) for pattern in patterns)), AMOUNT)


def within_bounds(numbers: dict[str, Any]) -> dict[str, Any]:
    """Return *numbers*; LawBroken where one, or one nested in it, is beyond its bounds. Text, None and nan pass."""
    for name, value in numbers.items():
        _check_bounds(name, value, kind_of(name))
    return numbers


def _check_bounds(name: str, value: object, kind: str) -> None:
    if isinstance(value, Mapping):
        for each, within in value.items():
            _check_bounds(str(each), within, kind if kind != AMOUNT else kind_of(str(each)))
    elif isinstance(value, list | tuple):
        for within in value:
            _check_bounds(name, within, kind)
    elif isinstance(value, int | float):
        if kind != SIGNED and value < -ROUNDING:
            raise LawBroken(f"{name} is {value!r}, and never negative")
        if kind == SHARE and value > 1.0 + ROUNDING:
            raise LawBroken(f"{name} is {value!r}, and a share of 1 at most")


def check_measures(result: "Result") -> "Result":
    """Return *result*; LawBroken where a measure that the file defines is beyond its bounds."""
    within_bounds({name: value for name, value in result.extras.items() if find_measure(name) is not None})
    within_bounds({f"the counter {name}": value for name, value in result.counters.items()})
    return result
