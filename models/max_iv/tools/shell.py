"""The shell: how it finds a tool, and what it moves so that the tool has room."""

from models.max_iv.files.accounts import SYSTEM, Home
from models.max_iv.files.file_system import Path
from models.max_iv.parameters import MaxIvParameters
from models.max_iv.requests import SECTOR_BYTES, SECTOR_WORDS, RequestKind
from models.max_iv.tools.file_work import FileWork
from sim.account import Account
from sim.clock import Wait


class Shell:
    """For every tool its 64 K words of image go out and, when the tool is done, come back in (Jacobson 3.3)."""

    def __init__(self, files: FileWork, parameters: MaxIvParameters) -> None:
        self._files = files
        self._parameters = parameters
        self.spawns = 0

    def spawn(self, tool: str, home: Home, account: Account) -> Wait:
        """Look for *tool*, leave it its arguments and make way; the tool begins."""
        files, unit = self._files, home.unit
        yield from files.read(unit, (*home.directory, "path"), account)
        place, path = yield from self._search(tool, home, account)
        arguments = yield from files.open(unit, (*home.directory, ":AR"), account)
        yield from files.write(unit, arguments, arguments.sectors, account)
        yield from self._image(RequestKind.WRITE, home, account)
        self.spawns += 1
        yield from self._load(place, path, account)

    def resume(self, home: Home, account: Account) -> Wait:
        """The tool is done and the shell comes back in."""
        yield from self._image(RequestKind.READ, home, account)

    def _search(self, tool: str, home: Home, account: Account) -> Wait:
        """The disc and the path of *tool* in the first directory of the search path that has it."""
        for unit, directory in home.search_path:
            path: Path = (*directory, tool)
            if (yield from self._files.probe(unit, path, account)):
                return unit, path
        raise KeyError(f"no tool {tool}")

    def _load(self, unit: int, path: Path, account: Account) -> Wait:
        """A TOC file: its LPR, a sector, and its core image in one large read."""
        files, parameters = self._files, self._parameters
        program = yield from files.open(unit, path, account)
        yield from files.io.transfer(RequestKind.READ, unit, program.first, account)
        files.data_sectors += 1
        words = parameters.toc_bytes * SECTOR_WORDS // SECTOR_BYTES
        yield from files.io.transfer(RequestKind.READ, unit, program.first + 1, account, words, 1)

    def _image(self, kind: RequestKind, home: Home, account: Account) -> Wait:
        """The image, out or in, in a few large transfers; a shell that is shared has none to move."""
        sectors, transfers = self._parameters.shell_words // SECTOR_WORDS, self._parameters.spawn_transfers
        step = -(-sectors // transfers)
        for begin in range(0, sectors, step or 1):
            count = min(step, sectors - begin) * SECTOR_WORDS
            yield from self._files.io.transfer(kind, SYSTEM, home.image + begin, account, count, begin)
