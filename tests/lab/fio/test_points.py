"""fio's points: a table or its own JSON, which of them a fit may see, and mistakes in one line."""

import json
from pathlib import Path
from typing import Any

import pytest

from spindle.cli.main import main
from spindle.lab.fio import nvme
from spindle.lab.fio.fit import fio_fit
from spindle.lab.fio.points import FioPoints, is_fio, read_points
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE

Said = pytest.CaptureFixture[str]
HEAD = "rw,op,iodepth,numjobs,bs,size,runtime_s,requests,iops,latency_mean_ms,p50_ms,p95_ms,p99_ms\n"


def row(rw: str, depth: int, jobs: int, bs: str = "4k", quantiles: str = "0.1,0.2,0.3") -> str:
    return f"{rw},read,{depth},{jobs},{bs},100G,60,6000,{1000 * depth * jobs},1.0,{quantiles}\n"


def job(depth: int, rw: str = "randread", jobs: int = 1, **more: Any) -> dict[str, Any]:
    side = {"total_ios": 6000, "iops": 1000.0 * depth, "lat_ns": {"mean": 1e6},
            "clat_ns": {"percentile": {"50.000000": 9e5, "95.000000": 2e6, "99.900000": 3e6}}}
    return {"jobname": "one", "error": 0, "job options": {"rw": rw, "iodepth": str(depth), "bs": "4k",
            "numjobs": str(jobs)}, rw.removeprefix("rand"): side, **more}  # fmt: skip


def folder(place: Path, *jobs: dict[str, Any]) -> Path:
    for number, each in enumerate(jobs):
        (place / "deep").mkdir(exist_ok=True)
        (place / "deep" / f"{number}.json").write_text(json.dumps({"fio version": "fio-3.1", "jobs": [each]}))
    return place


def table(place: Path, *rows: str) -> Path:
    path = place / "drive.csv"
    path.write_text(HEAD + "".join(rows))
    return path


def test_a_table(tmp_path: Path) -> None:
    points = read_points(table(tmp_path, *(row("randread", depth, 2) for depth in (1, 2, 4)), row("read", 1, 1)))
    assert (points.name, points.points[0].size, points.span) == ("drive", 4096, 100 << 30)
    assert [(each.op, each.level, each.mean) for each in points.points[:3]] == [(READ, 2, 1e-3), (READ, 4, 1e-3),
                                                                                 (READ, 8, 1e-3)]  # fmt: skip
    assert [(each.random, each.level) for each in points.points[3:]] == [(False, 1)]
    assert points.points[0].quantiles == {0.5: 1e-4, 0.95: 2e-4, 0.99: pytest.approx(3e-4)}


def test_a_folder_of_json(tmp_path: Path) -> None:
    points = read_points(folder(tmp_path, *(job(depth) for depth in (4, 1, 2)), job(1, "randrw")))
    assert [each.level for each in points.points] == [1, 2, 4]
    assert points.points[0].quantiles == {0.5: pytest.approx(9e-4), 0.95: pytest.approx(2e-3),
                                          0.999: pytest.approx(3e-3)}  # fmt: skip


def test_options_under_their_other_names(tmp_path: Path) -> None:
    jobs = [{**job(depth), "job options": {"readwrite": "randread", "blocksize": "8k", "iodepth": depth}}
            for depth in (1, 2, 4)]  # fmt: skip
    points = read_points(folder(tmp_path, *jobs))
    assert [(each.size, each.level) for each in points.points] == [(8192, 1), (8192, 2), (8192, 4)]


def test_jobs_without_group_reporting_are_joined_and_have_no_percentiles(tmp_path: Path) -> None:
    answers = {"jobs": [job(1, jobs=2), job(1, jobs=2)]}
    for depth in (1, 2, 4):
        for each in answers["jobs"]:
            each["job options"]["iodepth"] = depth
        (tmp_path / f"{depth}.json").write_text("fio: warning\n" + json.dumps(answers))
    points = read_points(tmp_path)
    assert [(each.level, each.iops, dict(each.quantiles)) for each in points.points] == [
        (2, 2000.0, {}), (4, 2000.0, {}), (8, 2000.0, {})]  # fmt: skip


def test_every_other_depth_of_each_kind_is_held_out(tmp_path: Path) -> None:
    rows = [row(rw, depth, jobs) for rw in ("randread", "randwrite") for depth, jobs in
            ((1, 1), (1, 2), (2, 1), (2, 2), (4, 2), (16, 1))]  # fmt: skip
    points = read_points(table(tmp_path, *rows))
    assert isinstance(points, FioPoints)
    for op in (READ, WRITE):
        assert {each.level for each in points.fitted_points() if each.op is op} == {1, 4, 16}


