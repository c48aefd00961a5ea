"""The sheet of a solid-state drive in a file: its flash, its front, and what its controller does with both."""

from collections.abc import Mapping

from sim.disc.flash.cleaning import Choices, Cleaning, CostBenefit, Greedy
from sim.disc.flash.sheet import MOST_BLOCKS, MOST_UNITS, FlashType, Front, Nand, nvme, sata
from sim.disc.sheet_file.section import SheetSection
from sim.error import UserError, unknown
from sim.parameter import ParameterSource
from sim.units import US

LONGEST_US = 1e6
FASTEST_MB = 1e6
LARGEST_BUFFER = 1 << 40
MOST_QUEUES = 1 << 16
CLEANING: Mapping[str, Cleaning] = {
    "greedy": Greedy(), "cost-benefit": CostBenefit(), **{f"best-of-{d}": Choices(d) for d in range(1, 33)},
}  # fmt: skip
KEYS = ("name", "sector_bytes", "capacity_sectors", "flash", "front", "unit_bytes", "buffer_bytes", "buffer_survives",
        "map_pages", "cleaning", "reserve_blocks")  # fmt: skip
OF_FLASH = ("channels", "ways", "planes", "blocks", "pages", "page_bytes", "read_us", "program_us", "erase_us",
            "bus_mb_s")  # fmt: skip
OF_FRONT = ("kind", "rate_mb_s", "command_us", "write_rate_mb_s", "write_command_us", "queues", "entries")
TEMPLATE = "--template flash"
OF_DISC = ("cylinders", "heads", "rpm", "seek", "layout", "head_switch_ms", "sectors_per_track", "bus")


def read_flash(sheet: SheetSection) -> FlashType:
    """The drive that *sheet* describes."""
    sheet.check_keys(*KEYS)
    if strange := [key for key in OF_DISC if key in sheet]:
        raise UserError(f"{sheet.where}.{strange[0]}: flash has none; a sheet describes a disc or flash, and this has "
                        "the section flash")  # fmt: skip
    size = sheet.whole("sector_bytes", 1, 1 << 20)
    name = sheet.text("name")
    with sheet.errors():
        return FlashType(
            name=name,
            nand=_nand(sheet.section("flash")),
            front=_front(sheet.section("front")),
            capacity=sheet.whole("capacity_sectors", 1, MOST_UNITS) * size,
            unit=_whole(sheet, "unit_bytes", 4096, 1 << 30),
            sector_bytes=size,
            buffer=_whole(sheet, "buffer_bytes", 1 << 20, LARGEST_BUFFER),
            buffer_survives=sheet.flag("buffer_survives") if "buffer_survives" in sheet else False,
            map_pages=sheet.whole("map_pages", 1, MOST_UNITS) if "map_pages" in sheet else None,
            cleaning=_cleaning(sheet),
            reserve=_whole(sheet, "reserve_blocks", 2, MOST_BLOCKS),
            sources=dict.fromkeys((*OF_FLASH, *OF_FRONT), ParameterSource("cited", f"the drive sheet {sheet.where}")),
        )


def _whole(sheet: SheetSection, key: str, usual: int, most: int) -> int:
    return sheet.whole(key, 1, most) if key in sheet else usual


def _nand(section: SheetSection) -> Nand:
    section.check_keys(*OF_FLASH)
    section.check_needed(*OF_FLASH, template=TEMPLATE)
    channels, ways, planes, blocks, pages, page_bytes = (section.whole(key, 1, 1 << 24) for key in OF_FLASH[:6])
    read, program, erase = (section.number(key, 0.0, LONGEST_US) * US for key in OF_FLASH[6:9])
    with section.errors():
        return Nand(channels, ways, planes, blocks, pages, page_bytes, read, program, erase,
                    section.number("bus_mb_s", 0.0, FASTEST_MB) * 1e6)  # fmt: skip


def _front(section: SheetSection) -> Front:
    section.check_keys(*OF_FRONT)
    section.check_needed(*OF_FRONT[:3], template=TEMPLATE)
    kind, rate = section.text("kind"), section.number("rate_mb_s", 0.0, FASTEST_MB)
    command = section.number("command_us", 0.0, LONGEST_US)
    write = (section.number("write_rate_mb_s", 0.0, FASTEST_MB, missing=rate) * 1e6,
             section.number("write_command_us", 0.0, LONGEST_US, missing=command) * US)  # fmt: skip
    if kind == "SATA" and (strange := [key for key in OF_FRONT[-2:] if key in section]):
        raise section.wrong(strange[0], "is of NVMe; SATA has one queue of 32 tags")
    with section.errors():
        if kind == "SATA":
            return sata(rate * 1e6, command * US, write)
        if kind == "NVMe":
            queues, entries = _whole(section, "queues", 8, MOST_QUEUES), _whole(section, "entries", 128, MOST_QUEUES)
            return nvme(rate * 1e6, command * US, queues, entries, write)
    raise UserError(f"{section.where}: {unknown('kind', kind, ('SATA', 'NVMe'))}")


def _cleaning(sheet: SheetSection) -> Cleaning:
    name = sheet.text("cleaning") if "cleaning" in sheet else "greedy"
    if name not in CLEANING:
        raise UserError(f"{sheet.where}: {unknown('cleaning', name, ('greedy', 'cost-benefit', 'best-of-10'))}")
    return CLEANING[name]
