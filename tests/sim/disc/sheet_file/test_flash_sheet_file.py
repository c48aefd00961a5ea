"""Tests drive files of flash: the template, every wrong key, and files that are neither a disc nor flash."""

from pathlib import Path

import pytest

from spindle.sim.disc.flash.sheet import Choices, FlashType
from spindle.sim.disc.sheet_file.sheet import TEMPLATES, read_sheet
from spindle.sim.error import UserError
from spindle.sim.units import US

TEXT = TEMPLATES["flash"].read_text("utf-8")


def read(folder: Path, text: str) -> FlashType:
    path = folder / "ssd.yaml"
    path.write_text(text)
    sheet = read_sheet(path)
    assert sheet.bus is None
    assert isinstance(sheet.disc, FlashType)
    return sheet.disc


def test_the_template_is_a_drive(tmp_path: Path) -> None:
    sheet = read(tmp_path, TEXT)
    assert (sheet.capacity, sheet.nand.dies, sheet.front.tags) == (32_000_000_000, 8, 32)
    assert sheet.nand.program == pytest.approx(1300 * US)
    assert sheet.front.write_rate == sheet.front.rate == pytest.approx(500e6)
    assert sheet.front.write_command == sheet.front.command == pytest.approx(13 * US)


def test_what_may_be_left_out_may_be_said(tmp_path: Path) -> None:
    more = ("unit_bytes: 8192\nbuffer_bytes: 65536\nbuffer_survives: true\ncleaning: best-of-10\nreserve_blocks: 3\n"
            "map_pages: 7\ncleaning_preempted: false\n")  # fmt: skip
    text = TEXT.replace("kind: SATA", "kind: NVMe\n  queues: 2\n  entries: 16\n  write_command_us: 20")
    sheet = read(tmp_path, text + more)
    assert (sheet.unit, sheet.buffer, sheet.reserve, sheet.map_pages) == (8192, 65536, 3, 7)
    assert sheet.buffer_survives
    assert sheet.cleaning == Choices(10)
    assert (sheet.preempted, read(tmp_path, TEXT).preempted) == (False, True)
    assert (sheet.front.name, sheet.front.tags, sheet.front.queues) == ("NVMe", 32, 2)
    assert sheet.front.write_command == pytest.approx(20 * US)


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        ("channels: 4", "channels: 0", "flash.channels: must be a whole number from 1"),
        ("channels: 4", "chanels: 4", "flash: unknown key 'chanels': did you mean channels"),
        ("read_us: 50", "read_us: 0", "flash: read 0.0 must be positive"),
        ("read_us: 50", "", "flash: there is no read_us"),
        ("erase_us: 3000", "erase_us: -1", "flash.erase_us: must be a number from 0"),
        ("kind: SATA", "kind: sata", "front: unknown kind 'sata': did you mean SATA"),
        ("rate_mb_s: 500", "rate_mb_s: 0", "rate 0.0 must be positive"),
        ("62500000", "67108864", "over-provisioning of 0.00 blocks a die; below 4 cleaning would never end"),
        ("62500000", "62500001", "must be whole units of 4096 bytes"),
        ("page_bytes: 8192", "page_bytes: 5000", "must be whole sectors of 512, and a page of 5000 whole units"),
        ("blocks: 1024", "blocks: 16777216", "are more than 16777216 blocks"),
        ("sector_bytes: 512", "sector_bytes: 512\nrpm: 7200", "rpm: flash has none"),
        ("sector_bytes: 512", "sector_bytes: 512\ncleaning: best", "unknown cleaning 'best'"),
        ("sector_bytes: 512", "sector_bytes: 512\nbuffer_survives: 3", "must be true or false"),
        ("kind: SATA", "kind: SATA\n  queues: 4", "front.queues: is of NVMe; SATA has one queue of 32 tags, not 4"),
        ("flash:", "flash: {}\nnothing:", "erase_us, bus_mb_s; spindle drive --template flash explains them"),
        ("flash:", "nothing:", "ssd.yaml: there is no flash"),
        ("front:", "nothing:", "ssd.yaml: there is no front"),
        ("flash:", "flash: 3\nnothing:", "must have keys and values of its own"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_line(tmp_path: Path, one: str, other: str, says: str) -> None:
    assert one in TEXT
    with pytest.raises(UserError, match=says) as refused:
        read(tmp_path, TEXT.replace(one, other, 1))
    assert str(refused.value).startswith(str(tmp_path / "ssd.yaml"))
    assert "\n" not in str(refused.value)
