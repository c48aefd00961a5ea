"""Blocks on their way: who waits for room pays for memory, who waits for the disc pays for its phases."""

import pytest
import simpy

from spindle.sim.account import Account, Phase
from spindle.sim.cache.blocks import Arrival, Entry, arrived, hold, let_go
from spindle.sim.clock import Wait
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Op, access


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
    env.timeout(3).callbacks.append(lambda _: arrival.started(drive.start(access(Op.READ, 0, 1, Account("")))))
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
    env.timeout(3).callbacks.append(lambda _: arrival.started(None))
    env.run()
    assert log == [(3, 0, {"MEMORY": 3})]


class Pinned(SharedMemory):
    def pins(self) -> int:
        return self._pins.get("key", 0)


@pytest.fixture
def memory(env: simpy.Environment) -> Pinned:
    memory = Pinned(env, 10, Lru())
    env.process(memory.claim(None, "key", 5, Account("")))  # type: ignore[arg-type]
    env.run()
    return memory


def test_it_is_pinned_while_it_arrives_and_while_it_is_held(memory: Pinned) -> None:
    entry = Entry(1, "key", Arrival())
    hold(memory, "key", entry)
    let_go(memory, "key", entry)
    assert memory.pins() == 1
    arrived(memory, "key", entry)
    assert (memory.pins(), entry.arrival) == (0, None)
    hold(memory, "key", entry)
    hold(memory, "key", entry)
    let_go(memory, "key", entry)
    assert memory.pins() == 1
    let_go(memory, "key", entry)
    assert memory.pins() == 0


def test_who_held_it_on_its_way_holds_it_here(memory: Pinned) -> None:
    entry = Entry(1, "key", Arrival())
    hold(memory, "key", entry)
    arrived(memory, "key", entry)
    assert memory.pins() == 1
    let_go(memory, "key", entry)
    assert memory.pins() == 0


def test_what_is_gone_pins_nothing(memory: Pinned) -> None:
    entry = Entry(1, "key", Arrival())
    arrived(memory, "key", entry)
    hold(memory, "key", entry)
    memory.release("key")
    entry.gone = True
    let_go(memory, "key", entry)
    hold(memory, "key", entry)
    let_go(memory, "key", entry)
    assert (memory.pins(), entry.users) == (0, 0)
