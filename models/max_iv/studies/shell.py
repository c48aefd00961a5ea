"""Studies delays that a user of the Software Tools notices: of `who`, of long search paths, and of the shell's image.

The image is moved out and in for each command, and phases of a response are compared with smaller shells.
"""

from collections.abc import Mapping
from functools import partial
from math import fsum

import pandas as pd
import simpy

from spindle.models.max_iv.machine import SECTORS, MaxIvOptions, Modcomp
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.run import run
from spindle.models.max_iv.studies.trials import CACHED, RESPONSE, USERS, bars, minutes
from spindle.models.max_iv.tools import tools_users
from spindle.sim.clock import Account, Wait, pause
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.sheets import IBM_2314
from spindle.sim.measure.result import ratio
from spindle.sim.parameter import change
from spindle.sim.request import Op, access
from spindle.sim.script import Call, Loop, Script, Think
from spindle.sim.streams import Constant, Uniform, pick, stream
from spindle.sim.terminal import Transaction
from spindle.sim.units import KIB, MS
from spindle.studies.plots.curves import curve
from spindle.studies.plots.phases import breakdown
from spindle.studies.statistics import summarise
from spindle.studies.study import UNTIMED, Figure, Runs, SeedRows, Study
from spindle.workloads.software_tools import SHELL_TOOLS, Pipeline, Tool

# Runs of `who`, of a command with a long search path, and of the shell that is written out and read back in.

DATE_COMMAND = Pipeline((Tool("date", 0.0),), inputs=0.0, characters=20)
"""A command that is only looked up and started."""
COMMAND_NAMES = tuple(pipeline.name for pipeline in SHELL_TOOLS.values())
"""Commands as their responses are named."""
TIMED_SPAWNS = 100
WHO_PERIOD = 30.0
"""Seconds between two commands `who`."""


def who(
    seed: object, minutes: float, warm_up: float, users: int = USERS, sectors: int = SECTORS, **parameters: object
) -> dict[str, float]:
    """Measure the seconds in which ``who`` reads the files for one more ``line``, with *users* at work."""
    env, values = simpy.Environment(), change(MaxIvParameters(), **parameters)
    modcomp = Modcomp(env, values, MaxIvOptions(), sectors, seed)
    load = modcomp.load([tools_users(users, values)])
    load.start(modcomp.machine, seed, Unlogged())
    homes = [home for volume in modcomp.volumes for home in volume.residents()]
    files, account, seconds = modcomp.software.files, Account("who"), []

    def ask() -> Wait:
        while True:
            yield pause(env, WHO_PERIOD)
            for home in homes:
                began = env.now
                yield from files.read_home(home, account)
                if env.now > 60.0 * warm_up:
                    seconds.append(env.now - began)

    env.process(ask())
    env.run(60.0 * (warm_up + minutes))
    return {"line": fsum(seconds) / len(seconds)}


class Unlogged:
    """A log that ignores responses."""

    def record(self, row: Transaction, charges: int) -> None:
        pass


def starting(
    seed: object, minutes: float, warm_up: float, sectors: int = SECTORS, **parameters: object
) -> dict[str, float]:
    """Measure the response of users who only start a command that does nothing."""
    script = Script("user", (Loop((Think(Constant(20.0)), Call(DATE_COMMAND, DATE_COMMAND.name))),), terminals=USERS,
                    start=Uniform(0.0, 20.0))  # fmt: skip
    result = run(sectors=sectors, seed=seed, minutes=minutes, warm_up=warm_up, scripts=[script], **parameters)
    return {"response_mean": result.response()["response_mean"]}


def spawn(seed: object, **parameters: object) -> dict[str, float]:
    """Time a shell's image out to a 2314 and, after a tool is read from elsewhere, back in; without other users."""
    env = simpy.Environment()
    drive = Drive(env, IBM_2314)
    seconds: list[float] = []
    env.process(_spawns(drive, seed, 2 * change(MaxIvParameters(), **parameters).shell_words, seconds))
    env.run()
    return {"spawn_ms": fsum(seconds) / len(seconds) / MS}


