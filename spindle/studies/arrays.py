"""An array of drives among the arguments of a run: what they say, the array they ask for, and its words on a page."""

from collections.abc import Mapping
from typing import Any

from spindle.sim.disc.raid.layout import BITMAP_REGION, CHUNK, MIN_DRIVES, RaidType
from spindle.sim.error import UserError
from spindle.sim.units import MIB, Bytes

USUAL_CHUNK, NO_BITMAP = Bytes(CHUNK), Bytes(0)
ARRAY_SAYS = {
    "raid": f"level of an array in the place of the drive: {', '.join(MIN_DRIVES)}; none where it is empty",
    "drives": "number of drives of the array",
    "chunk": "bytes of a chunk of the array",
    "bitmap": "bytes of a region with a bit in the array's write-intent bitmap, as mdadm has "
              f"{BITMAP_REGION // MIB}MiB; 0 is no bitmap",
    "delayed": "whether writes to raid 5 and 6 come without REQ_SYNC, as a page cache writes back: rows are joined",
}
"""Arguments of a run that ``array_type`` takes."""


def array_words(said: Mapping[str, Any]) -> str:
    """The array among the arguments *said* of a run, for its page; empty without one."""
    if not said.get("raid"):
        return ""
    bitmap = ", with a bitmap" if said.get("bitmap") else ""
    delayed = ", writes delayed" if said.get("delayed") else ""
    return f", raid {said['raid']} of {said['drives']} drives{bitmap}{delayed}"


def array_type(
    raid: str, drives: int, chunk: int = CHUNK, bitmap: int = NO_BITMAP, delayed: bool = False
) -> RaidType | None:
    """The array that a run's arguments ask for; None where *raid*, its level, is empty."""
    if raid:
        return RaidType(raid, drives, chunk, bitmap=bitmap, delayed=delayed)
    given = {"drives": drives, "chunk": chunk != CHUNK, "bitmap": bitmap, "delayed": delayed}
    for name in (name for name, value in given.items() if value):
        raise UserError(f"{name} is of an array; raid says of which level")
    return None


def array_settings(array: RaidType | None) -> dict[str, Any]:
    """The arguments of a run that ask for *array*, without those that are usual."""
    if array is None:
        return {}
    bitmap = {"bitmap": array.bitmap} if array.bitmap else {}
    delayed = {"delayed": True} if array.delayed else {}
    return {"raid": array.level, "drives": array.drives, "chunk": array.chunk, **bitmap, **delayed}
