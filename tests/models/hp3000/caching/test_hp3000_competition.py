"""Tests the rules by which the disc cache and programs share memory: the side that is evicted, and the rules' names."""

from types import SimpleNamespace

import pytest
import simpy

from spindle.models.hp3000.caching.competition import (
    COMPETITIONS,
    LEAST_PARTITION,
    Competitions,
    DividedPolicy,
    FixedDivision,
    MemoryPartition,
    OneClock,
    TwoMemories,
)
from spindle.models.hp3000.caching.domains import Domain
from spindle.models.hp3000.run import run
from spindle.models.hp3000.studies.trials import run_mixed
from spindle.sim.error import UserError
from spindle.sim.eviction.clock import Clock
from spindle.sim.eviction.policy import Traffic
from spindle.sim.units import KIB, MIB


def domain(first: int, size: int = 4 * KIB) -> Domain:
    return Domain(first, first + size, size)


def divided(limit: int, *keys: object) -> DividedPolicy:
    policy = DividedPolicy(Clock(), Clock(), limit)
    for key in keys:
        policy.insert(key)
    return policy


def test_the_side_beyond_its_part_gives_way() -> None:
    held, coming = domain(0), domain(64 * KIB)
    assert divided(8 * KIB, "segment", held).choose(coming) == "segment"  # two domains fit their part
    assert divided(4 * KIB, "segment", held).choose(coming) is held
    assert divided(4 * KIB, "segment", held).choose("another segment") == "segment"


def test_where_nothing_of_a_side_may_go_the_other_does() -> None:
    held = domain(0)
    assert divided(8 * KIB, "segment", held).choose("another", lambda key: key is held) is held
    assert divided(0, "segment", held).choose(domain(64 * KIB), lambda key: key == "segment") == "segment"
    assert divided(0).choose("segment") is None


def test_what_is_removed_no_longer_counts() -> None:
    held, coming = domain(0), domain(64 * KIB)
    policy = divided(4 * KIB, "segment", held)
    policy.remove(held, evicted=True)
    assert len(policy) == 1
    assert policy.choose(coming) == "segment"


