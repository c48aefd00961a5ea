"""Disc errors: which requests the disc does not carry out, so that whoever asked must ask again."""

from random import Random
from typing import Protocol


class Errors(Protocol):
    def strike(self) -> bool:
        """Whether the request that has just come to its end has failed."""
        ...


class NoErrors:
    """A disc that never fails."""

    def strike(self) -> bool:
        return False


class RandomErrors:
    """A *share* of all requests fails, whatever they are and wherever they go."""

    def __init__(self, share: float, random: Random) -> None:
        self._share = share
        self._random = random

    def strike(self) -> bool:
        return self._random.random() < self._share


def errors(share: float, random: Random) -> Errors:
    return RandomErrors(share, random) if share > 0.0 else NoErrors()
