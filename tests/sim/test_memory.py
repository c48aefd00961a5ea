"""Tests memory under one policy: victims, write-backs, regions used meanwhile, waits; never more than its capacity."""

from collections.abc import Callable, Hashable, Sequence

import pytest
import simpy

from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.error import UserError
from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import MayGo, Traffic
from spindle.sim.memory import Change, RoomClaim, SharedMemory
from spindle.sim.parts import credits_of
from tests.doubles import ChoosesNothing


class Keeper:
    """An owner whose dirty regions take *seconds* to write; it writes down what becomes of them."""

    def __init__(self, env: simpy.Environment, log: list[object], seconds: float = 10.0) -> None:
        self.env = env
        self.log = log
        self.seconds = seconds
        self.dirty: set[Hashable] = set()

    def write_back_victim(self, key: Hashable) -> Wait | None:
        return self._write(key) if key in self.dirty else None

    def _write(self, key: Hashable) -> Wait:
        self.dirty.discard(key)
        yield self.env.timeout(self.seconds)
        self.log.append((self.env.now, f"{key} written"))

    def forget(self, key: Hashable) -> None:
        self.log.append((self.env.now, f"{key} gone"))


class Rig:
    """A memory of 100 bytes, LRU, and an owner; regions come in unpinned."""

    def __init__(self, env: simpy.Environment, log: list[object]) -> None:
        self.env = env
        self.log = log
        self.memory = SharedMemory(env, 100, Lru())
        self.keeper = Keeper(env, log)

    def fill(self, *names: str, size: int = 25, dirty: str = "") -> None:
        for name in names:
            self.env.process(self.memory.claim(self.keeper, name, size, Account("fill")))
            self.env.run(self.env.now + 1e-9)
            self.memory.unpin(name)
        self.keeper.dirty.update(dirty)

    def claim(self, name: str, size: int, at: float = 0.0) -> Account:
        account = Account(name)

        def process() -> Wait:
            yield self.env.timeout(at)
            asked = self.env.now
            yield from self.memory.claim(self.keeper, name, size, account)
            assert account.seconds[Phase.MEMORY] == pytest.approx(self.env.now - asked)
            self.log.append((self.env.now, f"{name} in"))

        self.env.process(process())
        return account

    def seen(self) -> list[tuple[float, str]]:
        self.env.run()
        return [(round(when, 6), what) for when, what in self.log]  # type: ignore[misc]


@pytest.fixture
def rig(env: simpy.Environment, log: list[object]) -> Rig:
    return Rig(env, log)


def test_several_owners_under_one_policy(rig: Rig, env: simpy.Environment) -> None:
    rig.fill("a", "b")
    other = Keeper(env, log := [])
    env.process(rig.memory.claim(other, "stack", 50, Account("other")))
    env.run(1)
    rig.memory.touch("a")
    rig.claim("c", 25)
    assert rig.seen() == [(1, "b gone"), (1, "c in")]
    rig.memory.unpin("stack")
    rig.claim("d", 50)
    assert rig.seen()[2:] == [(1, "d in")]
    assert log == [(1, "stack gone")]
    assert [key in rig.memory for key in ("a", "b", "c", "d", "stack")] == [True, False, True, True, False]
    assert (rig.memory.used_bytes, rig.memory.claims, rig.memory.evictions) == (100, 5, 2)


def test_a_dirty_victim_is_written_first(rig: Rig) -> None:
    rig.fill("a", "b", "c", "d", dirty="ac")
    account = rig.claim("e", 75)
    assert rig.seen() == [
        (10, "a written"), (10, "a gone"), (10, "b gone"), (20, "c written"), (20, "c gone"), (20, "e in"),
    ]
    assert account.total() == pytest.approx(20)


