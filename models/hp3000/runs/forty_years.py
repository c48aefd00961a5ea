"""The paper's load on the drives of forty years, behind the CPU of 1983 or one as much faster as memory is larger."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from models.hp3000.discs.channels import OwnLinks
from models.hp3000.runs.loads import Row, mixed, parts_of, row
from models.hp3000.series import SERIES_64, SeriesModel
from sim.disc.flash.sheets import INTEL_S3700, SAMSUNG_960_PRO
from sim.disc.sheets import BARRACUDA_4LP, HITACHI_7K1000C
from sim.error import unknown

_MODERN = replace(SERIES_64, path=OwnLinks())
STORAGE: Mapping[str, SeriesModel] = {
    "1983": SERIES_64,
    "1997": replace(_MODERN, drive=BARRACUDA_4LP),
    "2010": replace(_MODERN, drive=HITACHI_7K1000C),
    "sata": replace(_MODERN, drive=INTEL_S3700),
    "nvme": replace(_MODERN, drive=SAMSUNG_960_PRO),
}
"""A Series 64 with the six drives of that year, or of that kind."""
LARGER = 8
"""By how much the scaled machine has more memory: 64 MB hold all that 101 terminals use."""


def stored(terminals: int, storage: str, scaled: bool = False, mips: float = SERIES_64.mips, **others: Any) -> Row:
    """*terminals* on drives of *storage*; with *scaled* the memory is LARGER times as large."""
    if storage not in STORAGE:
        raise unknown("storage", storage, STORAGE)
    memory = SERIES_64.memory * (LARGER if scaled else 1)
    series = replace(STORAGE[storage], memory=memory, mips=mips)
    return row(mixed(*parts_of(terminals), series=series, **others))
