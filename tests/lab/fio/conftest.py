"""A stand-in for what a drive of flash answers."""

import pytest

from spindle.lab.fio import flash_reads, flash_writes, host_order
from spindle.lab.fio.load import FioLoad, LoadAnswer
from spindle.sim.units import MS
from tests.lab.fio.flash_case import Call


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """What a drive is asked, which answers 200 a second and 2, 4 and 8 ms."""
    calls: list[Call] = []

    def answer(load: FioLoad, sheet: object, *more: object, **others: object) -> LoadAnswer:
        calls.append((load, sheet, *more, *others.values()))
        return LoadAnswer(200.0, 1.0, {0.50: 2 * MS, 0.95: 4 * MS, 0.99: 8 * MS})

    for module in (host_order, flash_reads, flash_writes):
        monkeypatch.setattr(module, "drive_answer", answer)
    return calls
