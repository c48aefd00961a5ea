"""Tests claims that wait for room: the order in which they continue, and that a crowd of them stays cheap."""

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.clock import Account, Gate, Phase, Wait
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.memory import SharedMemory


class Clean:
    """An owner with nothing to write."""

    def write_back_victim(self, key: object) -> None:
        return None

    def forget(self, key: object) -> None:
        pass


class Herd(SharedMemory):
    """The same memory as its textbook has it: each change resumes every process that waits, and it tries again."""

    _gate: Gate | None = None

    def _wait_for_change(self, need: int, account: Account) -> Wait:
        if self._gate is None:
            self._gate = Gate(self._env, "room in memory")
            self._changed = self._gate  # type: ignore[assignment]  # both are there where a claim has failed
        begin = self._env.now
        yield self._gate
        account.charge(Phase.MEMORY, begin, self._env.now)

    def _change(self) -> None:
        if self._gate is not None:
            self._gate.succeed()
            self._gate = self._changed = None


Stay = tuple[float, int, int, float, bool]
"""When it is claimed, how many regions of how many bytes, for how long they are pinned, and whether they then go."""
STAYS = st.lists(
    st.tuples(
        st.integers(0, 6).map(float), st.integers(1, 3), st.integers(1, 4), st.integers(0, 4).map(float), st.booleans()
    ),
    min_size=1, max_size=30,
)  # fmt: skip


def lived(kind: type[SharedMemory], policy: EvictionPolicy, stays: list[Stay]) -> tuple[object, ...]:
    """Who got room when, in which order, the counters, and how long each waited."""
    env, log, owner = simpy.Environment(), list[object](), Clean()
    memory, accounts = kind(env, 12, policy), [Account(f"claim {number}") for number in range(len(stays))]

    def stay(number: int, at: float, count: int, size: int, pinned: float, goes: bool) -> Wait:
        yield env.timeout(at)
        keys = [(number, each) for each in range(count)]
        yield from memory.claim_all(owner, keys, size, accounts[number])
        log.append((env.now, number))
        yield env.timeout(pinned)
        for key in keys:
            memory.release(key) if goes else memory.unpin(key)

    for number, each in enumerate(stays):
        env.process(stay(number, *each))
    env.run()
    waits = [round(account.seconds[Phase.MEMORY], 9) for account in accounts]
    return log, memory.reading(), waits


@given(STAYS, st.sampled_from([Lru, Clock]))
def test_claims_go_on_as_if_every_change_resumed_them_all(stays: list[Stay], policy: type[Lru] | type[Clock]) -> None:
    ours, theirs = lived(SharedMemory, policy(), stays), lived(Herd, policy(), stays)
    assert ours == theirs
    assert isinstance(ours[0], list)
    assert len(ours[0]) == len(stays)


def test_where_the_first_cannot_go_on_one_that_is_small_enough_does() -> None:
    stays = [(0.0, 1, 9, 2.0, True), (0.0, 1, 3, 5.0, True), (1.0, 1, 12, 1.0, True), (1.0, 1, 4, 1.0, True),
             (1.0, 1, 4, 1.0, True), (1.0, 1, 4, 1.0, True)]  # fmt: skip
    log, _, waits = lived(SharedMemory, Lru(), stays)
    # At 2 there are 9 bytes free, which are not enough for the third; two of the others take 8 of them, the last waits.
    assert log == [(0, 0), (0, 1), (2, 3), (2, 4), (3, 5), (5, 2)]
    assert waits == [0, 0, 4, 1, 1, 2]


@pytest.mark.parametrize("crowd", [10, 1000])
def test_a_claim_is_resumed_at_most_twice_however_many_changes_pass_it_by(env: simpy.Environment, crowd: int) -> None:
    memory, owner, accounts = SharedMemory(env, 1, Lru()), Clean(), [Account("") for _ in range(crowd)]

    def guest(number: int) -> Wait:
        yield from memory.claim(owner, number, 1, accounts[number])
        yield env.timeout(1.0)
        memory.release(number)

    for number in range(crowd):
        env.process(guest(number))
    env.run()
    assert env.now == crowd
    # Once when it has become the first, and finds that nothing may go; and once when something may.
    assert [account.charges for account in accounts] == [0, 1] + [2] * (crowd - 2)
