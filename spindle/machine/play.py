"""The machine from parts for the page of ``spindle play``: the settings, their values, and a tour."""

from spindle.machine.start import MAX_DRIVES, SAYS, Parameters, run
from spindle.machine.text import machine_text
from spindle.playable import Offered, Playable
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.eviction.registry import POLICIES

SIZES = ("0B", "64KiB", "128KiB", "256KiB", "512KiB", "1MiB", "2MiB", "4MiB", "8MiB", "16MiB", "32MiB", "64MiB")
BLOCKS = ("1KiB", "2KiB", "4KiB", "8KiB", "16KiB", "32KiB")
AHEAD = ("0B", "4KiB", "8KiB", "16KiB", "32KiB", "64KiB", "128KiB", "256KiB")

PLAYABLE = Playable(
    run=run,
    parameters=Parameters(),
    offered={
        "terminals": Offered(SAYS["terminals"], [str(each) for each in range(1, 128)]),
        "drives": Offered(SAYS["drives"], [str(each) for each in range(1, MAX_DRIVES // 4 + 1)], is_part=True),
        "drive": Offered("its data sheet", words={name: name for name in STORES}, is_part=True),
        "scheduler": Offered("the order of a drive's queue", words={name: name for name in SCHEDULERS}, is_part=True),
        "memory": Offered(SAYS["memory"], SIZES, is_part=True),
        "block": Offered(SAYS["block"], BLOCKS, is_part=True),
        "policy": Offered("what leaves a full cache", words={name: name for name in POLICIES}, is_part=True),
        "read_ahead": Offered(SAYS["read_ahead"], AHEAD, is_part=True),
        "write_back": Offered(SAYS["write_back"], is_part=True),
        "minutes": Offered(SAYS["minutes"], [f"{each}min" for each in (1, 2, 3, 5, 8, 10, 15, 20, 30)]),
        "warm_up": Offered(SAYS["warm_up"], [f"{each}min" for each in (0, 1, 2, 3, 5, 10)]),
    },
    begin={"minutes": "3min", "warm_up": "1min"},
    vary=("terminals", ("5", "10", "20", "30", "40")),
    curves=("response_mean", "throughput"),
    window="60s:10s",
    tour={
        "Does more memory help?": ("memory", "256KiB,1MiB,4MiB,16MiB", {}),
        "Or does a second drive?": ("drives", "1,2,3,4", {}),
        "What is a drive of another time worth?": ("drive", "hp7914,barracuda4lp,hitachi7k1000.c,intels3700", {}),
        "Which policy suits the load?": ("policy", "fifo,lru,arc,s3-fifo", {}),
        "Who waits for a write?": ("write_back", "false,true", {"writes": "0.3"}),
    },
    text=machine_text,
)  # fmt: skip
