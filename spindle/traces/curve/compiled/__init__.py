"""Lists loops that numba compiles: each counts the same hits as the Python class of an eviction policy, but faster.

A loop takes the number of each reference's block, the number of different blocks, the capacity in blocks, and how many
early references do not count.
"""

from collections.abc import Callable
from typing import Any

from spindle.sim.eviction.arc import Arc
from spindle.sim.eviction.clock import Clock, ClockSweep
from spindle.sim.eviction.greedy_dual import Gdsf, GreedyDual
from spindle.sim.eviction.hyperbolic import Hyperbolic
from spindle.sim.eviction.lecar import LeCar
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lirs import Lirs
from spindle.sim.eviction.lru import Fifo
from spindle.sim.eviction.lru_k import LruK
from spindle.sim.eviction.s3_fifo import S3Fifo
from spindle.sim.eviction.sieve import Sieve
from spindle.sim.eviction.slru import Slru
from spindle.sim.eviction.tiny_lfu import WTinyLfu
from spindle.sim.eviction.two_q import TwoQ
from spindle.traces.curve.compiled.frequency import lecar, lfu, w_tiny_lfu
from spindle.traces.curve.compiled.queues import clock, clock_sweep, fifo, lirs, s3_fifo, sieve
from spindle.traces.curve.compiled.ranked import gdsf, hyperbolic, lru_2
from spindle.traces.curve.compiled.recency import arc, lru, slru, two_q

Kind = Callable[..., Any]
LOOPS: dict[Kind, Callable[..., int]] = {
    Fifo: fifo, Clock: clock, Sieve: sieve, S3Fifo: s3_fifo, Slru: slru, TwoQ: two_q, Arc: arc, Lfu: lfu, Lirs: lirs,
    WTinyLfu: w_tiny_lfu, LruK: lru_2, Gdsf: gdsf, Hyperbolic: hyperbolic, LeCar: lecar, GreedyDual: lru,
    ClockSweep: clock_sweep,
}  # fmt: skip
"""The loop of each policy without arguments; one with arguments is replayed by its class. GreedyDual without costs is
LRU."""
