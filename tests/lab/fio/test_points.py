"""fio's points: a table or its own JSON, which of them a fit may see, and mistakes in one line."""

import json
from dataclasses import astuple, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli.drive_fit import _not_fitted
from spindle.cli.main import main
from spindle.lab.fio import nvme
from spindle.lab.fio import points as fio_points
from spindle.lab.fio.fit import FioHost, fio_fit
from spindle.lab.fio.points import FioPoint, FioPoints, is_fio, read_points
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
    others = [row("read", 1, 1), row("trim", 1, 1), row("rw", 1, 1), row("rw", 2, 1)]
    points = read_points(table(tmp_path, *(row("randread", depth, 2) for depth in (1, 2, 4)), *others))
    assert points.passed_over == {"trim": 1, "rw": 2}
    assert (points.name, points.points[0].size, points.span) == ("drive", 4096, 100 << 30)
    assert [(each.op, each.level, each.mean) for each in points.points[:3]] == [(READ, 2, 1e-3), (READ, 4, 1e-3),
                                                                                 (READ, 8, 1e-3)]  # fmt: skip
    assert [(each.random, each.level) for each in points.points[3:]] == [(False, 1)]
    assert points.points[0].quantiles == {0.5: 1e-4, 0.95: 2e-4, 0.99: pytest.approx(3e-4)}


def test_more_requests_under_way_than_fio_had_are_refused(tmp_path: Path) -> None:
    """8 x 2 at 16,000 a second take 1 ms each; microseconds are a thousand times as many under way."""
    one, deep = row("randread", 1, 1), row("randread", 8, 2)
    read_points(table(tmp_path, one, deep.replace(",1.0,", ",1.1,"))).check_under_way()
    for mean, said in (("1.101", "17.6"), ("1000", "1.6e+04")):
        points = read_points(table(tmp_path, one, deep.replace(",1.0,", f",{mean},")))
        with pytest.raises(UserError) as error:
            points.check_under_way()
        assert str(error.value) == (f"randread 4 KiB 8 x 2: 16000 a second of {mean} ms each are {said} under way, "
                                    "and iodepth x numjobs is 16: has a number another unit?")  # fmt: skip


def test_a_fit_takes_no_points_that_cannot_be(tmp_path: Path, capsys: Said) -> None:
    path = table(tmp_path, *(row("randread", depth, 1).replace(",1.0,", ",1000,") for depth in (1, 2, 4)))
    assert main(["drive", "fit", str(path)]) == 2
    assert f"{path}: randread 4 KiB 1 x 1: 1000 a second of 1000 ms each are 1e+03" in capsys.readouterr().err


def test_a_folder_of_json(tmp_path: Path) -> None:
    points = read_points(folder(tmp_path, *(job(depth) for depth in (4, 1, 2)), job(1, "randrw")))
    assert [each.level for each in points.points] == [1, 2, 4]
    assert points.passed_over == {"randrw": 1}
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
        fio_fit(read_points(table(tmp_path, *rows)), None, None, FioHost.SATA)


