"""Tests blocks that arrive: they are pinned on their way, and as long as they are held."""

import pytest
import simpy

from spindle.sim.cache.blocks import BlockTable, Entry
from spindle.sim.clock import Account
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Span


@pytest.fixture
def blocks(env: simpy.Environment) -> BlockTable:
    """One block on its way, which has room."""
    blocks = BlockTable("cache", 5, SharedMemory(env, 10, Lru()), lambda blocks: iter(()))  # type: ignore[arg-type,return-value]
    env.process(blocks.claim(blocks.enter((1,)), Account("")))
    env.run()
    return blocks


def pinned(blocks: BlockTable, entry: Entry) -> bool:
    return blocks.memory.is_pinned(entry.key)


def test_it_is_pinned_while_it_arrives_and_while_it_is_held(blocks: BlockTable) -> None:
    entry = blocks.get(1)
    assert entry is not None
    blocks.pin(entry)
    blocks.unpin(entry)
    assert pinned(blocks, entry)
    blocks.arrive([entry])
    assert (pinned(blocks, entry), entry.arrival) == (False, None)
    blocks.pin(entry)
    blocks.pin(entry)
    blocks.unpin(entry)
    assert pinned(blocks, entry)
    blocks.unpin(entry)
    assert not pinned(blocks, entry)


def test_what_was_held_on_its_way_is_held_here(blocks: BlockTable) -> None:
    entry = blocks.get(1)
    assert entry is not None
    blocks.pin(entry)
    blocks.arrive([entry])
    assert pinned(blocks, entry)
    blocks.unpin(entry)
    assert not pinned(blocks, entry)


def test_what_is_gone_pins_nothing(blocks: BlockTable) -> None:
    entry = blocks.get(1)
    assert entry is not None
    blocks.arrive([entry])
    blocks.pin(entry)
    blocks.discard(Span(5, 5))
    assert entry.gone
    blocks.unpin(entry)
    blocks.pin(entry)
    assert not pinned(blocks, entry)
    blocks.unpin(entry)
