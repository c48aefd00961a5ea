"""``spindle drive`` by hand: which of its answers is given, of which sheet, how a page is put together, rules."""

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import drive_errors, drive_fit
from spindle.cli.drive import _as_text
from spindle.cli.drive_question import DriveAnswer, DriveQuestion, disksim_path
from spindle.cli.main import main
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.sheet_file.sheet import TEMPLATES, DriveSheet, sheets_to_copy
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.traces.replay.drives import CLOSED, OPEN
from tests.traces.conftest import Said

LIST = "op,lba,sectors,gap_before_ms,measured_ms\nR,0,1,0,11\nW,5,1,3,7\n"


@pytest.fixture(autouse=True)
def there(place: Path) -> Path:
    (place / "list.csv").write_text(LIST)
    return place


@pytest.mark.parametrize(("words", "name"), [([], "disc"), (["disc"], "disc"), (["flash"], "flash")])
def test_a_template_is_the_file_of_its_kind(words: list[str], name: str, said: Said) -> None:
    assert said("drive", "--template", *words) == TEMPLATES[name].read_text("utf-8")
    assert said("drive", "--template", "hp7933") == sheets_to_copy()["hp7933"].read_text("utf-8")


@pytest.mark.parametrize(("words", "says"), [
    ("", "drive needs DRIVE.yaml and REQUESTS.csv; --template prints a drive file"),
    ("small.yaml", "drive needs DRIVE.yaml and REQUESTS.csv"), ("--template nosuch", "unknown template 'nosuch'"),
    ("small.yaml fit", "fit: there is no such file"),
    ("small.yaml list.csv --rules", "--rules is for a FOLDER of drives, all but one of which choose a rule; --all"),
    ("small.yaml list.csv --readings", "--readings is for an open loop, where there is a queue; --open makes one"),
    ("small.yaml list.csv --chains 5ms", "--chains is for an open loop"),
    ("small.yaml list.csv --errors --open", "--errors and --open exclude each other"),
    ("small.yaml list.csv --out small.yaml", "--out would overwrite small.yaml, which is to be read"),
])  # fmt: skip
def test_what_is_no_question_is_refused(words: str, says: str, refused: Said) -> None:
    assert refused("drive", *words.split()).startswith(says)


def test_each_answer_is_given_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    for name in ("print_all", "print_rules", "print_errors"):
        monkeypatch.setattr(drive_errors, name, lambda *given, name=name: told.append((name, *given)) or 7)
    monkeypatch.setattr("spindle.traces.replay.answer.sheet_of", lambda asked: f"sheet {asked.drive}")
    for words in (["--all=f"], ["--all=f", "--json"], ["--all=f", "--rules"], ["s.yaml", "list.csv", "--errors"],
                  ["s.yaml", "list.csv", "--errors", "--json"]):
        assert main(["drive", *words]) == 7
    assert told == [("print_all", Path("f"), False), ("print_all", Path("f"), True), ("print_rules", Path("f"), False),
                    *(("print_errors", "sheet s.yaml", Path("list.csv"), json) for json in (False, True))]  # fmt: skip
    monkeypatch.setattr(drive_fit, "main", lambda words: told.append(words) or 0)
    assert main(["drive", "fit", "x.csv", "--json"]) == 0
    assert told[-1] == ["x.csv", "--json"]


def test_readings_have_the_chains_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []
    monkeypatch.setattr("spindle.traces.replay.answer.sheet_of", lambda asked: f"sheet {asked.drive}")
    monkeypatch.setitem(sys.modules, "spindle.lab.drives.unknown_host", module := SimpleNamespace(  # type: ignore[arg-type]
        readings=lambda *given: told.append(given) or "it", rows=lambda found: [{"of": found, "low_ms": 5.0}],
        page=lambda found: ["a page", found]))  # fmt: skip
    monkeypatch.setattr("spindle.lab.drives.unknown_host", module, raising=False)
    words = ["drive", "s.yaml", "list.csv", "--open", "--readings"]
    assert main(words) == 0
    assert capsys.readouterr().out == "a page\nit\n"
    assert main([*words, "--chains=20ms", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"of": "it", "low": pytest.approx(0.005)}]
    assert told == [("sheet s.yaml", Path("list.csv"), 0.005), ("sheet s.yaml", Path("list.csv"), 0.02)]


