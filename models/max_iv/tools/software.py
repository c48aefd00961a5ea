"""Software Tools under Max-IV: what a command line does to the disc, from the search for its tools to the prompt.

Jacobson 1, 3.2 and 3.3: the user's search path file and its directories are read, every tool reads :AR and
:VA, pipes are temporary files ended by a WEOF, a tool's TOC file is read as an LPR sector and one large core image,
and for every tool the image of the shell is written out and read back in.
"""

from collections.abc import Sequence

from models.max_iv.files.accounts import TOOLS, AccountVolume, Home, SystemVolume, whole
from models.max_iv.files.file_system import Path
from models.max_iv.parameters import MaxIvParameters
from models.max_iv.processor import TASK_LEVEL
from models.max_iv.tools.file_work import FileWork
from models.max_iv.tools.habits import NO_HABIT, Habit
from models.max_iv.tools.shell import Shell
from sim.account import Phase
from sim.clock import Wait
from sim.cpu import Cpu
from sim.script import Script
from sim.streams import Exponential, pick
from sim.terminal import Session
from workloads.software_tools import MIX, Pipeline, users

LINE = 40
"""Characters of a line on a logged-on user."""


def tools_users(count: int, parameters: MaxIvParameters) -> Script:
    """*count* users who give the commands of MIX, its weights times the factors that *parameters* have for them."""

    def weight(usual: float, command: Pipeline) -> float:
        pipeline = parameters.pipelines if len(command.tools) > 1 else 1.0
        editing = parameters.editing if command.output else 1.0
        return usual * pipeline * editing * (parameters.asking_who if command.entries else 1.0)

    mix = tuple((weight(usual, command), command) for usual, command in MIX)
    return users(count, parameters.think, mix, parameters.typed)


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

    def perform(self, command: object, session: Session) -> Wait:
        """The tools of *command* one after the other; the last one's first character is the response."""
        assert isinstance(command, Pipeline)
        assert isinstance(session.state, Home)
        home, account, files = session.state, session.account, self.files
        self.commands += 1
        pipe: Path | None = None
        for number, tool in enumerate(command.tools, 1):
            yield from self.shell.spawn(tool.name, home, account)
            yield from self._habit.sweep(files, home, session)
            for name in (":AR", ":VA"):
                yield from files.read(home.unit, (*home.directory, name), account)
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
        """The sectors of a temporary file."""
        return whole(self._parameters.pipe_sectors, session.random.random())

    def _finish(self, command: Pipeline, session: Session) -> Wait:
        """Print, and where the command writes a file, replace one of those in hand."""
        home, account, files = session.state, session.account, self.files
        others = [other for volume in self._volumes for other in volume.logged_on()]
        for other in others[: command.entries]:
            for name in (":AR", ":VA"):
                yield from files.read(other.unit, (*other.directory, name), account)
            yield from session.reply(round(LINE * self._parameters.printed))
        if command.characters:
            yield from session.reply(round(command.characters * self._parameters.printed))
        if command.output:
            path = home.new_name()
            yield from files.make(home.unit, path, self._short(session), account)
            yield from files.delete(home.unit, path, account)

    def reading(self) -> dict[str, float]:
        said = {"commands": float(self.commands), "spawns": float(self.shell.spawns)}
        return {**said, **self.files.reading()}
