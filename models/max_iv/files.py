"""Max-IV's file system as the sectors that it reads and writes. It has free space, the places of management space and
data, directories and files, and the volumes of the tools and of users' accounts.
"""

from dataclasses import dataclass, field
from math import log
from random import Random
from typing import Protocol
from zlib import crc32

from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.requests import SECTOR_BYTES, SECTOR_WORDS
from spindle.sim.error import UserError
from spindle.sim.streams import pick
from spindle.workloads.software_tools import MIX

# The free sectors and tracks of a disc: those given back are handed out first, others where a rule looks for them.

MAX_TRIES = 10_000


class Search(Protocol):
    """A rule that names places to try, below *size*, one after the other."""

    def look(self, size: int) -> int: ...


class Scattered:
    """Place a file anywhere: on an old disc the free space lies scattered (Jacobson 0 and 1)."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def look(self, size: int) -> int:
        return pick(self._random, size)


class Packed:
    """Place one file after the other: a new disc."""

    def __init__(self) -> None:
        self._next = -1

    def look(self, size: int) -> int:
        self._next += 1
        return self._next % size


class Reuse(Protocol):
    """A rule of what becomes of a *place* that is given back: it is *returned*, or *taken* no more."""

    def __call__(self, place: int, returned: list[int], taken: set[int]) -> None: ...


def reuse_at_once(place: int, returned: list[int], taken: set[int]) -> None:
    """Put it at the head of the free list, so that it is handed out next; that is assumed."""
    returned.append(place)


def reuse_in_turn(place: int, returned: list[int], taken: set[int]) -> None:
    """Leave it among all that are free, so that temporary files go round over the free tracks."""
    taken.discard(place)


class FreeSpace:
    """Places *first* to *end* of a disc, sectors or tracks, free or taken; *reuse* takes what is given back."""

    def __init__(self, name: str, first: int, end: int, search: Search, reuse: Reuse = reuse_at_once) -> None:
        self._name = name
        self.first = first
        self._size = end - first
        self._search = search
        self._reuse = reuse
        self._taken: set[int] = set()
        self._returned: list[int] = []

    def take(self, count: int = 1) -> int:
        """Take *count* neighbouring places; return the first."""
        if count == 1 and self._returned:
            return self._returned.pop()
        for _ in range(MAX_TRIES):
            place = self.first + self._search.look(max(1, self._size - count + 1))
            wanted = range(place, place + count)
            if place + count <= self.first + self._size and self._taken.isdisjoint(wanted):
                self._taken.update(wanted)
                return place
        raise UserError(
            f"{self._name}: {count} neighbours are not free any more among {self._size}, {len(self._taken)} of "
            "them taken; ask for fewer files or for a larger disc"
        )

    def give_back(self, place: int) -> None:
        self._reuse(place, self._returned, self._taken)


# Rules of the file manager for places: management space and data apart, as in Max-IV, or near each other.

@dataclass(frozen=True)
class Region:
    """A disc of *tracks* tracks, of which *management* from track *first* on are set aside at labelling."""

    space: FreeSpace
    tracks: FreeSpace
    first: int
    management: int

    def is_management(self, track: int) -> bool:
        return self.first <= track < self.first + self.management


class Placing(Protocol):
    """Labels a disc: sets management space aside, and determines where free space is searched."""

    def label(self, tracks: int, track_sectors: int, management: int, random: Random) -> Region: ...


@dataclass(frozen=True)
class AtTheEdge:
    """Place as Max-IV labels a disc: management space at one end of it, everything scattered (Jacobson 0).

    *reuse* is the rule of tracks that are given back, of which the paper says nothing.
    """

    reuse: Reuse = reuse_at_once

    def label(self, tracks: int, track_sectors: int, management: int, random: Random) -> Region:
        size = management * track_sectors
        return Region(
            FreeSpace("management space", 0, size, Scattered(random)),
            FreeSpace("data space", management, tracks, Scattered(random), self.reuse), 0, management,
        )


@dataclass(frozen=True)
class InTheMiddle:
    """Place by a better layout: management space in the middle of what is in use, and nothing scattered.

    Structures follow each other, and files lie on the tracks behind them in the order in which they were made, so
    that no seek leaves the part of the disc that is full.
    """

    def label(self, tracks: int, track_sectors: int, management: int, random: Random) -> Region:
        first = (tracks - management) // 4
        size = management * track_sectors
        start = first * track_sectors
        return Region(
            FreeSpace("management space", start, start + size, Packed()),
            FreeSpace("data space", first + management, tracks, Packed()), first, management,
        )


AT_THE_EDGE = AtTheEdge()


# The file system of Max-IV as its disc accesses show it: structures strewn over the management space, files on tracks.
#
# Jacobson 0: all space for the file system's structures is allotted when the pack is labelled and must be
# contiguous; they are linked lists of discontinuous sectors; only a pointer to the root directory is in core; a
# file takes whole tracks. Looking up a simple name therefore takes at least two accesses, the directory's head and
# a sector of the list on which the name would be. How names are spread over lists is assumed.

Path = tuple[str, ...]
Sectors = list[int]


@dataclass
class DirectorySector:
    """A sector of a directory's list, with the names it holds."""

    sector: int
    names: list[str] = field(default_factory=list)


