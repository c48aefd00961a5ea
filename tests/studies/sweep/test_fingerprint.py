"""Fingerprints: equal for what is equal in every process, different for what is not."""

import dataclasses
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from io import StringIO
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest

from spindle.models import hp3000
from spindle.models.max_iv.run import run as max_iv_run
from spindle.sim.disc.sheets import SHEETS
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.studies.sweep.fingerprint import fingerprint
from spindle.studies.sweep.grid import Grid, Keys

ROOT = Path(__file__).parents[3]


class Colour(Enum):
    RED = 1
    BLUE = 2


class Whole(int):
    pass


@dataclass(frozen=True)
class Drive:
    name: str
    rpm: float


class Plain:
    def __init__(self, size: int) -> None:
        self.size = size


class Slots:
    __slots__ = ("size",)

    def __init__(self, size: int) -> None:
        self.size = size


def run(a: int) -> int:
    return a + 1


def adder(step: int) -> Callable[[int], int]:
    return lambda a: a + step


DIFFERENT: list[Any] = [
    None, True, 1, 1.0, -0.0, 0.0, "1", b"1", 1j, 2**100, float("nan"), (1,), [1], {1}, {"a": 1}, {"a": 2}, {"b": 1},
    Colour.RED, Colour.BLUE, Whole(1), Whole(2), Drive("a", 1.0), Drive("b", 1.0), Plain(1), Plain(2), Slots(1),
    Slots(2), Decimal("1"), Decimal("1.0"), Fraction(1, 2), Path("1"), run, adder, adder(1), adder(2), partial(run, 1),
    partial(run, 2), partial(run, a=1), partial(run, a=2), int, print, lambda a: a + 1, lambda a: a + 2,
    lambda a: a - 1, Plain(1).__init__, Plain(2).__init__,
    np.array([1, 2]), np.array([1.0, 2.0]), np.array([[1, 2]]), range(3), *SHEETS,
]  # fmt: skip


def test_whatever_is_different_has_another_one() -> None:
    prints = [fingerprint(value) for value in DIFFERENT]
    assert len(set(prints)) == len(DIFFERENT)


def test_equal_things_have_the_same() -> None:
    assert fingerprint(Plain(1)) == fingerprint(Plain(1))
    assert fingerprint(adder(1)) == fingerprint(adder(1))
    assert fingerprint(np.int64(1)) == fingerprint(1)
    assert fingerprint({"x", "y", "z"}) == fingerprint({"z", "y", "x"})


def test_it_is_what_it_was_so_that_kept_runs_are_found() -> None:
    value = (1, 0.5, "a", None, range(3), deque([1]), {"b": [2]}, "\ud800")
    assert fingerprint(value).hex() == "94cdacb17484e4aab6dbc1496665c651"


def test_a_circle_ends() -> None:
    one, other = Plain(1), Plain(1)
    one.size = other  # type: ignore[assignment]
    other.size = one  # type: ignore[assignment]
    assert fingerprint(one) == fingerprint(other)


def test_what_cannot_be_told_from_another_is_refused() -> None:
    with pytest.raises(UserError, match=r"^a sweep that is kept cannot take <unlocked _thread.lock object>: "):
        fingerprint(Lock())


NOTEBOOK = """
FACTOR = {factor}
def helper(x): return x * {inner}
def run(x): return helper(x) * FACTOR
"""


def test_an_edit_of_what_a_notebook_calls_is_an_edit() -> None:
    prints = set()
    for factor, inner in ((1, 1), (2, 1), (1, 2), (1, 1)):
        cells: dict[str, Any] = {"__name__": "__main__"}
        exec(NOTEBOOK.format(factor=factor, inner=inner), cells)
        prints.add(fingerprint(cells["run"]))
    assert len(prints) == 3


PRINT = """
from spindle.models import hp3000
from spindle.models.max_iv.run import run as max_iv_run
from spindle.sim.disc.sheets import SHEETS
from spindle.studies.sweep.fingerprint import fingerprint
from spindle.models.hp3000 import run
print(fingerprint((run, SHEETS, {"b", "a", "c"}, frozenset("xyz"), lambda a: a in {"p", "q", "r"})).hex())
"""


