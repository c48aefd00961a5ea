"""Performs command lines of the Software Tools, a Unix-like shell with its tools, as disc requests under Max-IV.

Jacobson 1, 3.2 and 3.3: the user's search path file and its directories are read; every tool reads :AR and :VA, the
user's arguments and variables; pipes are temporary files ended by a WEOF (end-of-file mark); a tool's program file (TOC
file) is read as its first sector (LPR) and one large core image; and for every tool the image of the shell in memory is
written out and read back in.
"""

from collections.abc import Sequence
from math import inf

from spindle.models.max_iv.file_work import FileWork
from spindle.models.max_iv.files import Path
from spindle.models.max_iv.habits import NO_HABIT, Habit
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.requests import SECTOR_BYTES, SECTOR_WORDS, RequestKind
from spindle.models.max_iv.turns import TASK_LEVEL
from spindle.models.max_iv.volumes import SYSTEM, TOOLS, AccountVolume, Home, SystemVolume, exponential_sectors
from spindle.questions import words
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.cpu import Cpu
from spindle.sim.error import UserError, check_known
from spindle.sim.script import Script
from spindle.sim.streams import Exponential, pick
from spindle.sim.terminal import Session
from spindle.workloads.software_tools import MIX, SHELL_TOOLS, Mix, Pipeline, users