@dataclass
class StoredFile:
    """A file: the sectors of its *descriptor* and its track *map* in management space, *first* of its data sectors."""

    descriptor: int
    map: int
    track: int
    tracks: int
    first: int
    sectors: int


@dataclass
class FileDirectory:
    head: int
    lists: list[list[DirectorySector]]
    nodes: dict[str, "FileDirectory | StoredFile"] = field(default_factory=dict)

    def sectors(self) -> Sectors:
        """All sectors of the directory itself."""
        return [self.head, *(link.sector for links in self.lists for link in links)]


class FileSystem:
    """One labelled disc of *track_sectors* a track; *region* gives the place of each kind of data.

    Its methods return the sectors that are read, or written, in order; they move no data.
    """

    def __init__(self, region: Region, track_sectors: int, names_a_sector: int, lists: int) -> None:
        self.track_sectors = track_sectors
        self.region = region
        self._space, self._tracks = region.space, region.tracks
        self._names_a_sector = names_a_sector
        self._lists = lists
        self.root = self._directory()

    def _directory(self) -> FileDirectory:
        return FileDirectory(self._space.take(), [[] for _ in range(self._lists)])

    def _list(self, directory: FileDirectory, name: str) -> list[DirectorySector]:
        return directory.lists[crc32(name.encode()) % self._lists]

    def find(self, directory: FileDirectory, name: str) -> tuple[FileDirectory | StoredFile | None, Sectors]:
        """Look up *name* in *directory*; return its node, if any, and the sectors read to find it."""
        reads = [directory.head]
        node = directory.nodes.get(name)
        for link in self._list(directory, name):
            reads.append(link.sector)
            if node is not None and name in link.names:
                break
        return node, reads

    def walk(self, path: Path) -> tuple[FileDirectory | StoredFile | None, Sectors]:
        """Look up each name of *path* from the root on; return the node, or None if one is unknown, and the reads."""
        node: FileDirectory | StoredFile | None = self.root
        reads: Sectors = []
        for name in path:
            if not isinstance(node, FileDirectory):
                return None, reads
            node, read = self.find(node, name)
            reads += read
        return node, reads

    def open(self, path: Path) -> tuple[StoredFile, Sectors]:
        """Open the file at *path*: names are looked up, descriptor and map read; return it and the sectors read."""
        node, reads = self.walk(path)
        if not isinstance(node, StoredFile):
            raise KeyError(f"no file at {'/'.join(path)}")
        return node, [*reads, node.descriptor, node.map]

    def make_directory(self, path: Path) -> FileDirectory:
        directory = self._directory()
        self._enter(path, directory)
        return directory

    def create(self, path: Path, sectors: int) -> tuple[StoredFile, Sectors, Sectors]:
        """Create a file of *sectors*; return it, the sectors read to see that it is new, and those written."""
        _, reads = self.walk(path)
        file = self._allot(sectors)
        link = self._enter(path, file)
        return file, reads, [link.sector, file.descriptor, file.map]

    def _allot(self, sectors: int) -> StoredFile:
        tracks = max(1, -(-sectors // self.track_sectors))
        track = self._tracks.take(tracks)
        return StoredFile(
            self._space.take(), self._space.take(), track, tracks, track * self.track_sectors, sectors
        )

    def reserve(self, sectors: int) -> int:
        """Reserve *sectors* sectors outside the file system for images of programs; return the first."""
        return self._tracks.take(max(1, -(-sectors // self.track_sectors))) * self.track_sectors

    def _enter(self, path: Path, node: FileDirectory | StoredFile) -> DirectorySector:
        directory, _ = self.walk(path[:-1])
        if not isinstance(directory, FileDirectory) or path[-1] in directory.nodes:
            raise KeyError(f"{'/'.join(path)} cannot be made")
        links = self._list(directory, path[-1])
        link = next((each for each in links if len(each.names) < self._names_a_sector), None)
        if link is None:
            link = DirectorySector(self._space.take())
            links.append(link)
        link.names.append(path[-1])
        directory.nodes[path[-1]] = node
        return link

    def delete(self, path: Path) -> tuple[Sectors, Sectors]:
        """Remove the file at *path*; return the sectors read, and those written."""
        file, reads = self.open(path)
        directory, _ = self.walk(path[:-1])
        assert isinstance(directory, FileDirectory)
        link = next(each for each in self._list(directory, path[-1]) if path[-1] in each.names)
        link.names.remove(path[-1])
        del directory.nodes[path[-1]]
        self._space.give_back(file.map)
        self._space.give_back(file.descriptor)
        for track in range(file.track, file.track + file.tracks):
            self._tracks.give_back(track)
        return reads, [link.sector, file.descriptor]


TOOLS: Path = ("tools", "bin")
LOCAL: Path = ("tools", "local")
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
        """Make the files of a user who is going to log on; those of others are never read."""
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
    return 1 + int(-max(0.0, mean - 0.5) * log(1.0 - share)) if mean > 1.0 else 1
