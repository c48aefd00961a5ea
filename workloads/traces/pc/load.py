"""What is known of the requests of a personal computer, and what had to be assumed of them."""

from dataclasses import dataclass, fields
from math import isfinite, log

from sim.error import UserError
from sim.units import GIB, KIB, MS

SHARES = ("random", "reads", "hot_places", "hot_uses", "busy_rare", "busy_40", "busy_60", "busy_80")
LEAST = 0.001
"""No share is less; and the hottest places are not all of them, or there would be no others to be hotter than."""


@dataclass(frozen=True)
class PcLoad:
    """A *random* share of the requests does not begin where the one before ended (Kim, IEICE Electron. Express 2014).

    From the description of another PC (NTU: Windows XP on FAT32, a month of web, mail, films and games): *reads*,
    74 % of the requests on 26 % of the addresses (*hot_uses*, *hot_places*), and *gap*, the mean time between
    requests. A request is a *cluster*, which is its mean size there.

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
    cluster: int = 4 * KIB
    span: int = 180 * GIB
    gap: float = 32 * MS
    calm: float = 9 * MS
    burst: int = 20
    busy_rare: float = 0.37
    busy_40: float = 0.59
    busy_60: float = 0.57
    busy_80: float = 0.46
    phases: int = 1

    def __post_init__(self) -> None:
        for name in SHARES:
            most = 1.0 - LEAST if name == "hot_places" else 1.0
            if not LEAST <= getattr(self, name) <= most:
                raise UserError(f"{name} of a PC's trace must be a share from {LEAST:g} to {most:g}, not "
                                f"{getattr(self, name)!r}")  # fmt: skip
        if self.hot_uses < self.hot_places:
            raise UserError(f"hot_uses of a PC's trace must be at least hot_places, {self.hot_places:g}, or those "
                            f"would not be the hottest, not {self.hot_uses!r}")  # fmt: skip
        for each in fields(self):
            value = getattr(self, each.name)
            if not (isfinite(value) and value > 0 and (each.type is not int or value == int(value))):
                raise UserError(f"{each.name} of a PC's trace must be positive, not {value!r}")

    @property
    def skew(self) -> float:
        """The exponent of Zipf's law under which the hottest of so many places have so many of the uses."""
        return 1.0 - log(self.hot_uses) / log(self.hot_places)

    def busy(self, uses: int) -> float:
        """How many of its *uses*, as a share, a place has in bursts."""
        return (self.busy_rare if uses < 40 else self.busy_40 if uses < 60 else self.busy_60 if uses < 80
                else self.busy_80)


LOADS = {"pcfat32": PcLoad(random=0.697), "smalldiskmon": PcLoad(random=0.795)}
"""By the names of the traces whose published numbers they have; those of figure 1 are PCFAT32's."""
