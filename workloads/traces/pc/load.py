"""The load of a personal computer: its published numbers, and those that had to be assumed."""

from dataclasses import dataclass, fields
from math import isfinite

from sim.error import UserError
from sim.units import GIB, KIB, MS

SHARES = ("random", "reads", "hot_places", "hot_uses", "once", "skew", "busy_rare", "busy_40", "busy_60", "busy_80")
LEAST = 0.001
"""No share is less; and the hottest places are not all of them, or there would be no others to be hotter than."""


@dataclass(frozen=True)
class PcLoad:
    """A *random* share of the requests does not begin where the one before ended (Kim, IEICE Electron. Express 2014).
    The others go on through a file, of *file* bytes: the mean size on 60 000 Windows PCs (Agrawal and others 2007).

    From the description of another PC (NTU: Windows XP on FAT32, a month of web, mail, films and games): *reads*,
    74 % of the requests on 26 % of the addresses (*hot_uses*, *hot_places*), and *gap*, the mean time between
    requests. A request is a *cluster*, which is its mean size there.

    From trace P3 of a Windows NT workstation (Megiddo and Modha, FAST 2003), all of it: how many requests go to a place
    that is used *once*, and the *skew* of Zipf's law among the others; both are alike within runs and outside.

    Requests come one by one, *calm* seconds apart at least and twice that on average, or in bursts of *burst* at one
    instant, each followed by a pause. How much of the uses of a place lies in bursts depends on how often it is used:
    less than 40 times (*busy_rare*), 40 to 60, 60 to 80, or more. With that, with *burst* and with *span*, the bytes
    of the drive over which all is strewn, requests come to the access times that Kim's figure 1 shows.

    Places are used in any order, unless there are *phases*, each with places of its own, as often used as ever.
    """

    random: float = 0.697
    reads: float = 0.48
    hot_places: float = 0.26
    hot_uses: float = 0.74
    once: float = 0.086
    skew: float = 0.49
    cluster: int = 4 * KIB
    file: int = 189 * KIB
    span: int = 180 * GIB
    gap: float = 32 * MS
    calm: float = 9 * MS
    burst: int = 20
    busy_rare: float = 0.39
    busy_40: float = 0.55
    busy_60: float = 0.59
    busy_80: float = 0.48
    phases: int = 1

    def __post_init__(self) -> None:
        for name in SHARES:
            most = 1.0 - LEAST if name in ("hot_places", "once", "skew") else 1.0
            if not LEAST <= getattr(self, name) <= most:
                raise UserError(f"{name} of a PC's trace must be a share from {LEAST:g} to {most:g}, not "
                                f"{getattr(self, name)!r}")  # fmt: skip
        low = (1.0 - self.once) * self.hot_places ** (1.0 - self.skew)
        high = 1.0 - self.once * (1.0 - self.hot_places)
        if not low < self.hot_uses < high:
            raise UserError(f"hot_uses of a PC's trace must be between {low:.3g} and {high:.3g}, which once, skew and "
                            f"hot_places leave, not {self.hot_uses!r}")  # fmt: skip
        for each in fields(self):
            value = getattr(self, each.name)
            if not (isfinite(value) and value > 0 and (each.type is not int or value == int(value))):
                raise UserError(f"{each.name} of a PC's trace must be positive, not {value!r}")

    @property
    def again(self) -> float:
        """How many places there are for a request that are used more than once: as many as make the hottest
        *hot_places* of all places have *hot_uses* of the requests, by Zipf's law.
        """
        whole = self.hot_uses / (1.0 - self.once)
        if whole > 1.0:  # they are all of them, and some that are used once
            return (1.0 - self.once * (1.0 - self.hot_places) - self.hot_uses) / (1.0 - self.hot_places)
        share: float = whole ** (1.0 / (1.0 - self.skew))  # of the places used again, that have all that
        return self.hot_places * self.once / (share - self.hot_places)

    @property
    def run(self) -> int:
        """The clusters of a file."""
        return max(2, round(self.file / self.cluster))

    def busy(self, uses: int) -> float:
        """How many of its *uses*, as a share, a place has in bursts."""
        return (self.busy_rare if uses < 40 else self.busy_40 if uses < 60 else self.busy_60 if uses < 80
                else self.busy_80)


LOADS = {"pcfat32": PcLoad(random=0.697), "smalldiskmon": PcLoad(random=0.795)}
"""By the names of the traces whose published numbers they have; those of figure 1 are PCFAT32's."""
