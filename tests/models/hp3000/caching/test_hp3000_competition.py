"""The rules by which domains and segments compete for memory: who gives way, and what each is called."""

import pytest

from spindle.models.hp3000.caching.competition import (
    COMPETITIONS,
    DividedPolicy,
    FixedDivision,
    MemoryPartition,
    OneClock,
)
from spindle.models.hp3000.caching.disc_cache import Domain
from spindle.models.hp3000.run import run
from spindle.models.hp3000.studies.trials import run_mixed
from spindle.sim.error import UserError
from spindle.sim.eviction.clock import Clock
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
