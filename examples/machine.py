"""Your own machine for the command line: clerks of a shop, their files on several drives, one cache above all.

spindle run examples/machine.py:SHOP --terminals 40
"""

from dataclasses import dataclass

from spindle import (
    HP7933,
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
)  # fmt: skip
from spindle.sim.parameter import assumed, check
from spindle.system import System
from spindle.workloads.synthetic import SelfSimilar

RECORD = 4 * KIB


@dataclass(frozen=True)
class ShopParameters:
    """Numbers that `--set` changes, each with its reason."""

    think: float = assumed(5.0, "a clerk looks at the screen for so long, on the average", "s")
    reads: int = assumed(28, "records of a sale: the customer, the articles, their stock")
    compute: float = assumed(20 * MS, "CPU time of a sale, beside its reads", "s")
    read_call: float = assumed(2 * MS, "CPU time of a read", "s")
    data: int = assumed(80 * MIB, "of all files together, one on each drive", "bytes")
    __post_init__ = check


class Sale:
    """Make the transaction: reads of records in files drawn at random, four fifths of them in a fifth of a file."""

    def __init__(self, files: list[OpenFile], parameters: ShopParameters) -> None:
        self.files, self.parameters, self.place = files, parameters, SelfSimilar()

    def __call__(self, machine: Machine, session: Session):
        random, p = session.random, self.parameters
        yield machine.cpu.burst(p.compute, 0, Phase.CPU, session.account)
        for _ in range(p.reads):
            file = self.files[int(random.random() * len(self.files))]
            record = int(self.place.draw(random) * (p.data // len(self.files) // RECORD))
            yield from machine.read(file, record * RECORD, RECORD, session.account)
        yield from session.reply(400)


def run(
    terminals: int = 40, drives: int = 4, memory: Bytes = 4 * MIB, drive: DriveForm = HP7933,
    scheduler: SchedulerForm = "fcfs", policy: PolicyForm = "lru", minutes: float = 10.0, warm_up: float = 5.0,
    seed: object = 1, watch=None, keep_rows: bool = True, **parameters: float,
) -> Result:  # fmt: skip
    """Each argument is an option of `spindle run` and an axis of `spindle sweep`: `--drive hp7925 --policy s3-fifo`."""
    p = ShopParameters(**parameters)
    shop = Computer(read_call=p.read_call)
    caches = shop.cache(*(shop.drive(drive, scheduler) for _ in range(drives)), size=memory, policy=policy)
    sale = Sale([OpenFile(shop.file(cache, p.data // drives)) for cache in caches], p)
    return shop.run(terminals=terminals, think=Exponential(p.think), transaction=sale, minutes=minutes,
                    warm_up=warm_up, seed=seed, watch=watch, keep_rows=keep_rows)


SHOP = System("shop", "The machine of a shop", run, ShopParameters())
