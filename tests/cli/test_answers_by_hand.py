"""What commands print of answers that are made up: lines, units, intervals, and which of several things is chosen."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from spindle.cli import drive_errors, judged, paper_numbers, parts, plotting, replications, result_page, serve
from spindle.cli.claims import add_versions
from spindle.cli.effort import EffortOptions
from spindle.cli.figure import _lines as figure_lines
from spindle.cli.kv_question import KvCommand
from spindle.cli.moving import _line as moving_line
from spindle.cli.paper_numbers import PaperNumber
from spindle.cli.sensitivity import _choose_names, _indices_page, findings
from spindle.cli.workers import WorkerOptions
from spindle.questions.field import ASKED_KEY
from spindle.sim.clock import PHASE_COUNT, Phase
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.sim.measure.result import Recorder, Result
from spindle.sim.terminal import Transaction
from spindle.studies.claims.claims import Claim
from spindle.studies.confidence import confidence
from spindle.studies.sweep.precision import Replications
from spindle.system import PaperCase, System
from spindle.traces.figure import FigureQuestion
from spindle.version import VERSION
from spindle.web.moving.filming import ServedQueue

# Verdicts with each parameter changed.

CHANGED = {"parameter": "load", "factor": 2.0, "usual": 0.4, "value": 0.8, "id": "A", "base_verdict": "holds",
           "verdict": "fails", "base": 0.4, "simulated": 0.8126, "low": 0.0123, "high": 0.5123, "flips": True,
           "why": ""}  # fmt: skip
SAME = {**CHANGED, "parameter": "mean_length", "factor": 0.5, "value": 0.2, "verdict": "holds", "flips": False}
NEVER = {**CHANGED, "parameter": "line", "verdict": "impossible", "flips": False, "why": "too short"}


def test_findings_name_what_flips_and_what_cannot_be_and_what_is_open() -> None:
    short = {**NEVER, "factor": 0.5, "value": 0.2, "why": "shorter"}
    frame = pd.DataFrame([CHANGED, SAME, NEVER, {**NEVER, "id": "B", "base_verdict": "undecided"}, {
        **SAME, "id": "C", "base_verdict": "undecided"}, short, {**CHANGED, "id": "D"}])  # fmt: skip
    assert list(findings(frame)) == [
        "",
        "doubled load (0.4 to 0.8):       A     holds -> fails  0.4 -> 0.813, bounds 0.0123 to 0.512",
        "doubled load (0.4 to 0.8):       D     holds -> fails  0.4 -> 0.813, bounds 0.0123 to 0.512",
        "doubled line (0.4 to 0.8): impossible: too short", "halved line (0.4 to 0.2): impossible: shorter",
        "flip nothing: mean_length, line",
        "undecided as assumed, with this number and length of replications: B, C"]
    assert list(findings(frame[:1]))[-1] == "flip nothing: none"
    assert list(findings(frame[4:5]))[-1].endswith("number and length of replications: C")


@pytest.mark.parametrize(("text", "names"), [("", []), ("b,a,b", ["b", "a"])])
def test_names_are_chosen_once_in_their_order(text: str, names: list[str]) -> None:
    assert _choose_names("thing", text, ["a", "b"]) == names
    with pytest.raises(UserError, match="unknown thing 'c'"):
        _choose_names("thing", "a,c", ["a", "b"])


def test_indices_are_shown_where_anything_moves() -> None:
    row = {"id": "A", "measure": "load", "parameter": "mips", "first": 0.567, "first_low": 0.1, "first_high": 0.9,
           "total": 0.6, "total_low": 0.2, "total_high": 1.0, "chance": 0.01, "together": 0.03, "spread": 0.5,
           "other": "x"}  # fmt: skip
    head, *lines = _indices_page(pd.DataFrame([row, {**row, "id": "B", "spread": 0.0}])).splitlines()
    assert head.split() == [name for name in row if name not in ("spread", "other")]
    assert [line.split() for line in lines] == [
        ["A", "load", "mips", "0.57", "0.10", "0.90", "0.60", "0.20", "1.00", "0.01", "0.03"]]


# Replications, as JSON.

def test_replications_in_json_have_every_row_and_the_interval() -> None:
    frame = pd.DataFrame({"response_mean": [1.0, 2.0, 3.0], "hit_ratio": [1 / 3, nan, 0.5]})
    found = Replications(frame, [confidence([1.0, 2.0, 3.0])], 2.0)
    told = json.loads(replications.as_json(found, ["a note"]))
    interval = told.pop("response_mean")
    assert interval["mean"] == 2.0
    assert (interval["low"], interval["high"]) == pytest.approx((-0.4841, 4.4841), abs=1e-4)
    assert told.pop("width") == pytest.approx(1.242, abs=1e-3)
    assert told == {"replications": 3, "precision": 2.0, "reached": True, "notes": ["a note"], "rows": [
        {"response_mean": 1.0, "hit_ratio": pytest.approx(1 / 3, rel=1e-14)}, {"response_mean": 2.0, "hit_ratio": None},
        {"response_mean": 3.0, "hit_ratio": 0.5}]}  # fmt: skip
    assert json.loads(replications.as_json(replace(found, precision=0.5)))["reached"] is False


# Queues that are shown moving, and figures of several traces.

def test_an_order_lists_its_first_twenty_cylinders() -> None:
    assert moving_line(ServedQueue("SSTF", (5, 1), 9, 0.0421)) == "SSTF: 9 cylinders, 42.1 ms: 5 1"
    twenty = " ".join(map(str, range(20)))
    assert moving_line(ServedQueue("A", tuple(range(20)), 1, 2.0)) == f"A: 1 cylinder, 2 s: {twenty}"
    assert moving_line(ServedQueue("A", tuple(range(21)), 1, 2.0)).endswith(f": {twenty} ...")


def test_a_figure_s_lines_are_means_over_traces() -> None:
    """Of 0.2 and 0.4 the half is 12.706 * 0.1."""
    table = pd.DataFrame({
        "trace": ["a", "b", "a", "a"], "policy": ["lru", "lru", "lru", "arc"], "share": [0.01, 0.01, 0.1, 0.1],
        "hit_ratio": [0.2, 0.4, 0.9, 0.5], "miss_ratio": [0.8, 0.6, 0.1, 0.5],
        "relative_misses": [1.0, 1.0, 1.0, 0.75]})  # fmt: skip
    assert figure_lines(FigureQuestion(show="hits"), table) == [
        "hit ratio, of 2 traces", "", "policy                   cache      mean  95 % interval",
        "lru                        1 %    0.3000  -0.9706 to 1.5706",
        "lru                       10 %    0.9000", "arc                       10 %    0.5000"]
    assert figure_lines(FigureQuestion(show="misses"), table)[0] == "miss ratio, of 2 traces"
    assert figure_lines(FigureQuestion(show="misses"), table)[-1].endswith("0.5000")
    against = figure_lines(FigureQuestion(against="lru"), table)
    assert (against[0], against[-1].split()[-1]) == ("misses, those of lru are 1, of 2 traces", "0.7500")


# Drives that are known by name.

@pytest.mark.parametrize(("size", "text"), [
    (404 * 10**6, "404 MB"), (10**9 - 1, "1e+03 MB"), (10**9, "1 GB"), (200 * 10**9, "200 GB"), (10**12, "1 TB"),
    (1920 * 10**9, "1.92 TB"),
])  # fmt: skip
def test_a_capacity_is_as_makers_print_it(size: int, text: str) -> None:
    assert parts._decimal(size) == text


def test_a_drive_has_its_numbers_and_how_many_have_a_source() -> None:
    row, flash = parts._drive("hp7933", HP7933), parts._drive("intels3700", INTEL_S3700)
    kinds = [source.kind for source in HP7933.sources.values()]
    assert row["capacity"] == HP7933.layout.sectors * 256
    assert row["seek"] == HP7933.seek(HP7933.layout.cylinders // 3)
    assert (row["kind"], row["cited"], row["rpm"], row["title"]) == ("disc", kinds.count("cited"), 2700.0, HP7933.name)
    assert (flash["kind"], flash["rpm"], flash["seek"], flash["capacity"]) == (
        "flash", None, None, INTEL_S3700.capacity)
    assert parts._cells({"name": "a", "year": None, "capacity": 10**9, "rpm": None, "seek": None, "buffer": None,
                         "cited": 2, "assumed": 0, "fitted": 1}) == [
        "a", "-", "1 GB", "flash", "-", "-", "2 cited, 1 fitted"]  # fmt: skip
    assert parts._cells({"name": "a", "year": 1990, "capacity": 10**9, "rpm": 3600.0, "seek": 0.012345,
                         "buffer": 12_345_678, "cited": 0, "assumed": 1, "fitted": 0}) == [
        "a", "1990", "1 GB", "3600", "12.3 ms", "12.3 MB", "1 assumed"]  # fmt: skip


# Servers of drives.

def test_each_file_of_a_server_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    serve._check_files(["a", "b"], "s")
    serve._check_files([], "")
    for data, socket, why in ((["a", "b", "./a"], "", "--data ./a and --data a are one file"),
                              (["a"], "a", "--socket a and --data a are one file: each needs its own"),
                              ([""], "", "--data must name a file, not ''"),
                              (["a"], "folder/", "--socket must name a file, not 'folder/'")):  # fmt: skip
        with pytest.raises(UserError, match=why):
            serve._check_files(data, socket)


def test_a_server_says_what_it_serves_and_who_may_do_what() -> None:
    plan: Any = SimpleNamespace(storage=SimpleNamespace(disc=SimpleNamespace(name="Small")), speed=1.0,
                                notes=["a note"], read_only=False)  # fmt: skip
    address: Any = SimpleNamespace(uri=lambda name: f"nbd://here/{name}", exposure=lambda: "all here can reach it")
    exports: Any = {"one": SimpleNamespace(size=3 << 20, store=SimpleNamespace(where="in memory"))}
    assert serve._head(plan, address, exports).splitlines() == [
        "Small", "nbd://here/one  3 MiB in memory", "a note",
        "all here can reach it and may read and write; Ctrl-C ends it"]
    plan.speed, plan.read_only = 2.5, True
    first, *_, last = serve._head(plan, address, exports).splitlines()
    assert (first, last) == ("Small, time 2.5 times as fast", "all here can reach it and may read; Ctrl-C ends it")
    plan.speed, plan.storage.disc.name = 0.5, "Sm\x1ball"
    assert serve._head(plan, address, exports).startswith("Sm\\x1ball, time 0.5 times as fast\n"), "no control of it"


@pytest.mark.parametrize(("malformed", "connections", "head"), [
    (0, 1, "served 1 connection in 2.0 s; no drive was asked for anything"),
    (3, 2, "served 2 connections, 3 of them malformed in 2.0 s; no drive was asked for anything"),
])  # fmt: skip
def test_a_server_that_nobody_asked_says_so(malformed: int, connections: int, head: str) -> None:
    session: Any = SimpleNamespace(
        malformed=malformed, connections=connections, seconds=2.04, arrivals=SimpleNamespace(end=0.0, beside=5),
        lateness=SimpleNamespace(numbers=lambda due: {"due": due}), due=lambda: 7)  # fmt: skip
    assert serve._page(session, SimpleNamespace(), "") == ["", head]  # type: ignore[arg-type]
    assert {**serve._numbers(session), "version": 0} == {
        "version": 0, "seconds": 2.04, "connections": connections, "malformed": malformed, "flushes_and_trims": 5,
        "lateness": {"due": 7}}  # fmt: skip


# Folders of timed drives.

def test_folders_of_drives_have_a_sheet_and_timed_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    timed, gaps, both = b"\xff,gap_before_ms,op,measured_ms\n", b"gap_before_ms,lba\n", b"gap_before_ms,measured_ms\n"
    for name, sheet, head in (("b", True, timed), ("a", True, both), ("gaps", True, gaps), ("none", False, timed),
                              ("empty", True, b""), ("far", True, b"x" * 4096 + b"," + both),
                              ("timed", True, b"lba,measured_ms\n")):  # fmt: skip
        (tmp_path / name).mkdir()
        (tmp_path / name / "requests.csv").write_bytes(head)
        if sheet:
            (tmp_path / name / "drive.yaml").write_text("")
    (tmp_path / "bare" / "requests.csv").mkdir(parents=True)
    (tmp_path / "bare" / "drive.yaml").write_text("")
    assert [place.name for place in drive_errors.drive_folders(tmp_path)] == ["a", "b"]
    assert (drive_errors.MIN_DRIVES, drive_errors.MAX_DRIVES) == (3, 1000)
    monkeypatch.setattr(drive_errors, "MAX_DRIVES", 1)
    assert [place.name for place in drive_errors.drive_folders(tmp_path)] == ["a"]
    with pytest.raises(UserError, match=r"--all: no folder in .*none has drive.yaml and requests.csv with"):
        drive_errors.drive_folders(tmp_path / "none")
    with pytest.raises(UserError, match=r"^--all: there is no folder .*nowhere$"):
        drive_errors.drive_folders(tmp_path / "nowhere")


def test_rules_need_three_drives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drive_errors, "drive_folders", lambda folder: [Path("a"), Path("b")])
    monkeypatch.setattr(drive_errors, "_read_measured", lambda place: place)
    with pytest.raises(UserError, match=r"--rules: .* has 2 drives; to leave one out takes at least 3"):
        drive_errors.print_rules(tmp_path, False)


@pytest.mark.parametrize(("sheet", "why"), [
    (SimpleNamespace(bus="SCSI", disc=HP7933), "r.csv: the sheet names a bus, SCSI"),
    (SimpleNamespace(bus=None, disc=INTEL_S3700), "r.csv: --errors takes discs, not flash such as Intel"),
])  # fmt: skip
def test_errors_are_of_discs_without_a_bus(sheet: Any, why: str) -> None:
    with pytest.raises(UserError, match=why):
        drive_errors._disc(sheet, Path("r.csv"))
    assert drive_errors._disc(SimpleNamespace(bus=None, disc=HP7933), Path("r.csv")) is HP7933  # type: ignore[arg-type]


# A run: its responses by transaction and script, and the paper's numbers beside it.

def ran(*rows: tuple[str, str, float], extras: dict[str, float] | None = None) -> Result:
    """A minute in which each terminal was answered once, after so many seconds."""
    recorder = Recorder()
    for terminal, name, seconds in rows:
        recorder.record(Transaction(terminal, name, 3.0, 3.0 + seconds, 3.0 + seconds,
                                    (seconds, *(0.0,) * (PHASE_COUNT - 1))), 1)  # fmt: skip
    return Result("toy", {"terminals": 3}, 1, 60.0, 120.0, {}, recorder, extras=extras or {})


ROWS = (("CLERKS 1", "LIST", 1.0), ("CLERKS 12", "LIST", 3.0), ("CLERKS 1", "EDIT", 4.0), ("TILLS 1", "SALE", 0.5),
        ("alone", "LIST", 2.0), ("A X", "LIST", 8.0))  # fmt: skip


@pytest.mark.parametrize(("terminal", "script"), [("CLERKS 12", "CLERKS"), ("A B 3", "A B"), ("alone", "alone"),
                                                  ("A X", "A X"), (" 7", " 7"), ("A -3", "A -3")])  # fmt: skip
def test_a_terminal_belongs_to_its_script(terminal: str, script: str) -> None:
    assert result_page.script_of(terminal) == script


def test_responses_are_by_transaction_and_by_script() -> None:
    result = ran(*ROWS)
    assert [tuple(each)[:4] for each in result_page.by_transaction(result)] == [
        ("A X", "LIST", 1, 8.0), ("CLERKS", "EDIT", 1, 4.0), ("CLERKS", "LIST", 2, 2.0), ("TILLS", "SALE", 1, 0.5),
        ("alone", "LIST", 1, 2.0)]  # fmt: skip
    clerks = result_page.by_script(result)[1]
    assert clerks[:4] == ("CLERKS", "", 3, pytest.approx(8 / 3))
    assert (clerks.response_p95, clerks.response_p99) == (4.0, 4.0)
    head, *lines = result_page.response_table(result)[1:]
    assert head.split() == ["response,", "s", "script", "responses", "mean", "p95", "p99"]
    assert lines[1] == f"{'EDIT':<24}{'CLERKS':<18}{1:>10}{4:>9.3f}{4:>9.3f}{4:>9.3f}"
    assert [line.split()[0] for line in lines] == ["LIST", "EDIT", "LIST", "SALE", "LIST", *["all"] * 4]
    assert len({len(line) for line in lines}) == 1
    assert result_page.response_table(ran(("C 1", "LIST", 1.0), ("C 2", "LIST", 2.0))) == []
    assert len(result_page.response_table(ran(("C 1", "A", 1.0), ("C 2", "B", 2.0)))) == 4, "no line of all"
    assert len(result_page.response_table(ran(("C 1", "A", 1.0), ("D 1", "B", 2.0)))) == 6, "a line of all of each"
    told = result_page.response_data(result)
    assert told["scripts"][0] == {"script": "A X", "responses": 1, "response_mean": 8.0, "response_p95": 8.0,
                                  "response_p99": 8.0}  # fmt: skip
    assert told["transactions"][1]["transaction"] == "EDIT"
    assert result_page.response_data(ran()) == {}


def test_a_run_in_json_has_the_paper_and_the_files() -> None:
    number = PaperNumber("response_mean", 1.5, 2.0, "A", "says")
    told = json.loads(result_page.as_json(replace(ran(*ROWS), notes=["n"]), [number], {"a.csv": "a log"}))
    assert (told["system"], told["parameters"], told["seed"], told["start"], told["end"]) == (
        "toy", {"terminals": 3}, 1, 60.0, 120.0)
    assert told["paper"] == [{"measure": "response_mean", "simulated": 1.5, "published": 2.0, "claim": "A",
                              "says": "says"}]  # fmt: skip
    assert (told["files"], told["notes"], len(told["scripts"])) == (["a.csv"], ["n"], 4)
    assert told["summary"]["responses"] == 6
    bare = json.loads(result_page.as_json(ran(*ROWS)))
    assert {"paper", "files", "report"}.isdisjoint(bare)


@dataclass(frozen=True)
class SimpleParameters:
    """None."""


def toy(**more: Any) -> System:
    def run(terminals: int = 2, discs: int = 3, minutes: float = 1.0, seed: int = 1, log: str = "") -> None: ...

    return System("toy", "Toy", run, SimpleParameters(), **more)


def test_a_page_has_its_parts_in_order() -> None:
    result = replace(ran(*ROWS, extras={"hit_ratio": 0.5}), notes=["a note"],
                     parameters={"terminals": 3, "minutes": 2.0, "other": "x"})  # fmt: skip
    lines = result_page.page(toy(remark=lambda _: ["a remark"]), result, (), {"a.csv": "the log"}).splitlines()
    assert lines[:2] == ["Toy: terminals 3, minutes 2 min, other x, seed 1", "1 minute measured after 1 of warm-up"]
    at = [lines.index(each) for each in (
        "a remark", "where the time goes", "         hit ratio  0.5", "a note", result_page.EXPLAIN_HINT,
        "a.csv: the log")]  # fmt: skip
    assert (at, {lines[place] for place in (2, at[1] - 1, at[2] - 1, -2)}) == (sorted(at), {""})
    assert lines[3] == "response, s   mean     sd  median   p95     max   responses"
    assert lines[4].split() == ["3.083", "2.728", "2.000", "8.00", "8.00", "6"]
    assert f"{'cpu wait':>18}   3.0833 s  {'#' * 40}" in lines or f"{'cpu':>18}   3.0833 s  {'#' * 40}" in lines
    own = toy(page=lambda result: {1: "its own"}[result.seed])
    assert result_page.page(own, result, (), {}).startswith("its own\n\na note\n\nwhat a number is")
    assert result_page.page(own, ran(ROWS[0]), (), {}) == f"its own\n\n{result_page.EXPLAIN_HINT}"
    with pytest.raises(UserError, match="nobody was answered within the measured time, from minute 1 to 2: run for"):
        result_page.page(toy(), ran(), (), {})


class WithReport(Result):
    """A result with a report of its own."""

    def report_text(self) -> str:
        return "the report"

    def report_rows(self) -> Sequence[dict[str, object]]:
        return ({"seconds": nan},)


def test_a_report_and_the_wear_of_flash_have_their_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_page, "words_of_wear", lambda counters: [f"worn by {counters}"])
    plain = ran(*ROWS)
    result = WithReport("toy", {"drive": Path("d.yaml")}, 1, 60.0, 120.0, {"writes": 3}, plain.recorder)
    number = PaperNumber("response_mean", 1.5, 2.0, "A", "says")
    lines = result_page.page(toy(page=lambda _: "its own"), result, [number], {}).splitlines()
    assert (lines[:4], lines[-2:]) == (
        ["its own", "worn by {'writes': 3}", "", result_page.EXPLAIN_HINT], ["", "the report"])
    begins = [next(place for place, line in enumerate(lines) if each in line) for each in ("response, s", "the paper")]
    assert begins == sorted(begins)
    told = json.loads(result_page.as_json(result))
    assert (told["report"], told["parameters"], told["counters"]) == (
        [{"seconds": None}], {"drive": "d.yaml"}, {"writes": 3})


def test_a_bar_is_a_share_of_the_mean_and_the_least_are_left_out() -> None:
    """Of 100 seconds, half of one is the least that is shown; a bar for all of them has 40 columns."""
    names = [phase.name.lower() for phase in Phase]
    parts = dict(zip(names, [50.0, 0.5, 0.49, *[0.0] * (len(names) - 4), 25.0], strict=True))
    result: Any = SimpleNamespace(breakdown=lambda: parts)
    shown = [(names[0], "50.0000", "#" * 20), (names[1], " 0.5000", ""), (names[-1], "25.0000", "#" * 10)]
    assert result_page._bars(result, 100.0) == [
        f"{name.replace('_', ' '):>18}  {seconds} s  {bar}".rstrip() for name, seconds, bar in shown]


def test_a_class_of_responses_has_its_mean_and_its_slow_ones() -> None:
    times = [float(seconds) for seconds in range(1, 101)]
    assert result_page._class("S", "T", times) == ("S", "T", 100, 50.5, 95.0, 99.0)


def test_a_long_name_is_cut_before_its_neighbour() -> None:
    long = result_page.ResponseClass("S" * 20, "T" * 30, 1234, 1.0, 2.0, 3.0)
    assert result_page._line(long) == f"{'T' * 23} {'S' * 17}      1,234    1.000    2.000    3.000"


CLAIM = Claim(system="toy", id="A", paper="p", says="a response " * 9, published=900.0, low=0.0, high=1.0, unit="ms",
              role=SimpleNamespace(), study="s", measure="m", note="")  # type: ignore[arg-type]  # fmt: skip


@pytest.mark.parametrize(("point", "is_case"), [
    ({"terminals": 5}, True), ({}, False),
    ({"terminals": 5, "seed": 9, "minutes": 7.0, "warm_up": 2.0, "log": "x", "report": True}, True),
    ({"terminals": 5, "discs": 3.0}, True), ({"terminals": 5, "discs": 4}, False), ({"terminals": 2}, False),
    ({"terminals": 6}, False), ({"terminals": 5, "other": 1}, False),
])  # fmt: skip
def test_a_run_of_the_paper_is_told_by_what_differs(point: dict[str, Any], is_case: bool) -> None:
    system = toy(cases=[PaperCase({}, {"terminals": 5, "minutes": 30.0})])
    assert paper_numbers._is(system, system.cases[0], point) is is_case


def test_numbers_of_the_paper_are_in_one_unit_and_fit_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert paper_numbers._number(CLAIM, "s") == pytest.approx(0.9)
    assert paper_numbers._number(replace(CLAIM, unit="1"), "s") == 900.0
    assert paper_numbers._number(replace(CLAIM, unit="sheep"), "s") == 900.0
    monkeypatch.setenv("COLUMNS", "80")
    number = PaperNumber("response_mean", 1.2345, 0.9, "A", CLAIM.says.strip())
    assert paper_numbers.lines([]) == []
    assert paper_numbers.lines([number]) == [
        "", "     beside the paper       here    printed  claim",
        "        response mean     1.23 s      0.9 s  A     a response a response a ..."]
    long = number._replace(says="x " * 60)
    for columns, words in ((80, 12), (10, 8), (0, 18)):  # 28 columns for the claim, 20 at least, 40 of 92
        monkeypatch.setattr(paper_numbers, "get_terminal_size", lambda usual, columns=columns: SimpleNamespace(
            columns=columns or usual[0]))  # fmt: skip
        assert paper_numbers.lines([long])[2].endswith(f"  A     {'x ' * words}...")


def test_the_paper_s_numbers_are_of_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = {Path("c"): [CLAIM, replace(CLAIM, id="B")]}
    monkeypatch.setattr(paper_numbers, "read_claims", claims.__getitem__)
    cases = [PaperCase({"response_mean": "B"}, {"terminals": 9}),
             PaperCase({"response_mean": "A", "hit_ratio": "B"}, {"terminals": 5})]  # fmt: skip
    result = ran(("C 1", "LIST", 1.5), extras={"hit_ratio": nan})
    assert paper_numbers.paper_numbers(toy(cases=cases, claims=Path("c")), {"terminals": 5}, result) == [
        PaperNumber("response_mean", 1.5, pytest.approx(0.9), "A", CLAIM.says)]  # type: ignore[arg-type]
    assert paper_numbers.paper_numbers(toy(cases=cases), {"terminals": 4}, result) == []


# Effort, and which of the kept tables is shown.

@pytest.mark.parametrize(("asked", "effort"), [
    (EffortOptions(), judged.USUAL), (EffortOptions(quick=True), judged.QUICK), (EffortOptions(full=True), judged.FULL),
])  # fmt: skip
def test_an_effort_is_made_by_the_workers(asked: EffortOptions, effort: judged.Effort) -> None:
    assert judged.effort_of(asked, WorkerOptions(workers=3)) == replace(effort, workers=3)
    assert (judged.QUICK.quick, judged.FULL.anew, judged.USUAL.draws) == (True, True, None)
    efforts = (judged.QUICK, judged.GLANCE, judged.USUAL, judged.FULL)
    assert [(each.replications.first, each.replications.most) for each in efforts] == [(1, 1), (5, 5), (5, 5), (10, 20)]


def test_a_table_is_looked_for_here_and_then_in_what_is_shipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Path] = []

    def read(path: Path, system: System) -> str | None:
        asked.append(path)
        assert system.name == "toy"
        if path.parts[0] == "broken":
            raise UserError(f"{path} is damaged")
        return "kept" if path.parts[0] == "shipped" else None

    monkeypatch.setattr(judged, "RESULTS", Path("shipped"))
    for place in ("mine", "broken"):
        assert judged.last_kept(Path(place), toy(), read, "t.csv") == "kept"
    assert asked == [Path(place, "toy", "t.csv") for place in ("mine", "shipped", "broken", "shipped")]
    assert capsys.readouterr().err.endswith("broken/toy/t.csv is damaged; it is not shown\n")
    monkeypatch.setattr(judged, "RESULTS", Path("mine"))
    asked.clear()
    assert judged.last_kept(Path("mine"), toy(), read, "t.csv") is None
    assert len(asked) == 1


def test_exported_claims_say_how_to_judge_them_again() -> None:
    frame = add_versions(pd.DataFrame({"system": ["a", "b"], "id": ["A", "B"]}), {"a": "a 3, sim 7", "b": "b 1"})
    assert frame.to_dict("list") == {
        "system": ["a", "b"], "id": ["A", "B"], "command": ["spindle claims a", "spindle claims b"],
        "models": ["a 3, sim 7", "b 1"], "version": [VERSION] * 2}  # fmt: skip


# Pictures in the terminal, or in a file.

def test_a_picture_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(plotting, "get_terminal_size", lambda usual: SimpleNamespace(columns=usual[0]))
    lines = plotting.plot_or_save(None, lambda: pytest.fail("drawn"), lambda width: f"wide {width}", "it")
    assert lines == ["", "wide 90"]


def test_a_sweep_and_a_search_are_drawn_or_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plots, saved = "spindle.studies.plots", list[object]()
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setattr(f"{plots}.files.save", lambda *given: saved.append(given))
    monkeypatch.setattr(f"{plots}.terminal.text_picture", lambda *given: f"swept {given}")
    monkeypatch.setattr(f"{plots}.terminal.found_text", lambda *given: f"found {given}")
    module: Any = SimpleNamespace(
        swept_picture=lambda *given: ("swept", *given), found_picture=lambda *given: ("found", *given))
    monkeypatch.setitem(sys.modules, f"{plots}.swept", module)
    table: Any = "table"
    setting: Any = SimpleNamespace(text="text")
    path = tmp_path / "a.png"
    assert plotting.plot_sweep(table, ["m", "n"], path) == ["", f"{path}: a picture of m, n"]
    assert plotting.plot_found(table, setting, path) == ["", f"{path}: a picture of what was probed"]
    assert saved == [(("swept", "table", ["m", "n"]), path), (("found", "table", "text"), path)]
    assert plotting.plot_sweep(table, ["m", "n"], None)[1] == "swept ('table', ['m', 'n'], 70)"
    assert plotting.plot_found(table, setting, None)[1] == "found ('table', 'text', 70)"


def test_a_table_to_draw_writes_values_as_its_system_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plotting, "settings_of", lambda system: {
        "sectors": SimpleNamespace(text=system), "other": SimpleNamespace(text=str)})  # fmt: skip
    system: Any = "how"
    frame = pd.DataFrame({"sectors": [1], "own": [2]})
    table = plotting.swept_table(system, frame, ["sectors", "own"])
    assert (table.frame is frame, table.axes, table.texts) == (True, ["sectors", "own"], {"sectors": "how"})
    asked = plotting.plot_field().metadata[ASKED_KEY]
    assert (plotting.plot_field().default, asked.metavar, asked.says.partition(";")[0]) == (
        "", "FILE.png", "a picture of what is shown")
    assert plotting.plot_field("it").metadata[ASKED_KEY].says == "it; - draws it in the terminal; default none"


def test_a_picture_is_saved_in_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[object] = []
    monkeypatch.setattr("spindle.studies.plots.files.save", lambda *given: saved.append(given))
    path, drawn = tmp_path / "a.png", object()
    assert plotting.plot_or_save(path, lambda: drawn, lambda width: "", "it") == [  # type: ignore[arg-type,return-value]
        "", f"{path}: a picture of it"]
    assert saved == [(drawn, path)]


# Prompts, as a command reads them.

@pytest.mark.parametrize(("asked", "given"), [
    ({}, (None, None, None, {})),
    ({"block_tokens": 16, "time_unit": "us", "limit": 3, "columns": "timestamp_s=at,hash_ids=kv.blocks"},
     (16, 1e-6, 3, {"timestamp_s": "at", "hash_ids": "kv.blocks"})),
    ({"time_unit": "s"}, (None, 1.0, None, {})), ({"time_unit": "ms"}, (None, 1e-3, None, {})),
])  # fmt: skip
def test_prompts_are_read_as_asked(
    asked: dict[str, Any], given: Sequence[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []

    def read_prompts(path: Path, *words: object) -> Any:
        read.append((path, *words))
        return SimpleNamespace(faster=lambda speed: f"{speed} times")

    monkeypatch.setattr("spindle.workloads.traces.prompts.read_prompts", read_prompts)
    assert KvCommand("p.jsonl", speed=2.0, **asked).prompts() == "2.0 times"
    assert read == [(Path("p.jsonl"), *given)]