@pytest.mark.parametrize("pinned", [False, True])
def test_who_is_used_while_he_is_written_stays(rig: Rig, pinned: bool) -> None:
    rig.fill("a", "b", "c", "d", dirty="a")
    rig.claim("e", 25)
    rig.env.run(4)
    assert "a" in rig.memory
    if pinned:
        rig.memory.pin("a")
    else:
        rig.memory.touch("a")
    assert rig.seen() == [(10, "a written"), (10, "b gone"), (10, "e in")]
    assert (rig.memory.rescues, rig.memory.evictions) == (1, 1)
    if pinned:
        rig.memory.unpin("a")
    rig.claim("f", 25)
    assert rig.seen()[3:] == [(10, "a gone" if pinned else "c gone"), (10, "f in")], "to be pinned is no use"


def test_who_is_used_while_another_is_written_is_no_rescue(rig: Rig) -> None:
    rig.fill("a", "b", "c", "d", dirty="ab")
    rig.claim("e", 25)
    rig.env.run(4)
    rig.memory.touch("c")
    rig.memory.pin("d")
    assert rig.seen() == [(10, "a written"), (10, "a gone"), (10, "e in")]
    assert (rig.memory.rescues, rig.memory.evictions) == (0, 1)


def test_rescues_are_counted(rig: Rig) -> None:
    rig.fill("a", "b", "c", "d", dirty="ab")
    rig.claim("e", 25)
    for when, key in ((4, "a"), (14, "b")):
        rig.env.run(when)
        rig.memory.touch(key)
    assert rig.seen() == [(10, "a written"), (20, "b written"), (20, "c gone"), (20, "e in")]
    assert (rig.memory.rescues, rig.memory.evictions) == (2, 1)


def test_who_was_rescued_may_go_later(rig: Rig) -> None:
    rig.fill("a", "b", "c", "d", dirty="a")
    rig.claim("e", 25)
    rig.env.run(4)
    rig.memory.touch("a")
    rig.claim("f", 75, at=16)
    assert rig.seen()[3:] == [(20, "c gone"), (20, "d gone"), (20, "a gone"), (20, "f in")]


def test_who_is_used_while_he_is_written_stays_though_another_was_written_before(rig: Rig) -> None:
    rig.fill("a", "b", "c", "d", dirty="ab")
    rig.claim("e", 25)
    rig.claim("f", 25, at=3)
    rig.env.run(11)
    rig.memory.touch("b")
    assert rig.seen() == [
        (10, "a written"), (10, "a gone"), (10, "e in"), (13, "b written"), (13, "c gone"), (13, "f in"),
    ]  # fmt: skip
    assert rig.memory.rescues == 1


def test_who_is_written_is_not_chosen_by_another(rig: Rig) -> None:
    rig.fill("a", "b", "c", "d", dirty="ab")
    rig.claim("e", 25)
    rig.claim("f", 25, at=3)
    rig.claim("g", 25, at=4)
    assert rig.seen() == [
        (4, "c gone"), (4, "g in"), (10, "a written"), (10, "a gone"), (10, "e in"),
        (13, "b written"), (13, "b gone"), (13, "f in"),
    ]


def test_who_is_released_while_he_is_written_made_room(rig: Rig) -> None:
    rig.fill("a", "b", "c", "d", dirty="a")
    rig.claim("e", 25)
    rig.env.run(4)
    rig.memory.release("a")
    rig.claim("f", 25)
    assert rig.seen() == [(4, "f in"), (10, "a written"), (10, "b gone"), (10, "e in")]


def test_a_key_that_was_released_and_came_back_dirty_is_written_again(rig: Rig) -> None:
    rig.fill("a", "b", "c", "d", dirty="a")
    for other in "bcd":
        rig.memory.pin(other)
    rig.claim("e", 25)
    rig.env.run(4)
    rig.memory.release("a")
    rig.claim("a", 25)
    rig.env.run(5)
    rig.memory.unpin("a")
    rig.keeper.dirty.add("a")
    rig.claim("f", 25)  # has the new a written, from 5 to 15
    assert rig.seen() == [(4, "a in"), (10, "a written"), (15, "a written"), (15, "a gone"), (15, "f in")]


