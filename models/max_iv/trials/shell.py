"""Trials of what a user sees: who is on, a long search path, and the shell that is written out and read back in."""

from collections.abc import Mapping

import simpy

from models.max_iv.machine import SECTORS, Choices, Modcomp
from models.max_iv.parameters import Parameters
from models.max_iv.run import run
from models.max_iv.trials.load import measured
from sim.account import Account
from sim.clock import Wait
from sim.disc.drive import Drive
from sim.disc.sheets import IBM_2314
from sim.parameter import changed
from sim.request import Op, access
from sim.script import Call, Loop, Script, Think
from sim.streams import Constant, Uniform, pick, stream
from sim.units import KIB, MS
from workloads.software_tools.commands import Command, Tool

LOGGED_ON = 6
LINE_PRINTED = 40 * 10 / 9600
"""Seconds in which a terminal of 9600 baud prints a line."""
DATE = Command((Tool("date", 0.0),), inputs=0.0, characters=20)
"""A command that does nothing but be found and started."""


def who(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Seconds until ``who`` has what it needs for one more line, without a cache and with it."""
    plain, cached = (_line(sectors, seed, parameters) for sectors in (0, SECTORS))
    return {"line_plain": plain, "line_cached": cached, "terminal_speed": float(cached < LINE_PRINTED)}


def _line(sectors: int, seed: object, parameters: Mapping[str, object]) -> float:
    """The same, for the second to the sixth ``who`` of six users."""
    env = simpy.Environment()
    modcomp = Modcomp(env, changed(Parameters(), **parameters), Choices(), sectors, seed)
    homes, account = [modcomp.volumes[0].home() for _ in range(LOGGED_ON)], Account("who")

    def once() -> Wait:
        for home in homes:
            for name in (":AR", ":VA"):
                yield from modcomp.software.files.read(0, (*home.directory, name), account)

    env.run(env.process(once()))
    begun = env.now
    for _ in range(5):
        env.run(env.process(once()))
    return float(env.now - begun) / 5 / LOGGED_ON


def search_path(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """What five more directories in everybody's search path add to a command that does nothing, as a share."""
    said: dict[str, float] = {}
    script = Script("user", (Loop((Think(Constant(20.0)), Call(DATE, DATE.name))),), terminals=3,
                    start=Uniform(0.0, 20.0))
    for name, sectors in (("plain", 0), ("cached", SECTORS)):
        means = []
        for more in (0, 5):
            result = run(sectors=sectors, seed=seed, minutes=measured(16.0, length), warm_up=2.0, scripts=[script],
                         **{**parameters, "more_directories": more})  # type: ignore[arg-type]
            means.append(result.response()["response_mean"])
        said[f"more_{name}"] = means[1] / means[0] - 1.0
    return said


def spawn(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """The image of a shell out to a 2314 and, after a tool was read from elsewhere, back in; without other users."""
    env = simpy.Environment()
    drive = Drive(env, IBM_2314)
    seconds: list[float] = []
    env.process(_spawns(drive, seed, 2 * changed(Parameters(), **parameters).shell_words, seconds))
    env.run()
    return {"spawn_ms": sum(seconds) / len(seconds) / MS}


def _spawns(drive: Drive, seed: object, image: int, seconds: list[float]) -> Wait:
    random, account = stream(seed, "spawns"), Account("shell")
    for _ in range(100):
        place = pick(random, (drive.capacity - image) // 256) * 256
        tool = pick(random, (drive.capacity - 40 * KIB) // 256) * 256
        began = drive.env.now
        yield from drive.write(access(Op.WRITE, place, image, account))
        out = drive.env.now - began
        yield from drive.read(access(Op.READ, tool, 40 * KIB, account))
        began = drive.env.now
        yield from drive.read(access(Op.READ, place, image, account))
        seconds.append(out + drive.env.now - began)
