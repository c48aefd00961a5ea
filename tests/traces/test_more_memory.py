"""Tests that more memory never has fewer hits if the policy is a stack (Mattson et al. 1970), in curves and cache."""

from itertools import pairwise

import numpy as np
import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.cache.block_cache import BlockCache
from spindle.sim.clock import Account, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import READ, access
from spindle.traces.curves import hit_curves

STRINGS = st.lists(st.integers(0, 11), min_size=1, max_size=60)
SIZES = list(range(1, 13))
PAGE = 512


@pytest.mark.parametrize("policy", ["lru", "belady", "belady-min"])
@given(string=STRINGS, early=st.integers(0, 9))
def test_a_curve_never_falls(policy: str, string: list[int], early: int) -> None:
    early = min(early, len(string) - 1)
    hits = [row.hits for row in hit_curves(np.array(string), [policy], SIZES, early=early)]
    assert all(fewer <= more for fewer, more in pairwise(hits))
    assert hits[-1] == len(string) - early - len(set(string) - set(string[:early]))


def block_cache_hits(string: list[int], frames: int) -> int:
    env = simpy.Environment()
    memory = SharedMemory(env, frames * PAGE, Lru(), PAGE)
    cache = BlockCache(env, Drive(env, FixedService(0.01)), PAGE, memory)

    def program() -> Wait:
        for block in string:
            yield from cache.read(access(READ, block * PAGE, PAGE, Account("program")))

    env.process(program())
    env.run()
    return cache.hits


@given(string=STRINGS)
def test_a_block_cache_of_lru_never_has_fewer(string: list[int]) -> None:
    hits = [block_cache_hits(string, frames) for frames in (1, 2, 3, 5, 8, 12)]
    assert all(fewer <= more for fewer, more in pairwise(hits))
    assert hits == [row.hits for row in hit_curves(np.array(string), ["lru"], (1, 2, 3, 5, 8, 12))]