def test_a_question_makes_the_loop_and_the_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.traces.replay.answer.chained_host", lambda text: f"chained by {text}")
    assert DriveQuestion().loop() is CLOSED
    assert DriveQuestion(open=True).loop() is OPEN
    chained: Any = "chained by 5ms"
    assert DriveQuestion(open=True, chains="5ms").loop() == replace(OPEN, host=chained)
    asked = DriveQuestion(scheduler="sptf", bus="HP-IB").drive("x.yaml")
    assert (asked.drive, asked.scheduler, asked.bus) == ("x.yaml", "sptf", "HP-IB")
    assert disksim_path(Path("a/b.csv")) == Path("a/disksim_predicted.csv")


def made(question: DriveQuestion, *readings: dict[str, float], bus: str | None = None) -> DriveAnswer:
    """The answer of drives that counted that, and whose replay is not looked at."""
    drives = {str(number): SimpleNamespace(mechanism=SimpleNamespace(reading=lambda each=each: each),
                                           reading=lambda each=each: each) for number, each in enumerate(readings)}
    disc = SimpleNamespace(name="Small", notes="note " * 20)
    replayed: Any = SimpleNamespace(drives=drives, end=1.5, tally=SimpleNamespace(count=lambda: 2))
    sheet: Any = SimpleNamespace(disc=disc, bus=bus)
    return DriveAnswer(question, sheet, replayed)


def test_a_page_begins_with_the_drive_its_loop_and_what_it_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.traces.replay.page.summary", lambda tally: "numbers")
    monkeypatch.setattr("spindle.traces.replay.page.page", lambda summary: ["", f"page of {summary}"])
    monkeypatch.setattr(DriveAnswer, "idle", property(lambda answer: ["idle"]))
    monkeypatch.setattr("spindle.sim.disc.flash.drive.words_of_wear", lambda totals: (
        ["wear of both"] if totals.get("units_written") == 3.0 else []))  # fmt: skip
    notes = ["note " * 15 + "note", "note note note note"]
    assert _as_text(made(DriveQuestion(), {}), "l.csv").splitlines() == [
        "Small", "2 requests of l.csv, closed loop", *notes, "idle", "", "page of numbers"]
    counted = made(DriveQuestion(open=True, scheduler="sptf"), {"buffer_hits": 1500.0}, {"buffer_hits": 2.0}, bus="IB")
    assert _as_text(counted, "l.csv").splitlines() == [
        "Small", "2 requests of l.csv, open, sptf, 2 discs on one IB", *notes, "idle", "buffer hits 1,502", "",
        "page of numbers"]
    worn = _as_text(made(DriveQuestion(), {"units_written": 2.0, "erases": 0.0}, {"units_written": 1.0, "erases": 0.0}),
                    "")  # fmt: skip
    assert "units written 3, erases 0\nwear of both\n" in worn
    many = made(DriveQuestion(), {name * 10: 1.0 for name in "abcdefg"})
    five = ", ".join(f"{name * 10} 1" for name in "abcde")  # in 68 columns
    assert _as_text(many, "").splitlines()[5:7] == [f"{five}, ffffffffff", "1, gggggggggg 1"]
    assert ", 2 discs\n" in _as_text(made(DriveQuestion(), {}, {}), "l.csv")


def test_the_numbers_of_an_answer_are_in_base_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spindle.traces.replay.page.summary", lambda tally: {"mean_ms": 5.0})
    monkeypatch.setattr(DriveAnswer, "idle", property(lambda answer: ["idle"]))
    answer = made(DriveQuestion(open=True, scheduler="sptf"), {"busy": 1.0})
    assert answer.data("s.yaml", "l.csv") == {
        "version": 2, "drive": "Small", "sheet": "s.yaml", "requests": "l.csv", "loop": "open", "scheduler": "sptf",
        "makespan": 1.5, "times": {"mean": pytest.approx(0.005)}, "drives": {"0": {"busy": 1.0}}, "notes": ["idle"]}
    assert made(DriveQuestion(), {}).data("", "")["loop"] == "closed"


@pytest.mark.parametrize(("scheduler", "disc", "sentences"), [
    ("sptf", INTEL_S3700, 1), ("fcfs", INTEL_S3700, 0), ("sptf", HP7933, 0)])
def test_an_order_by_the_arm_changes_nothing_where_there_is_none(scheduler: str, disc: Any, sentences: int) -> None:
    nothing: Any = None
    answer = DriveAnswer(DriveQuestion(open=True, scheduler=scheduler), DriveSheet(disc, None), nothing)
    assert len(answer.idle) == sentences
    assert all(scheduler in sentence for sentence in answer.idle)


