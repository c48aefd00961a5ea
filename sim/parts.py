"""Registers the parts built on a SimPy environment, so that a run can check the laws of all and cite their sources."""

from math import ulp
from weakref import WeakKeyDictionary, ref

import simpy

_BUILT: WeakKeyDictionary[simpy.Environment, list[ref[object]]] = WeakKeyDictionary()
"""Parts by environment. Parts refer to their environment, so references are weak: else neither would ever be freed."""


def register(env: simpy.Environment, part: object) -> None:
    """Note that *part* was built on *env*, so that every run checks its laws."""
    _BUILT.setdefault(env, []).append(ref(part))


def parts_on(env: simpy.Environment) -> list[object]:
    """All parts on *env* that are still in use, in the order in which they were built."""
    return [part for each in _BUILT.get(env, ()) if (part := each()) is not None]


_BUILT_OF: WeakKeyDictionary[simpy.Environment, dict[int, object]] = WeakKeyDictionary()


def credit(env: simpy.Environment, source: object) -> None:
    """Note that a part on *env* is built of *source*, the sheet of a drive or the class of a policy, to be cited."""
    _BUILT_OF.setdefault(env, {})[id(source)] = source


def credits_of(env: simpy.Environment) -> list[object]:
    """Return the sources of the parts on *env*, in the order in which they were noted."""
    return list(_BUILT_OF.get(env, {}).values())


class LawBroken(AssertionError):
    """The counters contradict each other: a fault of the simulation, not of its user."""


def agree(law: str, one: float, other: float, terms: float, now: float) -> None:
    """LawBroken unless *one* equals *other* within the rounding of a clock at *now* and of *terms* additions."""
    if abs(one - other) > 1e-9 * max(abs(one), abs(other)) + 8 * (terms + 1) * ulp(now):
        raise LawBroken(f"{law}: {one!r} is not {other!r}")
