"""Tests the charges of reads that wait for arriving blocks: waits for room to memory, others to the disc."""

import pytest
import simpy

from spindle.sim.cache.blocks import BlockTable, Entry
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Arrival, Op, Span, access


def spent(account: Account) -> dict[str, float]:
    return {part.name: account.seconds[part] for part in Phase if account.seconds[part]}


def wait(env: simpy.Environment, arrival: Arrival, at: float, log: list[object]) -> Wait:
    yield env.timeout(at)
    account = Account("")
    yield from arrival.wait(env, account)
    assert account.total() == env.now - at
    log.append((env.now, at, spent(account)))


def test_room_first_and_then_the_disc(env: simpy.Environment, log: list[object]) -> None:
    drive, arrival = Drive(env, FixedService(5.0)), Arrival()
    env.timeout(3).callbacks.append(lambda _: arrival.start(drive.start(access(Op.READ, 0, 1, Account("")))))
    for at in (0, 1, 3, 6, 8, 9):
        env.process(wait(env, arrival, at, log))
    env.run()
    assert log == [
        (8, 3, {"OVERHEAD": 5}), (8, 0, {"MEMORY": 3, "OVERHEAD": 5}), (8, 1, {"MEMORY": 2, "OVERHEAD": 5}),
        (8, 6, {"OVERHEAD": 2}), (8, 8, {}), (9, 9, {}),
    ]


def test_nothing_to_bring(env: simpy.Environment, log: list[object]) -> None:
    arrival = Arrival()
    env.process(wait(env, arrival, 0, log))
    env.timeout(3).callbacks.append(lambda _: arrival.start(None))
    env.run()
    assert log == [(3, 0, {"MEMORY": 3})]


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
