"""Reads a solid-state drive from a drive file: its flash, its host interface (front), and its controller."""

from collections.abc import Mapping
from dataclasses import replace

from spindle.sim.disc.flash import sheet as flash_sheet
from spindle.sim.disc.sheet_file.section import FOR_PEOPLE, SOURCES, SheetSection
from spindle.sim.error import UserError, unknown

LONGEST_US = 1e6
FASTEST_MB = 1e6
LARGEST_BUFFER = 1 << 40
MAX_QUEUES = 1 << 16
DRIVE_YEARS = 1950, 2100
"""First and last year that a drive may be of."""
CLEANING_RULES: Mapping[str, flash_sheet.Cleaning] = {
    "greedy": flash_sheet.Greedy(), "cost-benefit": flash_sheet.CostBenefit(),
    **{f"best-of-{d}": flash_sheet.Choices(d) for d in range(1, 33)},
}  # fmt: skip
FLASH_KEYS = ("name", "sector_bytes", "capacity_sectors", "flash", "front", "unit_bytes", "buffer_bytes",
              "buffer_survives", "map_pages", "cleaning", "cleaning_preempted", "reserve_blocks", "flush_units",
              "filled_share", SOURCES, *FOR_PEOPLE, "notes", "year")
NAND_KEYS = ("channels", "ways", "planes", "blocks", "pages", "page_bytes", "read_us", "program_us", "erase_us",
             "bus_mb_s")  # fmt: skip
FRONT_KEYS = ("kind", "rate_mb_s", "command_us", "write_rate_mb_s", "write_command_us", "queues", "entries",
              "write_handling_us")
FLASH_TEMPLATE = "--template flash"
DISC_KEYS = ("cylinders", "heads", "rpm", "seek", "layout", "head_switch_ms", "sectors_per_track", "bus")
"""Keys that only files of discs have."""


def read_flash(sheet: SheetSection) -> flash_sheet.FlashType:
    """Read the drive that *sheet* describes."""
    sheet.check_keys(*FLASH_KEYS)
    if strange := [key for key in DISC_KEYS if key in sheet]:
        raise UserError(f"{sheet.where}.{strange[0]}: flash has none; a sheet describes a disc or flash, and this has "
                        "the section flash")  # fmt: skip
    size = sheet.whole_number("sector_bytes", 1, 1 << 20)
    name = sheet.text("name")
    with sheet.errors():
        return flash_sheet.FlashType(
            name=name,
            nand=_nand(sheet.section("flash")),
            front=_front(sheet.section("front")),
            capacity=sheet.whole_number("capacity_sectors", 1, flash_sheet.MAX_UNITS) * size,
            unit=sheet.whole_number("unit_bytes", 1, 1 << 30, missing=4096),
            sector_bytes=size,
            buffer=sheet.whole_number("buffer_bytes", 1, LARGEST_BUFFER, missing=1 << 20),
            buffer_survives=sheet.flag("buffer_survives", missing=False),
            map_pages=sheet.whole_number("map_pages", 1, flash_sheet.MAX_UNITS) if "map_pages" in sheet else None,
            cleaning=_cleaning(sheet),
            preempted=sheet.flag("cleaning_preempted", missing=True),
            reserve=sheet.whole_number("reserve_blocks", 1, flash_sheet.MAX_BLOCKS, missing=2),
            flush=sheet.whole_number("flush_units", 1, LARGEST_BUFFER, missing=1),
            filled=sheet.number("filled_share", 0.0, 1.0, missing=0.0),
            sources=sheet.sources(NAND_KEYS + FRONT_KEYS),
            notes=sheet.text("notes", missing=""),
            year=read_year(sheet),
        )


def read_year(sheet: SheetSection) -> int | None:
    return sheet.whole_number("year", *DRIVE_YEARS) if "year" in sheet else None


def _nand(section: SheetSection) -> flash_sheet.Nand:
    section.check_keys(*NAND_KEYS)
    section.check_needed(*NAND_KEYS, template=FLASH_TEMPLATE)
    channels, ways, planes, blocks, pages, page_bytes = (section.whole_number(key, 1, 1 << 24) for key in NAND_KEYS[:6])
    read, program, erase = (section.seconds(key, 0.0, LONGEST_US) for key in NAND_KEYS[6:9])
    with section.errors():
        return flash_sheet.Nand(channels, ways, planes, blocks, pages, page_bytes, read, program, erase,
                                section.number("bus_mb_s", 0.0, FASTEST_MB) * 1e6)  # fmt: skip


def _front(section: SheetSection) -> flash_sheet.Front:
    section.check_keys(*FRONT_KEYS)
    section.check_needed(*FRONT_KEYS[:3], template=FLASH_TEMPLATE)
    kind, rate = section.text("kind"), section.number("rate_mb_s", 0.0, FASTEST_MB)
    command = section.seconds("command_us", 0.0, LONGEST_US)
    write = (section.number("write_rate_mb_s", 0.0, FASTEST_MB, missing=rate) * 1e6,
             section.seconds("write_command_us", 0.0, LONGEST_US) if "write_command_us" in section else command)
    if kind == "SATA" and (strange := [key for key in ("queues", "entries") if key in section]):
        raise section.wrong(strange[0], "is of NVMe; SATA has one queue of 32 tags")
    handling = section.seconds("write_handling_us", 0.0, LONGEST_US) if "write_handling_us" in section else None
    with section.errors():
        if kind == "SATA":
            return replace(flash_sheet.sata(rate * 1e6, command, write), write_handling=handling)
        if kind == "NVMe":
            queues = section.whole_number("queues", 1, MAX_QUEUES, missing=8)
            entries = section.whole_number("entries", 1, MAX_QUEUES, missing=128)
            return replace(flash_sheet.nvme(rate * 1e6, command, queues, entries, write), write_handling=handling)
    raise UserError(f"{section.where}: {unknown('kind', kind, ('SATA', 'NVMe'))}")


def _cleaning(sheet: SheetSection) -> flash_sheet.Cleaning:
    name = sheet.text("cleaning", missing="greedy")
    if name not in CLEANING_RULES:
        raise UserError(f"{sheet.where}: {unknown('cleaning', name, ('greedy', 'cost-benefit', 'best-of-10'))}")
    return CLEANING_RULES[name]
