"""Performs the file operations of a tool request by request: open, read, write, create and delete."""

from collections.abc import Sequence

from spindle.models.max_iv.files import FileSystem, Path, StoredFile
from spindle.models.max_iv.handlers import InputOutput
from spindle.models.max_iv.requests import RequestKind
from spindle.models.max_iv.volumes import HOME_FILES, Home
from spindle.sim.clock import Account, Wait


class FileWork:
    """File operations by requests through *io* to the files of *discs*.

    With several *buffers* files are read ahead in quick mode, in which a program does not wait for each request.

    ``open_accesses`` counts the accesses of ``opens``, ``probe_accesses`` those of a search for a name.
    """

    def __init__(self, io: InputOutput, discs: Sequence[FileSystem], buffers: int = 1) -> None:
        self.io = io
        self.discs = discs
        self._buffers = buffers
        self.opens = self.open_accesses = self.probe_accesses = self.data_sectors = self.creates = 0

    def probe(self, unit: int, path: Path, account: Account) -> Wait:
        """Search the directories for *path*; return whether it exists."""
        node, reads = self.discs[unit].walk(path)
        self.probe_accesses += len(reads)
        yield from self.io.read(unit, reads, account)
        return node is not None

    def open(self, unit: int, path: Path, account: Account) -> Wait:
        file, reads = self.discs[unit].open(path)
        self.opens += 1
        self.open_accesses += len(reads)
        yield from self.io.read(unit, reads, account)
        return file

    def read(self, unit: int, path: Path, account: Account) -> Wait:
        """Read all of a file, and then the sector with its end-of-file mark."""
        file = yield from self.open(unit, path, account)
        self.data_sectors += file.sectors
        sectors = range(file.first, file.first + file.sectors + 1)
        if self._buffers > 1:
            yield from self.io.read_ahead(unit, sectors, account, self._buffers)
        else:
            yield from self.io.read(unit, sectors, account, step=1)

    def read_home(self, home: Home, account: Account) -> Wait:
        """Read the files of a user's home that every command reads."""
        for name in HOME_FILES:
            yield from self.read(home.unit, (*home.directory, name), account)

    def write(self, unit: int, file: StoredFile, count: int, account: Account) -> Wait:
        """Write *count* sectors of data, and a WEOF (end-of-file mark) behind them."""
        self.data_sectors += count
        sectors = range(file.first, file.first + count)
        yield from self.io.write(unit, sectors, account, step=1)
        yield from self.io.transfer(RequestKind.WEOF, unit, file.first + count, account, 0, count)

    def make(self, unit: int, path: Path, sectors: int, account: Account) -> Wait:
        """Create a file of *sectors*. A "create" of the Tools includes a WEOF (Jacobson 3.2)."""
        file, reads, writes = self.discs[unit].create(path, sectors)
        self.creates += 1
        yield from self.io.read(unit, reads, account)
        yield from self.io.write(unit, writes, account)
        yield from self.io.transfer(RequestKind.WEOF, unit, file.first, account, 0)
        yield from self.write(unit, file, sectors, account)

    def delete(self, unit: int, path: Path, account: Account) -> Wait:
        reads, writes = self.discs[unit].delete(path)
        yield from self.io.read(unit, reads, account)
        yield from self.io.write(unit, writes, account)

    def reading(self) -> dict[str, float]:
        names = ("opens", "open_accesses", "probe_accesses", "data_sectors", "creates")
        return {name: float(getattr(self, name)) for name in names}
