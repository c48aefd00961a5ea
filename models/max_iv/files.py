"""Lists the sectors that Max-IV's file system reads and writes to find, open, create and delete a file.

Jacobson 0: all space for the file system's structures is allotted when the pack is labelled and must be contiguous;
they are linked lists of discontinuous sectors; only a pointer to the root directory is in core; a file takes whole
tracks. Looking up a simple name therefore takes at least two accesses, the directory's head and a sector of the list on
which the name would be. How names are spread over lists is assumed.
"""

from dataclasses import dataclass, field
from zlib import crc32

from spindle.models.max_iv.space import Region

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
    """A directory: the sector of its *head*, *lists* of sectors with names, and *nodes*, its entries by name."""

    head: int
    lists: list[list[DirectorySector]]
    nodes: dict[str, "FileDirectory | StoredFile"] = field(default_factory=dict)

    def sectors(self) -> Sectors:
        """Return all sectors of the directory itself."""
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
            if name in link.names:
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
