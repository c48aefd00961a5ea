"""A machine of your own: users, a CPU, drives, a cache. Change what you like; each argument of `run` is an option.

spindle run machine.py:MACHINE --terminals 20
spindle sweep machine.py:MACHINE --drive hp7933,intels3700 --memory 1MiB,4MiB --policy lru,s3-fifo
"""

from collections.abc import Callable
from dataclasses import dataclass

from spindle import (
    KIB,
    MIB,
    MS,
    Bytes,
    Computer,
    DriveForm,
    Exponential,
    Machine,
    OpenFile,
    Phase,
    PolicyForm,
    Result,
    SchedulerForm,
    Session,
)
from spindle.sim.clock import Wait
from spindle.sim.measure.observer import Watch
from spindle.sim.parameter import assumed, check
from spindle.studies.system import System

RECORD = 4 * KIB
MEMORY = Bytes(1 * MIB)


@dataclass(frozen=True)
class Parameters:
    """Numbers with their reasons: `assumed`, `cited` or `fitted`. Each is an option, too: `--think 2s`."""

    think: float = assumed(5.0, "a user looks at the screen for so long, on average", "s")
    reads: int = assumed(10, "records of a transaction")
    compute: float = assumed(10 * MS, "CPU time of a transaction beside its reads", "s")
    data: int = assumed(64 * MIB, "of the file", "bytes")

    def __post_init__(self) -> None:
        check(self)


def transaction(file: OpenFile, p: Parameters) -> Callable[[Machine, Session], Wait]:
    """Make a generator of what a user waits for: it waits for the parts of the machine."""

    def look_up(machine: Machine, session: Session) -> Wait:
        yield machine.cpu.burst(p.compute, 0, Phase.CPU, session.account)
        for _ in range(p.reads):
            record = int(session.random.random() * (p.data // RECORD))
            yield from machine.read(file, record * RECORD, RECORD, session.account)
        yield from session.reply(80)  # characters on the screen: here the response ends

    return look_up


def run(
    terminals: int = 10, memory: Bytes = MEMORY, drive: DriveForm = "hp7933",
    scheduler: SchedulerForm = "fcfs", policy: PolicyForm = "lru", minutes: float = 5.0, warm_up: float = 2.0,
    seed: object = 1, watch: Watch | None = None, keep_rows: bool = True,
    **parameters: float,
) -> Result:  # fmt: skip
    """One run. An argument without a simple type (int, float, bool, str, Bytes, Path, a form) is no option."""
    p = Parameters(**parameters)  # type: ignore[arg-type]
    computer = Computer(read_call=1 * MS)
    (cache,) = computer.cache(computer.drive(drive, scheduler), size=memory, policy=policy)
    file = OpenFile(computer.file(cache, p.data))
    return computer.run(terminals=terminals, think=Exponential(p.think), transaction=transaction(file, p),
                        minutes=minutes, warm_up=warm_up, seed=seed, watch=watch, keep_rows=keep_rows)  # fmt: skip


MACHINE = System("machine", "A machine of my own", run, Parameters())
