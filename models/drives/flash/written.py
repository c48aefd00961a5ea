"""A fitted sheet of flash as YAML, which every command takes that takes a drive."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from models.drives.fit.written import source_of
from models.drives.flash.judged import JudgedFlash
from sim.disc.flash.sheet import FlashType, Front
from sim.units import US

DIGITS = 6


def sheet_text(flash: JudgedFlash, head: Sequence[str]) -> str:
    """The sheet, with *head* as comments above it."""
    sections = {
        **_top(flash.sheet), "flash": _nand(flash.sheet), "front": _front(flash.sheet.front),
        "sources": {each.name: source_of(each) for each in flash.numbers},
    }  # fmt: skip
    return "".join([*(f"# {line}".rstrip() + "\n" for line in head), *_lines(sections)])


def _lines(sections: Mapping[str, Any]) -> Iterator[str]:
    for key, value in sections.items():
        if not isinstance(value, dict):
            yield f"{key}: {_flow(value)}"
            continue
        yield f"{key}:\n"
        yield from (f"  {name}: {_flow(each)}" for name, each in value.items())


def _flow(value: object) -> str:
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10**9, sort_keys=False, allow_unicode=True)
    return text.removesuffix("...\n")


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
