"""What the Tools do to files: open, read, write, create and delete them, request by request."""

from collections.abc import Sequence

from models.max_iv.files.file_system import FileSystem, Path, StoredFile
from models.max_iv.handlers.input_output import InputOutput
from models.max_iv.requests import RequestKind
from sim.account import Account
from sim.clock import Wait


class FileWork:
    """Requests through *io* for the files of *discs*; what is read ahead in quick mode needs *buffers* more than one.

    ``open_accesses`` are those of ``opens``; those of names that are only looked for are ``probe_accesses``.
    """

    def __init__(self, io: InputOutput, discs: Sequence[FileSystem], buffers: int = 1) -> None:
        self.io = io
        self.discs = discs
        self._buffers = buffers
        self.opens = self.open_accesses = self.probe_accesses = self.data_sectors = self.creates = 0

    def probe(self, unit: int, path: Path, account: Account) -> Wait:
        """Whether there is something at *path*."""
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
        """All of a file, and then the sector with its end-of-file mark."""
        file = yield from self.open(unit, path, account)
        self.data_sectors += file.sectors
        sectors = range(file.first, file.first + file.sectors + 1)
        if self._buffers > 1:
            yield from self.io.ahead(unit, sectors, account, self._buffers)
        else:
            yield from self.io.read(unit, sectors, account, step=1)

    def write(self, unit: int, file: StoredFile, count: int, account: Account) -> Wait:
        """Sectors of data, and a WEOF behind them."""
        self.data_sectors += count
        sectors = range(file.first, file.first + count)
        yield from self.io.write(unit, sectors, account, step=1)
        yield from self.io.transfer(RequestKind.WEOF, unit, file.first + count, account, 0, count)

    def make(self, unit: int, path: Path, sectors: int, account: Account) -> Wait:
        """A new file of *sectors*. A "create" of the Tools does a WEOF of its own (Jacobson 3.2)."""
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
