"""Three NVMe drives of MLPerf Storage v1.0 by their maker's data; their insides are assumed."""

from spindle.sim.disc.flash.sheet import FlashType, Nand, nvme
from spindle.sim.disc.registry import FLASH
from spindle.sim.disc.sheets import assumed, cited, fitted
from spindle.sim.parameter import ParameterSource
from spindle.sim.units import KIB, MIB, MS, US

_SYSTEMS = "system description in mlcommons/storage_results_v1.0, Closed/Micron/systems"
QUEUES = 8


def _nvme(
    name: str, capacity: float, dies: tuple[int, int], blocks: int, rates: tuple[float, float],
    requests: tuple[float, float], program: float, rate_source: ParameterSource,
) -> FlashType:  # fmt: skip
    """Describe a drive that reads and writes *rates* bytes a second in sequence, and *requests* of 4 KB a second."""
    channels, ways = dies
    return FlashType(
        name=name,
        nand=Nand(channels=channels, ways=ways, planes=4, blocks=blocks, pages=1024, page_bytes=16 * KIB,
                  read=60 * US, program=program, erase=5 * MS, bus=1.2e9),
        front=nvme(rates[0], QUEUES / requests[0], QUEUES, 128, (rates[1], QUEUES / requests[1])),
        capacity=int(capacity) // 4096 * 4096,
        buffer=16 * MIB,
        buffer_survives=True,
        sources={
            **{each: assumed("not printed; large enough that the host interface limits, as is usual of such drives")
               for each in ("channels", "ways", "planes", "blocks", "pages", "page_bytes", "read", "program", "erase",
                            "bus", "buffer", "unit", "map_pages", "cleaning", "reserve", "queues", "tags")},
            "buffer_survives": assumed("as of drives for servers, which have capacitors"),
            "capacity": cited(f"{_SYSTEMS}: {capacity / 1e12:g} TB"),
            "rate": rate_source,
            "write_rate": cited(f"{_SYSTEMS}: {rates[1] / 1e6:,.0f} MB/s"),
            "command": cited(f"{_SYSTEMS}: {requests[0]:,.0f} reads of 4 KB a second"),
            "write_command": cited(f"{_SYSTEMS}: {requests[1]:,.0f} writes of 4 KB a second"),
        },
    )  # fmt: skip


MICRON_6500 = _nvme("Micron 6500 ION", 30.72e12, (16, 32), 1000, (6.918e9, 5.0e9), (1.0e6, 0.2e6), 2.0 * MS,
                    fitted("ML-R1a: ResNet-50 on 72 A100; the maker prints 6,800 MB/s"))
MICRON_9400 = _nvme("Micron 9400", 7.68e12, (16, 8), 1000, (7.0e9, 7.0e9), (1.6e6, 0.6e6), 0.6 * MS,
                    cited(f"{_SYSTEMS}: 7,000 MB/s"))
MICRON_9550 = _nvme("Micron 9550", 7.68e12, (16, 8), 1000, (11.65e9, 10.0e9), (3.3e6, 1.0e6), 0.6 * MS,
                    fitted("ML-U3a: 3D U-Net on 8 A100, the most bytes that are published of it; the maker prints "
                           "10,000 MB/s"))

DRIVES = {"micron_6500": MICRON_6500, "micron_9400": MICRON_9400, "micron_9550": MICRON_9550, **FLASH}
"""Drives by their names for ``--drive``."""
