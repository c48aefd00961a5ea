"""Contract of every eviction policy, as checks for any policy, yours included."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random

from spindle.sim.eviction.policy import EvictionPolicy, make
from spindle.sim.streams import pick, stream

CAPACITY = 6
"""Entries of each policy that is checked."""
KEYS = 12
"""Keys that come and go in random acts, on these entries."""
LONG = 100
"""Questions after which a choice that does not end is given up."""

Kind = Callable[..., EvictionPolicy]
Act = tuple[str, int, frozenset[int]]
"""use, drop or ask; the key; and the keys that are pinned meanwhile."""


class ContractBroken(AssertionError):
    """A part breaks its contract."""


def hold(promise: bool, breach: str) -> None:
    """ContractBroken, which says *breach*, unless *promise* is kept."""
    if not promise:
        raise ContractBroken(breach)


def refuses(kind: type[Exception], act: Callable[[], object], what: str) -> None:
    """ContractBroken unless *act*, which does *what*, raises an error of that *kind*."""
    try:
        act()
    except kind:
        return
    except Exception as error:
        raise ContractBroken(f"{what} raises {type(error).__name__}, and must raise {kind.__name__}") from error
    raise ContractBroken(f"{what} raises nothing, and must raise {kind.__name__}")


def filled_policy(kind: Kind, keys: str) -> EvictionPolicy:
    policy = make(kind, CAPACITY)
    for key in keys:
        policy.insert(key)
    return policy


def chooses_nobody_where_nobody_is(kind: Kind) -> None:
    policy = make(kind, CAPACITY)
    hold(policy.choose() is None and policy.choose("x", lambda key: True) is None, "somebody is chosen")
    hold(len(policy) == 0, f"its length is {len(policy)}")


def counts_entries_whatever_their_size(kind: Kind) -> None:
    policy = make(kind, CAPACITY)
    policy.insert("a", size=4096, cost=0.02)
    policy.insert("b", size=1)
    policy.touch("a", cost=0.01)
    lengths = [len(policy)]
    for key, evicted in (("a", True), ("b", False)):
        policy.remove(key, evicted=evicted)
        lengths.append(len(policy))
    hold(lengths == [2, 1, 0], f"with two entries, one and none its length is {lengths}")


def takes_no_key_twice(kind: Kind) -> None:
    policy = filled_policy(kind, "ab")
    policy.touch("a")
    for key in "ab":
        refuses(ValueError, lambda key=key: policy.insert(key), f"inserting {key!r}, which is here")  # type: ignore[misc]
    hold(len(policy) == 2, "a refused insertion changes its length")


def knows_no_stranger(kind: Kind) -> None:
    policy = filled_policy(kind, "ab")
    policy.remove("b", evicted=True)
    for key in ("b", "c"):
        refuses(KeyError, lambda key=key: policy.touch(key), f"touching {key!r}, which is not here")  # type: ignore[misc]
        for evicted in (True, False):
            refuses(KeyError, lambda key=key, evicted=evicted: policy.remove(key, evicted),  # type: ignore[misc]
                    f"removing {key!r}, which is not here")
    hold(len(policy) == 1 and policy.choose() == "a", "what was refused changes who is here")


def chooses_the_same_when_asked_again(kind: Kind) -> None:
    policy = filled_policy(kind, "abcdef")
    for key in "fbbd":
        policy.touch(key)
    chosen = policy.choose("x")
    hold(all(policy.choose("x") == chosen for _ in range(20)), "asked again at once, another is chosen")
    hold(len(policy) == 6, "choosing changes its length")
    for key in "abcdef":
        policy.remove(key, evicted=False)


def stops_where_all_are_pinned(kind: Kind) -> None:
    for touched in ("", "abcdef", "ace"):
        policy = filled_policy(kind, "abcdef")
        for key in touched:
            policy.touch(key)
        asked: list[object] = []

        def refuse(key: object, asked: list[object] = asked) -> bool:
            asked.append(key)
            hold(len(asked) < LONG, "where nobody may go, the choice does not end")
            return False

        hold(policy.choose("x", refuse) is None, "somebody is chosen who may not go")
        hold(set(asked) == set("abcdef"), "somebody is not asked whether he may go")
        hold(policy.choose("x") in set("abcdef"), "nobody is chosen where all may go again")


def finds_the_only_one_that_may_go(kind: Kind) -> None:
    policy = filled_policy(kind, "abcdef")
    for key in "abcabd":
        policy.touch(key)
    for free in "abcdef":
        chosen = policy.choose("x", lambda key, free=free: key == free)  # type: ignore[misc]
        hold(chosen == free, f"{chosen!r} is chosen where only {free!r} may go")


def forgets_what_was_invalidated(kind: Kind) -> None:
    """Two of them, one with an earlier life of "a" that was invalidated, choose alike ever after."""
    runs = []
    for earlier in ("a", ""):
        policy = make(kind, CAPACITY)
        for key in earlier:
            policy.insert(key)
            policy.touch(key)
            policy.remove(key, evicted=False)
        for key in "bacdef":
            policy.insert(key)
        policy.touch("b")
        victims = []
        for incoming in "ghij":
            victims.append(policy.choose(incoming))
            policy.remove(victims[-1], evicted=True)
            policy.insert(incoming)
        runs.append(victims)
    hold(runs[0] == runs[1], "an entry that was removed without being evicted comes back as if it were known")


def survives(kind: Kind, acts: Iterable[Act]) -> None:
    """Only residents that may go are chosen, whatever is asked of it in whatever order."""
    policy, resident = make(kind, CAPACITY), dict[int, None]()
    for act, key, pinned in acts:
        if act == "ask":
            policy.choose(key, lambda key, pinned=pinned: key not in pinned)  # type: ignore[misc]
        elif act == "drop" and key in resident:
            policy.remove(key, evicted=False)
            del resident[key]
        elif act == "use" and key in resident:
            policy.touch(key, cost=0.001 * len(pinned))
        elif act == "use" and (len(resident) < CAPACITY or _has_room(policy, resident, key, pinned)):
            policy.insert(key, cost=0.001 * len(pinned))
            resident[key] = None
        hold(len(policy) == len(resident), f"its length is {len(policy)} with {len(resident)} entries")


def _has_room(policy: EvictionPolicy, resident: dict[int, None], incoming: int, pinned: frozenset[int]) -> bool:
    victim = policy.choose(incoming, lambda key: key not in pinned)
    if victim is None:
        hold(pinned.issuperset(resident), "nobody is chosen though somebody may go")
        return False
    hold(victim in resident, f"{victim!r} is chosen, which is not here")
    hold(victim not in pinned, f"{victim!r} is chosen, which may not go")
    hold(policy.choose(incoming, lambda key: key not in pinned) == victim, "asked again at once, another is chosen")
    policy.remove(victim, evicted=True)
    del resident[int(str(victim))]
    return True


def survives_random_acts(kind: Kind) -> None:
    for seed in range(50):
        survives(kind, _acts(stream(seed, "contract"), 100))


def _acts(random: Random, count: int) -> Iterator[Act]:
    for _ in range(count):
        pinned = frozenset(pick(random, KEYS) for _ in range(pick(random, 8)))
        yield ("use", "use", "use", "drop", "ask")[pick(random, 5)], pick(random, KEYS), pinned


PROMISES: Mapping[str, Callable[[Kind], None]] = {
    "of an empty policy nobody is chosen": chooses_nobody_where_nobody_is,
    "its length is the number of entries, whatever their size": counts_entries_whatever_their_size,
    "a key that is here is not taken again (ValueError)": takes_no_key_twice,
    "a key that is not here is neither touched nor removed (KeyError)": knows_no_stranger,
    "choose forgets nobody, and asked again gives the same answer": chooses_the_same_when_asked_again,
    "choose ends, with None, where nobody may go": stops_where_all_are_pinned,
    "the only one that may go is chosen": finds_the_only_one_that_may_go,
    "what was removed without being evicted comes back as new": forgets_what_was_invalidated,
    "after any acts only entries that are here and may go are chosen": survives_random_acts,
}
"""The checks of the contract, by the promise in words."""
