"""Habits of tools that the paper does not report: loops over many sectors, which may explain 30 % of hits.

With 256 sectors, half of the cache, Jacobson saw 30 % of requests hit. LRU hits little of a loop that is longer than
the cache, and all of one that fits, so with each habit 256 sectors hit far less than 512. But each contradicts another
number of the paper on the same machine.
"""

from dataclasses import dataclass, replace
from typing import Protocol

from spindle.models.max_iv.file_work import FileWork
from spindle.models.max_iv.files import FileDirectory, FileSystem, Path
from spindle.models.max_iv.volumes import SYSTEM, Home
from spindle.sim.clock import Wait
from spindle.sim.terminal import Session


class Habit(Protocol):
    """Accesses that each tool makes when it begins, beside those that the paper reports."""

    def times(self, factor: float) -> "Habit":
        """Return the same habit with loops *factor* times as long."""

    def prepare(self, tools: FileSystem, home: Home) -> None:
        """Make the files to be read, on the disc of the *tools* or at *home*, before the first log-on."""

    def sweep(self, files: FileWork, home: Home, session: Session) -> Wait:
        """Perform the accesses of a tool that begins."""


@dataclass(frozen=True)
class NoHabit:
    """No loops: the main load."""

    def times(self, factor: float) -> Habit:
        return self

    def prepare(self, tools: FileSystem, home: Home) -> None:
        pass

    def sweep(self, files: FileWork, home: Home, session: Session) -> Wait:
        return
        yield  # a generator that yields nothing


@dataclass(frozen=True)
class PathLoop:
    """A search path of *directories* directories with *names* names each, all read by a *share* of the tools."""

    directories: int = 25
    names: int = 40
    share: float = 0.5

    def times(self, factor: float) -> Habit:
        return replace(self, directories=max(1, round(factor * self.directories)))

    def _paths(self) -> list[Path]:
        return [("tools", f"wide{number}") for number in range(self.directories)]

    def prepare(self, tools: FileSystem, home: Home) -> None:
        for path in self._paths():
            if tools.walk(path)[0] is None:
                tools.make_directory(path)
                for name in range(self.names):
                    tools.create((*path, f"name{name}"), 1)

    def sweep(self, files: FileWork, home: Home, session: Session) -> Wait:
        if session.random.random() >= self.share:
            return
        for path in self._paths():
            directory = files.discs[SYSTEM].walk(path)[0]
            assert isinstance(directory, FileDirectory)
            sectors = directory.sectors()
            files.probe_accesses += len(sectors)
            yield from files.io.read(SYSTEM, sectors, session.account)


@dataclass(frozen=True)
class PrivateLoops:
    """A library of *sectors* for each user, which a *share* of the user's tools read from end to end."""

    sectors: int = 130
    share: float = 1.0

    def times(self, factor: float) -> Habit:
        return replace(self, sectors=max(1, round(factor * self.sectors)))

    def _path(self, home: Home) -> Path:
        return (*home.directory, "library")

    def prepare(self, tools: FileSystem, home: Home) -> None:
        if home.files.walk(self._path(home))[0] is None:
            home.files.create(self._path(home), self.sectors)

    def sweep(self, files: FileWork, home: Home, session: Session) -> Wait:
        if self.share == 1.0 or session.random.random() < self.share:
            yield from files.read(home.unit, self._path(home), session.account)


@dataclass(frozen=True)
class LibraryLoop:
    """One library of *sectors* that a *share* of all users' tools read from end to end."""

    sectors: int = 230
    share: float = 0.5

    def times(self, factor: float) -> Habit:
        return replace(self, sectors=max(1, round(factor * self.sectors)))

    def prepare(self, tools: FileSystem, home: Home) -> None:
        if tools.walk(("tools", "library"))[0] is None:
            tools.create(("tools", "library"), self.sectors)

    def sweep(self, files: FileWork, home: Home, session: Session) -> Wait:
        if session.random.random() < self.share:
            yield from files.read(SYSTEM, ("tools", "library"), session.account)


@dataclass(frozen=True)
class SeveralHabits:
    """All of *habits*, one after the other."""

    habits: tuple[Habit, ...]

    def times(self, factor: float) -> Habit:
        return SeveralHabits(tuple(habit.times(factor) for habit in self.habits))

    def prepare(self, tools: FileSystem, home: Home) -> None:
        for habit in self.habits:
            habit.prepare(tools, home)

    def sweep(self, files: FileWork, home: Home, session: Session) -> Wait:
        for habit in self.habits:
            yield from habit.sweep(files, home, session)


NO_HABIT = NoHabit()
