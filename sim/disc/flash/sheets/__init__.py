"""Drive files of solid-state drives (SATA and NVMe; flash and 3D XPoint), a file each, with all sources."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.sim.disc.sheets import kept_sheet, named_as_constant
from spindle.sim.named_table import NamedTable, file_table

if TYPE_CHECKING:
    from spindle.sim.disc.flash.sheet import FlashType

FLASH: "NamedTable[FlashType]" = file_table(Path(__file__).parent, kept_sheet)
"""The solid-state drives by the names that commands and files use."""

FLASH_SHEETS: "tuple[FlashType, ...]"
INTEL_S3700: "FlashType"
OPTANE_P4800X: "FlashType"
SAMSUNG_960_PRO: "FlashType"


def __getattr__(name: str) -> Any:
    return FLASH.all() if name == "FLASH_SHEETS" else named_as_constant(name, FLASH)