def test_where_all_are_pinned_a_claim_waits_and_goes_on(rig: Rig) -> None:
    rig.fill("a", "b", size=50)
    for key in "aab":
        rig.memory.pin(key)
    account = rig.claim("c", 30)
    for at in (3, 5):
        rig.env.run(at)
        rig.memory.unpin("a")
    assert rig.seen() == [(5, "a gone"), (5, "c in")]
    assert account.total() == pytest.approx(5)


def test_a_region_that_is_pinned_three_times_stays_for_the_third(rig: Rig) -> None:
    rig.fill("a", size=100)
    for _ in range(3):
        rig.memory.pin("a")
    rig.claim("b", 30)
    for at in (1, 2, 3):
        rig.env.run(at)
        rig.memory.unpin("a")
    assert rig.seen() == [(3, "a gone"), (3, "b in")]


def test_who_waits_behind_a_larger_claim_takes_room_that_just_fits(rig: Rig) -> None:
    rig.fill("a", "b", size=50)
    rig.memory.pin("a")
    rig.memory.pin("b")
    rig.claim("large", 80)
    rig.claim("small", 50, at=1)
    others = [rig.claim(name, need, at=at) for name, need, at in (("larger", 60, 0.5), ("as small", 50, 1.5))]
    rig.env.run(2)
    rig.memory.release("a")
    assert rig.seen() == [(2, "small in")]
    assert not rig.memory.is_pinned("a")
    assert [account.charges for account in others] == [0, 0], "nobody is woken for whom there is no room"


def test_who_waits_comes_in_when_another_victim_has_made_room_for_both(rig: Rig) -> None:
    rig.fill("a", "b", size=50, dirty="a")
    rig.memory.pin("b")
    rig.claim("c", 25)
    rig.claim("d", 25, at=3)
    assert rig.seen() == [(10, "a written"), (10, "a gone"), (10, "c in"), (10, "d in")]


def test_what_is_claimed_together_comes_together(rig: Rig, env: simpy.Environment, log: list[object]) -> None:
    """Two who each need 60 of 100 bytes: had each taken half of it and waited for the rest, neither would go on."""
    def both(first: str, second: str, seconds: float) -> Wait:
        yield from rig.memory.claim_all(rig.keeper, [first, second], 30, Account(first))
        log.append((env.now, f"{first}{second} in"))
        yield env.timeout(seconds)
        rig.memory.unpin(first)
        rig.memory.unpin(second)

    env.process(both("a", "b", 4))
    env.process(both("c", "d", 4))
    assert rig.seen() == [(0, "ab in"), (4, "a gone"), (4, "cd in")]
    assert (rig.memory.used_bytes, rig.memory.claims) == (90, 4)


def test_a_clock_with_everybody_pinned_ends(env: simpy.Environment, log: list[object]) -> None:
    memory = SharedMemory(env, 50, Clock())
    keeper = Keeper(env, log)
    for key in "ab":
        env.process(memory.claim(keeper, key, 25, Account(key)))
    env.process(memory.claim(keeper, "c", 25, Account("c")))
    env.run(7)
    assert (log, memory.used_bytes, "c" in memory) == ([], 50, False)
    memory.unpin("b")
    env.run()
    assert (log, "c" in memory) == ([(7, "b gone")], True)


