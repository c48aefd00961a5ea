"""Each promise of the contract of eviction policies is broken alone, by hand, and the breach is said."""

from collections.abc import Callable, Hashable, Iterator
from itertools import cycle, islice

import pytest

from spindle.contracts.eviction import PROMISES, ContractBroken, Kind, hold, refuses, survives
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import MayGo
from spindle.sim.eviction.slru import Slru

EMPTY, COUNTS, TWICE, STRANGER, AGAIN, PINNED, ONLY, NEW, ACTS = PROMISES


class Counted(Lru):
    """An LRU whose entries and questions can be told wrongly."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: dict[Hashable, int] = {}
        self.asked = 0

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        super().insert(key, size, cost)
        self.sizes[key] = size

    def remove(self, key: Hashable, evicted: bool) -> None:
        super().remove(key, evicted)
        del self.sizes[key]


class Inventive(Lru):
    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return super().choose(incoming, may_go) if len(self) or incoming is None else incoming


class NeverEmpty(Lru):
    def __len__(self) -> int:
        return max(1, super().__len__())


class Heavy(Counted):
    def __len__(self) -> int:
        return sum(self.sizes.values())


class Forgetful(Counted):
    """Counts what was evicted on."""

    def remove(self, key: Hashable, evicted: bool) -> None:
        super().remove(key, evicted)
        if not evicted:
            self.sizes[key] = 1

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        super().insert(key, size, cost)

    def __len__(self) -> int:
        return len(self.sizes)


class OfOtherErrors(Lru):
    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if key in self._order:
            raise KeyError(key)
        super().insert(key, size, cost)


class Swelling(Counted):
    """Refuses, and counts what it has refused."""

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        self.sizes[(key, len(self.sizes))] = 1
        Lru.insert(self, key, size, cost)

    def __len__(self) -> int:
        return len(self.sizes)


class OnceTouched(Lru):
    """Takes one again that is not the newest."""

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        if next(reversed(self._order), None) == key or key not in self._order:
            super().insert(key, size, cost)


class TouchesGhosts(Lru):
    def __init__(self) -> None:
        super().__init__()
        self._ghosts: set[Hashable] = set()

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key not in self._ghosts:
            super().touch(key, cost)

    def remove(self, key: Hashable, evicted: bool) -> None:
        super().remove(key, evicted)
        self._ghosts.add(key)


class TouchesStrangers(Lru):
    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key in self._order:
            super().touch(key, cost)


class DropsStrangers(Lru):
    def remove(self, key: Hashable, evicted: bool) -> None:
        if evicted or key in self._order:
            super().remove(key, evicted)


class EvictsStrangers(Lru):
    def remove(self, key: Hashable, evicted: bool) -> None:
        if not evicted or key in self._order:
            super().remove(key, evicted)


class TakesStrangers(Lru):
    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        if key not in self._order:
            self._order[key] = None
            raise KeyError(key)
        super().touch(key, cost)


class CountsStrangers(Swelling):
    """Counts who was touched, whether here or not."""

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        self.sizes[(key, len(self.sizes))] = 1
        super().touch(key, cost)

    def remove(self, key: Hashable, evicted: bool) -> None:
        Lru.remove(self, key, evicted)


class Fickle(Lru):
    """Chooses another from the *nth* question on."""

    nth = 21

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        self._asked += 1
        first = super().choose(incoming, may_go)
        if self._asked < self.nth:
            return first
        return super().choose(incoming, lambda key: key != first and (may_go is None or may_go(key)))


class SoonFickle(Fickle):
    nth = 2


class Alternating(Lru):
    """Chooses the oldest and the newest that may go in turn."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        self._asked += 1
        keys = [key for key in self._order if may_go is None or may_go(key)]
        return keys[-(self._asked % 2)] if keys else None


class Shrinking(Fickle):
    nth = 1 << 30

    def __len__(self) -> int:
        return super().__len__() - (self._asked > 10)


class Endless(Lru):
    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        keys: Iterator[Hashable] = cycle(list(self._order))
        return next((key for key in keys if may_go is None or may_go(key)), None)


class AsksFive(Lru):
    """Asks for five entries only."""

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        return next((key for key in islice(self._order, 5) if may_go is None or may_go(key)), None)


