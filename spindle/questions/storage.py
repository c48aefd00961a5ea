"""Groups of options on storage that questions share: drives, a cache or tiers above them, a flash tier, the loop."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spindle.questions.field import BYTE_RATE, Asked, ask, spell
from spindle.questions.settings import Setting
from spindle.sim.disc.hindrance import Hindrance
from spindle.sim.disc.network_type import NetworkType
from spindle.sim.disc.registry import BUSES
from spindle.sim.error import UserError, quote
from spindle.sim.part_forms import DriveForm, PolicyForm, SchedulerForm
from spindle.sim.units import Bytes

MAX_CYLINDER = 1 << 31
"""Bound of the number of a cylinder, and of a number of requests between stalls."""
MAX_TAGS = 1024
"""Most requests that a drive orders itself."""
MIN_SPEED, MAX_SPEED = 1e-6, 1e6
"""Bounds of the factor by which requests come faster than in a trace."""
MAX_DELAY = 1e6
"""Most seconds of a delay."""
MAX_UNDER_WAY = 1 << 16
"""Most requests that a closed loop keeps under way."""
INCLUSIONS = ("exclusive", "inclusive")
"""Whether a block is in one tier only, or in all slower ones, too."""
PRICE_SETTING = Setting(float, asked=Asked(least=0.0, most=1e12))
"""How the price of a tier is read."""
USUAL_DRIVE = "hitachi7k1000.c"
"""The drive of a replay that names none."""
WAYS_TO_WRITE = ("back", "through")
"""Ways in which a cache writes: later, or at once to the drive as well."""
TIERS_HELP = "caches one below another under the policy, each with its time for a block, as " \
            "8GB:0.1us,64GB:2us,1TB:100us; of blocks of the cache"
"""The help of options for tiers."""
NEEDS_FLASH: Mapping[str, Any] = {"needs": ("flash",), "because": "a flash tier; {} names its drive"}
"""How an option is asked for that is not allowed without a flash tier."""
NEEDS_CACHE: Mapping[str, Any] = {"needs": ("cache", "tiers"), "because": "a cache; {} gives its size"}
"""How an option is asked for that is not allowed without a cache or tiers."""


@dataclass(frozen=True)
class DriveOptions:
    """Options for the drives, the bus or network that they share, and the order of their queues."""

    drive: DriveForm = ask(USUAL_DRIVE, "")
    bus: str = ask("", "what drives share, unless the drive file says", words=("", *BUSES), noun="bus", metavar="KIND")
    scheduler: SchedulerForm = ask("fcfs", "")
    depth: int = ask(0, "NCQ: number of requests in the drive, with SATA 32 at most; it serves the nearest of them; "
                        "the scheduler is the host's, for the others; of a solid-state drive the tags, of its "
                        "own at most; 0 is none", least=0, most=MAX_TAGS)
    wrap: bool = ask(False, "go on from the beginning of a drive beyond its end")
    head: int = ask(0, "cylinder on which the arm of each drive is at first", least=0, most=MAX_CYLINDER,
                    metavar="CYLINDER")  # fmt: skip
    filled: float = ask(0.0, "share of a solid-state drive, 1 for all, that was written at random for long, as a state "
                             "drawn from the closed form of cleaning; 0 is as the drive file says, else new",
                        least=0.0, most=1.0, metavar="SHARE")  # fmt: skip
    foreground: bool = ask(False, "a solid-state drive cleans a whole block before the next write; by default in steps")
    sleep_after: float = ask(0.0, "idle time after which a drive sleeps, as 100ms or 10min", "s", least=0.0,
                             most=MAX_DELAY, needs=("wake",), because="drives that sleep; {} is what waking takes",
                             excludes=("bus",), metavar="TIME", nought="never")  # fmt: skip
    wake: float = ask(0.0, "time in which a drive that sleeps wakes, which the first request waits for", "s", least=0.0,
                      most=MAX_DELAY, needs=("sleep_after",), because="drives that sleep; {} says when",
                      metavar="TIME")  # fmt: skip
    stall_every: int = ask(0, "requests of a drive from one stall to the next", least=0, most=MAX_CYLINDER,
                           needs=("stall",), because="stalls; {} says how long", excludes=("bus",),
                           nought="never")  # fmt: skip
    stall: float = ask(0.0, "time for which a drive that stalls does nothing at all", "s", least=0.0, most=MAX_DELAY,
                       needs=("stall_every",), because="stalls; {} says how often", metavar="TIME")  # fmt: skip

    network_latency: float = ask(0.0, "time of a request to a drive and back over a network, as 100us", "s",
                                 least=0.0, most=MAX_DELAY, excludes=("bus",), metavar="TIME")  # fmt: skip
    network_rate: Bytes = ask(Bytes(0), "bytes a second each way of a network that all drives share, as 1.25GB",
                              BYTE_RATE, least=0, nought="no limit", excludes=("bus",), metavar="BYTES")  # fmt: skip

    def hindrance(self) -> Hindrance | None:
        """Return what delays services of the drives, sleep or stalls; None where nothing does."""
        made = Hindrance(self.sleep_after, self.wake, self.stall_every, self.stall)
        return None if made == Hindrance() else made

    def network(self) -> NetworkType | None:
        """Return the network to the drives; None where they are the host's own."""
        made = NetworkType(self.network_latency, float(self.network_rate))
        return None if made == NetworkType() else made


