"""Flash fitted to fio's points: reads, then writes."""

from dataclasses import replace

import pytest

from spindle.lab.fio import flash
from spindle.lab.fio.flash import FlashFound
from spindle.lab.fio.load import TAGS
from spindle.sim.request import READ, WRITE
from tests.lab.fio.flash_case import FIT, KNOBS, SHEET, Call, point


def test_a_fit_takes_reads_and_then_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(FIT, off=0.02, knobs=replace(KNOBS, ways=4))
    made: dict[str, Call] = {}
    tagged = replace(SHEET, front=replace(SHEET.front, tags=99))
    for name, answer in (("read_levels", (["levels"], ["so"])), ("fit_reads", ["fits"]), ("refine_reads", [FIT, other]),
                         ("with_writes", tagged), ("determined_numbers", ["read"]), ("write_numbers", ["written"])):
        monkeypatch.setattr(flash, name, lambda *call, name=name, answer=answer: made.update({name: call}) or answer)
    reads, writes = [point(READ, 1, 1.0), point(READ, 2, 1.0)], [point(WRITE, 1, 1.0), point(WRITE, 64, 1.0, jobs=4)]
    rests: list[Call] = []
    monkeypatch.setattr(flash, "resting_on", lambda *call: rests.append(call) or call[2])
    found = flash.fit_flash("x", 1 << 30, [*reads, *writes])
    fitted = replace(SHEET, front=replace(SHEET.front, tags=TAGS))
    assert found == FlashFound(fitted, ("read", "written"), ("so",))  # type: ignore[arg-type]
    assert made == {"read_levels": ([*reads, *writes],), "fit_reads": (["levels"],), "refine_reads": (["fits"], reads),
                    "with_writes": (FIT, "x", 1 << 30, writes[:1]), "write_numbers": (fitted, True),
                    "determined_numbers": ([FIT, other], ["levels"])}  # fmt: skip
    assert rests == [("reads", reads, ["read"]), ("writes", writes[:1], ["written"])]
    few = flash.fit_flash("x", 1 << 30, reads).sheet
    assert few == KNOBS.sheet("x", 1 << 30)
    assert made["write_numbers"] == (few, False)
