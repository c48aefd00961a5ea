"""Defines the protocol that every format of traces implements for the reader."""

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from spindle.workloads.traces.batch import Stretch
from spindle.workloads.traces.faults import Faults
from spindle.workloads.traces.record import Record, TraceLimits


@runtime_checkable
class Format(Protocol):
    """A format of traces; names of its files often end with one of *suffixes*."""

    @property
    def name(self) -> str: ...

    @property
    def suffixes(self) -> tuple[str, ...]: ...

    @property
    def needs(self) -> str:
        """Describe what a file needs so that requests are found in it."""

    @property
    def alternatives(self) -> Sequence["Format"]:
        """Return formats of the same kind of file, of which the first that finds a request in one is taken."""

    def variant(self, head: bytes, name: str) -> "Format":
        """Return the format, or a variant with a note that fits better a file *name* that begins with *head*."""

    def stretches(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Stretch]:
        """Yield the requests in the file *where*, which consists of *pieces*, by columns where possible."""

    def records(self, where: str, pieces: Iterator[bytes], faults: Faults, limits: TraceLimits) -> Iterator[Record]:
        """Yield the same requests, read one by one."""
