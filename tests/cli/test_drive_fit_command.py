"""``spindle drive fit``: what it prints and writes, and mistakes in one line."""

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from spindle.cli import drive_fit
from spindle.cli.main import main
from spindle.lab.fit import page as fit_page
from spindle.lab.fit.page import AS_FITTED, FittedDrive
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.output.progress import BAR_SHAPE
from spindle.sim.disc.sheet_file.sheet import TEMPLATES, DriveSheet
from spindle.sim.units import MS
from spindle.studies.demerit import Distance
from tests.lab.fit.known import GEOMETRY, KNOWN, SIZE, asked


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a list and a geometry."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drive.yaml").write_text(yaml.safe_dump(GEOMETRY))
    requests = asked(KNOWN, 160)
    with (tmp_path / "requests.csv").open("w") as file:
        rows = csv.writer(file)
        rows.writerow(["gap_before_ms", "op", "lba", "sectors", "measured_ms"])
        for op, span, gap, took in zip(requests.ops, requests.spans, requests.gaps, requests.measured, strict=True):
            rows.writerow([f"{gap / MS:.6f}", op.value[0].upper(), span.first // SIZE, span.length // SIZE,
                           f"{took / MS:.6f}"])
    return tmp_path


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> FittedDrive:
    """What a fit found, which takes seconds and is tested elsewhere."""
    near = Distance(0.1 * MS, 0.01, 0.02 * MS)
    numbers = (SheetNumber("rpm", "6012", FITTED, 6011.0, 6013.0), SheetNumber("write_completion", "0", ASSUMED))
    found = FittedDrive(KNOWN, numbers, {AS_FITTED: {"all": near, "reads": near}}, 100, 60)
    monkeypatch.setattr(fit_page, "fit_drive", lambda *told, **_: found)
    return found


