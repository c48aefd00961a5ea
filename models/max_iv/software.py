"""Software Tools under Max-IV: what a command line does to the disc, from the search for its tools to the prompt.

Jacobson 1, 3.2 and 3.3: everybody's search path file and its directories are read, every tool reads :AR and
:VA, pipes are temporary files ended by a WEOF, a tool's TOC file is read as an LPR sector and one large core image,
and for every tool the image of the shell is written out and read back in.
"""

from collections.abc import Sequence

from models.max_iv.accounts import TOOLS, Home, Volume, whole
from models.max_iv.eligibility import SECTOR_BYTES, SECTOR_WORDS, Kind
from models.max_iv.file_system import Path, StoredFile
from models.max_iv.input_output import InputOutput
from models.max_iv.parameters import Parameters
from sim.account import Part
from sim.clock import Wait
from sim.cpu import Cpu
from sim.streams import Exponential
from sim.terminal import Session
from workloads.software_tools.commands import Command, Tool

PROMPT = 2


class Software:
    """Performs commands for sessions, each of which has a home on one of *volumes*."""

    def __init__(
        self, io: InputOutput, volumes: Sequence[Volume], cpu: Cpu, parameters: Parameters, level: int
    ) -> None:
        self._io = io
        self._volumes = volumes
        self._cpu = cpu
        self._parameters = parameters
        self._level = level
        self._compute = Exponential(parameters.tool_cpu)
        self._users = 0
        self.commands = self.spawns = self.opens = self.open_accesses = self.probe_accesses = 0
        self.data_sectors = self.creates = 0

    def prepare(self, command: Command, session: Session) -> None:
        """Give *session* a home and put the tools of *command* on its disc, before anybody logs on."""
        if session.state is None:
            session.state = self._volumes[self._users % len(self._volumes)].home()
            self._users += 1
        for tool in command.tools:
            self._volumes[session.state.unit].install((*TOOLS, tool.name))

    def perform(self, command: object, session: Session) -> Wait:
        """The tools of *command* one after the other; the last one's first character is the response."""
        assert isinstance(command, Command)
        assert isinstance(session.state, Home)
        self.commands += 1
        pipe: Path | None = None
        last = len(command.tools) - 1
        for number, tool in enumerate(command.tools):
            yield from self._start(tool, session)
            if pipe is not None:
                yield from self._read_file(pipe, session)
                yield from self._delete(pipe, session)
            else:
                yield from self._read_inputs(command.inputs * self._parameters.inputs, session)
            yield self._cpu.burst(
                tool.work * self._compute.draw(session.random), self._level, Part.CPU, session.account
            )
            if number < last:
                pipe = session.state.new_name()
                yield from self._make(pipe, session)
            else:
                yield from self._finish(command, session)
            yield from self._image(Kind.READ, session)

    def _start(self, tool: Tool, session: Session) -> Wait:
        """The shell looks for the tool, leaves it its arguments and makes way; the tool begins."""
        home, account = session.state, session.account
        yield from self._read_file((*home.directory, "path"), session)
        found = yield from self._search(tool.name, session)
        arguments = yield from self._open((*home.directory, ":AR"), session)
        yield from self._write_sectors(arguments, arguments.sectors, session)
        yield from self._image(Kind.WRITE, session)
        self.spawns += 1
        program = yield from self._open(found, session)
        yield from self._io.transfer(Kind.READ, home.unit, program.first, account)
        self.data_sectors += 1
        words = self._parameters.toc_bytes * SECTOR_WORDS // SECTOR_BYTES
        yield from self._io.transfer(Kind.READ, home.unit, program.first + 1, account, words)
        for name in (":AR", ":VA"):
            yield from self._read_file((*home.directory, name), session)

    def _search(self, tool: str, session: Session) -> Wait:
        """The path of *tool* in the first directory of the search path that has it; its disc accesses are probes."""
        home = session.state
        for directory in home.search_path:
            path: Path = (*directory, tool)
            node, reads = home.files.walk(path)
            self.probe_accesses += len(reads)
            yield from self._io.each(Kind.READ, home.unit, reads, session.account)
            if node is not None:
                return path
        raise KeyError(f"no tool {tool}")

    def _open(self, path: Path, session: Session) -> Wait:
        file, reads = session.state.files.open(path)
        self.opens += 1
        self.open_accesses += len(reads)
        yield from self._io.each(Kind.READ, session.state.unit, reads, session.account)
        return file

    def _read_file(self, path: Path, session: Session) -> Wait:
        """All of a file, and then the sector with its end-of-file mark, which is how a reader knows."""
        file = yield from self._open(path, session)
        self.data_sectors += file.sectors
        sectors = range(file.first, file.first + file.sectors + 1)
        yield from self._io.each(Kind.READ, session.state.unit, sectors, session.account)

    def _read_inputs(self, mean: float, session: Session) -> Wait:
        for _ in range(round(Exponential(mean).draw(session.random))):
            home = session.state
            if session.random.random() < self._parameters.cold:
                path = self._volumes[home.unit].stranger(session.random)
            else:
                path = home.working[int(session.random.random() * len(home.working))]
            yield from self._read_file(path, session)

    def _make(self, path: Path, session: Session) -> Wait:
        """A new temporary file. A "create" of the Tools does a WEOF of its own (Jacobson 3.2)."""
        home, account = session.state, session.account
        sectors = whole(self._parameters.pipe_sectors, session.random)
        file, reads, writes = home.files.create(path, sectors)
        self.creates += 1
        yield from self._io.each(Kind.READ, home.unit, reads, account)
        yield from self._io.each(Kind.WRITE, home.unit, writes, account)
        yield from self._io.transfer(Kind.WEOF, home.unit, file.first, account, 0)
        yield from self._write_sectors(file, sectors, session)

    def _write_sectors(self, file: StoredFile, count: int, session: Session) -> Wait:
        """Sectors of data, and a WEOF behind them."""
        unit, account = session.state.unit, session.account
        self.data_sectors += count
        yield from self._io.each(Kind.WRITE, unit, range(file.first, file.first + count), account)
        yield from self._io.transfer(Kind.WEOF, unit, file.first + count, account, 0)

    def _delete(self, path: Path, session: Session) -> Wait:
        home, account = session.state, session.account
        reads, writes = home.files.delete(path)
        yield from self._io.each(Kind.READ, home.unit, reads, account)
        yield from self._io.each(Kind.WRITE, home.unit, writes, account)

    def _finish(self, command: Command, session: Session) -> Wait:
        """Print, and where the command writes a file, replace one of those in hand."""
        yield from session.reply(command.characters)
        if command.output:
            path = session.state.new_name()
            yield from self._make(path, session)
            yield from self._delete(path, session)

    def _image(self, kind: Kind, session: Session) -> Wait:
        """The image of the shell, out or in, in a few large transfers."""
        home, transfers = session.state, self._parameters.spawn_transfers
        words = self._parameters.shell_words
        first, last = home.image, home.image + words // SECTOR_WORDS
        step = -(-(last - first) // transfers)
        for sector in range(first, last, step):
            count = min(step, last - sector) * SECTOR_WORDS
            yield from self._io.transfer(kind, home.unit, sector, session.account, count)

    def reading(self) -> dict[str, float]:
        names = ("commands", "spawns", "opens", "open_accesses", "probe_accesses", "data_sectors", "creates")
        return {name: float(getattr(self, name)) for name in names}