@pytest.mark.parametrize(("jobs", "said"), [
    ([], "no .json in this folder"), ([job(1, error=5)], "ended with error '5'"), ([job(1), job(2)], "at 2 depths"),
    ([{**job(1), "read": {}}], "total_ios must be"), ([{**job(1), "read": 3}], "no read in it"),
    ([{**job(1), "job options": 7}], "must be an object"),
    ([job(1), job(2), {**job(4), "job options": {"rw": "randread", "bs": "64k"}}], "one size"),
])  # fmt: skip
def test_what_is_no_folder_of_json(tmp_path: Path, jobs: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(UserError, match=said):
        fio_fit(read_points(folder(tmp_path, *jobs)), None, None, FioHost.SATA)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"jobs": 3}', '{"jobs": [3]}', "{" * 5000, '{"a":' * 100_000])
def test_what_is_no_json(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.json").write_text(text)
    assert refusal(tmp_path).startswith(str(tmp_path / "one.json"))


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
    monkeypatch.setattr(nvme, "TRIED_INSIDE", (32,))
    rows = [row("randwrite", depth, 1) for depth in (1, 2, 4)]
    assert main(["drive", "fit", str(table(tmp_path, *rows)), "--out", str(tmp_path / "sheet.yaml")]) == 0
    assert "randwrite_4k.host_cpu_us" in capsys.readouterr().out
    assert read_sheet(tmp_path / "sheet.yaml").disc.capacity > 1 << 30
    slow = [each.replace(",1000,", ",100,").replace(",2000,", ",200,").replace(",4000,", ",400,") for each in rows]
    assert main(["drive", "fit", str(table(tmp_path, *slow))]) == 2
    assert "no random reads" in capsys.readouterr().err


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        read_points(path)
    return str(caught.value)


def test_what_a_row_says(tmp_path: Path) -> None:
    line = "randwrite,write,{},4,16M,{},60,20,0.5,200.0,150,300,0.1\n"
    path = table(tmp_path, *(line.format(depth, "2TiB" if depth == 2 else "50%") for depth in (16384, 2, 4)))
    two, four, most = read_points(path).points
    shares = {0.5: 0.15, 0.95: 0.3, 0.99: 1e-4}
    assert astuple(two) == (WRITE, 2, 4, 16 << 20, 20, 0.5, 0.2, pytest.approx(shares), 2 << 40, True)
    assert (four.span, most.depth) == (0, 16384)


def test_requests_of_one_byte(tmp_path: Path) -> None:
    assert read_points(table(tmp_path, *(row("randread", depth, 1, "1") for depth in (1, 2, 4)))).points[0].size == 1


def test_reads_come_before_writes(tmp_path: Path) -> None:
    rows = [row(rw, depth, 1) for depth in (4, 1, 2) for rw in ("randwrite", "randread")]
    assert [(each.op, each.depth) for each in read_points(table(tmp_path, *rows)).points] == [
        *((READ, depth) for depth in (1, 2, 4)), *((WRITE, depth) for depth in (1, 2, 4))]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "said"), [
    ("randread,read,1,", "randread,read,1.5,", "iodepth must be a whole number, not '1.5'"),
    (",1,1,4k", ",1,0,4k", "numjobs must be a number from 1 to 16384, not '0'"),
    (",1,1,4k", ",16385,1,4k", "iodepth must be a number from 1 to 16384, not '16385'"),
    ("4k", "4x", "bs must be bytes such as 4k, at most 16777216, not '4x'"),
    ("4k", "0", "bs must be bytes such as 4k, at most 16777216, not '0'"),
    ("4k", "16777217", "bs must be bytes such as 4k, at most 16777216, not '16777217'"),
    ("100G", "2000000T", "size must be bytes such as 4k, at most 1152921504606846976, not '2000000T'"),
    ("100G", "1048577T", "size must be bytes such as 4k, at most 1152921504606846976, not '1048577T'"),
    ("6000,1000", "19,1000", "requests must be a number from 20 to 1e+15, not '19'"),
    ("6000,1000", "6000,0", "iops must be a number from 0.001 to 1e+09, not '0'"),
    ("6000,1000", "6000,1000000000.5", "iops must be a number from 0.001 to 1e+09, not '1000000000.5'"),
    ("6000,1000", "6000,many", "iops must be a number from 0.001 to 1e+09, not 'many'"),
    ("1000,1.0", "1000,2e8", "latency_mean_ms must be a number from 1e-06 to 1e+08, not '2e8'"),
    ("0.2,0.3", "-1,0.3", "p95_ms must be a number from 0 to 1e+08, not '-1'"),
])  # fmt: skip
def test_each_number_of_a_row_is_named_with_its_line(tmp_path: Path, before: str, after: str, said: str) -> None:
    path = table(tmp_path, THREE[0], THREE[0].replace(before, after))
    assert refusal(path) == f"{path}: line 3: {said}"


