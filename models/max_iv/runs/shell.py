"""Runs of what a user sees: who is on, a long search path, and the shell that is written out and read back in."""

from math import fsum

import simpy

from models.max_iv.machine import SECTORS, MaxIvOptions, Modcomp
from models.max_iv.parameters import MaxIvParameters
from models.max_iv.run import run
from models.max_iv.runs.tools import USERS
from sim.account import Account
from sim.clock import Wait
from sim.disc.drive import Drive
from sim.disc.sheets import IBM_2314
from sim.parameter import changed
from sim.request import Op, access
from sim.script import Call, Loop, Script, Think
from sim.streams import Constant, Uniform, pick, stream
from sim.units import KIB, MS
from workloads.software_tools.commands import Pipeline, Tool

LOGGED_ON = 6
DATE = Pipeline((Tool("date", 0.0),), inputs=0.0, characters=20)
"""A command that does nothing but be found and started."""
SPAWNS = 100


def who(seed: object, sectors: int = SECTORS, **parameters: object) -> dict[str, float]:
    """Seconds until ``who`` has what it needs for one more ``line``: the second to the sixth of six users."""
    env = simpy.Environment()
    modcomp = Modcomp(env, changed(MaxIvParameters(), **parameters), MaxIvOptions(), sectors, seed)
    homes, account = [modcomp.volumes[0].home() for _ in range(LOGGED_ON)], Account("who")

    def once() -> Wait:
        for home in homes:
            for name in (":AR", ":VA"):
                yield from modcomp.software.files.read(0, (*home.directory, name), account)

    env.run(env.process(once()))
    begun = env.now
    for _ in range(5):
        env.run(env.process(once()))
    return {"line": float(env.now - begun) / 5 / LOGGED_ON}


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
