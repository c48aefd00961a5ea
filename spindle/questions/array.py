"""Options that put an array of drives in the place of each drive of a run or replay, by the rules of Linux's md."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from spindle.questions.field import BYTE_RATE, ask, spell
from spindle.sim.disc.raid.layout import BITMAP_REGION, CHUNK, MIN_DRIVES, RaidType
from spindle.sim.error import UserError
from spindle.sim.units import MIB, Bytes

MAX_DRIVES = 1024
"""Most drives of an array."""
NEEDS_ARRAY: Mapping[str, Any] = {"needs": ("raid",), "because": "an array; {} gives its level"}
"""How an option is asked for that is not allowed without --raid."""


@dataclass(frozen=True)
class ArrayOptions:
    """Options for an array of drives of the level *raid*; there is none where that is empty."""

    raid: str = ask("", "level of an array in the place of each drive, by the rules of Linux's md: "
                        f"{', '.join(MIN_DRIVES)}", metavar="LEVEL", absent=True)
    drives: int = ask(0, "number of drives, or of those in each array", least=0, most=MAX_DRIVES,
                      nought="one for each device")
    chunk: Bytes = ask(Bytes(CHUNK), "bytes of a chunk of the array", "bytes", **NEEDS_ARRAY)
    bitmap: Bytes = ask(Bytes(0), "bytes of a region with a bit in the array's write-intent bitmap, as mdadm has "
                                  f"{BITMAP_REGION // MIB}MiB", "bytes", nought="no bitmap", **NEEDS_ARRAY)
    delayed: bool = ask(False, "writes to raid 5 and 6 come without REQ_SYNC, as a page cache writes back: rows are "
                               "joined", **NEEDS_ARRAY)
    failed: int = ask(0, "drives of the array that have failed before the first request", **NEEDS_ARRAY)
    rebuild: Bytes = ask(Bytes(0), "bytes a second at which spares are rebuilt at least, md's sync_speed_min, "
                                   "usually 1000K; 0 is no spare", BYTE_RATE, **NEEDS_ARRAY)
    ure: float = ask(0.0, "unrecoverable errors for each bit read from a drive of the array, such as 1e-14",
                     metavar="RATE", **NEEDS_ARRAY)

    def array(self, seed: object = 1, alone: Collection[str] = ()) -> RaidType | None:
        """Return the array, with its unrecoverable errors by *seed*; None without one.

        Fields in *alone* may be given without an array.
        """
        if not self.raid:
            if strange := [name for name in self._unusual() if name not in alone]:
                raise UserError(f"{spell(strange[0])} is for an array; {spell('raid')} gives its level")
            return None
        if not self.drives:
            level = spell("raid")
            raise UserError(f"{level} {self.raid} needs {spell('drives')}: how many there are in the array")
        return RaidType(self.raid, self.drives, self.chunk, unrecoverable=self.ure, seed=seed, bitmap=self.bitmap,
                        delayed=self.delayed, failed=self.failed, rebuild=self.rebuild)  # fmt: skip

    def settings(self) -> dict[str, Any]:
        """Return the array's options that differ from their defaults, for a run's settings; none without an array."""
        if not self.raid:
            return {}
        return {"raid": self.raid, "drives": self.drives, "chunk": int(self.chunk), **self._unusual()}

    def _unusual(self) -> dict[str, Any]:
        """Return the fields, except the level, that differ from their defaults."""
        _, *others = fields(self)
        return {each.name: value for each in others if (value := getattr(self, each.name)) != each.default}


NO_ARRAY = ArrayOptions()
"""Single drives."""


def array_words(said: Mapping[str, Any]) -> str:
    """Return words on the array in the settings *said* of a run; '' without one."""
    if not said.get("raid"):
        return ""
    bitmap = ", with a bitmap" if said.get("bitmap") else ""
    delayed = ", writes delayed" if said.get("delayed") else ""
    failed = f", {said['failed']} failed" if said.get("failed") else ""
    rebuild = ", being rebuilt" if said.get("rebuild") else ""
    return f", raid {said['raid']} of {said['drives']} drives{bitmap}{delayed}{failed}{rebuild}"
