"""Parameters of Kim's drive and of the synthetic load of a PC, for his cache policy FAC, each with its source."""

from dataclasses import dataclass

from spindle.sim.disc.planning import MAX_AHEAD
from spindle.sim.parameter import Rule, assumed, check, cited, fitted
from spindle.sim.units import GIB, KIB, MS
from spindle.workloads.pc import LOADS, MIN_SHARE, PcLoad

_SHARE = Rule(MIN_SHARE, 1.0)
_GAP = Rule(0.0, 3600.0, positive=True)
_P3 = "PC trace P3, Windows NT (Megiddo and Modha, FAST 2003)"
_NTU = "NTU's description of a PC with Windows XP on FAT32, one month"


@dataclass(frozen=True)
class NcqParameters:
    """Parameters of the drive and of the load, in seconds and bytes. "Kim" is IEICE Electronics Express 11 (2014)."""

    # The drive
    block: int = assumed(4 * KIB, "block of the cache, of unknown size in Kim; a cluster of FAT32 up to 8 GB", "bytes",
                         Rule(512, 1 << 20))
    ageing: float = assumed(0.006, "SPTF with ageing: the weight that Worthington, Ganger and Patt 1994 found best",
                            "s/s", Rule(0.0, 1e6))
    planned_ahead: int = assumed(1, "the firmware chooses a request when it begins it. A fit of a disc of 2008 "
                                 "(spindle drive fit) found more", "1", Rule(1, MAX_AHEAD))
    link: float = cited(300e6, "smartctl of an HDS721010CLA332: Serial ATA of 3 Gbit/s", "bytes/s",
                        Rule(1e4, 1e12))

    # The synthetic load: what the two traces have in common
    reads: float = cited(PcLoad.reads, f"{_NTU}: 48 % of the requests", "1", _SHARE)
    hot_places: float = cited(PcLoad.hot_places, f"{_NTU}: 74 % of the requests on 26 % of the addresses", "1",
                              Rule(MIN_SHARE, 1.0 - MIN_SHARE))
    hot_uses: float = cited(PcLoad.hot_uses, f"{_NTU}: 74 % of the requests on 26 % of the addresses", "1", _SHARE)
    once: float = cited(PcLoad.once, f"{_P3}: 8.6 % of its 238,578 requests go to places that are used once", "1",
                        Rule(MIN_SHARE, 1.0 - MIN_SHARE))
    skew: float = cited(PcLoad.skew, f"{_P3}: of the places used again the tenth that is used most has 31 % of the "
                        "uses, within sequential runs as outside them; the exponent of Zipf's law", "1",
                        Rule(MIN_SHARE, 1.0 - MIN_SHARE))
    file: int = cited(PcLoad.file, "Agrawal, Bolosky, Douceur and Lorch, FAST 2007: mean size of a file on Windows PCs "
                      "in 2004, 189 KB; a sequential run is a file", "bytes", Rule(8 * KIB, GIB))
    gap: float = cited(PcLoad.gap, f"{_NTU}: 32 ms between requests on average", "s", _GAP)
    calm: float = assumed(9 * MS, "half the mean time between requests outside bursts, which leaves the drive time for "
                          "each", "s", _GAP)
    phases: int = assumed(PcLoad.phases, "one: places are used in any order. Nothing is published on order", "1",
                          Rule(1, 1000))
    span: int = fitted(PcLoad.span, "S4-04: 14 % of rarely used LBAs take 10 to 20 ms; bytes of the drive in use",
                       "bytes", Rule(GIB, 1 << 50))
    burst: int = fitted(PcLoad.burst, "S4-01: 78.3 % of all LBAs take less than 30 ms; requests at one instant", "1",
                        Rule(1, 10_000))
    busy_rare: float = fitted(PcLoad.busy_rare, "S4-03: 55 % of rarely used LBAs take at most 10 ms; the share of uses "
                              "that is in bursts, below 40 uses", "1", _SHARE)
    busy_40: float = fitted(PcLoad.busy_40, "S4-05: 61.1 % below 30 ms; the same for 40 to 60 uses", "1", _SHARE)
    busy_60: float = fitted(PcLoad.busy_60, "S4-06: 61.8 % below 30 ms; the same for 60 to 80 uses", "1", _SHARE)
    busy_80: float = fitted(PcLoad.busy_80, "S4-07: 69.0 % below 30 ms; the same for more than 80 uses", "1", _SHARE)

    def __post_init__(self) -> None:
        check(self)

    def load(self, name: str) -> PcLoad:
        """Build the synthetic trace *name* from these numbers."""
        return PcLoad(
            LOADS[name].random, self.reads, self.hot_places, self.hot_uses, self.once, self.skew, file=self.file,
            span=self.span, gap=self.gap, calm=self.calm, burst=self.burst, busy_rare=self.busy_rare,
            busy_40=self.busy_40, busy_60=self.busy_60, busy_80=self.busy_80, phases=self.phases,
        )  # fmt: skip
