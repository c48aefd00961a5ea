"""A sheet that was written is read again as the same drive, and says of each number where it is from."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from spindle.lab.drives.timed_requests import answer_times
from spindle.lab.fit.buffer_choices import CHOICES, SheetChoice, read_ahead
from spindle.lab.fit.geometry import read_geometry
from spindle.lab.fit.page import sheet_text
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.sim.disc.buffer_sheet import Buffer, ImmediateReporting
from spindle.sim.disc.buffered_arm import mechanism_of
from spindle.sim.disc.sheet_file.sheet import read_sheet
from tests.lab.fit.known import BARE, BUFFER, KNOWN, asked

BUFFERS = [
    BUFFER,
    replace(BUFFER, reports=ImmediateReporting(True), write_segments=2, read_ahead=read_ahead(4, 64, 64), holds=64),
    replace(BUFFER, starts_anywhere=True, keeps_requested=True, keeps_passing=True, goes_on=True, high_water=0.5,
            read_ahead=read_ahead(1, 64, 64), own_write_segment=True),
    Buffer(0, 1 << 31, BUFFER.overheads, BUFFER.link),
]  # fmt: skip


@pytest.mark.parametrize("buffer", BUFFERS)
def test_what_is_written_is_read_as_the_same_drive(tmp_path: Path, buffer: Buffer) -> None:
    disc = replace(KNOWN, buffer=buffer)
    (tmp_path / "drive.yaml").write_text(sheet_text(disc, BARE, [], ["a drive"]))
    read = read_sheet(tmp_path / "drive.yaml").disc
    requests = asked(disc, 100)
    assert answer_times(mechanism_of(read), requests) == pytest.approx(requests.measured, abs=1e-8)
    assert read_geometry(tmp_path / "drive.yaml").disc.layout == BARE.disc.layout


def test_each_number_has_its_source() -> None:
    numbers = [SheetNumber("rpm", "6012", FITTED, 6011.5, 6012.5),
               SheetNumber("segments", "3", ASSUMED, others=("1", "2"))]
    sources = yaml.safe_load(sheet_text(KNOWN, BARE, numbers, []))["sources"]
    assert sources == {"rpm": {"source": "fitted", "low": 6011.5, "high": 6012.5},
                       "segments": {"source": "assumed", "as_good": ["1", "2"]}}  # fmt: skip
    assert [number.bears for number in numbers] == ["6011.5 to 6012.5", "1 or 2"]


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.key)
def test_a_choice_knows_what_it_has_chosen(choice: SheetChoice) -> None:
    reports = replace(KNOWN, buffer=replace(BUFFER, reports=ImmediateReporting()))
    for disc in (KNOWN, reports):
        for value, other in choice.others(disc):
            assert other.buffer is not None
            assert value != choice.value(disc)
            assert choice.value(other) == value or not other.buffer.segments
