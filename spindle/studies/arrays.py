"""An array of drives among the arguments of a run: help texts, the RaidType asked for and back, words for a page."""

from collections.abc import Mapping
from typing import Any

from spindle.sim.disc.raid.layout import BITMAP_REGION, CHUNK, MIN_DRIVES, RaidType
from spindle.sim.error import UserError
from spindle.sim.units import MIB, Bytes

USUAL_CHUNK, NO_BITMAP, NO_REBUILD = Bytes(CHUNK), Bytes(0), Bytes(0)
ARRAY_SAYS = {
    "raid": f"level of an array in the place of the drive: {', '.join(MIN_DRIVES)}; none where it is empty",
    "drives": "number of drives of the array",
    "chunk": "bytes of a chunk of the array",
    "bitmap": "bytes of a region with a bit in the array's write-intent bitmap, as mdadm has "
              f"{BITMAP_REGION // MIB}MiB; 0 is no bitmap",
    "delayed": "whether writes to raid 5 and 6 come without REQ_SYNC, as a page cache writes back: rows are joined",
    "failed": "number of drives of the array that have failed before the first request",
    "rebuild": "bytes a second at which spares are rebuilt at least, md's sync_speed_min, usually 1000K; 0 is no spare",
    "ure": "unrecoverable errors for each bit read from a drive of the array, such as 1e-14",
}
"""Arguments of a run that ``array_type`` takes."""


def array_words(said: Mapping[str, Any]) -> str:
    """The array among the arguments *said* of a run, for its page; empty without one."""
    if not said.get("raid"):
        return ""
    bitmap = ", with a bitmap" if said.get("bitmap") else ""
    delayed = ", writes delayed" if said.get("delayed") else ""
    failed = f", {said['failed']} failed" if said.get("failed") else ""
    rebuild = ", being rebuilt" if said.get("rebuild") else ""
    return f", raid {said['raid']} of {said['drives']} drives{bitmap}{delayed}{failed}{rebuild}"


def array_type(
    raid: str, drives: int, chunk: int = CHUNK, bitmap: int = NO_BITMAP, delayed: bool = False, failed: int = 0,
    rebuild: int = NO_REBUILD, ure: float = 0.0, seed: object = 1,
) -> RaidType | None:  # fmt: skip
    """The array that a run's arguments ask for; None where *raid*, its level, is empty.

    It may have a bitmap of regions of *bitmap* bytes, and *delayed* writes. Of its drives *failed* have failed, and
    spares are rebuilt at *rebuild* bytes a second at least. A read fails for good once in 1 / *ure* bits.
    """
    if raid:
        return RaidType(raid, drives, chunk, unrecoverable=ure, seed=seed, bitmap=bitmap, delayed=delayed,
                        failed=failed, rebuild=rebuild)  # fmt: skip
    given = {"drives": drives, "chunk": chunk != CHUNK, "bitmap": bitmap, "delayed": delayed, "failed": failed,
             "rebuild": rebuild, "ure": ure}  # fmt: skip
    for name in (name for name, value in given.items() if value):
        raise UserError(f"{name} is for an array; raid gives its level")
    return None


def array_settings(array: RaidType | None) -> dict[str, Any]:
    """The arguments of a run that ask for *array*, without those that are usual."""
    if array is None:
        return {}
    unusual = {"bitmap": array.bitmap, "delayed": array.delayed, "failed": array.failed, "rebuild": array.rebuild,
               "ure": array.unrecoverable}  # fmt: skip
    return {"raid": array.level, "drives": array.drives, "chunk": array.chunk,
            **{name: value for name, value in unusual.items() if value}}  # fmt: skip
