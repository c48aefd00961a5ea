"""Tests each form of an argument alone: drives, schedulers, policies, makers, sizes, times, whole numbers, refusals."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spindle.sim import forms
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.registry import DRIVES, FLASH
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.inputs import protected_inputs
from spindle.sim.part_forms import is_sheet
from spindle.sim.streams import Constant, Exponential

SHEET = Path(__file__).parents[2] / "examples/drive.yaml"
SSD = next(iter(FLASH))
DISCS, SSDS = {"hp7933": DRIVES["hp7933"]}, {SSD: FLASH[SSD]}


def refused(read: Callable[..., object], *given: object) -> str:
    with pytest.raises(UserError) as caught:
        read(*given)
    return str(caught.value)


class Served:
    """A mechanism of a user's own."""

    def serve(self) -> None: ...


def test_a_mechanism_is_a_drive_and_what_serves_nothing_is_none() -> None:
    mine: Any = Served()
    assert forms.drive_type(mine) is mine
    assert forms.drive_type(FLASH[SSD]) is FLASH[SSD]
    assert refused(forms.drive_type, Served.serve).startswith("a drive must be a sheet such as HP7933, a name such as")
    assert refused(forms.drive_type, int).endswith(", not 'int'")


def test_a_drive_is_read_from_its_file_or_known_by_its_name() -> None:
    assert forms.drive_type("HP7933") == DRIVES["hp7933"]
    sheet: Any = forms.drive_type(SHEET)
    assert isinstance(sheet, DiscType)
    assert forms.drive_type(str(SHEET)) == sheet
    assert refused(forms.drive_type, "hp7934").startswith("unknown drive 'hp7934': did you mean hp79")
    assert refused(forms.drive_type, "ssd").startswith("drive 'ssd' names a kind of drives, and must name one: solid")


