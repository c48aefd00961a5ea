"""A machine of your own: users, a CPU, drives, a cache. Change what you like; each argument of `run` is an option.

spindle run machine.py --terminals 20
spindle sweep machine.py --drive hp7933,intels3700 --memory 1MiB,4MiB --policy lru,s3-fifo
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from spindle.sim.cache.block_cache import Sequential
from spindle.sim.cache.write_policy import CacheWriteBack, WriteThrough
from spindle.sim.clock import Phase, Wait
from spindle.sim.computer import Computer
from spindle.sim.cpu import CoresCpu, FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.raid.array import Raid
from spindle.sim.error import UserError
from spindle.sim.machine import File, Machine, OpenFile
from spindle.sim.measure.observer import Watch
from spindle.sim.measure.result import Result
from spindle.sim.parameter import Rule, assumed, check
from spindle.sim.part_forms import DriveForm, PolicyForm, SchedulerForm
from spindle.sim.streams import Exponential
from spindle.sim.terminal import Session
from spindle.sim.units import KIB, MIB, MS, Bytes
from spindle.system import System
from spindle.workloads.synthetic import SelfSimilar

MAX_DRIVES = 64
DAEMON_PERIOD = 5.0
"""Seconds between two looks for written blocks that are old."""


@dataclass(frozen=True)
class Parameters:
    """Numbers with their reasons: `assumed`, `cited` or `fitted`. Each is an option, too: `--think 2s`."""

    think: float = assumed(5.0, "mean time that a user looks at the screen", "s")
    accesses: int = assumed(10, "records that a transaction reads or writes", rule=Rule(1, 10_000))
    record: int = assumed(4 * KIB, "read or written at a time", "bytes", Rule(1))
    writes: float = assumed(0.0, "share of the accesses that write", rule=Rule(0.0, 1.0))
    sequential: float = assumed(0.0, "share of the accesses that go on where the last of the transaction ended",
                                rule=Rule(0.0, 1.0))  # fmt: skip
    locality: float = assumed(0.8, "0.8 of the accesses are to 0.2 of the data, and so on within that; with 0.5 all of "
                              "the data is alike", rule=Rule(0.5, 0.99))  # fmt: skip
    data: int = assumed(64 * MIB, "of all files together, one on each drive", "bytes", Rule(1))
    compute: float = assumed(10 * MS, "CPU time of a transaction beside its calls", "s")
    call: float = assumed(1 * MS, "CPU time of a call that reads or writes", "s")
    expiry: float = assumed(30.0, "with write-back a written block goes to its drive after this time, as in Linux", "s")

    def __post_init__(self) -> None:
        check(self)


def transaction(p: Parameters, files: list[File], size: int) -> Callable[[Machine, Session], Wait]:
    """Make a generator of what a user waits for, at places in the first *size* bytes of *files*."""
    where = SelfSimilar(1.0 - p.locality, p.locality)

    def work(machine: Machine, session: Session) -> Wait:
        yield machine.cpu.burst(p.compute, 0, Phase.CPU, session.account)
        random, opened = session.random, [OpenFile(each) for each in files]
        file, place = opened[0], size  # nothing to go on from yet
        for _ in range(p.accesses):
            other = opened[int(random.random() * len(opened))]
            other_place = int(where.draw(random) * (size // p.record)) * p.record
            goes_on, writes = random.random() < p.sequential, random.random() < p.writes
            if not goes_on or place + p.record > size:
                file, place = other, other_place
            call = machine.write if writes else machine.read
            yield from call(file, place, p.record, session.account)
            place += p.record
        yield from session.reply(80)  # characters on the screen: here the response ends

    return work


def run(
    terminals: int = 20, cores: int = 1, drives: int = 1, drive: DriveForm = "hp7933", raid: str = "",
    scheduler: SchedulerForm = "fcfs",
    memory: Bytes = Bytes(1 * MIB), block: Bytes = Bytes(4 * KIB), policy: PolicyForm = "lru",
    read_ahead: Bytes = Bytes(0), write_back: bool = False, minutes: float = 5.0, warm_up: float = 2.0,
    seed: object = 1, watch: Watch | None = None, keep_rows: bool = True, **parameters: float,
) -> Result:  # fmt: skip
    """One run. An argument without a simple type (int, float, bool, str, Bytes, Path, a form) is no option."""
    p = Parameters(**parameters)  # type: ignore[arg-type]
    if not 1 <= drives <= MAX_DRIVES:
        raise UserError(f"drives must be 1 to {MAX_DRIVES}, not {drives}")
    places = 1 if raid else drives  # of files
    size = p.data // places
    if size < p.record:
        raise UserError(f"data of {p.data} bytes on {drives} drive(s) has no room for a record of {p.record} bytes")
    cpu = partial(CoresCpu, cores=cores) if cores != 1 else FcfsCpu
    computer = Computer(read_call=p.call, write_call=p.call, cpu=cpu)
    discs = [computer.drive(drive, scheduler) for _ in range(drives)]
    devices: list[Drive | Raid] = [computer.raid(raid, *discs, chunk=64 * KIB)] if raid else [*discs]
    share = memory // places  # of the memory that written blocks of a drive may take
    writing = partial(CacheWriteBack, DAEMON_PERIOD, p.expiry, background=share // 2, limit=share)
    stores = devices if not memory else computer.cache(
        *devices, size=memory, block=block, policy=policy, writing=writing if write_back else WriteThrough,
        read_ahead=partial(Sequential, read_ahead))  # fmt: skip
    files = [computer.file(store, size) for store in stores]
    return computer.run(terminals=terminals, think=Exponential(p.think), transaction=transaction(p, files, size),
                        minutes=minutes, warm_up=warm_up, seed=seed, watch=watch, keep_rows=keep_rows)  # fmt: skip


SAYS = {
    "terminals": "users, who think and then ask",
    "cores": "of the CPU; a burst goes to the one that is free first",
    "drives": "number of drives, all of one kind, with a file each",
    "raid": "level of an array of all drives, with one file, in chunks of 64 KiB",
    "memory": "bytes of a cache above all drives; 0 is none",
    "block": "bytes that the cache fetches and evicts together",
    "read_ahead": "bytes fetched ahead of reads in order; 0 is none",
    "write_back": "a written block goes to its drive later, and nobody waits for that",
    "minutes": "simulated time that is measured", "warm_up": "simulated time before that",
}  # fmt: skip
QUESTION = "Users, a CPU, a cache and drives of your choice: which part limits the response?"
MACHINE = System("machine", "Machine from parts", run, Parameters(), question=QUESTION, says=SAYS)

if __name__ == "__main__":
    print(run())  # the same with options: spindle run machine.py --terminals 40