def _spawns(drive: Drive, seed: object, image: int, seconds: list[float]) -> Wait:
    random, account = stream(seed, "spawns"), Account("shell")
    for _ in range(TIMED_SPAWNS):
        place = pick(random, (drive.capacity - image) // 256) * 256
        tool = pick(random, (drive.capacity - 40 * KIB) // 256) * 256
        began = drive.env.now
        yield from drive.write(access(Op.WRITE, place, image, account))
        out = drive.env.now - began
        yield from drive.read(access(Op.READ, tool, 40 * KIB, account))
        began = drive.env.now
        yield from drive.read(access(Op.READ, place, image, account))
        seconds.append(out + drive.env.now - began)


SHELLS = {65536: "as it is, 64 K words", 16384: "a quarter of it", 0: "sharable: none moved"}
MORE_DIRECTORIES = (0, 2, 5, 10)
FIVE_MORE = 5
LINE_PRINTED = 40 * 10 / 9600
"""Seconds in which a terminal of 9600 baud prints a line."""


def lines(rows: SeedRows) -> Mapping[str, float]:
    """Return the seconds for each line of ``who``."""
    plain, cached = (rows.one(sectors=sectors)["line"] for sectors in (0, SECTORS))
    return {"line_plain": plain, "line_cached": cached, "terminal_speed": float(cached < LINE_PRINTED)}


def search_path(frame: pd.DataFrame) -> pd.DataFrame:
    table = summarise(frame, ["more_directories", "sectors"], ["response_mean"])
    return table.assign(directories=table["more_directories"] + 3)


draw_search_path = partial(curve, x="directories", y="response_mean", by="sectors", names=CACHED,
                           x_label="directories in the search path", y_label=RESPONSE,
                           title="A long search path costs hardly anything any more")


def caption_search_path(table: pd.DataFrame) -> str:
    def slope(sectors: int) -> float:
        rows = table[table["sectors"] == sectors].set_index("directories")["response_mean"]
        return 1000.0 * float(rows.iloc[-1] - rows.iloc[0]) / float(rows.index[-1] - rows.index[0])

    return (
        "The command is found and started, and does nothing. One more directory takes "
        f"{slope(0):.0f} ms without a cache and {slope(SECTORS):.0f} ms with it."
    )


def share_of_five_more(rows: SeedRows) -> Mapping[str, float]:
    """Return the share that five more directories in the search path add to a command that does nothing."""
    added = {}
    for name, sectors in (("plain", 0), ("cached", SECTORS)):
        few, many = (rows.one(sectors=sectors, more_directories=more)["response_mean"] for more in (0, FIVE_MORE))
        added[f"more_{name}"] = many / few - 1.0
    return added


def to_prompts(seed: object, minutes: float, warm_up: float, **others: object) -> dict[str, float]:
    """Run the main load on 2314s; return the mean seconds ``to_prompt``, by when the shell has been read back in.

    They are of all commands and of each, with how often each was ``given``.
    """
    choices = MaxIvOptions(drive=IBM_2314)
    every = run(seed=seed, minutes=minutes, warm_up=warm_up, choices=choices, **others).transactions
    done = [each for each in every if each.ended == each.ended]  # one may be under way at the end
    seconds = {name: [each.ended - each.began for each in done if each.name == name] for name in COMMAND_NAMES}
    return {
        "to_prompt": ratio(fsum(each.ended - each.began for each in done), len(done)),
        **{f"to_prompt of {name}": ratio(fsum(some), len(some)) for name, some in seconds.items()},
        **{f"given {name}": float(len(some)) for name, some in seconds.items()},
    }


def what_is_left(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the phases of a response with smaller shells; a row for each shell with the cache and without."""
    phases = [name for name in frame.columns if name.startswith("part_")]
    means = frame.groupby(["shell_words", "sectors"], sort=False)[[*phases, "response_mean"]].mean().reset_index()
    names = [f"{SHELLS[row['shell_words']]}, {CACHED[row['sectors']]}" for row in means.to_dict("records")]
    return means.assign(run=names)


draw_what_is_left = partial(breakdown, bar="run", title="What is left is computing, not the shell")


def caption_what_is_left(table: pd.DataFrame) -> str:
    at = table.set_index(["shell_words", "sectors"])["response_mean"]
    return (
        f"With the cache a command takes {at[65536, SECTORS]:.1f} s, and {at[0, SECTORS]:.1f} s if the shell need not "
        f"be moved; without the cache, {at[65536, 0]:.1f} and {at[0, 0]:.1f} s."
    )


def bulk(rows: SeedRows) -> Mapping[str, float]:
    """Measure whether moving shells takes more than half of the time to the prompt, and more than the cache saves."""
    whole, shared = (rows.one(sectors=SECTORS, shell_words=words)["to_prompt"] for words in (65536, 0))
    moving, saved = whole - shared, rows.one(sectors=0, shell_words=65536)["to_prompt"] - whole
    share = _by_shell(rows)
    return {"shell_of_commands": share, "mostly_shell": float(share > 0.5), "overwhelms": float(moving > saved)}


def _by_shell(rows: SeedRows) -> float:
    """Return the share of the commands given for which moving the shell is more than half of the time to the prompt."""
    whole, shared = (rows.one(sectors=SECTORS, shell_words=words) for words in (65536, 0))
    given = {name: whole[f"given {name}"] for name in COMMAND_NAMES}
    mostly = [name for name in COMMAND_NAMES if 2.0 * shared[f"to_prompt of {name}"] < whole[f"to_prompt of {name}"]]
    return ratio(fsum(given[name] for name in mostly), fsum(given.values()))


def by_command(frame: pd.DataFrame) -> pd.DataFrame:
    """Average by command the share of the time to the prompt that moving the shell takes. The other share is as if it
    were moved ``at_once``, in one transfer each way.
    """
    cached = frame[frame["sectors"].eq(SECTORS)].set_index("seed")
    at_once, shared = cached[cached["spawn_transfers"].eq(1)], cached[cached["shell_words"].eq(0)]
    usual = cached[cached["shell_words"].gt(0)]
    rows = [
        pd.DataFrame({"command": name, "shell": 1.0 - shared[seconds] / usual[seconds],
                      "at_once": 1.0 - shared[seconds] / at_once[seconds], "given": usual[f"given {name}"]})
        for name in COMMAND_NAMES for seconds in (f"to_prompt of {name}",)
    ]  # fmt: skip
    return summarise(pd.concat(rows), ["command"], ["shell", "at_once", "given"])


draw_by_command = partial(
    bars, value="shell", names="command", beside="at_once", called=("in four transfers", "in one"),
    x_label="share of the time to the prompt", title="Moving the shell is the bulk for short commands alone")


def caption_by_command(table: pd.DataFrame) -> str:
    said = [f"{row['command']} {row['shell']:.0%}" for row in table.to_dict("records")]
    return f"Of the time to the prompt on 2314s, with the cache, moving the shell is: {', '.join(said)}."


STUDIES = (
    Study(
        "search_path", [Runs(starting, minutes(16.0, warm_up=2.0), sectors=[0, SECTORS],
                             more_directories=list(MORE_DIRECTORIES))],
        Figure(search_path, draw_search_path, caption_search_path), share_of_five_more,
    ),
    Study("who", [Runs(who, minutes(60.0, warm_up=8.0), sectors=[0, SECTORS])], measures=lines),
    Study(
        "what_is_left", [Runs(run, minutes(30.0), users=USERS, sectors=[0, SECTORS], shell_words=list(SHELLS))],
        Figure(what_is_left, draw_what_is_left, caption_what_is_left),
    ),
    Study(
        "shells_on_2314",
        [Runs(to_prompts, minutes(30.0), users=USERS, sectors=SECTORS, shell_words=[65536, 0]),
         Runs(to_prompts, minutes(30.0), users=USERS, sectors=0, shell_words=65536),
         Runs(to_prompts, minutes(30.0), users=USERS, sectors=SECTORS, spawn_transfers=1)],
        Figure(by_command, draw_by_command, caption_by_command), bulk,
    ),
    Study("spawn", [Runs(spawn, UNTIMED)], measures=lambda rows: rows.one()),
)  # fmt: skip
