"""Tests ``spindle drive`` on a small drive, against numbers worked out by hand; files, JSON, mistakes in one line."""

import csv
import json
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from spindle.cli.main import main
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheet_file.sheet import TEMPLATES, read_sheet
from spindle.traces.replay.request_rows import DRIVE_HEAD
from tests.traces.conftest import SHEET

BUFFERED = SHEET + """\
bus: {read_ms_per_sector: 0.1, write_ms_per_sector: 0.1}
overheads_ms: {read_hit_after_read: 0.5}
cache: {enabled: true, segments: 2, segment_sectors: 40, max_read_ahead_sectors: 20, write_low_water_mark: 0.5,
  prefetch_code: 3, fast_write_code: 0, max_write_segments: 1, separate_write_segment: false,
  prefetch_may_replace_requested_data: true, keep_sectors_passing_before_request: false, read_ahead_on_full_hit: false,
  zero_latency_read: false, read_hits_on_written_data: false, read_high_water_mark: 0.5}
"""

# The drive turns in 10 ms. Sector 0 comes by at 10, sector 10 at 5: each request is asked at the end of the last.
CLOSED = """\
gap_before_ms,lba,sectors,op,measured_ms
0,0,1,R,10
0,10,1,R,6
4.5,0,2,W,11
"""
# 1 + 9 + 0.5; from 10.5 on 1 + 3.5 + 0.5; from 20 on 1 + 9 + 1.
PREDICTED = [10.5, 5.0, 11.0]

Said = Callable[..., str]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a sheet and a list."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drive.yaml").write_text(SHEET)
    (tmp_path / "requests.csv").write_text(CLOSED)
    return tmp_path


@pytest.fixture
def said(place: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs the command, which must go well; what it said."""

    def run(*options: str, requests: str = "requests.csv") -> str:
        assert main(["drive", "drive.yaml", requests, *options]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return run


@pytest.fixture
def refused(place: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs the command, which must refuse; what it said on its one line."""

    def run(*options: str, sheet: str = "drive.yaml", requests: str = "requests.csv") -> str:
        before = sorted(place.iterdir())
        assert main(["drive", sheet, requests, *options]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), err[:9]) == ("", 1, "spindle: ")
        assert sorted(place.iterdir()) == before, "nothing is left behind"
        return err[9:-1]

    return run


