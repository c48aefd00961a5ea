"""Parameters of a model with their sources (cited, assumed or fitted) and with rules that check their values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from math import inf
from sys import float_info
from typing import Any, NamedTuple, TypeVar

from spindle.sim.error import UserError, check_known


class ParameterSource(NamedTuple):
    """The source of a parameter: its *kind* is cited, assumed or fitted; *note* is the citation, reason or claim."""

    kind: str
    note: str


def read_sources(texts: Mapping[str, str]) -> dict[str, ParameterSource]:
    """Read the sources of numbers from texts such as ``cited: its manual, p. 3``."""
    split = {name: text.partition(": ") for name, text in texts.items()}
    return {name: ParameterSource(kind, note) for name, (kind, _, note) in split.items()}


@dataclass(frozen=True)
class Rule:
    """The range of values that a parameter may have."""

    low: float = 0.0
    high: float = inf
    positive: bool = False

    def __str__(self) -> str:
        low = "positive" if self.positive else f"at least {_exact(self.low)}"
        return low if self.high == inf else f"{low} and at most {_exact(self.high)}"


def _exact(bound: float) -> str:
    """Return *bound* with all its digits, so that a refused value is seen to lie beyond it."""
    return repr(bound).removesuffix(".0")


def cited(value: Any, note: str, unit: str = "1", rule: Rule | None = None) -> Any:
    """A parameter that a source states."""
    return _parameter(value, ParameterSource("cited", note), unit, rule)


def assumed(value: Any, note: str, unit: str = "1", rule: Rule | None = None) -> Any:
    """A parameter without a published value; *note* has the reason for this one."""
    return _parameter(value, ParameterSource("assumed", note), unit, rule)


def fitted(value: Any, note: str, unit: str = "1", rule: Rule | None = None) -> Any:
    """A parameter fitted so that the model meets the claim that *note* names."""
    return _parameter(value, ParameterSource("fitted", note), unit, rule)


def _parameter(value: Any, source: ParameterSource, unit: str, rule: Rule | None) -> Any:
    return field(default=value, metadata={"source": source, "unit": unit, "rule": rule or Rule()})


class Described(NamedTuple):
    """A parameter as ``spindle parameters`` prints it."""

    name: str
    value: object
    unit: str
    kind: str
    note: str


def describe(parameters: Any) -> Iterator[Described]:
    for described in fields(parameters):
        source: ParameterSource = described.metadata["source"]
        yield Described(described.name, getattr(parameters, described.name), described.metadata["unit"], *source)


def check(parameters: Any) -> None:
    """UserError where a value is not a finite number within its rule; for a dataclass's ``__post_init__``."""
    for described in fields(parameters):
        value = getattr(parameters, described.name)
        wanted = type(described.default)
        if wanted in (int, float):
            _check_number(described.name, value, wanted, described.metadata["rule"])
        elif not isinstance(value, wanted):
            raise UserError(f"{described.name} must be {wanted.__name__}, not {value!r}")


def _check_number(name: str, value: object, wanted: type, rule: Rule) -> None:
    kind = "a finite whole number" if wanted is int else "a finite number"
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= float_info.max:
        raise UserError(f"{name} must be {kind}, not {value!r}")
    if wanted is int and not isinstance(value, int):
        raise UserError(f"{name} must be {kind}, not {value!r}")
    if value < rule.low or value > rule.high or (rule.positive and value <= 0):
        raise UserError(f"{name} must be {rule}, not {value!r}")


P = TypeVar("P")


def change(parameters: P, **changes: object) -> P:
    """Return *parameters* with *changes*; UserError for an unknown name, with the nearest known ones."""
    names = [each.name for each in fields(parameters)]  # type: ignore[arg-type]
    check_known("parameter", names, *changes)
    return replace(parameters, **changes)  # type: ignore[type-var]
