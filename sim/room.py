"""Room in a memory: claims that wait for a change in it, and caches above one another."""

from collections import Counter, deque

import simpy

from sim.clock import Gate
from sim.error import UserError


class CacheStack:
    """The place of one memory among those that caches above one another have."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._lower: list[CacheStack] = []

    def admit(self, name: str) -> None:
        """An owner whose keys begin with *name* will keep regions here; UserError where another has that name."""
        if name in self._names:
            raise UserError(f"memory: two caches in it are called {name}; each needs a name of its own")
        self._names.add(name)

    def stand_above(self, lower: "CacheStack", name: str) -> None:
        """What is in here lies above what is in *lower*, so room here may wait for room there; *name* is whose it is.

        UserError where room there may wait for room here, for then both might wait for ever.
        """
        if lower.waits_for(self):
            raise UserError(f"memory of {name}: room in it would wait for room in itself, by way of the caches below; "
                            "caches above one another need memories of their own")  # fmt: skip
        self._lower.append(lower)

    def waits_for(self, other: "CacheStack") -> bool:
        """Whether room here may have to wait for room in *other*."""
        return other is self or any(lower.waits_for(other) for lower in self._lower)


class RoomClaim(Gate):
    """The event that a claim for *need* bytes may be tried again."""

    def __init__(self, env: simpy.Environment, need: int) -> None:
        super().__init__(env, "room in memory")
        self.need = need


class Change(simpy.Event):
    """The event that regions may go which could not before, and the claims that wait for it."""

    def __init__(self, env: simpy.Environment) -> None:
        super().__init__(env)
        self._claims: deque[RoomClaim] = deque()
        self._needs: Counter[int] = Counter()

    def __len__(self) -> int:
        return len(self._claims)

    @property
    def first(self) -> RoomClaim:
        return self._claims[0]

    @property
    def least(self) -> int:
        """The smallest need. Thousands of claims have few different ones."""
        return min(self._needs)

    def add(self, claim: RoomClaim) -> None:
        self._claims.append(claim)
        self._needs[claim.need] += 1

    def pop(self) -> RoomClaim:
        claim = self._claims.popleft()
        self._needs[claim.need] -= 1
        if not self._needs[claim.need]:
            del self._needs[claim.need]
        return claim

    def take_over(self, other: "Change") -> None:
        """The claims of *other* wait for this change too, behind its own; the fewer of them are moved."""
        if len(self) < len(other):
            other._claims.extendleft(reversed(self._claims))
            self._claims = other._claims
        else:
            self._claims.extend(other._claims)
        self._needs.update(other._needs)