def test_percentiles_may_be_absent(tmp_path: Path) -> None:
    points = read_points(table(tmp_path, *(row("randread", depth, 1, quantiles=",,") for depth in (1, 2, 4))))
    assert all(not each.quantiles for each in points.points)


def test_lists_of_requests_are_told_apart(tmp_path: Path) -> None:
    other = tmp_path / "requests.csv"
    other.write_text("gap_before_ms,op,lba,sectors,measured_ms\n")
    assert not is_fio(other)
    assert not is_fio(tmp_path / "none.csv")
    assert is_fio(tmp_path)
    assert is_fio(table(tmp_path))


THREE = [row("randread", depth, 1) for depth in (1, 2, 4)]


@pytest.mark.parametrize(("rows", "said"), [
    ([], "no reads or writes"), ([row("read", depth, 1) for depth in (1, 2, 4)], "no random reads"),
    ([*THREE, row("randread", 8, 1, "8k")], "one size"),
    (THREE[:2], "at 2 depths"), ([row("randread", 0, 1)], "iodepth must be a number from 1"),
    ([THREE[0].replace("1.0,", "nan,")], "latency_mean_ms must be"),
    ([row("randread", 1, 1, "4x")], "bs must be bytes"),
    ([THREE[0].replace("6000", "3")], "requests must be a number from 20"),
    ([THREE[0].replace("100G", "lots")], "size must be bytes"), ([row("randread", 1, 1, "99999m")], "at most"),
])  # fmt: skip
def test_what_is_no_table(tmp_path: Path, rows: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        fio_fit(read_points(table(tmp_path, *rows)), None, None)


@pytest.mark.parametrize(("jobs", "said"), [
    ([], "no .json in this folder"), ([job(1, error=5)], "ended with error '5'"), ([job(1), job(2)], "at 2 depths"),
    ([{**job(1), "read": {}}], "total_ios must be"), ([{**job(1), "read": 3}], "no read in it"),
    ([{**job(1), "job options": 7}], "must be an object"),
    ([job(1), job(2), {**job(4), "job options": {"rw": "randread", "bs": "64k"}}], "one size"),
])  # fmt: skip
def test_what_is_no_folder_of_json(tmp_path: Path, jobs: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(UserError, match=said):
        fio_fit(read_points(folder(tmp_path, *jobs)), None, None)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"jobs": 3}', '{"jobs": [3]}', "{" * 5000])
def test_what_is_no_json(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.json").write_text(text)
    with pytest.raises(UserError):
        read_points(tmp_path)


@pytest.mark.parametrize(("words", "said"), [
    ("--geometry x.yaml", "--geometry is for a list"), ("--raid 5", "needs --drives"), ("--drives 4", "--raid gives"),
    ("--chunk 4K", "--raid gives"), ("--raid 9 --drives 4", "no level"), ("--capacity big", "--capacity"),
])  # fmt: skip
def test_options_that_do_not_go_together(tmp_path: Path, capsys: Said, words: str, said: str) -> None:
    assert main(["drive", "fit", str(table(tmp_path, *THREE)), *words.split()]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_list_of_requests_has_no_array(tmp_path: Path, capsys: Said) -> None:
    other = tmp_path / "requests.csv"
    other.write_text("gap_before_ms,op,lba,sectors,measured_ms\n")
    assert main(["drive", "fit", str(other), "--raid", "5"]) == 2
    assert "--raid is for fio's answers" in capsys.readouterr().err


def test_writes_alone_are_fitted_unless_they_may_be_of_a_disc(
    tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nvme, "INSIDE", (32,))
    rows = [row("randwrite", depth, 1) for depth in (1, 2, 4)]
    assert main(["drive", "fit", str(table(tmp_path, *rows)), "--out", str(tmp_path / "sheet.yaml")]) == 0
    assert "randwrite_4k.host_cpu_us" in capsys.readouterr().out
    assert read_sheet(tmp_path / "sheet.yaml").disc.capacity > 1 << 30
    slow = [each.replace(",1000,", ",100,").replace(",2000,", ",200,").replace(",4000,", ",400,") for each in rows]
    assert main(["drive", "fit", str(table(tmp_path, *slow))]) == 2
    assert "no random reads" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "said"), [
    ("--host nvme --raid 5 --drives 4", "--host nvme cannot be combined with --raid"),
    ("--host scsi", "invalid choice"),
])  # fmt: skip
def test_a_host_that_does_not_go(tmp_path: Path, capsys: Said, words: str, said: str) -> None:
    assert main(["drive", "fit", str(table(tmp_path, *THREE)), *words.split()]) == 2
    assert said in capsys.readouterr().err