class Told(Lru):
    """LRU that writes down what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[object, ...]] = []

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self.told.append(("insert", key, size))
        super().insert(key, size, cost)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        self.told.append(("choose", incoming))
        return super().choose(incoming, may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        self.told.append(("remove", key, evicted))
        super().remove(key, evicted)

    def set_clock(self, clock: Callable[[], float]) -> None:
        self.clock = clock

    def weigh(self, keys: Sequence[Hashable], seconds: float, traffic: Traffic = Traffic.FETCH) -> None:
        self.told.append(("weigh", *keys, seconds, traffic))


def test_the_policy_is_told_sizes_for_whom_room_is_made_and_why_a_region_goes(env: simpy.Environment) -> None:
    """Of c and d, which come together, c has room: d drives out a."""
    policy = Told()
    memory = SharedMemory(env, 100, policy)
    for keys in ("a", "b", "cd"):
        env.process(memory.claim_all(Keeper(env, []), keys, 30, Account("")))
        env.run(env.now + 1)
        for key in keys:
            memory.unpin(key)
    memory.release("b")
    memory.weigh("cd", 2.5, Traffic.WRITE_BACK)
    assert memory.weighs
    assert policy.told == [
        ("insert", "a", 30), ("insert", "b", 30), ("choose", "d"), ("remove", "a", True),
        ("insert", "c", 30), ("insert", "d", 30), ("remove", "b", False),
        ("weigh", "c", "d", 2.5, Traffic.WRITE_BACK),
    ]
    assert (policy.clock(), credits_of(env)) == (env.now, [Told])
    plain = SharedMemory(env, 100, Lru())
    plain.weigh("cd", 2.5, Traffic.FETCH)  # of which its policy hears nothing
    assert not plain.weighs


def test_nobody_is_looked_for_again_before_something_has_changed(env: simpy.Environment) -> None:
    """Three wait for the only region: each asks once when it has changed, and the last two not before."""
    policy, told = Told(), []
    memory = SharedMemory(env, 100, policy)
    for key in "abcd":
        env.process(memory.claim(Keeper(env, told), key, 100, Account(key)))
    env.run(1)
    assert policy.told == [("insert", "a", 100), ("choose", "b")]
    memory.unpin("a")
    env.run(2)
    assert policy.told[2:] == [("choose", "b"), ("remove", "a", True), ("insert", "b", 100), ("choose", "c")]


def test_claims_that_wait_for_a_change_stand_in_the_order_in_which_they_came(env: simpy.Environment) -> None:
    """Where it takes over those of another, longer or shorter than its own, they stand behind its own."""
    def waiting(*needs: int) -> Change:
        change = Change(env)
        for need in needs:
            change.add(RoomClaim(env, need))
        return change

    def popped(change: Change) -> list[tuple[int, int]]:
        return [(change.smallest_need, change.pop().need) for _ in range(len(change))]

    assert popped(waiting(3, 3, 5, 4)) == [(3, 3), (3, 3), (4, 5), (4, 4)]
    for own, others in (((7, 6), (8, 2, 9)), ((7, 6, 2), (8, 9))):
        change = waiting(*own)
        change.take_over(waiting(*others))
        needs = [*own, *others]
        assert popped(change) == [(min(needs[place:]), need) for place, need in enumerate(needs)]
    claim = RoomClaim(env, 3)
    assert (claim.env, claim.name, claim.need) == (env, "room in memory", 3)


def test_memories_that_would_wait_for_one_another_in_a_circle_are_refused(env: simpy.Environment) -> None:
    """The first stands above the second, and that above the third."""
    first, second, third, fourth = stacks = [SharedMemory(env, 1, Lru()).stack for _ in range(4)]
    first.stand_above(second, "a")
    second.stand_above(third, "b")
    second.stand_above(fourth, "b")
    assert [[one.waits_for(other) for other in stacks] for one in stacks] == [
        [True, True, True, True], [False, True, True, True], [False, False, True, False], [False, False, False, True],
    ]  # fmt: skip
    for upper in stacks:
        with pytest.raises(UserError, match="memory of c: room in it would wait for room in itself"):
            upper.stand_above(first, "c")
    third.stand_above(fourth, "c")
    third.admit("data")
    fourth.admit("data")
    with pytest.raises(UserError, match="two caches in it are called data"):
        third.admit("data")


def test_a_memory_may_be_one_byte(env: simpy.Environment) -> None:
    memory = SharedMemory(env, 1, Lru())
    assert memory.take(Keeper(env, []), ["a"], 1, Account("a")) is None, "there is room at once"
    assert memory.used_bytes == 1
    assert memory.take(Keeper(env, []), ["b"], 1, Account("b")) is not None


@pytest.mark.parametrize("size", [0, -5, 101])
def test_what_can_never_fit_is_refused(rig: Rig, size: int) -> None:
    rig.claim("a", size)
    with pytest.raises(ValueError, match=f"regions of {size} bytes do not fit a memory of 100 bytes"):
        rig.env.run()


def test_together_they_must_fit_too(rig: Rig) -> None:
    rig.env.process(rig.memory.claim_all(rig.keeper, ["a", "b", "c"], 40, Account("")))
    with pytest.raises(ValueError, match="3 regions of 40 bytes do not fit"):
        rig.env.run()


def test_nobody_comes_twice(rig: Rig) -> None:
    rig.fill("a", "b", size=50)
    rig.claim("a", 10)
    with pytest.raises(ValueError, match="region 'a' is in memory already"):
        rig.env.run()


def test_nor_by_two_claims_that_waited(rig: Rig) -> None:
    rig.fill("a", "b", size=50)
    rig.memory.pin("a")
    rig.memory.pin("b")
    rig.claim("c", 10)
    rig.claim("c", 10)
    rig.env.run(1)
    rig.memory.unpin("a")
    with pytest.raises(ValueError, match="region 'c' was claimed twice"):
        rig.env.run()


@pytest.mark.parametrize("capacity", [0, -1])
def test_a_memory_has_room(env: simpy.Environment, capacity: int) -> None:
    with pytest.raises(UserError, match="capacity must be positive"):
        SharedMemory(env, capacity, Lru())


def test_arc_needs_regions_of_one_size(env: simpy.Environment) -> None:
    for uniform in (None, 30, 50):
        with pytest.raises(UserError, match="Arc keeps exactly 4 entries"):
            SharedMemory(env, 100, Arc(4), uniform)
    assert SharedMemory(env, 110, Arc(4), 25).capacity == 110
    memory = SharedMemory(env, 100, Arc(4), 25)
    env.process(memory.claim(Keeper(env, []), "a", 20, Account("a")))
    with pytest.raises(ValueError, match="a region of 20 bytes in a memory of regions of 25 bytes"):
        env.run()


def test_the_integral_of_what_is_used(rig: Rig, env: simpy.Environment) -> None:
    rig.fill("a", "b")
    env.run(4)
    rig.memory.release("a")
    env.run(10)
    reading = rig.memory.reading()
    assert reading["used_seconds"] == pytest.approx(4 * 50 + 6 * 25)
    assert (reading["claims"], reading["evictions"], reading["rescues"]) == (2, 0, 0)
    assert rig.memory.levels() == {"used_bytes": 25}
    rig.memory.release("b")
    env.run(20)
    assert rig.memory.reading()["used_seconds"] == pytest.approx(4 * 50 + 6 * 25)


def test_who_was_rescued_may_go_for_the_claim_that_wrote_him_though_another_waits(rig: Rig) -> None:
    """f found nobody at 3, for a was being written and all others are pinned; e must not wait behind it for ever."""
    rig.fill("a", "b", "c", "d", dirty="a")
    for key in "bcd":
        rig.memory.pin(key)
    rig.claim("e", 25)
    rig.claim("f", 25, at=3)
    rig.env.run(4)
    rig.memory.touch("a")
    assert rig.seen() == [(10, "a written"), (10, "a gone"), (10, "e in")]


def test_a_policy_that_chooses_nothing_though_an_entry_may_go_is_named(rig: Rig, env: simpy.Environment) -> None:
    """A claim waits while every region is pinned, or pinned or being written; it would wait for ever for the others."""
    rig.memory = SharedMemory(env, 100, ChoosesNothing())
    rig.fill("a", "b", "c", "d")
    for name in "abcd":
        rig.memory.pin(name)
    rig.claim("e", 25)
    env.run(1.0)
    assert not rig.log
    rig.memory.unpin("a")
    with pytest.raises(UserError, match=ChoosesNothing.TOLD):
        env.run()