class Offended(Lru):
    """Chooses nobody any more, once all were refused."""

    refused = False

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        chosen = None if self.refused else super().choose(incoming, may_go)
        self.refused |= chosen is None and len(self) > 0
        return chosen


class Remembering(Lru):
    """Puts who was here before in front."""

    def __init__(self) -> None:
        super().__init__()
        self._before: set[Hashable] = set()

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        super().insert(key, size, cost)
        if key in self._before:
            self._order.move_to_end(key, last=False)

    def remove(self, key: Hashable, evicted: bool) -> None:
        super().remove(key, evicted)
        if not evicted:
            self._before.add(key)


class Shy(Lru):
    """Chooses nobody where many are pinned."""

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        free = [key for key in self._order if may_go is None or may_go(key)]
        return free[0] if len(free) > 1 or (free and may_go is None) else None


class Haunted(Lru):
    """Chooses who has gone."""

    ghost: Hashable | None = None

    def remove(self, key: Hashable, evicted: bool) -> None:
        super().remove(key, evicted)
        self.ghost = key if evicted else self.ghost

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        ghost = self.ghost
        if ghost is not None and (may_go is None or may_go(ghost)):
            return ghost
        return super().choose(incoming, may_go)


BREACHES = [
    (EMPTY, Inventive, "an entry is chosen"), (EMPTY, NeverEmpty, "its length is 1"),
    (COUNTS, Heavy, r"with two entries, one and none its length is \[4097, 1, 0\]"),
    (COUNTS, Forgetful, r"with two entries, one and none its length is \[2, 1, 1\]"),
    (TWICE, OfOtherErrors, "inserting 'a', which is resident raises KeyError, and must raise ValueError"),
    (TWICE, OnceTouched, "inserting 'b', which is resident raises nothing, and must raise ValueError"),
    (TWICE, Swelling, "a refused insertion changes its length"),
    (STRANGER, TouchesGhosts, "touching 'b', which is not resident raises nothing, and must raise KeyError"),
    (STRANGER, TouchesStrangers, "touching 'b', which is not resident raises nothing, and must raise KeyError"),
    (STRANGER, DropsStrangers, "removing 'b', which is not resident raises nothing, and must raise KeyError"),
    (STRANGER, EvictsStrangers, "removing 'b', which is not resident raises nothing, and must raise KeyError"),
    (STRANGER, TakesStrangers, "removing 'b', which is not resident raises nothing, and must raise KeyError"),
    (STRANGER, CountsStrangers, "a refused call changes the entries"),
    (AGAIN, Fickle, "asked again at once, another is chosen"),
    (AGAIN, SoonFickle, "asked again at once, another is chosen"),
    (AGAIN, Shrinking, "choosing changes its length"),
    (PINNED, Endless, "where no entry may go, it does not end"),
    (PINNED, AsksFive, "may_go is not called for every entry"),
    (PINNED, Offended, "none is chosen where all may go again"),
    (ONLY, AsksFive, "None is chosen where only '[a-f]' may go"),
    (NEW, Remembering, "an entry that was removed without being evicted does not come back as new"),
    (ACTS, Forgetful, "its length is [0-9]+ with [0-9]+ entries"), (ACTS, Shy, "none is chosen though an entry may go"),
    (ACTS, Haunted, "[0-9]+ is chosen, which is not resident"),
    (ACTS, Alternating, "asked again at once, another is chosen"),
]


@pytest.mark.parametrize(("promise", "kind", "breach"), BREACHES, ids=[each[1].__name__ for each in BREACHES])
def test_a_broken_promise_is_said(promise: str, kind: Kind, breach: str) -> None:
    with pytest.raises(ContractBroken, match=f"^(?:{breach})$"):
        PROMISES[promise](kind)


class Told(Lru):
    """Writes down what is done to it."""

    def __init__(self) -> None:
        super().__init__()
        TOLD.append(("made",))

    def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
        TOLD.append(("insert", key, size, cost))
        super().insert(key, size, cost)

    def touch(self, key: Hashable, cost: float = 0.0) -> None:
        TOLD.append(("touch", key, cost))
        super().touch(key, cost)

    def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
        TOLD.append(("choose", incoming, may_go and may_go("y")))
        return super().choose(incoming, may_go)

    def remove(self, key: Hashable, evicted: bool) -> None:
        TOLD.append(("remove", key, evicted))
        super().remove(key, evicted)


