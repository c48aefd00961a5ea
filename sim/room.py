"""The claims that wait for a change in a memory, in the order in which they came."""

from collections import Counter, deque

import simpy

from sim.clock import Gate


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
