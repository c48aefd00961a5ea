"""Which caches keep their regions in a memory, and which memories stand below it: what may wait for what."""

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
