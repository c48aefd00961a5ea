"""An assumed parameter halved or doubled: the value that is then really used, within the parameter's rule."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from sim.parameter import Rule

FACTORS = (0.5, 2.0)


@dataclass(frozen=True)
class Variant:
    """The *parameter* at *value*, which is its *usual* one times *factor*, rounded and kept within its rule."""

    parameter: str
    factor: float
    usual: float
    value: float

    @property
    def name(self) -> str:
        return f"{self.parameter} x {self.factor:g}"

    @property
    def changes(self) -> Mapping[str, float]:
        """What to give to a run."""
        return {self.parameter: self.value}



def variants(parameters: Any) -> list[Variant]:
    """Every assumed number of *parameters*, halved and doubled, as far as that makes it another one."""
    return [each for each in _all(parameters) if each.value != each.usual]


def left_out(parameters: Any) -> list[Variant]:
    """Those that would be the usual value once more: a zero, one disc halved, a share at its bound."""
    return [each for each in _all(parameters) if each.value == each.usual]


def between(parameters: Any, name: str, share: float) -> float:
    """The value of *name* at so large a *share* of the way from half to double its usual one, in equal ratios."""
    rules = {each.name: each.metadata["rule"] for each in fields(parameters)}
    return _within(rules[name], getattr(parameters, name), FACTORS[0] * (FACTORS[1] / FACTORS[0]) ** share)


def _all(parameters: Any) -> Iterator[Variant]:
    for each in fields(parameters):
        usual = getattr(parameters, each.name)
        if each.metadata["source"].kind == "assumed" and type(usual) in (int, float):
            for factor in FACTORS:
                yield Variant(each.name, factor, usual, _within(each.metadata["rule"], usual, factor))


def _within(rule: Rule, usual: float, factor: float) -> float:
    whole = isinstance(usual, int)
    least = max(rule.low, 1) if whole and rule.positive else rule.low
    value = min(max(usual * factor, least), rule.high)
    return round(value) if whole else value
