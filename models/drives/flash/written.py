"""A fitted sheet of flash as YAML, which every command takes that takes a drive."""

from collections.abc import Sequence
from typing import Any

from models.drives.fit.written import DIGITS, source_of, yaml_text
from models.drives.flash.judged import JudgedFlash
from sim.disc.flash.sheet import FlashType, Front
from sim.units import US


def sheet_text(flash: JudgedFlash, head: Sequence[str]) -> str:
    """The sheet, with *head* as comments above it."""
    sections = {
        **_top(flash.sheet), "flash": _nand(flash.sheet), "front": _front(flash.sheet.front),
        "sources": {each.name: source_of(each) for each in flash.numbers},
    }  # fmt: skip
    return yaml_text(sections, head)


def _top(sheet: FlashType) -> dict[str, Any]:
    return {"name": sheet.name, "sector_bytes": sheet.sector_bytes,
            "capacity_sectors": sheet.capacity // sheet.sector_bytes}


def _nand(sheet: FlashType) -> dict[str, Any]:
    nand = sheet.nand
    counts = {name: getattr(nand, name) for name in ("channels", "ways", "planes", "blocks", "pages", "page_bytes")}
    times = {f"{name}_us": round(getattr(nand, name) / US, DIGITS) for name in ("read", "program", "erase")}
    return {**counts, **times, "bus_mb_s": round(nand.bus / 1e6, DIGITS)}


def _front(front: Front) -> dict[str, Any]:
    queues = {"queues": front.queues, "entries": front.tags // front.queues} if front.name == "NVMe" else {}
    return {
        "kind": front.name, "rate_mb_s": round(front.rate / 1e6, DIGITS),
        "command_us": round(front.command / US, DIGITS),
        "write_rate_mb_s": round(front.write_rate / 1e6, DIGITS),
        "write_command_us": round(front.write_command / US, DIGITS), **queues,
    }  # fmt: skip
