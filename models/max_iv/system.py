"""Max-IV as a system of Spindle: its options and parts, the page to play with, the paper's cases and examples."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from spindle.models.max_iv.cache import Fhl
from spindle.models.max_iv.disc_address import reversed_bits, sector_low, track_low
from spindle.models.max_iv.eligibility import AS_BUILT, FpiFilter, MarksCached, ReadsAlone
from spindle.models.max_iv.files import AtTheEdge, InTheMiddle, in_any_order, reuse_in_turn, used_first
from spindle.models.max_iv.habits import LibraryLoop, NoHabit, PathLoop, PrivateLoops
from spindle.models.max_iv.machine import MaxIvOptions
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.run import BUSY_USERS, run
from spindle.models.max_iv.turns import GoingOn, taking_turns
from spindle.models.max_iv.variants import WITH_IMAGES, FhlOfUnits, FhlReadingAhead, FhlWritingBack
from spindle.playable import Offered, Playable, shipped_system
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.disc.sheets import MODCOMP_4138
from spindle.sim.eviction.registry import POLICIES
from spindle.studies.system import PaperCase

# The parts of the Modcomp and of its cache that may be exchanged, by name.

PARTS: Mapping[str, Mapping[str, Any]] = {
    "cpu": {"going-on": GoingOn, "taking-turns": taking_turns},
    "drive": STORES | {"modcomp4138-unbuffered": replace(MODCOMP_4138, buffer=None)},
    "scheduler": SCHEDULERS,
    "policy": POLICIES,
    "code": {"fhl": Fhl, "read-ahead": FhlReadingAhead, "write-back": FhlWritingBack, "tracks": FhlOfUnits,
             "cylinders": partial(FhlOfUnits, tracks=9), "images": WITH_IMAGES},
    "rules": {"as-built": AS_BUILT, "marks-cached": MarksCached(), "fpi-filter": FpiFilter(8),
              "reads-alone": ReadsAlone()},
    "order": {"sector-low": sector_low, "track-low": track_low, "reversed": reversed_bits},
    "placing": {"at-the-edge": AtTheEdge(), "in-the-middle": InTheMiddle(),
                "rotating": AtTheEdge(reuse_in_turn)},
    "habit": {"none": NoHabit(), "path-loop": PathLoop(), "private-loops": PrivateLoops(),
              "library-loop": LibraryLoop()},
    "tools_order": {"used-first": used_first, "any-order": in_any_order},
}  # fmt: skip


SECTORS = (0, 16, 32, 64, 128, 192, 256, 384, 512, 768, 1024)

PLAYABLE = Playable(
    run=run,
    parameters=MaxIvParameters(),
    parts=PARTS,
    choose=MaxIvOptions,
    offered={
        "users": Offered("users of Software Tools", [str(each) for each in range(1, 41)]),
        "sectors": Offered("sectors of 256 bytes in the cache; 0 is no cache", [str(each) for each in SECTORS]),
        "minutes": Offered("measured minutes", [f"{each}min" for each in (1, 2, 5, 10, 15, 20, 30, 60)]),
        "warm_up": Offered("minutes before the measured ones", [f"{each}min" for each in (0, 1, 2, 5, 10, 15)]),
    },
    begin={"minutes": "10min", "warm_up": "5min"},
    vary=("sectors", ("0", "64", "128", "256", "512")),
    curves=("response_mean", "hit_ratio"),
    window="90s:20s",
    tour={
        "What do 512 sectors of memory gain two users?": ("sectors", "0,512", {"users": "2"}),
        "How many sectors are worth having?": ("sectors", "64,128,256,512,1024", {"users": "2"}),
        "How many users does the disc bear with the cache?": ("users", "1,2,4,6", {"sectors": "512"}),
        "What is left when programs compute more?": ("tool_cpu", "0.4s,2s,9s", {"users": "4", "sectors": "512"}),
        "What do search paths cost uncached?": ("more_directories", "0,2,5,10", {"users": "2", "sectors": "0"}),
    },
)


PRINTED = {
    "hit_ratio": "J36", "data_sectors_per_open": "J04", "accesses_per_open": "J05",
    "miss_reads": "J37", "miss_writes": "J37b", "miss_weofs": "J37c", "management_share": "J40",
    "chain_mean": "J41", "chain_at_most_3": "J41b", "chain_max": "J41c",
}  # fmt: skip

MODEL = 3
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = shipped_system(
    "max_iv", MODEL, PLAYABLE,
    cases=(PaperCase(PRINTED), PaperCase({"op_rate": "J48"}, {"users": BUSY_USERS})),
    examples=(
        "--users 6 --sectors 256",
        "--code write-back --rules marks-cached --placing in-the-middle",
        "--habit path-loop --set cold=0.7",
        "--copy 900us --lines 4",
        "--users 6 --mix who=3,ls=3,ed=1",
    ),
    built_in=(
        "sectors of 256 bytes, one a request", "space that is given out by whole tracks",
        "file system data in linked lists of single sectors", "of the file system nothing in memory but the root",
        "a port of its own for the discs' channel",
    ),
    says={"mix": "commands and their weights, who=3,ls=3,ed=1, of ls, who, cat, find, sort, words, ed, format and "
                 "compile; default the guess of the shipped load"},
)