class Shell:
    """The shell: for every tool its image of 64 K words is written out, and read back when the tool is done (3.3)."""

    def __init__(self, files: FileWork, parameters: MaxIvParameters) -> None:
        self._files = files
        self._parameters = parameters
        self.spawns = 0

    def spawn(self, tool: str, home: Home, account: Account) -> Wait:
        """Search for *tool*, write its arguments, move the shell's image out, and load the tool."""
        files, unit = self._files, home.unit
        yield from files.read(unit, (*home.directory, "path"), account)
        place, path = yield from self._search(tool, home, account)
        arguments = yield from files.open(unit, (*home.directory, ":AR"), account)
        yield from files.write(unit, arguments, arguments.sectors, account)
        yield from self._image(RequestKind.WRITE, home, account)
        self.spawns += 1
        yield from self._load(place, path, account)

    def resume(self, home: Home, account: Account) -> Wait:
        """Read the shell's image back in once the tool is done."""
        yield from self._image(RequestKind.READ, home, account)

    def _search(self, tool: str, home: Home, account: Account) -> Wait:
        """Return the disc and the path of *tool* in the first directory of the search path that has it."""
        for unit, directory in home.search_path:
            path: Path = (*directory, tool)
            if (yield from self._files.probe(unit, path, account)):
                return unit, path
        raise KeyError(f"no tool {tool}")

    def _load(self, unit: int, path: Path, account: Account) -> Wait:
        """Read a program's TOC file: its LPR, a sector, and its core image in one large read."""
        files, parameters = self._files, self._parameters
        program = yield from files.open(unit, path, account)
        yield from files.io.transfer(RequestKind.READ, unit, program.first, account)
        files.data_sectors += 1
        words = parameters.toc_bytes * SECTOR_WORDS // SECTOR_BYTES
        yield from files.io.transfer(RequestKind.READ, unit, program.first + 1, account, words, 1)

    def _image(self, kind: RequestKind, home: Home, account: Account) -> Wait:
        """Move the shell's image, out or in, in a few large transfers; a shared shell has none."""
        sectors, transfers = self._parameters.shell_words // SECTOR_WORDS, self._parameters.spawn_transfers
        step = -(-sectors // transfers)
        for begin in range(0, sectors, step or 1):
            count = min(step, sectors - begin) * SECTOR_WORDS
            yield from self._files.io.transfer(kind, SYSTEM, home.image + begin, account, count, begin)


WHO_LINE = 40
"""Characters that ``who`` prints about a logged-on user."""


def read_mix(text: str) -> Mix:
    """Read a mix such as ``who=3,ls=3,ed=1``: commands with their weights.

    >>> [(weight, command.name) for weight, command in read_mix("who=3,ed=1")]
    [(3.0, 'who'), (1.0, 'ed')]
    """
    mix: dict[str, float] = {}
    for word in text.split(","):
        name, _, weight = word.strip().partition("=")
        check_known("command of a mix", SHELL_TOOLS, name)
        if name in mix:
            raise UserError(f"mix has {name} twice")
        mix[name] = words.number(f"the weight of {name} in mix", weight)
        if not 0.0 < mix[name] < inf:
            raise UserError(f"the weight of {name} in mix must be positive, not {weight}")
    return tuple((weight, SHELL_TOOLS[name]) for name, weight in mix.items())


def tools_users(count: int, parameters: MaxIvParameters, mix: Mix = MIX) -> Script:
    """Return the script of *count* users with the commands of *mix*, weighted also by the factors in *parameters*."""

    def weight(usual: float, command: Pipeline) -> float:
        pipeline = parameters.pipelines if len(command.tools) > 1 else 1.0
        editing = parameters.editing if command.output else 1.0
        return usual * pipeline * editing * (parameters.asking_who if command.entries else 1.0)

    weighed = tuple((weight(usual, command), command) for usual, command in mix)
    return users(count, parameters.think, weighed, parameters.typed)


class ToolSoftware:
    """Performs commands for sessions, each of which has a home on one of *volumes*, with the tools of *system*."""

    def __init__(
        self,
        files: FileWork,
        system: SystemVolume,
        volumes: Sequence[AccountVolume],
        cpu: Cpu,
        parameters: MaxIvParameters,
        habit: Habit = NO_HABIT,
    ) -> None:
        self._system = system
        self._volumes = volumes
        self._cpu = cpu
        self._parameters = parameters
        self._habit = habit.times(parameters.loops)
        self._compute = Exponential(parameters.tool_cpu)
        self._users = 0
        self.files = files
        self.shell = Shell(self.files, parameters)
        self.commands = 0

    def prepare(self, command: object, session: Session) -> None:
        """Give *session* a home and install the tools of *command*, before the first log-on."""
        assert isinstance(command, Pipeline)
        if session.state is None:
            session.state = self._volumes[self._users % len(self._volumes)].home()
            self._users += 1
        self._habit.prepare(self._system.files, session.state)
        for tool in command.tools:
            self._system.install((*TOOLS, tool.name))

    def perform(self, command: object, session: Session) -> tuple[Wait]:
        """Run the tools of *command* one after the other; the last one's first character is the response."""
        assert isinstance(command, Pipeline)
        assert isinstance(session.state, Home)
        return (self._run(command, session),)

    def _run(self, command: Pipeline, session: Session) -> Wait:
        home, account, files = session.state, session.account, self.files
        self.commands += 1
        pipe: Path | None = None
        for number, tool in enumerate(command.tools, 1):
            yield from self.shell.spawn(tool.name, home, account)
            yield from self._habit.sweep(files, home, session)
            yield from files.read_home(home, account)
            if pipe is not None:
                yield from files.read(home.unit, pipe, account)
                yield from files.delete(home.unit, pipe, account)
            else:
                yield from self._read_inputs(command.inputs * self._parameters.inputs, session)
            work = tool.work**self._parameters.tool_spread * self._compute.draw(session.random)
            yield self._cpu.burst(work, TASK_LEVEL, Phase.CPU, account)
            if number < len(command.tools):
                pipe = home.new_name()
                yield from files.make(home.unit, pipe, self._short(session), account)
            else:
                yield from self._finish(command, session)
            yield from self.shell.resume(home, account)

    def _read_inputs(self, mean: float, session: Session) -> Wait:
        home = session.state
        files = mean * (0.5 + session.random.random())  # half of the mean at least, half more at most
        for _ in range(int(files + session.random.random())):
            if session.random.random() < self._parameters.cold:
                path = home.shelf[pick(session.random, len(home.shelf))]
            else:
                path = home.working[pick(session.random, len(home.working))]
            yield from self.files.read(home.unit, path, session.account)

    def _short(self, session: Session) -> int:
        """Draw the sectors of a temporary file."""
        return exponential_sectors(self._parameters.pipe_sectors, session.random.random())

    def _finish(self, command: Pipeline, session: Session) -> Wait:
        """Print, and where the command writes a file, make one and delete it."""
        home, account, files = session.state, session.account, self.files
        others = [other for volume in self._volumes for other in volume.residents()]
        for other in others[: command.entries]:
            yield from files.read_home(other, account)
            yield from session.reply(round(WHO_LINE * self._parameters.printed))
        if command.characters:
            yield from session.reply(round(command.characters * self._parameters.printed))
        if command.output:
            path = home.new_name()
            yield from files.make(home.unit, path, self._short(session), account)
            yield from files.delete(home.unit, path, account)

    def reading(self) -> dict[str, float]:
        counted = {"commands": float(self.commands), "spawns": float(self.shell.spawns)}
        return {**counted, **self.files.reading()}
