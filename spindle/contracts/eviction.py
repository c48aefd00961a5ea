"""Checks the contract of eviction policies: PROMISES, which every policy must keep, a user's own included."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random

from spindle.sim.eviction.policy import EvictionPolicy, make
from spindle.sim.streams import pick, stream

POLICY_CAPACITY = 6
"""Entries for which each policy is made that is checked."""
KEYS_USED = 12
"""Number of different keys in the random acts."""
MAX_QUESTIONS = 100
"""Calls of *may_go* in one call of ``choose`` after which it counts as endless."""

Kind = Callable[..., EvictionPolicy]
"""Makes a policy: a class, or a function."""
Act = tuple[str, int, frozenset[int]]
"""An act on a policy (use, drop or ask), its key, and the keys that are pinned, so that they may not be evicted."""


class ContractBroken(AssertionError):
    """Raised where a part breaks a promise of its contract."""


def hold(promise: bool, breach: str) -> None:
    """Raise ContractBroken with the words *breach* unless *promise* is true."""
    if not promise:
        raise ContractBroken(breach)


def refuses(kind: type[Exception], act: Callable[[], object], what: str) -> None:
    """Raise ContractBroken unless *act*, described by *what*, raises an error of the *kind*."""
    try:
        act()
    except kind:
        return
    except Exception as error:
        raise ContractBroken(f"{what} raises {type(error).__name__}, and must raise {kind.__name__}") from error
    raise ContractBroken(f"{what} raises nothing, and must raise {kind.__name__}")


def filled_policy(kind: Kind, keys: str) -> EvictionPolicy:
    """Make a policy with the entries *keys*, one for each letter."""
    policy = make(kind, POLICY_CAPACITY)
    for key in keys:
        policy.insert(key)
    return policy


def chooses_nothing_when_empty(kind: Kind) -> None:
    policy = make(kind, POLICY_CAPACITY)
    hold(policy.choose() is None and policy.choose("x", lambda key: True) is None, "an entry is chosen")
    hold(len(policy) == 0, f"its length is {len(policy)}")


def counts_entries_whatever_their_size(kind: Kind) -> None:
    policy = make(kind, POLICY_CAPACITY)
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
        refuses(ValueError, lambda key=key: policy.insert(key),  # type: ignore[misc]
                f"inserting {key!r}, which is resident")
    hold(len(policy) == 2, "a refused insertion changes its length")


def knows_no_stranger(kind: Kind) -> None:
    policy = filled_policy(kind, "ab")
    policy.remove("b", evicted=True)
    for key in ("b", "c"):
        refuses(KeyError, lambda key=key: policy.touch(key),  # type: ignore[misc]
                f"touching {key!r}, which is not resident")
        for evicted in (True, False):
            refuses(KeyError, lambda key=key, evicted=evicted: policy.remove(key, evicted),  # type: ignore[misc]
                    f"removing {key!r}, which is not resident")
    hold(len(policy) == 1 and policy.choose() == "a", "a refused call changes the entries")


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
            hold(len(asked) < MAX_QUESTIONS, "where no entry may go, it does not end")
            return False

        hold(policy.choose("x", refuse) is None, "an entry is chosen that may not go")
        hold(set(asked) == set("abcdef"), "may_go is not called for every entry")
        hold(policy.choose("x") in set("abcdef"), "none is chosen where all may go again")


def finds_the_only_one_that_may_go(kind: Kind) -> None:
    policy = filled_policy(kind, "abcdef")
    for key in "abcabd":
        policy.touch(key)
    for free in "abcdef":
        chosen = policy.choose("x", lambda key, free=free: key == free)  # type: ignore[misc]
        hold(chosen == free, f"{chosen!r} is chosen where only {free!r} may go")


def forgets_what_was_invalidated(kind: Kind) -> None:
    """Check that an entry removed without eviction is forgotten: the policy chooses as one that never had it."""
    runs = []
    for earlier in ("a", ""):
        policy = make(kind, POLICY_CAPACITY)
        for key in earlier:
            policy.insert(key)
            policy.touch(key)
            policy.remove(key, evicted=False)
        for key in "bcadef":
            policy.insert(key)
        policy.touch("b")
        victims = []
        for incoming in "ghij":
            victims.append(policy.choose(incoming))
            policy.remove(victims[-1], evicted=True)
            policy.insert(incoming)
        runs.append(victims)
    hold(runs[0] == runs[1], "an entry that was removed without being evicted does not come back as new")


def survives(kind: Kind, acts: Iterable[Act]) -> None:
    """Check that in a sequence of *acts* only entries are chosen that are resident and may be evicted."""
    policy, resident = make(kind, POLICY_CAPACITY), dict[int, None]()
    for act, key, pinned in acts:
        if act == "ask":
            policy.choose(key, lambda key, pinned=pinned: key not in pinned)  # type: ignore[misc]
        elif act == "drop" and key in resident:
            policy.remove(key, evicted=False)
            del resident[key]
        elif act == "use" and key in resident:
            policy.touch(key, cost=0.001 * len(pinned))
        elif act == "use" and (len(resident) < POLICY_CAPACITY or _has_room(policy, resident, key, pinned)):
            policy.insert(key, cost=0.001 * len(pinned))
            resident[key] = None
        hold(len(policy) == len(resident), f"its length is {len(policy)} with {len(resident)} entries")


def _has_room(policy: EvictionPolicy, resident: dict[int, None], incoming: int, pinned: frozenset[int]) -> bool:
    victim = policy.choose(incoming, lambda key: key not in pinned)
    if victim is None:
        hold(pinned.issuperset(resident), "none is chosen though an entry may go")
        return False
    hold(victim in resident, f"{victim!r} is chosen, which is not resident")
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
        pinned = frozenset(pick(random, KEYS_USED) for _ in range(pick(random, 8)))
        yield ("use", "use", "use", "drop", "ask")[pick(random, 5)], pick(random, KEYS_USED), pinned


PROMISES: Mapping[str, Callable[[Kind], None]] = {
    "of an empty policy none is chosen": chooses_nothing_when_empty,
    "its length is the number of entries, whatever their size": counts_entries_whatever_their_size,
    "a resident key is not inserted again (ValueError)": takes_no_key_twice,
    "a key that is not resident is neither touched nor removed (KeyError)": knows_no_stranger,
    "choose removes no entry, and asked again gives the same answer": chooses_the_same_when_asked_again,
    "choose ends, with None, where no entry may go": stops_where_all_are_pinned,
    "the only entry that may go is chosen": finds_the_only_one_that_may_go,
    "an entry that was removed without being evicted comes back as new": forgets_what_was_invalidated,
    "after any acts only resident entries that may go are chosen": survives_random_acts,
}
"""The checks of the contract, by promise in words."""
