"""What the Cache object counts of one kind of request: synchronous and asynchronous, and how many were hits."""


class CopyReadCounts:
    """A hit is a request that needed no disc, nor waited for a read under way."""

    __slots__ = ("sync", "asynchronous", "sync_hits", "asynchronous_hits")

    def __init__(self) -> None:
        self.sync = self.asynchronous = 0
        self.sync_hits = self.asynchronous_hits = 0

    def count(self, hit: bool, waits: bool) -> None:
        """One request, of somebody who *waits* for the disc or does not."""
        if waits:
            self.sync += 1
            self.sync_hits += hit
        else:
            self.asynchronous += 1
            self.asynchronous_hits += hit

    def reading(self, name: str) -> dict[str, float]:
        return {
            f"sync_{name}": float(self.sync), f"async_{name}": float(self.asynchronous),
            name: float(self.sync + self.asynchronous), f"{name}_hits": float(self.sync_hits + self.asynchronous_hits),
        }