def test_a_picture_has_the_name_of_the_drive(monkeypatch: pytest.MonkeyPatch, said: Said) -> None:
    told: list[Any] = []
    module: Any = SimpleNamespace(picture=lambda tally, name: name, save=lambda *given: told.append(given))
    for name in ("spindle.traces.pictures", "spindle.studies.plots.files"):
        monkeypatch.setitem(sys.modules, name, module)
    assert said("drive", "small.yaml", "list.csv", "--plot=p.png").startswith("Small Drive\n2 requests of list.csv, ")
    assert told == [("Small Drive", Path("p.png"))]
    assert json.loads(said("drive", "small.yaml", "list.csv", "--plot=p.png", "--json"))["drive"] == "Small Drive"
    assert len(told) == 2


# Errors of drives, and rules.


def test_errors_are_printed_of_one_of_all_and_of_rules(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables, rules = drive_errors.tables, drive_errors.leave_one_out
    monkeypatch.setattr(drive_errors, "_budget", lambda sheet, requests: f"{sheet} {requests.name}")
    monkeypatch.setattr(drive_errors, "read_sheet", lambda path: path.parent.name)
    monkeypatch.setattr(drive_errors, "drive_folders", lambda folder: [folder / each for each in "abc"])
    monkeypatch.setattr(drive_errors, "_read_measured", lambda place: place.name)
    monkeypatch.setattr(tables, "numbers", lambda one: {"of": one, "mean_ms": 5.0})
    monkeypatch.setattr(tables, "one_drive_page", lambda one: ["one", one])
    monkeypatch.setattr(tables, "all_drives_page", lambda all_of: ["all", *map(str, all_of.items())])
    monkeypatch.setattr(rules, "RuledDrives", lambda drives: drives)
    monkeypatch.setattr(rules, "numbers", lambda known: {"known": list(known), "p_ms": 2.0})
    monkeypatch.setattr(rules, "leave_each_out", lambda known: f"without {len(known)}")
    monkeypatch.setattr(rules, "left_out_table", lambda left: [left])
    monkeypatch.setattr(rules, "rules_table", lambda known: ["rules", *known.values()])
    sheet: Any = "sheet"
    said = []
    for do in (lambda as_json: drive_errors.print_errors(sheet, Path("r.csv"), as_json),
               lambda as_json: drive_errors.print_all(tmp_path, as_json),
               lambda as_json: drive_errors.print_rules(tmp_path, as_json)):  # fmt: skip
        assert (do(False), do(True)) == (0, 0)
        text, _, data = capsys.readouterr().out.partition("{")
        said.append((text.splitlines(), json.loads("{" + data)))
    parts, mean = {each: f"{each} requests.csv" for each in "abc"}, pytest.approx(0.005)
    assert said == [
        (["one", "sheet r.csv"], {"of": "sheet r.csv", "mean": mean}),
        (["all", *map(str, parts.items())], {each: {"of": of, "mean": mean} for each, of in parts.items()}),
        (["rules", "a", "b", "c", "", "without 3"], {"known": ["a", "b", "c"], "p": pytest.approx(0.002)})]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sheets, requests and other times are words that say what they were read from."""
    monkeypatch.setattr(drive_errors, "read_sheet", lambda *told: DriveSheet(HP7933, None, told))
    monkeypatch.setattr(drive_errors, "timed_requests", lambda path, sheet: [path, sheet])
    monkeypatch.setattr(drive_errors, "disksim_times", lambda path, count: f"{path} {count}")


@pytest.mark.usefixtures("measured")
def test_the_errors_of_a_drive_are_of_its_requests_and_beside_those_of_another_simulator(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drive_errors, "budget", lambda *told: told)
    monkeypatch.setattr(drive_errors.leave_one_out, "MeasuredDrive", lambda *told: told)
    sheet, requests, place = DriveSheet(HP7933, None), Path("r.csv"), Path("a")
    found: Any = drive_errors._budget(sheet, requests)
    assert found == (HP7933, [requests, sheet], "r.csv 2")
    disc, asked, disksim = drive_errors._read_measured(place)  # type: ignore[misc]
    assert (disc, asked[0], disksim) == (HP7933, place / "requests.csv", "a/requests.csv 2")
    assert asked[1].queue == (place / "drive.yaml", drive_errors.AT_THEIR_WORD)


@pytest.mark.usefixtures("measured")
def test_a_drive_on_a_bus_is_named_by_its_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive_errors, "read_sheet", lambda *_: DriveSheet(HP7933, "HP-IB"))
    with pytest.raises(UserError, match=r"^r\.csv: the sheet names a bus, HP-IB; --errors takes only drives without"):
        drive_errors._budget(DriveSheet(HP7933, "HP-IB"), Path("r.csv"))
    with pytest.raises(UserError, match=r"^a/requests\.csv: the sheet names a bus, HP-IB"):
        drive_errors._read_measured(Path("a"))


# Fits.


@pytest.mark.parametrize(("fio", "option", "says"), [
    (True, "--geometry=a", "--geometry is for a list of requests, not for fio's answers at several depths"),
    (True, "--against=a", "--against is for a list of requests, not for fio's answers at several depths"),
    *((False, f"--{option}", f"--{option.partition('=')[0]} is for fio's answers at several depths, not for a list of "
       "requests") for option in ("capacity=1G", "host=sata", "raid=5", "drives=4")),
    (False, "--chunk=4K", "--chunk is for an array; --raid gives its level"),
])  # fmt: skip
def test_options_of_the_other_kind_of_fit_are_refused(
    fio: bool, option: str, says: str, monkeypatch: pytest.MonkeyPatch, refused: Said
) -> None:
    monkeypatch.setattr("spindle.lab.fio.points.is_fio", lambda path: fio)
    assert refused("drive", "fit", "list.csv", option) == says


@dataclass(frozen=True)
class Fit:
    remarks: list[str]
    judged: list[Any]


def test_a_fit_to_fio_has_what_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told: list[Any] = []
    points: Any = SimpleNamespace(passed_over={"trim": 2, "mixed": 1}, points=[SimpleNamespace(random=False)] * 3,
                                  check_under_way=lambda: told.append("checked"))  # fmt: skip
    fitting: Any = SimpleNamespace(
        FioHost=lambda name: f"host {name}", fio_fit=lambda *given: told.append(given) or Fit(["first"], []),
        page=lambda fit: fit.remarks, numbers=lambda fit: {"time_ms": 5.0, "of": len(fit.remarks)},
        sheet_text=lambda fit, lines: f"# {lines[0]}\nname: mine\nremarks: {len(fit.remarks)}\n")  # fmt: skip
    monkeypatch.setattr("spindle.lab.fio.points.is_fio", lambda path: True)
    monkeypatch.setattr("spindle.lab.fio.points.read_points", {Path("list.csv"): points}.__getitem__)
    monkeypatch.setitem(sys.modules, "spindle.lab.fio.fit", fitting)
    monkeypatch.setattr("spindle.lab.fio.fit", fitting, raising=False)
    assert main(["drive", "fit", "list.csv"]) == 0
    assert capsys.readouterr().out == "# first\nname: mine\nremarks: 3\n"
    assert told == ["checked", (points, None, None, None)]
    words = ["drive", "fit", "list.csv", "--capacity=1G", "--host=sata", "--raid=5", "--drives=4", "--chunk=8K",
             "--out=f.yaml"]
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines() == [
        "first",
        "runs that are not fitted: 1 of mixed, 2 of trim; a fit takes reads or writes, at random or in sequence",
        "runs that are not fitted: 3 in sequence, which a fit behind SATA has no use for"]
    assert (place / "f.yaml").read_text() == "# first\nname: mine\nremarks: 3\n"
    _, capacity, raid, host = told[-1]
    assert (capacity, raid.level, raid.drives, raid.chunk, host) == (1 << 30, "5", 4, 8192, "host sata")
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"time": pytest.approx(0.005), "of": 3}
    monkeypatch.setattr(points, "check_under_way", lambda: (_ for _ in ()).throw(UserError("too few")), raising=False)
    assert main(words) == 2
    assert capsys.readouterr().err == "spindle: list.csv: too few\n"


@pytest.mark.parametrize(("asked", "out"), [("list.csv", "./list.csv"), ("runs", "runs/one.json")])
def test_a_fit_does_not_replace_what_fio_wrote(
    asked: str, out: str, place: Path, refused: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "spindle.lab.fio.fit", module := SimpleNamespace())  # type: ignore[arg-type]
    monkeypatch.setattr("spindle.lab.fio.fit", module, raising=False)  # which takes SciPy
    (place / "list.csv").write_text("rw,iodepth,numjobs\n")
    (place / "runs").mkdir()
    (place / "runs" / "one.json").write_text("{}")
    assert refused("drive", "fit", asked, f"--out={out}") == f"--out would overwrite {Path(out)}, which is to be read"


def test_runs_in_sequence_are_named_where_none_was_judged() -> None:
    def said(random: bool, *judged: bool) -> list[str]:
        points: Any = SimpleNamespace(passed_over={}, points=[SimpleNamespace(random=random)])
        fit: Any = Fit([], [SimpleNamespace(point=SimpleNamespace(random=each)) for each in judged])
        return list(drive_fit._not_fitted(points, fit))

    assert [len(said(*each)) for each in ((False, True), (False, True, False), (True, True), (False,))] == [1, 0, 0, 1]
