"""The cache that tests by hand use."""

import pytest
import simpy

from tests.sim.cache.rig import Make, Rig


@pytest.fixture
def make(env: simpy.Environment, log: list[object]) -> Make:
    return lambda **parts: Rig(env, log, **parts)
