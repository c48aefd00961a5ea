"""Registers Max-IV, the operating system of a Modcomp minicomputer, as a system of Spindle: its parts by name."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from spindle.models.max_iv.cache import Fhl
from spindle.models.max_iv.disc_address import reversed_bits, sector_low, track_low
from spindle.models.max_iv.eligibility import AS_BUILT, FpiFilter, MarksCached, ReadsAlone
from spindle.models.max_iv.habits import LibraryLoop, NoHabit, PathLoop, PrivateLoops
from spindle.models.max_iv.machine import MaxIvOptions
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.run import run
from spindle.models.max_iv.space import AtTheEdge, InTheMiddle, reuse_in_turn
from spindle.models.max_iv.turns import GoingOn, taking_turns
from spindle.models.max_iv.variants import WITH_IMAGES, FhlOfUnits, FhlReadingAhead, FhlWritingBack
from spindle.models.max_iv.volumes import in_any_order, used_first
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.disc.sheets import MODCOMP_4138
from spindle.sim.eviction.registry import POLICIES
from spindle.system import System

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
    "tools_order": {"any-order": in_any_order, "used-first": used_first},
}  # fmt: skip

MODEL = 4
"""Raised by hand when answers change, with a line in CHANGELOG.md that says what changed."""

SYSTEM = System.of_card(
    "max_iv", MODEL, run, MaxIvParameters(), parts=PARTS, choose=MaxIvOptions,
)  # fmt: skip
