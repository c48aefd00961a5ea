"""Tests Software Tools on a small disc: the requests of a command, its CPU time, its output and its files."""

from collections.abc import Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.models.max_iv.file_work import FileWork
from spindle.models.max_iv.files import FileDirectory, FileSystem
from spindle.models.max_iv.handlers import InputOutput
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.requests import RequestKind
from spindle.models.max_iv.space import InTheMiddle
from spindle.models.max_iv.tools import ToolSoftware
from spindle.models.max_iv.turns import TASK_LEVEL
from spindle.models.max_iv.volumes import SYSTEM, TOOLS, AccountVolume, Home, SystemVolume, used_first
from spindle.sim.clock import Account, Phase, Wait
from spindle.sim.parameter import change
from spindle.workloads.software_tools import Pipeline, Tool

READ, WRITE = RequestKind.READ, RequestKind.WRITE
ONE, TWO = Tool("ls"), Tool("sort", 3.0)
PLAIN = Pipeline((ONE,), 0.0, 0)


class Disc(InputOutput):
    """Two discs that take no time, and keep what they are asked for: kind, disc, sector, words, position."""

    def __init__(self) -> None:
        self.asked: list[tuple[RequestKind, int, int, int, int]] = []

    def transfer(
        self, kind: RequestKind, unit: int, sector: int, account: Account, words: int = 128, position: int = 0
    ) -> Wait:
        self.asked.append((kind, unit, sector, words, position))
        return
        yield


class Half(Random):
    """Always draws a half, of which an exponential makes 0.69 of its mean."""

    def random(self) -> float:
        return 0.5


class Rig:
    """Users of the Tools, each of whom draws halves."""

    def __init__(self, users: int = 1, **parameters: Any) -> None:
        values = change(MaxIvParameters(), **{"accounts": users, "account_files": 3, "working_files": 2, **parameters})
        discs = [FileSystem(InTheMiddle().label(2000, 42, 80, Random(1)), 42, 8, 4) for _ in range(2)]
        system = SystemVolume(discs[SYSTEM], values, used_first, Random(1))
        self.io, self.printed, self.bursts = Disc(), list[int](), list[float]()
        cpu: Any = SimpleNamespace(burst=self._burst)
        self.files = FileWork(self.io, discs)
        volumes = [AccountVolume(1, discs[1], system, values, Random(2))]
        self.software = ToolSoftware(self.files, system, volumes, cpu, values)
        self.sessions: list[Any] = [SimpleNamespace(
            state=None, account=Account("user"), random=Half(), reply=self._reply) for _ in range(users)]  # fmt: skip
        for session in self.sessions:
            self.software.prepare(PLAIN, session)

    def _burst(self, seconds: float, level: int, kind: Phase, account: Account) -> None:
        self.bursts.append(seconds)

    def _reply(self, characters: int) -> Sequence[None]:
        self.printed.append(characters)
        return ()

    @property
    def home(self) -> Home:
        home = self.sessions[0].state
        assert isinstance(home, Home)
        return home

    def run(self, command: Pipeline) -> list[tuple[RequestKind, int, int, int, int]]:
        """Perform *command* for the first user; return what it asked of the discs."""
        del self.io.asked[:], self.bursts[:], self.printed[:]
        self.software.prepare(command, self.sessions[0])
        (work,) = self.software.perform(command, self.sessions[0])
        assert [*work] == [None] * len(command.tools)
        return self.io.asked

    def run_unprepared(self, command: Pipeline) -> None:
        list(self.software.perform(command, self.sessions[0])[0])

    def reads_of(self, paths: Sequence[tuple[str, ...]]) -> list[int]:
        """How often the first data sector of each of *paths* was read."""
        firsts = [self.files.discs[1].open(path)[0].first for path in paths]
        return [sum(kind is READ and (unit, sector) == (1, first) for kind, unit, sector, _, _ in self.io.asked)
                for first in firsts]  # fmt: skip


def test_the_image_of_the_shell_goes_out_and_in_in_transfers_of_whole_sectors() -> None:
    """Ten sectors in four transfers: three, three, three and one."""
    rig = Rig(shell_words=10 * 128, spawn_transfers=4)
    asked, image = rig.run(PLAIN), rig.home.image
    moved = [(SYSTEM, image + begin, 128 * count, begin) for begin, count in ((0, 3), (3, 3), (6, 3), (9, 1))]
    for kind in (READ, WRITE):
        assert [each[1:] for each in asked if each[0] is kind and image <= each[2] < image + 10
                and each[1] == SYSTEM] == moved  # fmt: skip
    assert asked[-4:] == [(READ, *each) for each in moved], "in at the end"