@dataclass(frozen=True)
class CacheOptions:
    """Options for a cache above the drives, one for all; there is none where its size is 0."""

    cache: Bytes = ask(Bytes(0), "bytes of a cache above the drives, as 8M; 0 is none", "bytes", least=0)
    policy: PolicyForm = ask("lru", "of the cache or of each tier", **NEEDS_CACHE)
    block: Bytes = ask(Bytes(4096), "of the cache or the tiers", "bytes", least=1, **NEEDS_CACHE)
    write: str = ask("back", "a cache's writes", words=WAYS_TO_WRITE, noun="way to write", metavar="HOW", **NEEDS_CACHE)


@dataclass(frozen=True)
class FlashTierOptions:
    """Options for a flash tier: a solid-state drive in front of all drives; there is none where *flash* is empty."""

    flash: DriveForm = ask("", "of a flash tier: a solid-state drive in front of all drives or arrays, below a cache",
                           excludes=("tiers",), why="both lie in front of the drives", absent=True)  # fmt: skip
    flash_size: Bytes = ask(Bytes(0), "bytes of the flash tier", "bytes", least=0, nought="all of its drive",
                            **NEEDS_FLASH)  # fmt: skip
    flash_policy: PolicyForm = ask("lru", "of the flash tier", **NEEDS_FLASH)
    flash_block: Bytes = ask(Bytes(4096), "bytes of a block of the flash tier", "bytes", least=1, **NEEDS_FLASH)
    flash_write: str = ask("through", "the flash tier's writes; through is what bcache and lvmcache do by default",
                           words=WAYS_TO_WRITE, noun="way to write", metavar="HOW", **NEEDS_FLASH)  # fmt: skip


NO_FLASH = FlashTierOptions()
"""Drives without a flash tier."""


@dataclass(frozen=True)
class TierOptions:
    """Options for tiers, caches one below another, in place of a cache."""

    tiers: str = ask("", f"in place of a cache: {TIERS_HELP}; each serves one request after another, and writes go "
                         "through to the drive", whole=True, metavar="SIZE:TIME,...", absent=True)
    inclusion: str = ask("exclusive", "of tiers", words=INCLUSIONS, noun="inclusion", metavar="RULE",
                         needs=("tiers",), because="{}")  # fmt: skip


@dataclass(frozen=True)
class LoopOptions:
    """Options for the instants at which requests are submitted: at the trace's times, or when earlier ones are done."""

    open: bool = ask(False, "issue requests at their times; the default with times")
    closed: int = ask(0, "keep this number of requests under way, whatever their times", least=0,
                      most=MAX_UNDER_WAY, nought="one, and only without times")
    speed: float = ask(1.0, "an open loop's requests come this much faster than the trace says: 1.5 is a load that "
                            "is larger by half", least=MIN_SPEED, most=MAX_SPEED, metavar="FACTOR")
    chains: str = ask("", "a request that came within this time, such as 5ms, after a read of its device was done "
                          "follows it here too; needs measured times; 5ms was found on three days of one workstation",
                      metavar="DELAY", absent=True)  # fmt: skip


def positive(name: str, text: str, value: float | None) -> float:
    """Return *value*, which was read from *text*; UserError where it is None, not positive, or too large."""
    if value is None or not 0.0 < value < 1e18:
        raise UserError(f"{name} takes positive numbers with units, such as 8GB, 2us or 0.5, not {quote(text)}")
    return value


def prices_of(name: str, text: str, tiers: int) -> list[float]:
    """Read from *text* the price of 10^9 bytes of each tier, of which there are *tiers*; none where it is empty."""
    if not text:
        return []
    prices = [PRICE_SETTING.read(name, each) for each in text.split(",")]
    if len(prices) != tiers:
        raise UserError(f"{name} names {len(prices)} prices for {tiers} tiers")
    return prices


def check_one_loop(asked: LoopOptions) -> None:
    """Raise UserError where both an open and a closed loop are asked for."""
    if asked.closed and (asked.open or asked.chains):
        one = spell("open" if asked.open else "chains")
        raise UserError(f"{one} and {spell('closed')} are two kinds of loop; choose one")