def table(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def rows(*cells: Sequence[object], head: str) -> str:
    return "\n".join([head, *(",".join(map(str, each)) for each in cells), ""])


# Figures ------------------------------------------------------------------------------------------


def test_a_closed_loop_by_hand(said: Said) -> None:
    """Sorted, 6 10 11 were measured against 5 10.5 11: distances 1, 0.5 and 0, which is sqrt(1.25 / 3) in the mean."""
    found = json.loads(said("--json"))
    assert (found["drive"], found["loop"], found["makespan"]) == ("Small Drive", "closed", 0.031)
    assert (found["sheet"], found["requests"]) == ("drive.yaml", "requests.csv")
    everything, reads = found["times"]["response"]["all"], found["times"]["response"]["reads"]
    assert everything["measured"] == pytest.approx({"mean": 9e-3, "median": 10e-3, "p95": 11e-3, "max": 11e-3})
    assert everything["predicted"] == pytest.approx({
        "mean": 26.5e-3 / 3, "median": 10.5e-3, "p95": 11e-3, "max": 11e-3, "demerit": 1e-3 * (1.25 / 3) ** 0.5,
        "demerit_share": (1.25 / 3) ** 0.5 / 9, "median_difference": 0.5e-3})
    assert reads["predicted"]["demerit"] == pytest.approx(1e-3 * (1.25 / 2) ** 0.5)
    assert {name: group["requests"] for name, group in found["times"]["response"].items()} == {
        "all": 3, "reads": 2, "writes": 1}
    assert found["drives"][""]["completed"] == 3


def test_the_page_says_the_same_in_80_columns(said: Said) -> None:
    page = said().splitlines()
    assert page[:2] == ["Small Drive", "3 requests of requests.csv, closed loop"]
    assert page[3].split() == ["response", "time,", "ms", "mean", "median", "p95", "max", "demerit", "%", "apart"]
    assert page[5].split() == ["predicted", "8.833", "10.500", "11.000", "11.000", "0.645", "7.17", "0.500"]
    assert max(map(len, page)) <= 81


def test_rows_hold_what_was_predicted_and_its_parts(said: Said, place: Path) -> None:
    assert said("--out", "rows.csv")
    found = table(place / "rows.csv")
    assert ",".join(found[0]) == DRIVE_HEAD
    assert [float(row["predicted_ms"]) for row in found] == PREDICTED
    assert [row["seq"] for row in found] == ["0", "1", "2"]
    assert found[1] == {"seq": "1", "predicted_ms": "5.000000", "queue_ms": "0.000000", "overhead_ms": "1.000000",
                        "seek_ms": "0.000000", "rotation_ms": "3.500000", "transfer_ms": "0.500000",
                        "channel_ms": "0.000000", "buffer": ""}


def test_what_was_predicted_has_no_demerit_when_it_was_measured(said: Said, place: Path) -> None:
    said("--out", "rows.csv")
    given = [(row["gap_before_ms"], row["lba"], row["sectors"], row["op"]) for row in table(place / "requests.csv")]
    again = [(*each, row["predicted_ms"]) for each, row in zip(given, table(place / "rows.csv"), strict=True)]
    (place / "again.csv").write_text(rows(*again, head=CLOSED.splitlines()[0]))
    found = json.loads(said("--json", requests="again.csv"))["times"]["response"]
    assert all(group["predicted"]["demerit"] < 1e-9 for group in found.values())
    assert all(group["predicted"]["median_difference"] < 1e-9 for group in found.values())


def test_arrivals_when_the_last_was_done_are_a_closed_loop(said: Said, place: Path) -> None:
    (place / "open.csv").write_text(rows(
        (0, 0, 1, "R", 10), (0.0105, 10, 1, "R", 6), (0.020, 0, 2, "W", 11),
        head="arrival_s,lba,sectors,op,measured_ms"))
    closed, opened = (json.loads(text)["times"]["response"] for text in (
        said("--json"), said("--json", "--open", requests="open.csv")))
    for name, group in closed.items():
        assert opened[name]["predicted"] == pytest.approx(group["predicted"], abs=1e-9)


def test_an_open_loop_queues_as_the_scheduler_says(said: Said, place: Path) -> None:
    """While sector 0 is read, one at the far end and one near by wait: the nearest is next, or the first."""
    (place / "open.csv").write_text(rows(
        (0, 0, 1, "R"), (0.001, 3999, 1, "R"), (0.002, 50, 1, "R"), head="arrival_s,lba,sectors,op"))
    for scheduler, order in (("fcfs", "012"), ("sstf", "021")):
        said("--open", "--scheduler", scheduler, "--out", "rows.csv", requests="open.csv")
        found = table(place / "rows.csv")
        assert "".join(row["seq"] for row in found) == order
        assert float(found[0]["queue_ms"]) == 0.0
        assert all(float(row["queue_ms"]) > 0.0 for row in found[1:])
    answer = json.loads(said("--open", "--scheduler", "sstf", "--json", requests="open.csv"))
    assert (answer["loop"], answer["scheduler"]) == ("open", "sstf")
    times = answer["times"]
    assert list(times) == ["service", "response"]
    assert times["service"]["all"]["predicted"]["mean"] < times["response"]["all"]["predicted"]["mean"]
    assert "measured" not in times["service"]["all"]


def test_without_measurements_there_are_predictions_only(said: Said, place: Path) -> None:
    (place / "plain.csv").write_text(rows((0, 0, 1, "R"), (0, 10, 1, "R"), head="gap_before_ms,lba,sectors,op"))
    page = said(requests="plain.csv")
    assert "demerit" not in page
    assert "measured" not in page
    assert page.splitlines()[4].split() == ["all", "2", "predicted", "7.750", "5.000", "10.500", "10.500"]
    assert "reads" not in page


def test_another_simulator_is_judged_as_we_are(said: Said, place: Path) -> None:
    (place / "disksim_predicted.csv").write_text(rows(*enumerate(PREDICTED), head="seq,disksim_ms"))
    for group in json.loads(said("--json"))["times"]["response"].values():
        assert group["DiskSim"] == pytest.approx(group["predicted"])


def test_a_buffer_says_what_it_did_for_each_request(said: Said, place: Path) -> None:
    (place / "drive.yaml").write_text(BUFFERED)
    (place / "reads.csv").write_text(rows(
        (0, 0, 4, "R"), (100, 4, 4, "R"), (0, 60, 4, "W"), (0, 2000, 4, "R"), head="gap_before_ms,lba,sectors,op"))
    page = said("--out", "rows.csv", requests="reads.csv")
    assert [row["buffer"] for row in table(place / "rows.csv")] == ["miss", "hit", "", "miss"]
    assert "buffer hits 1, buffer late hits 0, buffer misses 2" in page


def test_what_flash_counts_is_told_in_80_columns(said: Said, place: Path) -> None:
    (place / "drive.yaml").write_text(TEMPLATES["flash"].read_text("utf-8"))
    lines = said().splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[2].startswith("units written ")
    assert "senses 3, map hits 3, map misses 0" in " ".join(lines)


def test_where_requests_queue_nobody_says_what_the_buffer_did(said: Said, place: Path) -> None:
    """The drive has begun with the next before the last is told of, and has counted it."""
    (place / "drive.yaml").write_text(BUFFERED)
    (place / "open.csv").write_text(rows((0, 0, 4, "R"), (0, 4, 4, "R"), head="arrival_s,lba,sectors,op"))
    said("--open", "--out", "rows.csv", requests="open.csv")
    assert [row["buffer"] for row in table(place / "rows.csv")] == ["", ""]


def test_numbers_too_long_for_their_column_lose_digits_and_not_the_space_before_them(said: Said, place: Path) -> None:
    """The n-th waits for n - 1 revolutions of 10 ms: 10.5 to 30000.5 ms. The rms of 5.5 + 10 n is 17320.9 ms."""
    (place / "open.csv").write_text(rows(
        *[(0, 0, 1, "R", 5)] * 3000, head="arrival_s,lba,sectors,op,measured_ms"))
    line = said("--open", requests="open.csv").splitlines()[-4]
    assert line.split() == ["predicted", "15005.5", "15000.5", "28500.5", "30000.50", "17320.9", "346419", "15000"]


def test_discs_of_one_list_work_at_the_same_time_unless_they_share_a_bus(said: Said, place: Path) -> None:
    (place / "two.csv").write_text(rows(
        (0, "a", 0, 8, "R"), (0, "b", 0, 8, "R"), head="arrival_s,disc,lba256,sectors256,op"))
    free = json.loads(said("--open", "--json", requests="two.csv"))
    assert list(free["drives"]) == ["a", "b"]
    assert free["times"]["response"]["all"]["predicted"]["max"] == pytest.approx(14e-3)
    (place / "drive.yaml").write_text(SHEET + "bus: {kind: HP-IB}\n")
    shared = json.loads(said("--open", "--json", requests="two.csv"))["times"]["response"]["all"]["predicted"]
    assert shared["max"] > shared["median"] > 14e-3
    assert "2 discs on one HP-IB" in said("--open", requests="two.csv")


def test_the_same_is_written_twice_alike(said: Said, place: Path) -> None:
    for name in ("a", "b"):
        said("--out", f"{name}.csv", "--plot", f"{name}.png")
    for kind in ("csv", "png"):
        assert (place / f"a.{kind}").read_bytes() == (place / f"b.{kind}").read_bytes()
    assert (place / "a.png").read_bytes().startswith(b"\x89PNG")


def test_the_examples_of_the_help_work(said: Said, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "arrivals.csv").write_text(rows((0, 0, 1, "R"), (0, 10, 1, "W"), head="arrival_s,lba,sectors,op"))
    (place / "measured" / "one").mkdir(parents=True)
    for name, text in {"drive.yaml": SHEET, "requests.csv": CLOSED}.items():
        (place / "measured" / "one" / name).write_text(text)
    assert main(["drive", "--help"]) == 0
    examples = capsys.readouterr().out.partition("\nexamples:\n")[2].splitlines()
    assert len(examples) == 7
    for example in examples:
        assert main(shlex.split(example.partition(" > ")[0])[1:]) == 0
        assert capsys.readouterr().err == ""


def test_a_drive_of_ones_own_is_named_by_its_file(said: Said, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As by `spindle replay`; the drive that a program has read from the sheet answers as the sheet does."""
    (place / "mine.py").write_text(
        "from pathlib import Path\nfrom spindle.sim.disc.sheet_file.sheet import read_sheet\n"
        "MINE = read_sheet(Path('drive.yaml')).disc\n")
    of_sheet = json.loads(said("--json"))
    assert main(["drive", "mine.py:MINE", "requests.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {**of_sheet, "sheet": "mine.py:MINE"}
    assert main(["replay", "requests.csv", "--drive", "mine.py:MINE"]) == 0


def test_a_sheet_may_have_any_name(said: Said, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "sheet.txt").write_text(SHEET)
    for words in (["drive", "sheet.txt", "requests.csv"], ["replay", "requests.csv", "--drive", "sheet.txt"]):
        assert main(words) == 0
        assert "Small Drive" in capsys.readouterr().out


# Mistakes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "says"), [
    (["--scheduler", "sptf"], "--scheduler is for an open loop, where there is a queue; --open makes one"),
    (["--open", "--scheduler", "elevator"], "unknown scheduler 'elevator': did you mean look?"),
    (["--open"], "requests.csv: there is no column arrival_s for an open loop; there is gap_before_ms for"),
    (["--plot", "x.gif"], "--plot must name a file that ends in .png, .pdf, .svg, not 'x.gif'"),
    (["--plot", ""], "--plot must have a value, not ''"),
    (["--out", "."], "--out must name a file, not '.'"),
    (["--out", "requests.csv"], "--out would overwrite requests.csv, which is to be read"),
    (["--out", "./drive.yaml"], "--out would overwrite drive.yaml, which is to be read"),
    (["--out", "disksim_predicted.csv"], "--out would overwrite disksim_predicted.csv, which is to be read"),
    (["--out", "x.csv", "--plot", "./x.csv"], "--plot would overwrite x.csv, which is --out"),
    (["--out", "drive.yaml/x.csv"], "--out: cannot make the folder drive.yaml: it is a file"),
    (["--oepn"], "unknown option '--oepn': did you mean --open or --json or --help?"),
    (["more.csv"], "drive: one word too many: 'more.csv'"),
])  # fmt: skip
def test_options_that_cannot_be_are_refused(refused: Said, options: list[str], says: str) -> None:
    assert says in refused(*options)


def test_files_that_are_not_there_are_named(refused: Said) -> None:
    assert refused(sheet="none.yaml") == "none.yaml: there is no such file"
    assert refused(sheet=".") == ".: it is a folder"
    assert refused(sheet="hp7934") == "unknown drive 'hp7934': did you mean hp7945 or hp7935 or hp7933?"
    assert refused(sheet="none.py:NONE") == "cannot read none.py: No such file or directory"
    assert refused(requests="none.csv") == "none.csv: there is no such file"
    assert refused(requests=".") == ".: it is a folder"


@pytest.mark.parametrize(("old", "new", "says"), [
    ("rpm: 6000\n", "", "drive.yaml: there is no rpm"),
    ("rpm: 6000", "rpm: 0", "drive.yaml.rpm: must be a number from 1 to 1e+06, not 0"),
    ("heads: 2", "heads: two", "drive.yaml.heads: must be a whole number from 1 to 1000, not 'two'"),
    ("name:", "bus: {kind: SCSI}\nname:", "unknown kind of bus in the sheet 'SCSI': there are HP-IB"),
    (SHEET, BUFFERED.replace("bus: {", "bus: {kind: HP-IB, "), "Small Drive has a buffer, and is to share a bus, HP"),
])  # fmt: skip
def test_sheets_that_cannot_be_are_refused(refused: Said, place: Path, old: str, new: str, says: str) -> None:
    assert old in SHEET
    (place / "drive.yaml").write_text(SHEET.replace(old, new))
    assert says in refused()


LATE = CLOSED + "0,0,1,R,5\n" * 3000


@pytest.mark.parametrize("cells", ["0,4000,1,R,5", "0,0,1,R,nan", "0,-1,1,R,5", "inf,0,1,R,5", "0,0,1,R", "\x00"])
def test_a_mistake_far_down_leaves_no_half_of_a_result(refused: Said, place: Path, cells: str) -> None:
    (place / "requests.csv").write_text(LATE + cells + "\n")
    assert refused("--out", "rows.csv").startswith("requests.csv:3005:")


def test_answers_of_another_simulator_must_be_to_the_same_requests(refused: Said, place: Path) -> None:
    (place / "disksim_predicted.csv").write_text("seq,disksim_ms\n0,5\n")
    assert refused() == "disksim_predicted.csv: it ends after 1 answers, and there is none for request 1"


# Measured drives ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("drive", "most"), [
    ("HP_C2247A", {"all": 0.9, "reads": 1.4, "writes": 0.9}),
    ("HP_C3323A", {"all": 2.0, "reads": 2.2, "writes": 2.2}),
])  # fmt: skip
def test_measured_drives_are_met(
    shared: Path, capsys: pytest.CaptureFixture[str], drive: str, most: dict[str, float]
) -> None:
    folder = shared / "data/drives" / drive
    assert main(["drive", str(folder / "drive.yaml"), str(folder / "requests.csv"), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["times"]["response"]
    for name, bound in most.items():
        assert found[name]["predicted"]["demerit_share"] < 0.01 * bound


# Sheets for whole systems -------------------------------------------------------------------------

SHORT = ("--minutes=1", "--warm-up=0", "--terminals=3")


def test_a_system_takes_a_sheet_for_a_drive_and_says_so(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "large.yaml").write_text(SHEET.replace("cylinders: 100", "cylinders: 30000").replace("4000", "1200000"))
    means = {}
    for drive in ("large.yaml", "hp7925"):
        assert main(["run", "hp3000", *SHORT, "--drive", drive, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["parameters"]["drive"] == drive
        means[drive] = found["summary"]["response_mean"]
    assert means["large.yaml"] != means["hp7925"]
    grid = [f"--set={each}" for each in ("drive=large.yaml,hp7925", "minutes=1", "warm_up=0", "terminals=3")]
    assert main(["sweep", "hp3000", *grid, "--seeds=1", "--workers=1", "--json"]) == 0
    swept = json.loads(capsys.readouterr().out)["rows"]
    assert {row["drive"]: row["response_mean"] for row in swept} == pytest.approx(means, rel=1e-5)


def test_a_sheet_that_is_none_is_refused_by_a_system_too(refused: Said, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["run", "hp3000", *SHORT, "--drive", "x.yaml"], ["sweep", "hp3000", "--set", "drive=x.yaml"]):
        assert main(arguments) == 2
        assert capsys.readouterr() == ("", "spindle: x.yaml: there is no such file\n")




def test_the_template_of_a_disc_says_how_zones_and_a_buffer_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What stands behind a # from the layout on is a sheet, too, and names no file that only a checkout has."""
    assert main(["drive", "--template"]) == 0
    text = capsys.readouterr().out
    assert "tests/" not in text
    head, mark, tail = text.partition("# layout:\n")
    keys = [line.removeprefix("# ") for line in (mark + tail).splitlines() if not re.match("# (The|A) ", line)]
    one_zone = re.compile("^sectors_per_track: .*\n", re.MULTILINE)
    (tmp_path / "zoned.yaml").write_text(one_zone.sub("", head) + "\n".join(keys))
    sheet = read_sheet(tmp_path / "zoned.yaml")
    assert isinstance(sheet.disc, DiscType)
    assert (len(sheet.disc.layout.zones), sheet.disc.buffer is not None, sheet.bus) == (2, True, "SCSI-2")


def test_a_warning_on_a_drive_file_that_is_read_twice_is_printed_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "small.yaml").write_text(f"{SHEET}colour: red\n")
    assert main(["load", "--drive", str(tmp_path / "small.yaml"), "--size=512", "--requests=2"]) == 0
    assert capsys.readouterr().err.count("it has no effect: colour") == 1


def test_a_bad_line_of_a_list_names_no_option_that_the_command_has_not(
    place: Path, said: Said, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "part.csv").write_text("op,lba,sectors,gap_before_ms,measured_ms\nR,0,8,0,20\nR,8,8,0,\n")
    assert main(["drive", "drive.yaml", "part.csv"]) == 2
    assert capsys.readouterr().err == (
        "spindle: part.csv:3:9: measured_ms must be a number that is not negative, not ''\n")
    (place / "one.csv").write_text("op,lba,sectors\nR,0,8\n")
    assert "1 request of one.csv, closed loop" in said(requests="one.csv")