TOLD: list[tuple[object, ...]] = []
TWO = [("made",), ("insert", "a", 1, 0.0), ("insert", "b", 1, 0.0)]


@pytest.mark.parametrize(("promise", "told"), [
    (EMPTY, [("made",), ("choose", None, None), ("choose", "x", True)]),
    (COUNTS, [("made",), ("insert", "a", 4096, 0.02), ("insert", "b", 1, 0.0), ("touch", "a", 0.01),
              ("remove", "a", True), ("remove", "b", False)]),
    (TWICE, [*TWO, ("touch", "a", 0.0), ("insert", "a", 1, 0.0), ("insert", "b", 1, 0.0)]),
    (STRANGER, [*TWO, ("remove", "b", True), *(
        act for key in "bc" for act in (("touch", key, 0.0), ("remove", key, True), ("remove", key, False))),
        ("choose", None, None)]),
])  # fmt: skip
def test_what_is_done_to_a_policy(promise: str, told: list[tuple[object, ...]]) -> None:
    TOLD.clear()
    PROMISES[promise](Told)
    assert told == TOLD


def test_a_policy_of_a_fixed_capacity_keeps_all_promises() -> None:
    """It is made for the six entries that it is given."""
    for check in PROMISES.values():
        check(Slru)


def test_what_keeps_all_promises_breaks_none() -> None:
    for check in PROMISES.values():
        check(Lru)


def test_an_entry_that_is_lost_by_choosing_cannot_be_removed() -> None:
    class Loses(Fickle):
        nth = 1 << 30

        def choose(self, incoming: Hashable | None = None, may_go: MayGo | None = None) -> Hashable | None:
            chosen = super().choose(incoming, may_go)
            if self._asked == 21:
                self._order["stranger"] = self._order.pop(next(reversed(self._order)))
            return chosen

    with pytest.raises(KeyError):
        PROMISES[AGAIN](Loses)


def test_acts_upon_who_is_here_and_who_is_not() -> None:
    """Twelve keys in six places; a key that is not here is not dropped, one that is here is touched."""
    told: list[tuple[str, object, float]] = []

    class Told(Lru):
        def insert(self, key: Hashable, size: int = 1, cost: float = 0.0) -> None:
            told.append(("insert", key, cost))
            super().insert(key, size, cost)

        def touch(self, key: Hashable, cost: float = 0.0) -> None:
            told.append(("touch", key, cost))
            super().touch(key, cost)

        def remove(self, key: Hashable, evicted: bool) -> None:
            told.append(("evict" if evicted else "drop", key, 0.0))
            super().remove(key, evicted)

    few, none = frozenset({0, 1}), frozenset[int]()
    everybody = frozenset(range(12))
    survives(Told, [("use", 0, few), ("drop", 7, none), ("use", 0, none), ("drop", 0, none),
                    *(("use", key, none) for key in range(6)), ("ask", 9, few), ("use", 8, few), ("use", 9, everybody)])
    assert told == [
        ("insert", 0, 0.002), ("touch", 0, 0.0), ("drop", 0, 0.0), *(("insert", key, 0.0) for key in range(6)),
        ("evict", 2, 0.0), ("insert", 8, 0.002),
    ]  # fmt: skip


def test_what_holds_is_silent_and_what_does_not_has_its_words() -> None:
    hold(True, "all is well")
    with pytest.raises(ContractBroken, match=r"^it is so$"):
        hold(False, "it is so")


@pytest.mark.parametrize(("act", "says"), [
    (lambda: {}["a"], None), (lambda: 1, "it raises nothing, and must raise KeyError"),
    (lambda: int("x"), "it raises ValueError, and must raise KeyError"),
])  # fmt: skip
def test_a_refusal_is_of_the_kind_that_was_promised(act: Callable[[], object], says: str | None) -> None:
    if says is None:
        refuses(KeyError, act, "it")
        return
    with pytest.raises(ContractBroken, match=f"^{says}$"):
        refuses(KeyError, act, "it")