def test_a_tool_is_a_sector_and_a_core_image_behind_it() -> None:
    rig = Rig(toc_bytes=5120)
    asked = rig.run(PLAIN)
    first = rig.files.discs[SYSTEM].open((*TOOLS, "ls"))[0].first
    place = asked.index((READ, SYSTEM, first, 128, 0))
    assert asked[place + 1] == (READ, SYSTEM, first + 1, 2560, 1)
    assert rig.files.data_sectors == 1 + 2 + 1 + (2 + 2), "search path, arguments, the sector, and the home's files"


def test_tools_compute_by_their_multiples() -> None:
    for spread, factor in ((0.0, 1.0), (1.0, 3.0), (2.0, 9.0)):
        rig = Rig(tool_spread=spread)
        rig.run(Pipeline((ONE, TWO), 0.0, 0))
        assert rig.bursts == pytest.approx([0.4 * 0.6931, 0.4 * 0.6931 * factor], rel=1e-3)


def test_pipes_and_outputs_are_made_read_and_deleted() -> None:
    """Of two tools there is a pipe, which the second reads; the output is a second file; both are gone at the end."""
    rig = Rig()
    directory = rig.home.files.walk(rig.home.directory)[0]
    assert isinstance(directory, FileDirectory)
    names = set(directory.nodes)
    asked = rig.run(Pipeline((ONE, TWO), 0.0, 0, output=True))
    assert (rig.files.creates, rig.home.temporary, set(directory.nodes)) == (2, 2, names)
    pipe, output = (sector for kind, unit, sector, _, place in asked if (kind, unit, place) == (RequestKind.WEOF, 1, 0))
    assert pipe == output, "the track of the pipe is free again when the output is made"
    assert asked.count((READ, 1, pipe, 128, 0)) == 1, "by the second tool"
    assert (rig.software.reading()["commands"], rig.software.reading()["spawns"]) == (1.0, 2.0)


@pytest.mark.parametrize(("cold", "reads"), [(0.0, ([0, 3], [0, 0, 0])), (1.0, ([0, 0], [0, 3, 0]))])
def test_inputs_are_files_in_hand_or_of_the_shelf(cold: float, reads: tuple[list[int], list[int]]) -> None:
    """Of 1.5 files on the average, doubled, half draws make three, of which each is the middle one."""
    rig = Rig(cold=cold, inputs=2.0)
    rig.run(Pipeline((ONE,), 1.5, 0))
    assert (rig.reads_of(rig.home.working), rig.reads_of(rig.home.shelf)) == reads


def test_a_line_is_printed_for_each_user_and_then_what_the_tool_prints() -> None:
    rig = Rig(users=3, printed=0.5)
    rig.run(Pipeline((ONE,), 0.0, 100, entries=2))
    assert rig.printed == [20, 20, 50]
    homes = [session.state for session in rig.sessions]
    assert rig.reads_of([(*home.directory, ":AR") for home in homes[1:]]) == [1, 0]
    rig.run(PLAIN)
    assert rig.printed == []


def test_users_settle_on_the_discs_in_turn_and_keep_their_home() -> None:
    rig = Rig(users=2)
    homes = [session.state for session in rig.sessions]
    assert [home.directory for home in homes] == [("users", "user0"), ("users", "user1")]
    rig.run(PLAIN)
    assert rig.home is homes[0]
    assert rig.software._users == 2


# The order of all that a command does.

class Told:
    """Takes no time, and tells what it is asked: work on files, requests of discs, bursts, habits and characters."""

    def __init__(self, found: tuple[str, ...]) -> None:
        self.found, self.told, self.data_sectors = found, list[tuple[Any, ...]](), 0
        self.io = self

    def __getattr__(self, name: str) -> Any:
        def tell(*given: Any) -> Wait:
            self.told.append((name, *given))
            return given[1][:-1] == self.found if name == "probe" else SimpleNamespace(first=1000, sectors=7)
            yield

        return tell

    def times(self, factor: float) -> "Told":
        self.told.append(("times", factor))
        return self

    def prepare(self, *given: Any) -> None:
        self.told.append(("prepare", *given))

    def reply(self, characters: int) -> Wait:
        self.told.append(("reply", characters))
        return iter(())

    def burst(self, *given: Any) -> None:
        self.told.append(("burst", *given))


