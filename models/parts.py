"""Names of the parts that every system takes: the values of ``--drive``, ``--scheduler`` and ``--policy``."""

from sim.disc.channel.link import HP_IB
from sim.disc.few import CLookFew
from sim.disc.flash.drive import DriveType
from sim.disc.flash.sheets import FLASH_SHEETS
from sim.disc.scheduling import CLook, CScan, Fcfs, Look, Scan, Sptf, Sstf
from sim.disc.sheets import SHEETS
from sim.eviction.arc import Arc
from sim.eviction.atca import Atca
from sim.eviction.clock import Clock
from sim.eviction.fac import Fac
from sim.eviction.fifo import Fifo
from sim.eviction.greedy_dual import Gdsf, GreedyDual
from sim.eviction.hyperbolic import Hyperbolic
from sim.eviction.lecar import LeCar
from sim.eviction.lfu import Lfu
from sim.eviction.lirs import Lirs
from sim.eviction.lru import Lru
from sim.eviction.lru_k import LruK
from sim.eviction.s3_fifo import S3Fifo
from sim.eviction.sieve import Sieve
from sim.eviction.slru import Slru
from sim.eviction.tiny_lfu import WTinyLfu
from sim.eviction.two_q import TwoQ

DRIVES = {sheet.name.lower().replace(" ", ""): sheet for sheet in SHEETS}
FLASH = {sheet.name.lower().replace(" ", ""): sheet for sheet in FLASH_SHEETS}
STORES: dict[str, DriveType] = {**DRIVES, **FLASH}
"""Discs and flash, for what takes either."""
SCHEDULERS = {"fcfs": Fcfs, "sstf": Sstf, "scan": Scan, "c-scan": CScan, "look": Look, "c-look": CLook,
              "c-look-few": CLookFew, "sptf": Sptf}  # fmt: skip
POLICIES = {
    "lru": Lru, "fifo": Fifo, "clock": Clock, "lfu": Lfu, "slru": Slru, "2q": TwoQ, "arc": Arc, "lirs": Lirs,
    "s3-fifo": S3Fifo, "sieve": Sieve, "w-tinylfu": WTinyLfu, "lru-k": LruK, "hyperbolic": Hyperbolic, "lecar": LeCar,
    "greedy-dual": GreedyDual, "gdsf": Gdsf, "atca": Atca, "fac": Fac,
}
BUSES = {link.name: link for link in (HP_IB,)}
"""What the sheet of a drive may call the bus that it shares."""
