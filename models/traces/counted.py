"""A count with what it counts, of which one is not many."""


def counted(count: int, noun: str) -> str:
    """``1 block``, ``2,000 blocks``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"
