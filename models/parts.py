"""Names for the parts that every system takes: what ``--drive``, ``--scheduler`` and ``--policy`` may say."""

from sim.cache.eviction.clock import Clock
from sim.cache.eviction.fifo import Fifo
from sim.cache.eviction.lfu import Lfu
from sim.cache.eviction.lru import Lru
from sim.disc.scheduling import CLook, Fcfs, Look, Sptf, Sstf
from sim.disc.sheets import SHEETS

DRIVES = {sheet.name.lower().replace(" ", ""): sheet for sheet in SHEETS}
SCHEDULERS = {"fcfs": Fcfs, "sstf": Sstf, "look": Look, "c-look": CLook, "sptf": Sptf}
POLICIES = {"lru": Lru, "fifo": Fifo, "clock": Clock, "lfu": Lfu}