def test_the_most_bytes_points_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path, *THREE)
    one, several = tmp_path / "one", tmp_path / "more"
    one.mkdir()
    several.mkdir()
    folder(one, *map(job, (1, 2, 4)))
    largest = max(each.stat().st_size for each in one.rglob("*.json"))
    for name, most in (("MAX_POINTS", 3), ("MAX_FILES", 3), ("MAX_BYTES", path.stat().st_size)):
        with monkeypatch.context() as less:
            less.setattr(fio_points, name, most)
            read_points(path)
            if most == 3:
                read_points(one)
            less.setattr(fio_points, name, most - 1)
            assert str(most - 1) in refusal(one if name == "MAX_FILES" else path)
    monkeypatch.setattr(fio_points, "MAX_BYTES", largest)
    read_points(one)
    monkeypatch.setattr(fio_points, "MAX_BYTES", largest - 1)
    assert f"at most {largest - 1} bytes" in refusal(one)


def test_sizes_and_kinds_that_do_not_agree(tmp_path: Path) -> None:
    path = table(tmp_path, *(row("randread", 1, 1, bs) for bs in ("16k", "8k", "4kb")))
    with pytest.raises(UserError) as sizes:
        fio_fit(read_points(path), None, None, FioHost.SATA)
    assert str(sizes.value) == "runs are of requests of 4 KiB and 8 KiB; a fit behind SATA takes those of one size"
    path = table(tmp_path, *THREE, *(row("randwrite", depth, 1) for depth in (1, 2)))
    with pytest.raises(UserError) as depths:
        fio_fit(read_points(path), None, None, FioHost.SATA)
    assert str(depths.value) == "writes are at 2 depths; a fit takes 3 at least, for half are held out"


def test_names_of_files_and_folders(tmp_path: Path) -> None:
    assert is_fio(Path("NONE.JSON"))
    other = tmp_path / "x"
    for text, told in ((b"numjobs,iodepth\n", True), (b"numjobs,iodepth\n1,2\n3,4\n", True),
                       (b"op,lba\n1,iodepth,numjobs,2\n", False), (b"\xff\xfe,iodepth,numjobs\n", False),
                       (b"x" * 5000 + b",iodepth,numjobs\n", False)):  # fmt: skip
        other.write_bytes(text)
        assert is_fio(other) is told
    named = tmp_path / "drive.csv"
    named.mkdir()
    assert len(read_points(folder(named, *map(job, (1, 2, 4)))).points) == 3


def written(place: Path, **content: Any) -> Path:
    path = place / "fio.json"
    path.write_text(json.dumps(content))
    return path


def test_options_of_all_jobs_and_usual_ones(tmp_path: Path) -> None:
    """Of one file: a job without options of its own has fio's, 1 under way and 4k; each name is a point."""
    jobs = [{**job(1), "jobname": "none"}, {**job(2), "jobname": "two"}, {**job(4, jobs=3), "jobname": "three"}]
    del jobs[0]["job options"], jobs[1]["job options"]["bs"], jobs[2]["job options"]["rw"]
    usual = {"rw": "randread", "size": "3g"}
    points = read_points(written(tmp_path, **{"global options": usual}, jobs=jobs)).points
    assert [(each.depth, each.jobs, each.size, each.requests, each.span) for each in points] == [
        (1, 1, 4096, 6000, 3 << 30), (2, 1, 4096, 6000, 3 << 30), (4, 3, 4096, 6000, 3 << 30)]  # fmt: skip


