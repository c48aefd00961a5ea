"""Tests arguments of a Computer: names, text with units and files as on the command line, and errors in one line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spindle import HP7933, Computer, Exponential, Lru, Machine, OpenFile, Result, Session, Sptf, UserError, read_sheet
from spindle.sim.clock import Wait

ROOT = Path(__file__).parents[2]
SHEET = ROOT / "examples/drive.yaml"


def reader(file: OpenFile) -> Callable[[Machine, Session], Wait]:
    def read(machine: Machine, session: Session) -> Wait:
        first = int(session.random.random() * 100) * 4096
        yield from machine.read(file, first, 4096, session.account)
        yield from session.reply(80)

    return read


def ran(drive: object, scheduler: object, size: object, policy: object, think: object, minutes: object) -> Result:
    computer = Computer()
    (cache,) = computer.cache(computer.drive(drive, scheduler), size=size, policy=policy)  # type: ignore[arg-type]
    file = OpenFile(computer.file(cache, 100 * 4096))
    return computer.run(terminals=3, think=think, transaction=reader(file), minutes=minutes)  # type: ignore[arg-type]


def test_names_and_text_give_what_objects_give() -> None:
    objects = ran(HP7933, Sptf(), 64 * 1024, Lru, Exponential(0.5), 1.0)
    assert ran("hp7933", "sptf", "64KiB", "lru", "500ms", "60s").summary() == objects.summary()
    assert ran("HP7933", Sptf, "64K", Lru, 0.5, "1min").summary() == objects.summary()


def test_a_sheet_of_a_file_is_a_drive_in_every_form() -> None:
    sheet = read_sheet(str(SHEET))
    assert sheet == read_sheet(SHEET)
    names = {Computer().drive(each).mechanism.capacity for each in (sheet, sheet.disc, SHEET, str(SHEET))}
    assert len(names) == 1


@pytest.mark.parametrize(("drive", "scheduler", "size", "policy", "think", "says"), [
    ("hp7934", None, "64K", "lru", 5, "unknown drive 'hp7934': did you mean"),
    ("SSD", None, "64K", "lru", 5, "drive 'SSD' names a kind of drives, and must name one: solid-state drives"),
    ("hdd", None, "64K", "lru", 5, "must name one: discs are barracuda4lp"),
    (5, None, "64K", "lru", 5, "a drive must be a sheet such as HP7933"),
    ("nowhere.yaml", None, "64K", "lru", 5, "nowhere.yaml: there is no such file"),
    (HP7933, "sptff", "64K", "lru", 5, "unknown scheduler 'sptff'"),
    (HP7933, 5, "64K", "lru", 5, "a scheduler must be one such as Sptf"),
    (HP7933, None, "64X", "lru", 5, "size must be whole bytes"),
    (HP7933, None, 0.5, "lru", 5, "size must be whole bytes"),
    (HP7933, None, float("nan"), "lru", 5, "size must be whole bytes"),
    (HP7933, None, "64K", "lruu", 5, "unknown policy 'lruu'"),
    (HP7933, None, "64K", Lru(), 5, "a policy must be a class such as Lru"),
    (HP7933, None, "64K", Lru, "5 sheep", "think must be a number of s"),
    (HP7933, None, "64K", Lru, -1, "think must be at least 0 s"),
    (HP7933, None, "64K", Lru, None, "think must be seconds"),
])  # fmt: skip
def test_what_cannot_be_is_one_line(
    drive: object, scheduler: object, size: object, policy: object, think: object, says: str
) -> None:
    with pytest.raises(UserError, match=says) as caught:
        ran(drive, scheduler, size, policy, think, 1)
    assert "\n" not in str(caught.value)


def test_a_list_of_caches_is_no_place_for_a_file() -> None:
    computer = Computer()
    caches = computer.cache(computer.drive("hp7933"), size="64K")
    with pytest.raises(UserError, match="take one of it"):
        computer.file(caches, "1MiB")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="unpacks a list"):
        computer.cache([computer.drive("hp7933")], size="64K")  # type: ignore[arg-type]


def test_a_counter_that_is_not_there_is_named() -> None:
    result = ran("hp7933", None, "64K", "lru", "1s", 1)
    with pytest.raises(UserError, match="unknown counter 'cpu_busy'"):
        result.rate("cpu_busy")
