"""Defines the options of ``spindle curve``: policies, sizes, blocks or objects, tiers of caches, and drives below."""

from dataclasses import dataclass

from spindle.questions.array import NO_ARRAY, ArrayOptions
from spindle.questions.field import ask, group, spell
from spindle.questions.storage import WAYS_TO_WRITE, DriveOptions, TierOptions
from spindle.sim.error import UserError
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.units import Bytes
from spindle.traces.opening import TraceOptions

LRU, BELADY, INSERTING, BELADY_SIZE = "lru", "belady", "belady-min", "belady-size"
BOUNDS = {BELADY: True, INSERTING: False, "opt": False}
"""Names of Belady's policy, which knows the future and so bounds all others; True if a missed block may bypass the
cache. In opt, the textbooks' form, it may not."""
DEFAULT_BLOCK = 4096
"""Default size of a block, in bytes."""
CURVE_POLICIES = (*POLICIES, *BOUNDS)
"""Names of all policies, and of the bounds."""
AUTO = "auto"
"""Value of *warm_up* for which the warm-up ends by itself, once the hits of LRU have settled."""
TTL = {"ignore": False, "honour": True}
"""Ways to treat times to live; True if they count."""
ADMITTED = ("all", "size(most=65536)", "bloom")
"""Examples of admission filters, for the help."""
UNSAMPLED = ("warm_up", "over_time", "by_device", "bytes", "ttl", "admit", "tiers", "response")
"""Fields of the question that exclude a sample."""
OF_BLOCKS = ("response", "tiers", "over_time", "by_device")
"""Fields of the question that exclude objects with sizes, times to live or an admission filter."""


@dataclass(frozen=True)
class CurveQuestion:
    """Hits against the size of a cache; *sample* of 0 is the whole trace."""

    source: TraceOptions = TraceOptions()
    policy: str = ask(LRU, f"{' | '.join(CURVE_POLICIES)}, perhaps with arguments, as s3-fifo(small=0.1); with --bytes "
                           f"also {BELADY_SIZE}", whole=True, metavar="NAME,...")
    block: Bytes = ask(Bytes(DEFAULT_BLOCK), "bytes of a block, as 512 or 64K", "bytes", least=1)
    sizes: str = ask("", "blocks of the caches, as 4,16 or 1-8; or with --bytes their bytes, as 64M; or shares of the "
                         "working set, as 0.1%,1%,10%; default spread by logarithm", whole=True, metavar="N,...")
    warm_up: str = ask("0", "first share of the references, such as 0.1, that does not count, or auto: until the hits "
                            "of LRU have settled", metavar="SHARE")
    over_time: bool = ask(False, "the hit ratio of LRU in each tenth of the trace")
    by_device: bool = ask(False, "the hit ratio of LRU of each device, volume or tenant, of reads and of writes; "
                                 "--columns device=N makes any column that")
    sample: float = ask(0.0, "share of the blocks to take, such as 0.01; with 95 % bounds; 0 takes all", least=0.0,
                        most=1.0, metavar="SHARE")
    bytes: bool = ask(False, "caches hold bytes of objects with their sizes; hit ratios of requests and of bytes")
    ttl: str = ask("ignore", "times to live of objects", words=tuple(TTL), noun="way to treat times to live",
                   metavar="HOW")
    admit: str = ask("all", f"what enters the cache after a miss: {' | '.join(ADMITTED)}: what has missed before",
                     whole=True)
    layers: TierOptions = TierOptions()
    below: str = ask("", "time of a block that no tier has; default unknown, and the mean is of hits alone",
                     metavar="TIME", needs=("tiers",), because="{}")
    prices: str = ask("", "of 10^9 bytes of each tier: shows which sizes pay", whole=True, metavar="N,...",
                      needs=("tiers",), because="{}")
    response: bool = ask(False, "simulate the cache above a drive, at a few sizes, one request after another")
    device: DriveOptions = group(DriveOptions(), needs=("response",))
    array: ArrayOptions = group(NO_ARRAY, needs=("response",))
    write: str = ask("back", "a cache's writes", words=WAYS_TO_WRITE, noun="way to write", metavar="HOW",
                     needs=("response",), because="{}")  # fmt: skip

    def has_objects(self) -> bool:
        """Tell if sizes, times to live or an admission of objects are asked for."""
        return self.bytes or TTL[self.ttl] or self.admit != "all"

    def check(self) -> None:
        """UserError where fields exclude each other."""
        asked = [name for name in (*UNSAMPLED, "inclusion") if self._differs(name)]
        if self.sample and asked:
            raise UserError(f"{spell(asked[0])} needs the whole trace, and not a {spell('sample')} of it"
                            f"{': a sample keeps hit ratios, but not queues' * (asked[0] == 'response')}")
        if self.has_objects() and any(name in asked for name in OF_BLOCKS):
            ways, others = (", ".join(map(spell, names)) for names in (("bytes", "ttl", "admit"), OF_BLOCKS))
            raise UserError(f"{ways} go without {others}")
        if self.prices and self.policy != LRU:  # LRU has thousands of stacks from one pass
            raise UserError(f"{spell('prices')} compares thousands of stacks, which takes {spell('policy')} {LRU}")
        if self.prices and not self.below:
            raise UserError(f"{spell('prices')} needs {spell('below')} TIME: what a block takes that no tier has")

    def _differs(self, name: str) -> bool:
        holder, usual = (self.layers, TierOptions()) if hasattr(self.layers, name) else (self, USUAL_CURVE)
        return bool(getattr(holder, name) != getattr(usual, name))


USUAL_CURVE = CurveQuestion()
