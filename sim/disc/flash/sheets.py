"""Data sheets of two solid-state drives, one behind SATA and one behind NVMe: every number with its source.

Makers print the speed of a drive, and not its parts. Numbers that are not printed are chosen so that the simulated
drive reaches the printed ones; a test compares.
"""

from spindle.sim.disc.flash.sheet import FlashType, Nand, nvme, sata
from spindle.sim.disc.sheets import assumed, cited, fitted
from spindle.sim.units import KIB, MIB, MS, US

_S3700 = "Intel Solid-State Drive DC S3700 Series, product specification"
_TOMS = "Tom's Hardware, SSD DC S3700 review (2012), p. 2"
_960 = "Samsung's table of the 960 PRO, as in Ubergizmo's review (2016)"
_IDEMA = "in sectors by IDEMA's rule for such drives"
_CHIP = {
    "page_bytes": assumed("as is usual of such chips; not printed"),
    "planes": assumed("two, as is usual; not printed"),
    "pages": assumed("256 a block; not printed"),
    "erase": assumed("a few milliseconds, as is usual; not printed"),
    "unit": assumed("4 KB, as drives map that are rated by requests of 4 KB"),
    "buffer": assumed("of writes; makers print how much memory there is for the map and for writes together"),
    "map_pages": assumed("all of the map is in memory, of which both have 1 GB a TB of flash"),
    "cleaning": assumed("greedy, the simplest; not printed"),
    "reserve": assumed("two empty blocks a die; not printed"),
}

INTEL_S3700 = FlashType(
    name="Intel S3700",
    nand=Nand(channels=8, ways=16, planes=2, blocks=2048, pages=256, page_bytes=8 * KIB,
              read=50 * US, program=1.31 * MS, erase=3 * MS, bus=200e6),
    front=sata(rate=500e6, command=13.3 * US, write=(460e6, 27.7 * US)),
    capacity=1_562_824_368 * 512,
    buffer=1 * MIB,
    buffer_survives=True,
    sources={
        **_CHIP,
        "capacity": cited(f"{_S3700}: 800 GB; {_IDEMA}"),
        "channels": cited(f"{_TOMS}: eight"),
        "buffer_survives": cited(f"{_TOMS}: two capacitors of 47 uF"),
        "ways": assumed("16, which makes 128 dies of 8 GB, eight a package; not printed"),
        "blocks": cited(f"{_TOMS}: sixteen packages of 64 GB, 1 TB in all"),
        "read": assumed("50 us, as remembered of such chips; not printed"),
        "program": fitted(f"{_S3700}: the model of 100 GB, with an eighth of the dies, writes 200 MB/s in sequence"),
        "bus": assumed("200 MB/s, as remembered of ONFI 2; not printed"),
        "tags": cited("Serial ATA: 32"),
        "command": fitted(f"{_S3700}: 75,000 random reads of 4 KB a second, 32 at a time"),
        "rate": cited(f"{_S3700}: reads 500 MB/s in sequence"),
        "write_command": fitted(f"{_S3700}: 36,000 random writes of 4 KB a second, as those of 400 GB and 800 GB do, "
                                "whose flash could do more"),
        "write_rate": cited(f"{_S3700}: writes 460 MB/s in sequence, as that of 400 GB does with half of the dies"),
    },
    notes="Not fitted: that of 200 GB comes to 401 MB/s in sequence, 365 are printed, and to 36,100 random writes a "
          "second for 32,000; that of 100 GB to 22,000 for 19,000. A read alone takes 92 us, a write 37 us; the 50 and "
          "65 us that are printed are typical ones of requests in sequence, which nothing here reads ahead for.",
)
"""A SATA drive for servers, of 2012, by its maker's numbers."""

SAMSUNG_960_PRO = FlashType(
    name="Samsung 960 Pro",
    nand=Nand(channels=8, ways=4, planes=2, blocks=2048, pages=256, page_bytes=16 * KIB,
              read=45 * US, program=0.5 * MS, erase=3 * MS, bus=600e6),
    front=nvme(rate=3500e6, command=18.2 * US, queues=6),
    capacity=1_000_215_216 * 512,
    buffer=4 * MIB,
    sources={
        **_CHIP,
        "capacity": cited(f"{_960}: 512 GB; {_IDEMA}"),
        "channels": assumed("eight; not printed"),
        "buffer_survives": assumed("no, as of drives for users; no capacitors are printed"),
        "ways": assumed("four, which makes 32 dies of 16 GB; not printed"),
        "blocks": assumed("so that the flash is 512 GiB; not printed"),
        "read": fitted(f"{_960}: 14,000 random reads of 4 KB a second, one at a time"),
        "program": fitted(f"{_960}: writes 2,100 MB/s in sequence"),
        "bus": assumed("600 MB/s; not printed"),
        "tags": assumed("128 commands a queue, as drivers set it; NVMe allows 65,536"),
        "queues": fitted(f"{_960}: 330,000 random reads of 4 KB a second, 32 at a time for each of four threads"),
        "command": fitted(f"{_960}: 50,000 random writes of 4 KB a second, one at a time"),
        "rate": cited(f"{_960}: reads 3,500 MB/s in sequence"),
        "write_command": assumed("as of a read"),
        "write_rate": assumed("as of reads; the flash is slower"),
    },
    notes="Not fitted: 330,000 random writes of 4 KB a second at 128 at a time on an empty drive, as printed. Of a "
          "drive that has been written over nothing is printed.",
)
"""An NVMe drive for desktops, of 2016, by its maker's numbers."""

FLASH_SHEETS = (INTEL_S3700, SAMSUNG_960_PRO)
