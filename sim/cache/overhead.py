"""What a cache costs the CPU: searching for an entry and copying it."""

from typing import Protocol

from sim.account import Account, Phase
from sim.clock import Wait
from sim.cpu import Cpu


class Overhead(Protocol):
    def spend(self, length: int, account: Account) -> Wait:
        """Search for and copy *length* bytes."""


class CpuOverhead:
    """*search* seconds an access and *copy* seconds a byte, on the *cpu* at *level*."""

    def __init__(self, cpu: Cpu, search: float, copy: float, level: int = 1) -> None:
        self._cpu = cpu
        self._search = search
        self._copy = copy
        self._level = level

    def spend(self, length: int, account: Account) -> Wait:
        yield self._cpu.burst(self._search + length * self._copy, self._level, Phase.CACHE, account)


class NoOverhead:
    """A cache that costs no CPU."""

    def spend(self, length: int, account: Account) -> Wait:
        return
        yield
