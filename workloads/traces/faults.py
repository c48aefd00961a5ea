"""Counts the bad lines and records of a trace that are passed over, with reasons, and checks every record."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from spindle.sim.error import UserError, quote
from spindle.workloads.traces.batch import Batch, require
from spindle.workloads.traces.operations import PassedWords
from spindle.workloads.traces.record import Record, TraceLimits

UNMEASURED = [None, None, None]
"""The response, gap and service of a record without measured times."""
KEPT_FAULTS = 10
"""Most faults, and most notes, that are kept for the report."""


class Wrong(ValueError):
    """Raised for a bad line or record, its reason, and the *attribute* or *column* where it begins, if known."""

    def __init__(self, reason: str, attribute: str = "", column: int = 1) -> None:
        super().__init__(reason)
        self.attribute = attribute
        self.column = column


@dataclass
class Faults:
    """Counts the bad lines that are passed over, at most *most*, and the *others*: good lines that are no requests."""

    most: float = inf
    bad: int = 0
    others: int = 0
    late: int = 0
    """Number of requests that come after later ones."""
    began: float | None = None
    """Clock reading at the first request of the trace, in the trace's units."""
    kept: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Guesses about the file, and remarks on it."""
    passed: PassedWords = field(default_factory=PassedWords)
    """Operations that are no requests."""
    has_skip: bool = True
    """True where the user has the option --skip-bad, which a message may name."""

    @property
    def sentences(self) -> list[str]:
        """Return the notes, and what is passed over by its operation."""
        return [*self.notes, *self.passed.sentences()]

    def add(self, where: str, reason: object, among_good: bool = False) -> None:
        """Count a bad line, *among_good* ones or not; raise UserError if it is one too many."""
        line = f"{where}: {reason}"
        if self.bad >= self.most:
            remedy = "; --skip-bad 1 passes over one such line" * (among_good and self.has_skip and "--" not in line)
            raise UserError(f"{line}{remedy}" if not self.bad else f"{line} (and {self.bad} bad before it)")
        self.bad += 1
        if len(self.kept) < KEPT_FAULTS:
            self.kept.append(line)

    def note(self, sentence: str) -> None:
        """Note *sentence* for the report, once."""
        if sentence not in self.notes and len(self.notes) < KEPT_FAULTS:
            self.notes.append(sentence)


class Checks:
    """Checks of the records of all formats."""

    def __init__(self, limits: TraceLimits) -> None:
        self._limits = limits
        self._devices: set[str] = set()
        self._newest = -inf

    def __call__(self, record: Record) -> None:
        """Raise Wrong if *record* is beyond the limits, or comes too long after one that should have followed it."""
        time, device, _, first, length, *seconds, _, keys, _, _, _ = record
        limits = self._limits
        most = limits.end if keys else limits.length
        if not (0 if keys else 1) <= length <= most:
            what = "an object has from 0" if keys else "a request has from 1"
            raise Wrong(f"{what} to {most} bytes, not {length}", "length")
        if first + length > limits.end:
            raise Wrong(f"{length} bytes from {first} on go beyond {limits.end}, where no device has any", "first")
        if time is not None:
            if time < self._newest - limits.slack:
                raise Wrong(f"the time runs back from {self._newest:.12g} to {time:.12g} s, by more than "
                            f"{limits.slack:g} s: sort the file by time, or read files of two clocks apart", "time")
            if time > self._newest:
                if time > limits.latest:
                    raise Wrong(f"{time:.12g} s is later than {limits.latest:g} s, which no trace is long", "time")
                self._newest = time
        if seconds != UNMEASURED:
            self._check_times(seconds)
        if device not in self._devices:
            self._new(device)

    def batch(self, batch: Batch) -> None:
        """Check all of *batch*; raise NotSimpleError where a request is wrong."""
        limits, lengths = self._limits, batch.lengths
        most = limits.length if batch.keys is None else limits.end
        require(bool((lengths >= (batch.keys is None)).all() and (lengths <= most).all()))
        require(bool((batch.firsts <= limits.end - lengths).all()))
        for seconds in (batch.responses, batch.gaps, batch.services):
            require(seconds is None or not bool((seconds > limits.latest).any()))
        codes = np.flatnonzero(np.bincount(batch.owners.codes))
        devices = self._devices.union(batch.owners.names[code] for code in codes.tolist())
        require(len(devices) <= limits.devices)
        self._in_order(batch)
        self._devices = devices

    def _in_order(self, batch: Batch) -> None:
        known = batch.times[~np.isnan(batch.times)]
        if len(known):
            newest = np.maximum.accumulate(np.maximum(known, self._newest))
            before = np.concatenate([[self._newest], newest[:-1]])
            require(bool((known >= before - self._limits.slack).all() and newest[-1] <= self._limits.latest))
            self._newest = float(newest[-1])

    def _check_times(self, seconds: Sequence[float | None]) -> None:
        for attribute, value in zip(("response", "gap", "service"), seconds, strict=True):
            if value is not None and value > self._limits.latest:
                raise Wrong(f"a {attribute} time of {value:.12g} s is beyond {self._limits.latest:g} s", attribute)

    def _new(self, device: str) -> None:
        if len(self._devices) == self._limits.devices:
            raise Wrong(f"device {quote(device)} is one more than the {self._limits.devices} that a trace may name",
                        "device")
        self._devices.add(device)
