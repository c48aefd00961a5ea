"""Where a number of a data sheet comes from: somebody published it, it was assumed for a reason, or fitted to data."""

from sim.parameter import Source


def cited(note: str) -> Source:
    return Source("cited", note)


def assumed(note: str) -> Source:
    return Source("assumed", note)


def fitted(note: str) -> Source:
    """*note* names the claim or the data."""
    return Source("fitted", note)