def test_jobs_of_json_are_apart_by_their_group(tmp_path: Path) -> None:
    """The second of one name ran behind a stonewall; and of one group there may be one name alone."""
    jobs = [{**job(depth), "groupid": group} for group, depth in enumerate((1, 4))]
    points = read_points(written(tmp_path, jobs=[*jobs, jobs[1]])).points
    assert [(each.depth, each.jobs, each.requests) for each in points] == [(1, 1, 6000), (4, 2, 12000)]
    path = written(tmp_path, jobs=[jobs[0], {**jobs[0], "jobname": "two"}])
    assert refusal(path).startswith(f"{path}: fio's jobs 'one' and 'two' ran at the same time")
    path = written(tmp_path, jobs=[jobs[0], {**jobs[1], "groupid": 0}])
    assert refusal(path).startswith(f"{path}: fio's jobs called 'one' ran at the same time, with other options each")


def test_a_job_without_a_pattern_reads_in_sequence(tmp_path: Path) -> None:
    """As fio's manual has it of rw."""
    (point,) = read_points(written(tmp_path, jobs=[{**job(1, "read"), "job options": {}}])).points
    assert (point.op, point.random) == (READ, False)


def test_jobs_of_one_name_are_weighed_by_their_requests(tmp_path: Path) -> None:
    """5 of 1 ms and 15 of 2 ms, and one job that did none: 1.75 ms."""
    jobs = []
    for depth in (1, 2, 4):
        for count, mean in ((5, 1e6), (15, 2e6), (0, 0.0)):
            one = {**job(depth), "jobname": str(depth)}
            one["read"] = {"total_ios": count, "iops": float(count), "lat_ns": {"mean": mean}}
            jobs.append(one)
    points = read_points(written(tmp_path, jobs=jobs)).points
    assert [(each.level, each.requests, each.iops, each.mean) for each in points] == [
        (3 * depth, 20, 20.0, pytest.approx(1.75e-3)) for depth in (1, 2, 4)]  # fmt: skip


@pytest.mark.parametrize("percentiles", [{}, {"clat_ns": {}}, {"clat_ns": 3}, {"clat_ns": {"percentile": []}},
                                         {"clat_ns": {"percentile": {"x": 1, "50": 0.5}}}])  # fmt: skip
def test_percentiles_of_json_may_be_absent(tmp_path: Path, percentiles: dict[str, Any]) -> None:
    jobs = [{**job(depth), "jobname": str(depth)} for depth in (1, 2, 4)]
    for each in jobs:
        del each["read"]["clat_ns"]
        each["read"] |= percentiles
    half = {0.5: 0.5e-9} if "50" in str(percentiles) else {}
    assert all(each.quantiles == half for each in read_points(written(tmp_path, jobs=jobs)).points)


@pytest.mark.parametrize(("options", "side", "said"), [
    ({"iodepth": "0"}, {}, "iodepth must be a number from 1 to 16384, not '0'"),
    ({"numjobs": True}, {}, "numjobs must be a number from 1 to 16384, not 'True'"),
    ({"bs": "x"}, {}, "bs must be bytes such as 4k, at most 16777216, not 'x'"),
    ({"size": "x"}, {}, "size must be bytes such as 4k, at most 1152921504606846976, not 'x'"),
    ({}, {"total_ios": -1}, "total_ios must be a number from 0 to 1e+15, not '-1'"),
    ({}, {"total_ios": 19}, "19 requests were done, and a mean takes 20"),
    ({}, {"iops": -1.0}, "iops must be a number from 0 to 1e+09, not '-1.0'"),
    ({}, {"iops": 1e9 + 0.5}, "iops must be a number from 0 to 1e+09, not '1000000000.5'"),
    ({}, {"lat_ns": 5}, "there is no lat_ns in it"),
    ({}, {"lat_ns": {"mean": -1}}, "lat_ns.mean must be a number from 0 to 1e+14, not '-1'"),
    ({}, {"clat_ns": {"percentile": {"95": -2}}}, "percentile 95 must be a number from 0 to 1e+14, not '-2'"),
])  # fmt: skip
def test_each_number_of_json_is_named_with_its_job(
    tmp_path: Path, options: dict[str, Any], side: dict[str, Any], said: str
) -> None:
    one = job(1)
    del one["jobname"]
    one["job options"] |= options
    one["read"] |= side
    path = written(tmp_path, jobs=[one])
    assert refusal(path) == f"{path}: job '': {said}"
    one["read"] = 3
    assert refusal(written(tmp_path, jobs=[one])) == f"{path}: job '': there is no read in it"


