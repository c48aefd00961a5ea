"""Reads the computers of the HP3000 family from ``series.toml``: Series III, 44, 48, 64 and 68."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from spindle.models.hp3000.disc_paths import PATHS, DiscPath
from spindle.sim.disc.flash.drive import DriveType
from spindle.sim.disc.sheets import DRIVES
from spindle.sim.parameter import ParameterSource, read_sources
from spindle.sim.units import KIB, MIB


@dataclass(frozen=True)
class SeriesModel:
    """One computer of the HP3000 family; its numbers are the defaults of a run's parameters.

    Its CPU does *mips* million instructions a second. It has *memory* bytes, *resident* of them MPE's own. *discs*
    drives of the kind *drive* are on *channels* channels, and *path* is how a channel connects them to memory.
    """

    name: str
    mips: float
    memory: int
    resident: int
    discs: int
    channels: int
    drive: DriveType
    path: DiscPath
    sources: Mapping[str, ParameterSource] = field(compare=False, repr=False)

    def settings(self) -> dict[str, float]:
        """Return the parameters whose values this series determines."""
        return {name: getattr(self, name) for name in ("mips", "memory", "resident", "discs", "channels")}


def _read(table: Mapping[str, Any]) -> SeriesModel:
    return SeriesModel(
        table["name"], table["mips"], table["memory_mib"] * MIB, table["resident_kib"] * KIB, table["discs"],
        table["channels"], DRIVES[table["drive"]], PATHS[table["path"]], read_sources(table["sources"]),
    )


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SERIES_III, SERIES_44, SERIES_64 = (_read(_TABLES[name]) for name in ("iii", "44", "64"))
SERIES: Mapping[str, SeriesModel] = {
    "iii": SERIES_III, "44": SERIES_44, "48": replace(SERIES_44, name="HP3000 Series 48"), "64": SERIES_64,
    "68": replace(SERIES_64, name="HP3000 Series 68"),
}  # fmt: skip
"""Series by their names on the command line. McBride gives the 64 and the 68 alike; the 48 is taken to be a 44."""