def test_a_sheet_of_disksim_is_known_within_four_kilobytes(tmp_path: Path) -> None:
    path = tmp_path / "drive.yaml"
    for lines, says in ((0, True), (4076 // 4, True), (4096 // 4, False)):
        path.write_text("# a\n" * lines + " disksim_iodriver driver0 {\n")
        if says:
            assert refused(forms.check_sheet, path) == (
                f"{path}: this is a DiskSim file, and no drive sheet: spindle new drive.yaml writes one")  # fmt: skip
        else:
            forms.check_sheet(path)
    forms.check_sheet(tmp_path / "nowhere.yaml")


def test_a_scheduler_is_made_anew_and_none_is_none() -> None:
    assert forms.scheduler(None) is None
    one, other = forms.scheduler("SPTF"), forms.scheduler(Sptf)
    assert (type(one), type(other)) == (Sptf, Sptf)
    mine = Sptf()
    assert forms.scheduler(mine) is mine
    assert refused(forms.scheduler, "sptff") == "unknown scheduler 'sptff': did you mean sptf or sstf?"
    assert refused(forms.scheduler, int) == (
        "a scheduler must be one such as Sptf, or a name such as 'sptf', not 'int'")  # fmt: skip


def test_a_policy_is_a_class_and_no_object() -> None:
    assert (forms.policy("LRU"), forms.policy(Lru)) == (Lru, Lru)
    assert refused(forms.policy, "lruu").startswith("unknown policy 'lruu': did you mean lru")
    a_class = "a policy must be a class such as Lru or a name such as 'lru'"
    made = refused(forms.policy, Lru())
    assert made.startswith(f"{a_class} without parentheses, for the cache makes its own, not '<spindle.sim.")
    assert refused(forms.policy, 5) == f"{a_class}, not '5'"


def test_a_maker_of_parts_may_be_called_or_is_none() -> None:
    assert forms.part_maker("admission", "Always", None) is None
    assert forms.part_maker("admission", "Always", dict) is dict
    assert refused(forms.part_maker, "admission", "Always", 5) == (
        "admission must be a class or a function that makes one, such as Always, not '5'")  # fmt: skip


@pytest.mark.parametrize(("read", "given", "value"), [
    (forms.size, 4097, 4097), (forms.size, "4097", 4097), (forms.size, "64K", 65536), (forms.size, 4096.0, 4096),
    (forms.seconds, 0.005, 0.005), (forms.seconds, "5ms", 0.005), (forms.seconds, "2min", 120.0),
    (forms.minutes, 2, 2.0), (forms.minutes, "90s", 1.5), (forms.minutes, "3", 3.0),
    (forms.whole_number, 7, 7), (forms.whole_number, "7", 7), (forms.whole_number, 7.0, 7),
])  # fmt: skip
def test_a_number_is_what_its_text_says(read: Callable[..., float], given: object, value: float) -> None:
    found = read("it", given)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(("read", "given", "says"), [
    (forms.size, "64X", "chunk must be whole bytes, such as 4096, '64K' or '2MiB', not \"'64X'\""),
    (forms.size, True, "chunk must be whole bytes, such as 4096, '64K' or '2MiB', not 'True'"),
    (forms.size, None, "chunk must be whole bytes, such as 4096, '64K' or '2MiB', not 'None'"),
    (forms.size, float("inf"), "chunk must be whole bytes, such as 4096, '64K' or '2MiB', not 'inf'"),
    (forms.seconds, "5 sheep", "chunk must be a number of s, or text such as '5ms', not \"'5 sheep'\""),
    (forms.seconds, True, "chunk must be a number of s, or text such as '5ms', not 'True'"),
    (forms.seconds, float("inf"), "chunk must be a number of s, or text such as '5ms', not 'inf'"),
    (forms.minutes, None, "chunk must be a number of min, or text such as '90s', not 'None'"),
    (forms.whole_number, 7.5, "chunk must be a whole number, not '7.5'"),
    (forms.whole_number, "7.5", "chunk must be a whole number, not \"'7.5'\""),
    (forms.whole_number, "7 s", "chunk must be a whole number, not \"'7 s'\""),
    (forms.whole_number, float("nan"), "chunk must be a whole number, not 'nan'"),
    (forms.whole_number, float("inf"), "chunk must be a whole number, not 'inf'"),
    (forms.whole_number, False, "chunk must be a whole number, not 'False'"),
    (forms.whole_number, None, "chunk must be a whole number, not 'None'"),
])  # fmt: skip
def test_what_is_no_such_number_is_said(read: Callable[..., object], given: object, says: str) -> None:
    assert refused(read, "chunk", given) == says


def test_people_think_for_a_mean_or_as_a_distribution_says() -> None:
    assert (forms.think("500ms"), forms.think(0)) == (Exponential(0.5), Exponential(0.0))
    same = Constant(3.0)
    assert forms.think(same) is same
    assert refused(forms.think, "5 sheep") == "think must be a number of s, or text such as '5s', not \"'5 sheep'\""
    assert refused(forms.think, -1e-9) == "think must be at least 0 s, not '-1e-09'"


def test_what_is_no_drive_is_chosen_by_name_alone() -> None:
    assert forms.choose("policy", "lru", POLICIES) is Lru
    assert refused(forms.choose, "policy", "lruu", {"lru": Lru}) == "unknown policy 'lruu': did you mean lru?"
    assert refused(forms.choose, "place", "hdd", {"outer": 1}) == "unknown place 'hdd': there are outer"
    assert refused(forms.choose, "policy", SSD, {"lru": Lru}) == f"unknown policy {SSD!r}: there are lru"
    assert refused(forms.choose, "policy", "mine.yaml", {"lru": Lru}) == "unknown policy 'mine.yaml': there are lru"


def test_a_drive_is_chosen_by_name_or_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may have any name, but not that of a choice, and is not written over by what is made of it."""
    monkeypatch.chdir(tmp_path)
    for name in ("hp7933", "a sheet", "of this test.yaml", "hp7920"):
        Path(name).write_text(SHEET.read_text())
    assert forms.choose("drive", "hp7933", DISCS) is DISCS["hp7933"]
    assert forms.choose("drive", SSD, SSDS) is SSDS[SSD]
    before = protected_inputs()
    sheet = forms.choose("drive", "a sheet", DISCS)
    assert isinstance(sheet, DiscType)
    assert sheet == forms.choose("drive", "of this test.yaml", DISCS) == forms.choose("drive", "hp7920", DISCS)
    added = protected_inputs()[len(before) :]
    assert added == (Path("a sheet"), Path("of this test.yaml"), Path("hp7920"))
    Path("mine.py").write_text("from spindle import HP7933\n")
    assert forms.choose("drive", "mine.py:HP7933", DISCS) == DISCS["hp7933"]
    Path("theirs.diskspecs").write_text("disksim_disk DISK { }\n")
    assert refused(forms.choose, "drive", "theirs.diskspecs", DISCS).startswith("theirs.diskspecs: this is a DiskSim")


def test_a_drive_of_another_kind_than_is_asked_for_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(f"from spindle.sim.disc.registry import FLASH\nSSD = FLASH[{SSD!r}]\n")
    is_flash = ("drive {} is flash, and a disc is asked for; spindle replay, serve and drive take flash, as do max_iv, "
                "windows_nt and unix_stdio, and the study forty_years of each system")  # fmt: skip
    assert refused(forms.choose, "drive", SSD, DISCS) == is_flash.format(SSD)
    assert refused(forms.choose, "drive", "mine.py:SSD", {**DISCS, "mine": Served()}).startswith("'mine.py:SSD' is no")
    assert refused(forms.check_kind, "mine", FLASH[SSD], DISCS) == is_flash.format("mine")
    assert refused(forms.choose, "drive", str(SHEET), SSDS) == (
        f"drive {SHEET} is no solid-state drive, and one is asked for, such as {SSD}")  # fmt: skip
    assert refused(forms.choose, "drive", "zzzz", DISCS) == "unknown drive 'zzzz': there are hp7933"
    assert refused(forms.choose, "drive", "SSD", DISCS).startswith("drive 'SSD' names a kind of drives, and must name")
    both: dict[str, object] = {**DISCS, **SSDS}
    forms.check_kind("mine", DISCS["hp7933"], both)
    forms.check_kind("mine", FLASH[SSD], both)
    assert isinstance(forms.choose("drive", "mine.py:SSD", both), FlashType)


def test_names_of_parts_are_known_in_capitals_and_others_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("Mine.py").write_text("from spindle import Lru\n")
    assert forms.named_part("policy", "LRU", {"lru": Lru}) is Lru
    assert forms.named_part("policy", "Mine.py:Lru", {"lru": Lru}) is Lru
    assert refused(forms.named_part, "policy", "ZZZ", {"lru": Lru}) == "unknown policy 'ZZZ': there are lru"


@pytest.mark.parametrize(("word", "sheet"), [
    ("drive.yaml", True), ("here", True), ("nowhere", False), ("", False), ("hp7933", False), ("mine.py", False),
    ("mine.py:DRIVE", False),
])  # fmt: skip
def test_a_file_of_any_name_is_a_sheet_but_of_a_drives_or_pythons(
    word: str, sheet: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("here", "hp7933", "mine.py"):
        Path(name).touch()
    assert is_sheet(word, {"hp7933": 1}) is sheet
