"""What a system's run asks the engine for: its load, window, seed, observer, and whether rows are kept."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from spindle.sim.measure import engine


def engine_calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return the list to which the arguments of each run of the engine are added."""
    calls: list[dict[str, Any]] = []
    run, signature = engine.run, inspect.signature(engine.run)

    def noted(*given: Any) -> Any:
        calls.append(dict(signature.bind(*given).arguments))
        return run(*given)

    monkeypatch.setattr(engine, "run", noted)
    return calls


def defaults(run: Callable[..., object]) -> dict[str, Any]:
    """Return the arguments of *run* that have a usual value, with it."""
    given = inspect.signature(run).parameters.values()
    return {each.name: each.default for each in given if each.default is not inspect.Parameter.empty}
