"""Eviction policies by the names that commands and files use."""

from spindle.sim.eviction.arc import Arc, Car
from spindle.sim.eviction.cacheus import Cacheus
from spindle.sim.eviction.clock import Clock, ClockSweep
from spindle.sim.eviction.fac import Atca, Fac
from spindle.sim.eviction.greedy_dual import Gdsf, GreedyDual
from spindle.sim.eviction.hyperbolic import Hyperbolic
from spindle.sim.eviction.lecar import LeCar
from spindle.sim.eviction.lfu import Lfu
from spindle.sim.eviction.lhd import Lhd
from spindle.sim.eviction.lirs import Lirs
from spindle.sim.eviction.lru import Fifo, Lru
from spindle.sim.eviction.lru_k import LruK
from spindle.sim.eviction.mglru import Mglru
from spindle.sim.eviction.midpoint import Midpoint
from spindle.sim.eviction.s3_fifo import S3Fifo, S4Fifo
from spindle.sim.eviction.sieve import Sieve
from spindle.sim.eviction.slru import Slru
from spindle.sim.eviction.tiny_lfu import WTinyLfu
from spindle.sim.eviction.two_q import TwoQ

POLICIES = {
    "lru": Lru, "fifo": Fifo, "clock": Clock, "lfu": Lfu, "slru": Slru, "2q": TwoQ, "arc": Arc, "lirs": Lirs,
    "s3-fifo": S3Fifo, "sieve": Sieve, "w-tinylfu": WTinyLfu, "lru-k": LruK, "hyperbolic": Hyperbolic, "lecar": LeCar,
    "greedy-dual": GreedyDual, "gdsf": Gdsf, "atca": Atca, "fac": Fac,
    "clock-sweep": ClockSweep, "midpoint": Midpoint, "s4-fifo": S4Fifo, "car": Car, "lhd": Lhd, "cacheus": Cacheus,
    "mglru": Mglru,
}