class Quarter(Random):
    def random(self) -> float:
        return 0.25


@pytest.mark.parametrize("own", [False, True])
def test_what_a_command_does_in_order(own: bool) -> None:
    """Of 4 files on the average, a quarter drawn makes 4 * 0.75 = 3; a pipe of 5 sectors has 1 + int(4.5 * 0.288)."""
    values = change(MaxIvParameters(), accounts=2, account_files=3, working_files=2, shell_words=3 * 128,
                    toc_bytes=2560, spawn_transfers=2, loops=0.5, cold=0.25, inputs=2.0, printed=0.5,
                    tool_cpu=1.0)  # fmt: skip
    discs = [FileSystem(InTheMiddle().label(2000, 42, 80, Random(1)), 42, 8, 4) for _ in range(2)]
    system = SystemVolume(discs[SYSTEM], values, used_first, Random(1))
    me, friend = (SimpleNamespace(state=None, account=Account(name), random=Quarter(1), reply=None) for name in "ab")
    bin_of_mine = ("users", "user0", "bin")
    told: Any = Told(bin_of_mine if own else TOOLS)
    me.reply = told.reply
    volumes = [AccountVolume(1, discs[1], system, values, Random(2))]
    software = ToolSoftware(told, system, volumes, told, values, told)
    command = Pipeline((Tool("cat"), Tool("mine", 2.0)), 2.0, 100, output=True, entries=1)
    sessions: list[Any] = [me, friend]
    for session in sessions:
        software.prepare(command, session)
    home: Any = me.state
    assert told.told == [("times", 0.5), ("prepare", discs[SYSTEM], home), ("prepare", discs[SYSTEM], friend.state)]
    assert discs[SYSTEM].walk((*TOOLS, "mine"))[0] is not None, "it is installed"
    del told.told[:]
    (work,) = software.perform(command, sessions[0])
    list(work)
    account, unit = me.account, 1

    def spawn(tool: str) -> list[tuple[Any, ...]]:
        probes = [(1, bin_of_mine), *([] if own else [(0, ("tools", "local")), (0, TOOLS)])]
        place, directory = probes[-1]
        return [
            ("read", unit, (*home.directory, "path"), account),
            *(("probe", disc, (*path, tool), account) for disc, path in probes),
            ("open", unit, (*home.directory, ":AR"), account),
            ("write", unit, SimpleNamespace(first=1000, sectors=7), 7, account),
            ("transfer", WRITE, SYSTEM, home.image, account, 256, 0),
            ("transfer", WRITE, SYSTEM, home.image + 2, account, 128, 2),
            ("open", place, (*directory, tool), account),
            ("transfer", READ, place, 1000, account),
            ("transfer", READ, place, 1001, account, 1280, 1),
            ("sweep", told, home, me),
            ("read_home", home, account),
        ]

    resume = [("transfer", READ, SYSTEM, home.image, account, 256, 0),
              ("transfer", READ, SYSTEM, home.image + 2, account, 128, 2)]  # fmt: skip
    pipe, output = ((*home.directory, f"pipe{number}") for number in (1, 2))
    computes = [("burst", pytest.approx(multiple * 0.28768, rel=1e-4), TASK_LEVEL, Phase.CPU, account)
                for multiple in (1.0, 2.0)]  # fmt: skip
    assert told.told == [
        *spawn("cat"), *[("read", unit, home.working[0], account)] * 3, computes[0], ("make", unit, pipe, 2, account),
        *resume,
        *spawn("mine"), ("read", unit, pipe, account), ("delete", unit, pipe, account), computes[1],
        ("read_home", home, account), ("reply", 20), ("reply", 50), ("make", unit, output, 2, account),
        ("delete", unit, output, account), *resume,
    ]  # fmt: skip
    assert told.data_sectors == 2
    told.reading = lambda: {"opens": 9.0}
    list(software.perform(command, sessions[0])[0])
    assert software.reading() == {"commands": 2.0, "spawns": 4.0, "opens": 9.0}


def test_a_tool_that_is_nowhere_is_an_error() -> None:
    rig = Rig()
    with pytest.raises(KeyError, match="no tool absent"):
        rig.run_unprepared(Pipeline((Tool("absent"),), 0.0, 0))
