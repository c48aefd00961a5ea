"""Lays out the discs of a Max-IV system: one with the tools and the shells' images, others with users' accounts."""

from dataclasses import dataclass, field
from math import log
from random import Random
from typing import Protocol

from spindle.models.max_iv.files import FileSystem, Path
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.requests import SECTOR_BYTES, SECTOR_WORDS
from spindle.workloads.software_tools import MIX

TOOLS: Path = ("tools", "bin")
LOCAL: Path = ("tools", "local")
"""Directories of the tools: those of the system, and those of the site."""
HOME_FILES = (":AR", ":VA")
"""Arguments and variables in a user's home, which every command reads."""
SYSTEM = 0
"""The disc of the tools and of the shells' images; accounts are on the others, or here where it is the only one."""


@dataclass
class Home:
    """A user's account on disc *unit*: directory and files; the *image* of the user's shell is on the SYSTEM's disc.

    A few *working* files are in use; the others are on the *shelf*.
    """

    unit: int
    files: FileSystem
    directory: Path
    image: int
    more: tuple[Path, ...] = ()
    working: list[Path] = field(default_factory=list)
    shelf: list[Path] = field(default_factory=list)
    temporary: int = 0

    @property
    def search_path(self) -> tuple[tuple[int, Path], ...]:
        """The directories in which the user's shell looks for a tool, each with its disc."""
        return (self.unit, (*self.directory, "bin")), *((SYSTEM, path) for path in (LOCAL, *self.more, TOOLS))

    def new_name(self) -> Path:
        """The name of a temporary file."""
        self.temporary += 1
        return (*self.directory, f"pipe{self.temporary}")


class ToolOrder(Protocol):
    """A rule of the order in which tools are entered in their directory: those that are *used*, and the *others*."""

    def __call__(self, used: list[str], others: list[str], random: Random) -> list[str]: ...


def used_first(used: list[str], others: list[str], random: Random) -> list[str]:
    """Enter those that are used first, so that a search ends early."""
    return [*used, *others]


def in_any_order(used: list[str], others: list[str], random: Random) -> list[str]:
    """Enter tools as they came over the years, whoever uses them; assumed, for the paper names no order."""
    names = [*used, *others]
    random.shuffle(names)
    return names


class SystemVolume:
    """The labelled disc of the tools, with room for the images of shells."""

    def __init__(self, files: FileSystem, parameters: MaxIvParameters, order: ToolOrder, random: Random) -> None:
        self.files = files
        self._parameters = parameters
        # Room for images is long, so it is taken while the disc is still empty.
        self._images = [self._reserve() for _ in range(parameters.accounts)]
        for path in (("tools",), TOOLS, LOCAL):
            files.make_directory(path)
        usual = sorted({tool.name for _, command in MIX for tool in command.tools})
        others = [f"tool{number}" for number in range(len(usual), parameters.tools)]
        for name in order(usual, others, random):
            self.install((*TOOLS, name))
        for number in range(parameters.local_tools):
            self.install((*LOCAL, f"local{number}"))
        self.more = tuple([self._add_directory(number) for number in range(parameters.more_directories)])

    def _add_directory(self, number: int) -> Path:
        """Make a directory of tools that others have written."""
        directory: Path = ("tools", f"more{number}")
        self.files.make_directory(directory)
        for tool in range(self._parameters.local_tools):
            self.files.create((*directory, f"tool{tool}"), 1)
        return directory

    def install(self, path: Path) -> None:
        """Put a TOC file at *path*, unless it is there: a sector-sized LPR and then the core image (Jacobson 3.2)."""
        if self.files.walk(path)[0] is None:
            self.files.create(path, 1 + -(-self._parameters.toc_bytes // SECTOR_BYTES))

    def image(self) -> int:
        """The first sector of room for one more shell."""
        return self._images.pop() if self._images else self._reserve()

    def _reserve(self) -> int:
        return self.files.reserve(self._parameters.shell_words // SECTOR_WORDS)


class AccountVolume:
    """The accounts on disc *unit*, whose owners use the tools of *system*."""

    def __init__(
        self, unit: int, files: FileSystem, system: SystemVolume, parameters: MaxIvParameters, random: Random
    ) -> None:
        self.unit = unit
        self.files = files
        self._system = system
        self._parameters = parameters
        self._random = random
        self._settled = 0
        files.make_directory(("users",))
        self._homes = [self._account(f"user{number}") for number in range(parameters.accounts)]

    def home(self) -> Home:
        """Return the account of one more user; beyond the last account make a new one."""
        if self._settled == len(self._homes):
            self._homes.append(self._account(f"user{self._settled}"))
        self._settled += 1
        self._furnish(self._homes[self._settled - 1])
        return self._homes[self._settled - 1]

    def _account(self, name: str) -> Home:
        parameters, files = self._parameters, self.files
        directory: Path = ("users", name)
        for path in (directory, (*directory, "bin"), (*directory, "src"), (*directory, "doc")):
            files.make_directory(path)
        for own, sectors in ((":AR", parameters.own_sectors), (":VA", parameters.own_sectors), ("path", 1)):
            files.create((*directory, own), sectors)
        for number in range(parameters.own_commands):
            files.create((*directory, "bin", f"own{number}"), 1)
        return Home(self.unit, files, directory, self._system.image(), self._system.more)

    def _furnish(self, home: Home) -> None:
        """Make the files of a user who will log on; files of other users are never read, and not made."""
        parameters = self._parameters
        sizes = self._sizes(parameters.working_files, parameters.working_sectors)
        for number, sectors in enumerate(sizes):
            home.working.append(self._file((*home.directory, f"work{number}"), sectors))
        for number, sectors in enumerate(self._sizes(parameters.account_files, parameters.static_sectors)):
            folder = "src" if number % 2 else "doc"
            home.shelf.append(self._file((*home.directory, folder, f"file{number}"), sectors))

    def _file(self, path: Path, sectors: int) -> Path:
        self.files.create(path, sectors)
        return path

    def _sizes(self, count: int, mean: float) -> list[int]:
        """Draw *count* sizes of that *mean*, one from each *count*-th part of the distribution, in random order.

        The mean of a few sizes that are drawn one by one would be a matter of luck.
        """
        sizes = [exponential_sectors(mean, (number + 0.5) / count) for number in range(count)]
        self._random.shuffle(sizes)
        return sizes

    def residents(self) -> list[Home]:
        """The users with a home here."""
        return self._homes[: self._settled]


def exponential_sectors(mean: float, share: float) -> int:
    """Return a number of sectors, at least 1, *mean* on average: the quantile *share* of a rounded exponential."""
    return 1 + int((0.5 - mean) * log(1.0 - share)) if mean > 1.0 else 1