@pytest.mark.parametrize(("words", "said"), [
    ("--host nvme --raid 5 --drives 4", "--host nvme cannot be combined with --raid"),
    ("--host scsi", "unknown host 'scsi'"),
])  # fmt: skip
def test_a_host_that_does_not_go(tmp_path: Path, capsys: Said, words: str, said: str) -> None:
    assert main(["drive", "fit", str(table(tmp_path, *THREE)), *words.split()]) == 2
    assert said in capsys.readouterr().err


def test_kinds_at_few_depths_are_told_by_their_sizes() -> None:
    """Depths of 4 KiB are halved; of the other sizes every other one at each depth is seen."""
    deep = [replace(JUST_ONE, depth=depth) for depth in (1, 2, 4)]
    sizes = [replace(JUST_ONE, depth=depth, size=size << 10) for size in (8, 16, 32, 64) for depth in (1, 2)]
    pair = [replace(JUST_ONE, op=WRITE, depth=depth) for depth in (1, 2)]
    points = FioPoints("several", [*deep, *sizes, *pair])
    held = [each for each in points.points if each not in points.fitted_points()]
    assert held == [deep[1], *(each for each in sizes if each.size in (16 << 10, 64 << 10))]
    assert points.with_held_out() is points
    with pytest.raises(UserError, match="a fit takes 3 depths of a kind of requests, or sizes at one depth, at least"):
        FioPoints("pair", pair).with_held_out()


JUST_ONE = FioPoint(READ, 1, 1, 4096, 1000, 1e4, 1e-4, {})


def test_twins_have_as_many_under_way_by_other_processes() -> None:
    one, two, other = JUST_ONE, replace(JUST_ONE, depth=2), replace(JUST_ONE, jobs=2)
    assert not FioPoints("one", [one, two, replace(other, op=WRITE)]).has_twins()
    assert FioPoints("two", [one, two, other]).has_twins()


@pytest.mark.parametrize(("more", "named"), [
    ({"job options": {"rw": "randread", "bs": "4k", "filename": "/dev/nvme0n1"}}, True),
    ({"jobname": "NVMe1"}, True), ({"jobname": "my_nvme"}, False), ({"jobname": "one"}, False),
])  # fmt: skip
def test_a_drive_that_fio_names(tmp_path: Path, more: dict[str, Any], named: bool) -> None:
    assert read_points(folder(tmp_path, job(1, **more))).nvme == named


def test_runs_that_a_fit_has_no_use_for_are_told(tmp_path: Path) -> None:
    """Mixed ones always, those in sequence where no such point was judged."""
    points = read_points(table(tmp_path, *(row("randread", depth, 1) for depth in (1, 2, 4)), row("read", 1, 1),
                               row("randrw", 1, 1), row("randrw", 2, 1), row("rw", 1, 1)))  # fmt: skip
    by_random: Any = SimpleNamespace(judged=[SimpleNamespace(point=each) for each in points.points if each.random])
    of_all: Any = SimpleNamespace(judged=[SimpleNamespace(point=each) for each in points.points])
    mixed = "runs that are not fitted: 2 of randrw, 1 of rw; a fit takes reads or writes, at random or in sequence"
    assert [*_not_fitted(points, of_all)] == [mixed]
    assert [*_not_fitted(points, by_random)] == [
        mixed, "runs that are not fitted: 1 in sequence, which a fit behind SATA has no use for"]
