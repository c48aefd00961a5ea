"""The parts that were built on an environment: a run checks all that it uses, listed by a machine or not."""

from weakref import WeakKeyDictionary, ref

import simpy

_BUILT: WeakKeyDictionary[simpy.Environment, list[ref[object]]] = WeakKeyDictionary()
"""Parts refer to their environment, so they are held weakly: else neither would ever be freed."""


def register(env: simpy.Environment, part: object) -> None:
    """*part*, which was just built on *env*, is under the laws of every run of it."""
    _BUILT.setdefault(env, []).append(ref(part))


def registered(env: simpy.Environment) -> list[object]:
    """All parts on *env* that are still in use, in the order in which they were built."""
    return [part for each in _BUILT.get(env, ()) if (part := each()) is not None]
