"""Which policies have a compiled loop; it takes references by number, the blocks, the capacity and the early part."""

from collections.abc import Callable
from typing import Any

from sim.curve.compiled.frequency import lfu, w_tiny_lfu
from sim.curve.compiled.lecar import lecar
from sim.curve.compiled.lirs import lirs
from sim.curve.compiled.queues import clock, fifo, s3_fifo, sieve
from sim.curve.compiled.ranked import gdsf, hyperbolic, lru_2
from sim.curve.compiled.recency import arc, lru, slru, two_q
from sim.eviction.arc import Arc
from sim.eviction.clock import Clock
from sim.eviction.fifo import Fifo
from sim.eviction.greedy_dual import Gdsf, GreedyDual
from sim.eviction.hyperbolic import Hyperbolic
from sim.eviction.lecar import LeCar
from sim.eviction.lfu import Lfu
from sim.eviction.lirs import Lirs
from sim.eviction.lru_k import LruK
from sim.eviction.s3_fifo import S3Fifo
from sim.eviction.sieve import Sieve
from sim.eviction.slru import Slru
from sim.eviction.tiny_lfu import WTinyLfu
from sim.eviction.two_q import TwoQ

Kind = Callable[..., Any]
LOOPS: dict[Kind, Callable[..., int]] = {
    Fifo: fifo, Clock: clock, Sieve: sieve, S3Fifo: s3_fifo, Slru: slru, TwoQ: two_q, Arc: arc, Lfu: lfu, Lirs: lirs,
    WTinyLfu: w_tiny_lfu, LruK: lru_2, Gdsf: gdsf, Hyperbolic: hyperbolic, LeCar: lecar, GreedyDual: lru,
}  # fmt: skip
"""As they are without arguments; with others the class itself is gone through. Without costs GreedyDual is LRU."""