def test_the_same_in_every_process() -> None:
    """In this one, and in one of another hash seed."""
    seed = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
    ran = subprocess.run([sys.executable, "-c", PRINT], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, text=True,
                         capture_output=True, check=True)  # fmt: skip
    with redirect_stdout(StringIO()) as here:
        exec(PRINT, {"__name__": "__main__"})
    assert ran.stdout == here.getvalue()


def test_keys_follow_values_and_not_places() -> None:
    small, large = Grid({"a": [1, 2], "b": ["x"]}), Grid({"b": ["y", "x"], "a": [0, 1, 2]})
    short, long = Keys(run, small, "s"), Keys(run, large, "s")
    assert [small[index] for index in range(2)] == [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]
    assert [short[index] for index in range(2)] == [long[4], long[5]]
    assert len({long[index] for index in range(6)}) == 6
    assert Keys(run, small, "edited")[0] != short[0] != Keys(adder, small, "s")[0]


def test_what_is_of_spindle_goes_by_its_name_wherever_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint((Lru(), hp3000.run))
    monkeypatch.setattr(Lru, "__module__", "spindle.sim.eviction.recency")
    monkeypatch.setattr(hp3000.run, "__module__", "spindle.models.hp3000.trial")
    assert fingerprint((Lru(), hp3000.run)) == before
    assert fingerprint(hp3000.run) != fingerprint(max_iv_run)


def test_a_field_that_was_added_tells_apart_only_what_is_not_its_default() -> None:
    """So runs that were kept before it are still found."""
    def drive(**more: Any) -> Any:
        fields = [("name", str), ("rpm", float), *((name, int, of) for name, of in more.items())]
        return dataclasses.make_dataclass("Drive", fields)("a", 3600.0)

    added = dataclasses.field(default=1, metadata={"added": True})
    assert fingerprint(drive(heads=added)) == fingerprint(drive())
    assert fingerprint(drive(heads=dataclasses.field(default=1))) != fingerprint(drive())
    assert fingerprint(dataclasses.replace(drive(heads=added), heads=2)) != fingerprint(drive())
    told = dataclasses.field(default=0, compare=False, metadata={"added": True})
    assert fingerprint(dataclasses.replace(drive(year=told), year=1983)) == fingerprint(drive())


def test_arrays_differ_by_their_type_their_shape_and_their_numbers() -> None:
    arrays = [np.array([1, 2], "i4"), np.array([1, 2], "i8"), np.array([1.0, 2.0]), np.array([[1, 2]])]
    assert len({fingerprint(array) for array in [*arrays, np.array([2, 1])]}) == 5
    assert fingerprint(np.array([1, 2], "i4")) == fingerprint(arrays[0])


def made(text: str, module: str = "notebook", **names: object) -> object:
    return eval(text, {"__name__": module, **names})


def test_it_is_told_which_name_of_a_notebook_has_a_number() -> None:
    both = made("lambda: A + B", A=1, B=[]), made("lambda: A + B", A=[], B=1)
    assert fingerprint(both[0]) != fingerprint(both[1])
    assert fingerprint(both[0]) == fingerprint(made("lambda: A + B", A=1, B=[]))
    assert fingerprint(made("lambda: A", A=None)) == fingerprint(made("lambda: A"))


def test_a_function_is_told_by_its_defaults_and_not_by_what_other_modules_do() -> None:
    texts = ("lambda a=1: a", "lambda a=2: a", "lambda *, a=1: a", "lambda *, a=2: a")
    assert len({fingerprint(made(text)) for text in texts}) == 4
    for module, same in (("library", True), ("notebook", False)):
        one, two = (made("lambda: f()", f=made(f"lambda: {number}", module)) for number in (1, 2))
        assert (fingerprint(one) == fingerprint(two)) is same


def test_what_has_no_name_goes_by_its_code_even_in_spindle() -> None:
    one, two = (made(f"lambda: {number}", "spindle.made") for number in (1, 2))
    assert fingerprint(one) != fingerprint(two)
