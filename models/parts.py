"""Names for the parts that every system takes: what ``--drive``, ``--scheduler`` and ``--policy`` may say."""

from sim.cache.eviction.clock import Clock
from sim.cache.eviction.fifo import Fifo
from sim.cache.eviction.lfu import Lfu
from sim.cache.eviction.lru import Lru
from sim.disc.channel.link import HP_IB
from sim.disc.scheduling import CLook, CScan, Fcfs, Look, Scan, Sptf, Sstf
from sim.disc.sheets import SHEETS

DRIVES = {sheet.name.lower().replace(" ", ""): sheet for sheet in SHEETS}
SCHEDULERS = {"fcfs": Fcfs, "sstf": Sstf, "scan": Scan, "c-scan": CScan, "look": Look, "c-look": CLook, "sptf": Sptf}
POLICIES = {"lru": Lru, "fifo": Fifo, "clock": Clock, "lfu": Lfu}
BUSES = {link.name: link for link in (HP_IB,)}
"""What the sheet of a drive may call the bus that it shares."""