@pytest.mark.usefixtures("found")
def test_the_sheet_is_printed_and_can_be_used(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drive", "fit", "requests.csv"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("# Known: fitted to the first 100 requests, 60 held out\n")
    (place / "fitted.yaml").write_text(printed)
    assert main(["drive", "fitted.yaml", "requests.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["drive"] == "Known"


@pytest.mark.usefixtures("found")
def test_the_sheet_is_written_and_what_was_found_is_printed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drive", "fit", "requests.csv", "--out=fitted.yaml"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[3:4]] == [["as", "fitted", "1.00", "1.00", "-", "0.020"]]
    assert [line.split() for line in lines[-2:]] == [
        ["rpm", "6012", "fitted", "6011", "to", "6013"], ["write_completion", "0", "assumed"]]  # fmt: skip
    assert yaml.safe_load((place / "fitted.yaml").read_text())["rpm"] == 6012.0
    assert main(["drive", "fit", "requests.csv", "--out=fitted.yaml", "--json"]) == 0
    apart = {"demerit_share": 0.01, "demerit": 1e-4, "median_difference": 2e-5}
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "drive": "Known", "fitted_to": 100, "held_out": 60, "holds": True, "notes": [],
        "judged": {"as fitted": {"all": pytest.approx(apart), "reads": pytest.approx(apart)}},
        "numbers": {"rpm": {"value": "6012", "source": "fitted", "low": 6011.0, "high": 6013.0},
                    "write_completion": {"value": "0", "source": "assumed"}}}  # fmt: skip


def test_another_sheets_numbers_are_beside_those_that_were_found(
    place: Path, found: FittedDrive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "there").mkdir()
    hand = {**GEOMETRY, "seek": {"points_cyl_ms": [[1, 2.0], [299, 9.0]]}, "head_switch_ms": 0.6}
    (place / "there" / "hand.yaml").write_text(yaml.safe_dump(hand))
    monkeypatch.setattr(fit_page, "fit_drive", lambda *told, **_: replace(found, against=told[-1]))
    assert main(["drive", "fit", "requests.csv", "--against=there/hand.yaml", "--out=fitted.yaml", "--json"]) == 0
    numbers = json.loads(capsys.readouterr().out)["numbers"]
    assert numbers["rpm"]["against"] == {"there/hand.yaml": "6000"}
    assert numbers["rpm"]["contradicted"] == ["there/hand.yaml"]
    assert "against" not in numbers["write_completion"]


@dataclass
class MadeBar:
    """A bar that was drawn as *shape*, and has gone *n* steps."""

    shape: dict[str, Any]
    n: int = 0

    def update(self, more: int) -> None:
        self.n += more


@pytest.mark.parametrize(("name", "reader"), [
    ("log.log", "fio_log"), ("requests.csv", "timed_requests"), ("list.txt", "timed_requests"),
    ("there/log.log", "fio_log"),
])  # fmt: skip
def test_a_list_is_read_by_its_geometry_and_fitted_beneath_a_bar(
    name: str, reader: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A list of fio's has bytes, which the size of a sector and the capacity bound: 48000 sectors of 512 bytes."""
    (place / "there").mkdir()
    for beside in (place, place / "there"):
        for other in ("log.log", "list.txt"):
            (beside / other).touch()
        (beside / "drive.yaml").write_text(yaml.safe_dump({**GEOMETRY, "name": f"drive of {beside.name}"}))
    bars: list[MadeBar] = []

    @contextmanager
    def bar(**shape: Any) -> Iterator[MadeBar]:
        bars.append(MadeBar(shape))
        yield bars[-1]

    def fit(geometry: Any, timed: Any, held_out: float, against: Any, watch: Callable[[], None]) -> Any:
        for _ in range(902):
            watch()
        known = {"fio_log": (512, 48000 * 512), "timed_requests": (DriveSheet(geometry.disc, None),)}
        assert timed.told == (Path(name), *known[reader])
        return SimpleNamespace(disc=f"fit without {held_out}", numbers=[])

    lab = "spindle.lab.drives.timed_requests"
    for each in ("fio_log", "timed_requests"):
        monkeypatch.setattr(f"{lab}.{each}", lambda *told, each=each: SimpleNamespace(
            told=told, notes=[f"note of {each}"]))  # fmt: skip
    monkeypatch.setattr(fit_page, "fit_drive", fit)
    monkeypatch.setattr(fit_page, "page", lambda drive: [f"page of {drive.disc}"])
    monkeypatch.setattr(fit_page, "sheet_text", lambda disc, geometry, numbers, lines: "\n".join(
        [disc, geometry.disc.name, *lines, ""]))  # fmt: skip
    monkeypatch.setattr(drive_fit, "progress_bar", bar)
    monkeypatch.setattr(drive_fit, "_numbers", lambda drive: {"of": drive.disc, "took_ms": 5.0})
    words = ["drive", "fit", name, "--held-out=0.25"]
    assert main(words) == 0
    lines = [f"note of {reader}", "page of fit without 0.25"]
    assert capsys.readouterr().out.splitlines() == [
        "fit without 0.25", f"drive of {(place / name).parent.name}", *lines]
    assert main([*words, "--out=f.yaml", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"of": "fit without 0.25", "took": 0.005, "notes": lines[:1]}
    assert (place / "f.yaml").read_text().splitlines()[0] == "fit without 0.25"
    shape = {"desc": "fitting", "total": 900, "bar_format": BAR_SHAPE}
    assert bars == [MadeBar(shape, 899)] * 2, "it is full when it is gone, however many simulations there were"


def test_other_sheets_say_so_and_some_are_contradicted() -> None:
    number = SheetNumber("rpm", "6012", FITTED, 6011.0, 6013.0)
    others = {"a.yaml": {"rpm": "6012"}, "b.yaml": {"rpm": "6000"}, "c.yaml": {"heads": "4"}}
    assert drive_fit._compare_sheets(number, others) == {
        "against": {"a.yaml": "6012", "b.yaml": "6000"}, "contradicted": ["b.yaml"]}
    assert drive_fit._compare_sheets(number, {"c.yaml": others["c.yaml"]}) == {}


def of_zones(count: int) -> dict[str, object]:
    """A geometry of *count* zones, each a cylinder of 4 tracks of a sector."""
    zones = [{"first_cyl": at, "last_cyl": at, "sectors_per_track": 1, "first_lba": 4 * at, "last_lba": 4 * at + 3,
              "empty_sectors_at_front": 0, "spares": 0, "slips": [], "defects": []} for at in range(count)]  # fmt: skip
    return GEOMETRY | {"cylinders": count, "capacity_sectors": 4 * count,
                       "layout": {"disksim_mapping": 0, "disksim_sparing": 0, "zones": zones}}


MISTAKES = [
    (["nowhere.csv"], "nowhere.csv"),
    (["requests.csv", "--geometry=nowhere.yaml"], "a fit needs the geometry"),
    (["requests.csv", "--geometry=bad.yaml"], "there is no heads"),
    (["requests.csv", "--held-out=2"], "must be a number from 0 to 0.9"),
    (["requests.csv", "--held-out=0.1"], "requests.csv: 144 requests are left to fit to; it takes at least 150"),
    (["requests.csv", "--geometry=."], ".: there is no such file; a fit needs the geometry of the drive"),
    (["requests.csv", "--host=sas"], "unknown host 'sas': did you mean sata?"),
    (["requests.csv", "--json"], "--json is for a drive file; --out names it"),
    (["requests.csv", "--out=drive.yaml"], "--out would overwrite"),
    (["untimed.csv"], "has no measured_ms"),
    (["none.csv"], "spindle: REQUESTS.csv must name a file that exists, not 'none.csv'"),
    (["requests.csv", "--against=none.yaml"], "spindle: none.yaml: there is no such file"),
    (["requests.csv", "--against=flash.yaml"],
     "--against: flash.yaml is flash; requests timed on a disc are compared with discs"),
    (["requests.csv", "--against=other.yaml", "--out=other.yaml"], "--out would overwrite other.yaml, which is to be"),
    (["requests.csv", "--out=requests.csv"], "--out would overwrite requests.csv, which is to be read"),
    (["requests.csv", "--geometry=flash.yaml"], "flash.yaml: it describes flash, which has no geometry"),
    (["requests.csv", "--geometry=wide.yaml"], "wide.yaml: 4,001 sectors in a track are more than a fit can look"),
    (["requests.csv", "--geometry=zones.yaml"], "zones.yaml: 1,001 zones are more than a fit can look for skews in"),
]


@pytest.mark.parametrize(("words", "says"), MISTAKES)
def test_mistakes_are_one_line(place: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    (place / "bad.yaml").write_text(yaml.safe_dump({key: value for key, value in GEOMETRY.items() if key != "heads"}))
    (place / "flash.yaml").write_text(TEMPLATES["flash"].read_text("utf-8"))
    wide = {"sectors_per_track": 4001, "capacity_sectors": 4801200}
    (place / "wide.yaml").write_text(yaml.safe_dump(GEOMETRY | wide))
    (place / "zones.yaml").write_text(json.dumps(of_zones(1001)))  # which is YAML, and sooner written
    (place / "other.yaml").touch()
    (place / "untimed.csv").write_text("gap_before_ms,op,lba,sectors\n1,R,0,1\n")
    assert main(["drive", "fit", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err
