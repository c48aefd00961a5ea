"""Names for the parts that every system takes: what ``--drive``, ``--scheduler`` and ``--policy`` may say."""

from sim.cache.eviction.arc import Arc
from sim.cache.eviction.atca import Atca
from sim.cache.eviction.clock import Clock
from sim.cache.eviction.fac import Fac
from sim.cache.eviction.fifo import Fifo
from sim.cache.eviction.greedy_dual import GreedyDual
from sim.cache.eviction.lfu import Lfu
from sim.cache.eviction.lirs import Lirs
from sim.cache.eviction.lru import Lru
from sim.cache.eviction.s3_fifo import S3Fifo
from sim.cache.eviction.sieve import Sieve
from sim.cache.eviction.slru import Slru
from sim.cache.eviction.two_q import TwoQ
from sim.disc.channel.link import HP_IB
from sim.disc.scheduling import CLook, CScan, Fcfs, Look, Scan, Sptf, Sstf
from sim.disc.sheets import SHEETS

DRIVES = {sheet.name.lower().replace(" ", ""): sheet for sheet in SHEETS}
SCHEDULERS = {"fcfs": Fcfs, "sstf": Sstf, "scan": Scan, "c-scan": CScan, "look": Look, "c-look": CLook, "sptf": Sptf}
POLICIES = {
    "lru": Lru, "fifo": Fifo, "clock": Clock, "lfu": Lfu, "slru": Slru, "2q": TwoQ, "arc": Arc, "lirs": Lirs,
    "s3-fifo": S3Fifo, "sieve": Sieve, "greedy-dual": GreedyDual, "atca": Atca, "fac": Fac,
}
BUSES = {link.name: link for link in (HP_IB,)}
"""What the sheet of a drive may call the bus that it shares."""
