"""Table of eviction policies by the names that commands and files use; a module is imported when asked for."""

from collections.abc import Callable

from spindle.sim.eviction.policy import EvictionPolicy
from spindle.sim.named_table import NamedTable, import_table

_PLACES = {
    "lru": "lru:Lru", "fifo": "lru:Fifo", "clock": "clock:Clock", "lfu": "lfu:Lfu", "slru": "slru:Slru",
    "2q": "two_q:TwoQ", "arc": "arc:Arc", "lirs": "lirs:Lirs", "s3-fifo": "s3_fifo:S3Fifo", "sieve": "sieve:Sieve",
    "w-tinylfu": "tiny_lfu:WTinyLfu", "lru-k": "lru_k:LruK", "hyperbolic": "hyperbolic:Hyperbolic",
    "lecar": "lecar:LeCar", "greedy-dual": "greedy_dual:GreedyDual", "gdsf": "greedy_dual:Gdsf", "atca": "fac:Atca",
    "fac": "fac:Fac", "clock-sweep": "clock:ClockSweep", "midpoint": "midpoint:Midpoint",
    "s4-fifo": "s3_fifo:S4Fifo", "car": "arc:Car", "lhd": "lhd:Lhd", "cacheus": "cacheus:Cacheus",
    "mglru": "mglru:Mglru", "random": "random_draw:RandomDraw",
}
POLICIES: NamedTable[Callable[..., EvictionPolicy]] = import_table({
    name: f"spindle.sim.eviction.{place}" for name, place in _PLACES.items()})  # fmt: skip
