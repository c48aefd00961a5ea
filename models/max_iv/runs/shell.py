"""Runs of what a user sees: `who`, a long search path, and the shell that is written out and read back in."""

from math import fsum

import simpy

from models.max_iv.machine import SECTORS, MaxIvOptions, Modcomp
from models.max_iv.parameters import MaxIvParameters
from models.max_iv.run import run
from models.max_iv.runs.tools import USERS
from models.max_iv.tools.software import tools_users
from sim.account import Account
from sim.clock import Wait, pause
from sim.disc.drive import Drive
from sim.disc.sheets import IBM_2314
from sim.parameter import changed
from sim.request import Op, access
from sim.script import Call, Loop, Script, Think
from sim.streams import Constant, Uniform, pick, stream
from sim.terminal import Transaction
from sim.units import KIB, MS
from workloads.software_tools import Pipeline, Tool

DATE = Pipeline((Tool("date", 0.0),), inputs=0.0, characters=20)
"""A command that is only looked up and started."""
SPAWNS = 100
ASKING = 30.0
"""Seconds between two commands `who`."""


def who(
    seed: object, minutes: float, warm_up: float, users: int = USERS, sectors: int = SECTORS, **parameters: object
) -> dict[str, float]:
    """Seconds until a ``who`` has what it needs for one more ``line``, beside *users* at work."""
    env, values = simpy.Environment(), changed(MaxIvParameters(), **parameters)
    modcomp = Modcomp(env, values, MaxIvOptions(), sectors, seed)
    load = modcomp.load([tools_users(users, values)])
    load.start(modcomp.machine, seed, Unlogged())
    homes = [home for volume in modcomp.volumes for home in volume.logged_on()]
    files, account, seconds = modcomp.software.files, Account("who"), []

    def ask() -> Wait:
        while True:
            yield pause(env, ASKING)
            for home in homes:
                began = env.now
                for name in (":AR", ":VA"):
                    yield from files.read(home.unit, (*home.directory, name), account)
                if env.now > 60.0 * warm_up:
                    seconds.append(env.now - began)

    env.process(ask())
    env.run(60.0 * (warm_up + minutes))
    return {"line": fsum(seconds) / len(seconds)}


class Unlogged:
    """Responses that are not logged."""

    def record(self, row: Transaction, charges: int) -> None:
        pass


def starting(
    seed: object, minutes: float, warm_up: float, sectors: int = SECTORS, **parameters: object
) -> dict[str, float]:
    """The response of users who only start a command that does nothing."""
    script = Script("user", (Loop((Think(Constant(20.0)), Call(DATE, DATE.name))),), terminals=USERS,
                    start=Uniform(0.0, 20.0))  # fmt: skip
    result = run(sectors=sectors, seed=seed, minutes=minutes, warm_up=warm_up, scripts=[script], **parameters)  # type: ignore[arg-type]
    return {"response_mean": result.response()["response_mean"]}


def spawn(seed: object, **parameters: object) -> dict[str, float]:
    """The image of a shell out to a 2314 and, after a tool was read from elsewhere, back in; without other users."""
    env = simpy.Environment()
    drive = Drive(env, IBM_2314)
    seconds: list[float] = []
    env.process(_spawns(drive, seed, 2 * changed(MaxIvParameters(), **parameters).shell_words, seconds))
    env.run()
    return {"spawn_ms": fsum(seconds) / len(seconds) / MS}


def _spawns(drive: Drive, seed: object, image: int, seconds: list[float]) -> Wait:
    random, account = stream(seed, "spawns"), Account("shell")
    for _ in range(SPAWNS):
        place = pick(random, (drive.capacity - image) // 256) * 256
        tool = pick(random, (drive.capacity - 40 * KIB) // 256) * 256
        began = drive.env.now
        yield from drive.write(access(Op.WRITE, place, image, account))
        out = drive.env.now - began
        yield from drive.read(access(Op.READ, tool, 40 * KIB, account))
        began = drive.env.now
        yield from drive.read(access(Op.READ, place, image, account))
        seconds.append(out + drive.env.now - began)
