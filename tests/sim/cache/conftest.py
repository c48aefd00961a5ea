"""A fixture that makes the cache (Rig) of the tests that count by hand."""

import pytest
import simpy

from tests.sim.cache.rig import Make, Rig


@pytest.fixture
def make(env: simpy.Environment, log: list[object]) -> Make:
    return lambda **parts: Rig(env, log, **parts)
