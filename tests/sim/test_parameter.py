"""Tests that parameters have a source and obey a rule."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, nan
from sys import float_info
from typing import Any

import pytest

from spindle.sim.error import UserError
from spindle.sim.parameter import (
    Described,
    ParameterSource,
    Rule,
    assumed,
    change,
    check,
    cited,
    describe,
    fitted,
    read_sources,
)


@dataclass(frozen=True)
class Some:
    seek: float = cited(0.028, "Jacobson 1982, p. 2", "s")
    buffers: int = assumed(40, "any", rule=Rule(low=1, high=100))
    factor: float = fitted(1.5, "B33", rule=Rule(positive=True))
    limit: float = assumed(1.0, "any", rule=Rule(0.0001, 536870912.0))
    name: str = assumed("one", "a label")

    def __post_init__(self) -> None:
        check(self)


def test_described() -> None:
    assert list(describe(replace(Some(), seek=0.03))) == [
        Described("seek", 0.03, "s", "cited", "Jacobson 1982, p. 2"),
        Described("buffers", 40, "1", "assumed", "any"),
        Described("factor", 1.5, "1", "fitted", "B33"),
        Described("limit", 1.0, "1", "assumed", "any"),
        Described("name", "one", "1", "assumed", "a label"),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seek": nan}, "seek must be a finite number, not nan"),
        ({"seek": inf}, "seek must be a finite number, not inf"),
        ({"seek": 10**400}, f"seek must be a finite number, not {10**400}"),
        ({"seek": True}, "seek must be a finite number, not True"),
        ({"seek": "0.1"}, "seek must be a finite number, not '0.1'"),
        ({"seek": None}, "seek must be a finite number, not None"),
        ({"seek": -0.1}, "seek must be at least 0, not -0.1"),
        ({"buffers": 40.0}, "buffers must be a finite whole number, not 40.0"),
        ({"buffers": True}, "buffers must be a finite whole number, not True"),
        ({"buffers": 10**400}, f"buffers must be a finite whole number, not {10**400}"),
        ({"buffers": 0}, "buffers must be at least 1 and at most 100, not 0"),
        ({"buffers": 101}, "buffers must be at least 1 and at most 100, not 101"),
        ({"limit": 536870913.0}, "limit must be at least 0.0001 and at most 536870912, not 536870913.0"),
        ({"factor": 0.0}, "factor must be positive, not 0.0"),
        ({"name": 5}, "name must be str, not 5"),
    ],
)
def test_what_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(UserError) as caught:
        change(Some(), **changes)
    assert str(caught.value) == message


def test_what_is_taken() -> None:
    assert change(Some(), seek=0, buffers=100, factor=1e-9) == Some(0, 100, 1e-9)
    assert change(Some()) == Some()


def test_an_unknown_name() -> None:
    with pytest.raises(UserError, match=r"unknown parameter 'bufers': did you mean buffers\?"):
        change(Some(), bufers=3)


@pytest.mark.parametrize(("source", "kind"), [(cited, "cited"), (assumed, "assumed"), (fitted, "fitted")])
def test_a_parameter_has_its_value_its_source_its_unit_and_its_rule(source: Callable[..., Any], kind: str) -> None:
    @dataclass(frozen=True)
    class One:
        seek: float = source(0.5, "p. 3", "s", Rule(positive=True))
        plain: float = source(2.0, "p. 4")
        __post_init__ = check

    assert list(describe(One())) == [
        Described("seek", 0.5, "s", kind, "p. 3"), Described("plain", 2.0, "1", kind, "p. 4")]  # fmt: skip
    assert One(plain=0.0).plain == 0.0
    for changes, says in (({"seek": 0.0}, "^seek must be positive, not 0.0$"),
                          ({"plain": -1.0}, "^plain must be at least 0, not -1.0$")):  # fmt: skip
        with pytest.raises(UserError, match=says):
            One(**changes)


def test_a_source_is_read_from_text() -> None:
    """Its kind ends at the first colon."""
    assert read_sources({"seek": "cited: its manual: p. 3", "rpm": "assumed: as others"}) == {
        "seek": ParameterSource("cited", "its manual: p. 3"),
        "rpm": ParameterSource("assumed", "as others"),
    }


def test_the_largest_number_is_one() -> None:
    assert Some(seek=float_info.max).seek == float_info.max