def test_rules_have_names_and_a_size_names_a_fixed_division() -> None:
    assert list(COMPETITIONS) == ["one-clock", "domains-first"]
    assert isinstance(COMPETITIONS["one-clock"], OneClock)
    assert COMPETITIONS["domains-first"] == FixedDivision(0)
    assert COMPETITIONS["1.5MiB"] == FixedDivision(3 * MIB // 2)
    assert COMPETITIONS["partition-1.5MiB"] == MemoryPartition(3 * MIB // 2)
    assert "all" not in COMPETITIONS


def test_a_part_that_leaves_nothing_to_programs_is_refused() -> None:
    with pytest.raises(UserError, match="cache-memory must be at most 7012352 bytes, which leaves 65536 to programs"):
        run_mixed(3, 0, seed=1, minutes=0.1, warm_up=0.0, cache_memory="7MiB")


def test_a_partition_is_for_domains_alone_and_no_more_than_that() -> None:
    small = run_mixed(21, 0, seed=1, minutes=0.5, warm_up=1.0, cache_memory="partition-256KiB", keep_rows=False)
    assert 200 * KIB < small.extras["domain_bytes"] <= 256 * KIB
    with pytest.raises(UserError, match="a partition of cache-memory must be at least 65536 bytes, not 1024"):
        run_mixed(3, 0, seed=1, minutes=0.1, warm_up=0.0, cache_memory="partition-1K")


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("one-clok", "unknown cache-memory 'one-clok': did you mean one-clock"),
        ("2XB", "cache-memory must be bytes, such as 4096, 64K, 1MiB or 6MB, not '2XB'"),
        ("partition-", "cache-memory must be bytes, such as 4096, 64K, 1MiB or 6MB, not ''"),
        ("partition--5", "cache-memory must be a whole number from 1 to 1125899906842624, not -5"),
    ],
)
def test_what_is_no_rule_and_no_size_is_refused_with_what_would_be(rule: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        run_mixed(3, 0, seed=1, minutes=0.1, warm_up=0.0, cache_memory=rule)


def test_one_clock_is_the_default() -> None:
    given = run_mixed(10, 0, seed=1, minutes=0.5, warm_up=0.2, cache_memory="one-clock", keep_rows=False)
    assert given.summary() == run(10, seed=1, minutes=0.5, warm_up=0.2, keep_rows=False).summary()


def test_domains_have_what_is_theirs_and_no_more_where_memory_is_short() -> None:
    rows = [run_mixed(63, 0, seed=1, minutes=1.0, warm_up=1.5, memory=5 * MIB // 2, cache_memory=size, keep_rows=False)
            for size in ("domains-first", "512KiB")]  # fmt: skip
    first, half = (row.extras["domain_bytes"] for row in rows)
    assert first < 256 * KIB < half < 520 * KIB


class Noted:
    """A policy that notes what it is told."""

    def __init__(self, name: str, said: list[tuple[object, ...]], victim: object = None) -> None:
        self.name, self.said, self.victim = name, said, victim

    def insert(self, key: object, size: int = 7, cost: float = 7.0) -> None:
        self.said.append((self.name, "insert", key, size, cost))

    def touch(self, key: object, cost: float = 7.0) -> None:
        self.said.append((self.name, "touch", key, cost))

    def choose(self, incoming: object = None, may_go: object = None) -> object:
        self.said.append((self.name, "choose", incoming, may_go))
        return self.victim

    def remove(self, key: object, evicted: bool) -> None:
        self.said.append((self.name, "remove", key, evicted))

    def __len__(self) -> int:
        return 3


class Weighing(Noted):
    def weigh(self, keys: object, seconds: float, traffic: object) -> None:
        self.said.append((self.name, "weigh", keys, seconds, traffic))


def test_each_side_is_told_what_is_of_it() -> None:
    said: list[tuple[object, ...]] = []
    policy = DividedPolicy(Weighing("domains", said), Noted("segments", said), 8 * KIB)  # type: ignore[arg-type]
    held = domain(0)

    def may_go(key: object) -> bool:
        return True

    policy.insert(held, 2, 0.5)
    policy.insert("segment")
    policy.touch(held, 0.25)
    policy.touch("segment")
    policy.choose("another", may_go)
    policy.weigh([held], 1.5, Traffic.FETCH)
    policy.remove(held, True)
    policy.remove("segment", False)
    assert said == [
        ("domains", "insert", held, 2, 0.5), ("segments", "insert", "segment", 1, 0.0),
        ("domains", "touch", held, 0.25), ("segments", "touch", "segment", 0.0),
        ("segments", "choose", "another", may_go),
        ("domains", "choose", "another", may_go), ("domains", "weigh", [held], 1.5, Traffic.FETCH),
        ("domains", "remove", held, True), ("segments", "remove", "segment", False)]  # fmt: skip
    assert len(policy) == 6
    plain = DividedPolicy(Noted("domains", said), Noted("segments", said), 0)  # type: ignore[arg-type]
    plain.weigh([held], 1.5)
    assert said[-1] == ("segments", "remove", "segment", False)


def test_a_part_is_passed_by_a_byte_and_not_by_none() -> None:
    held, coming = domain(0), domain(64 * KIB)
    assert divided(8 * KIB, "segment", held).choose(coming) == "segment"
    assert divided(8 * KIB - 1, "segment", held).choose(coming) is held


def test_a_partition_is_taken_off_the_whole() -> None:
    env = simpy.Environment()
    segments, domains = MemoryPartition(LEAST_PARTITION).memories(env, MIB, Clock)
    assert (segments.capacity, domains.capacity) == (MIB - LEAST_PARTITION, LEAST_PARTITION)
    whole = TwoMemories((segments, domains))
    assert whole.capacity == MIB
    for counters in ("levels", "reading"):
        both = [getattr(memory, counters)() for memory in (segments, domains)]
        assert getattr(whole, counters)() == {name: both[0][name] + both[1][name] for name in both[0]}
    assert MemoryPartition(LEAST_PARTITION).reserved_bytes == FixedDivision(LEAST_PARTITION).reserved_bytes
    one, other = FixedDivision(5).memories(env, MIB, Clock)
    assert one is other
    assert one.capacity == MIB


def test_counters_of_two_memories_are_summed() -> None:
    memories = [SimpleNamespace(levels=lambda each=each: {"held": each}, reading=lambda each=each: {"claims": 2 * each})
                for each in (1.0, 2.5)]  # fmt: skip
    whole = TwoMemories(tuple(memories))  # type: ignore[arg-type]
    assert (whole.levels(), whole.reading()) == ({"held": 3.5}, {"claims": 7.0})


def test_a_size_may_be_nothing_and_rules_are_those_given() -> None:
    assert COMPETITIONS["0"] == FixedDivision(0)
    assert COMPETITIONS["1"] == FixedDivision(1)
    of = Competitions({"mine": FixedDivision(3)})
    assert (list(of), len(of), of["mine"]) == (["mine"], 1, FixedDivision(3))
    with pytest.raises(KeyError):
        of["one-clock"]
