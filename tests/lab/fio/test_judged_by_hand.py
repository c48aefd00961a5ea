"""Errors and groups of fio's points by hand; and every form of number in what fio prints for people."""

from pathlib import Path

import pytest

from spindle.lab.fio.judged import ErrorSummary, JudgedPoint, groups, summary
from spindle.lab.fio.load import LoadAnswer
from spindle.lab.fio.points import FioPoint, FioPoints, is_fio, read_points
from spindle.lab.fio.text import TextGroup, is_fio_text, read_fio_text
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op

SHARES = {0.50: 1.0, 0.95: 2.0, 0.99: 3.0, 0.999: 4.0}
ANSWER = LoadAnswer(100.0, 1.0, SHARES)


def judged(level: int, fitted: bool, iops: float = 100.0, op: Op = READ, size: int = 4096, random: bool = True,
           mean: float = 1.0, answer: LoadAnswer = ANSWER, **quantiles: float) -> JudgedPoint:  # fmt: skip
    shares = {float(name.replace("p", "0.")): seconds for name, seconds in quantiles.items()}
    return JudgedPoint(FioPoint(op, level, 1, size, 1000, iops, mean, shares, random=random), answer, fitted)


# Errors.

def test_each_quantity_has_its_own_error() -> None:
    one = judged(1, True, iops=80.0, mean=2.0, p50=2.0, p95=1.0, p99=3.0, p999=16.0)
    assert [one.error(name) for name in ("throughput", "mean", "p50", "p95", "p99", "p99.9")] == pytest.approx(
        [0.25, -0.5, -0.5, 1.0, 0.0, -0.75])  # fmt: skip
    assert judged(1, True, p95=0.0).error("p95") is None
    assert judged(1, True).error("p50") is None


def test_a_summary_is_of_the_errors_that_there_are_whatever_their_sign() -> None:
    points = [judged(1, True, p50=2.0), judged(2, True, p50=0.5), judged(4, True)]
    assert summary(points, "p50") == ErrorSummary(2, 0.75, 1.0)
    assert summary(points, "p99") is None


def test_kinds_are_told_where_there_are_more_than_two() -> None:
    two = [judged(1, False), judged(2, False, op=WRITE)]
    assert [name for name, _ in groups(two)] == ["fitted", "held out", "  reads", "  writes", "  up to 32 under way",
                                                 "  beyond, in the host"]  # fmt: skip
    three = [*two, judged(33, False, size=8192), judged(3, True, random=False)]
    found = dict(groups(three))
    assert [name for name in found if name.startswith("    ")] == ["    randread 4 KiB", "    randwrite 4 KiB",
                                                                  "    randread 8 KiB"]  # fmt: skip
    assert [each.point.level for each in found["    randread 8 KiB"]] == [33]
    assert [each.point.level for each in found["fitted"]] == [3]
    assert [each.point.level for each in found["  beyond, in the host"]] == [33]


# What fio prints.

OPENED = "{name}: (g=0): rw={rw}, bs={bs}, ioengine=libaio, iodepth={depth}\n"
GROUP = """{name}: (groupid=0, jobs={jobs}): err= {error}: pid=1: Mon Sep  4 10:00:00 2023
  read: IOPS=10, BW=1KiB/s (1KB/s)(1KiB/{ran}msec)
    clat (usec): min=1, max=9, avg=5.00, stdev=1.00
     lat ({unit}sec): min=1, max=9, avg={mean}, stdev=1.00
"""
TAILS = """    clat percentiles ({unit}sec):
     |  1.00th=[   80], 50.00th=[  {p50}], 95.00th=[   20],
     | 99.00th=[   30], 99.90th=[   40], 99.99th=[ 4000]
"""
ISSUED = "     issued rwts: total={reads},{writes},0,0 short=0,0,0,0\n"


def printed(name: str = "job", rw: str = "randread", bs: str = "4096B-4096B", depth: int = 4, jobs: int = 1,
            error: int = 0, ran: int = 2000, unit: str = "u", mean: str = "5.5", tails: str = "u", p50: int = 10,
            reads: int = 100, writes: int = 0, opened: str = "") -> str:  # fmt: skip
    text = OPENED.format(name=opened or name, rw=rw, bs=bs, depth=depth)
    text += GROUP.format(name=name, jobs=jobs, error=error, ran=ran, unit=unit, mean=mean)
    return text + (TAILS.format(unit=tails, p50=p50) if tails else "") + ISSUED.format(reads=reads, writes=writes)


def row(text: str) -> dict[str, str]:
    (only,) = read_fio_text(text)
    return only.row


def test_a_row_is_that_of_a_table() -> None:
    (only,) = read_fio_text(printed())
    assert only == TextGroup("job", "0.0", "", {
        "rw": "randread", "iodepth": "4", "numjobs": "1", "bs": "4096", "requests": "100", "iops": "50.0",
        "latency_mean_ms": repr(5.5 * 1e-3), "p50_ms": repr(10 * 1e-3), "p95_ms": repr(20 * 1e-3),
        "p99_ms": repr(30 * 1e-3), "p999_ms": repr(40 * 1e-3)})  # fmt: skip


@pytest.mark.parametrize(("unit", "mean", "ms"), [
    ("n", "1500.0", 1.5e-3), ("u", "1500", 1.5), ("m", "2.5", 2.5), ("n", "12.5k", 12.5e-3), ("u", "1.5k", 1.5),
])  # fmt: skip
def test_a_mean_is_in_its_unit_and_perhaps_in_thousands(unit: str, mean: str, ms: float) -> None:
    assert float(row(printed(unit=unit, mean=mean))["latency_mean_ms"]) == pytest.approx(ms)


@pytest.mark.parametrize(("unit", "ms"), [("n", 1e-5), ("u", 1e-2), ("m", 10.0)])
def test_percentiles_are_in_their_unit(unit: str, ms: float) -> None:
    assert float(row(printed(tails=unit))["p50_ms"]) == pytest.approx(ms)


@pytest.mark.parametrize(("printed_size", "size"), [
    ("(R) 8192B-8192B, (W) 8192B-8192B", "8192"), ("4K-4K/4K-4K/4K-4K", "4k"), ("128KiB-128KiB", "128k"),
    ("1M-1M", "1m"), ("512", "512"), ("16kB", "16k"), ("none", "none"),
])  # fmt: skip
def test_sizes_have_the_forms_of_old_and_new_versions(printed_size: str, size: str) -> None:
    assert row(printed(bs=printed_size))["bs"] == size


def test_reads_and_writes_of_a_job_count_together() -> None:
    found = row(printed(reads=100, writes=50))
    assert (found["requests"], found["iops"]) == ("150", "75.0")


def test_what_is_not_there_is_nought() -> None:
    for text in (printed(ran=0), printed().replace("IOPS=", "")):
        assert row(text)["iops"] == "0.0"
    assert row(printed().replace("issued rwts", "other"))["requests"] == "0"
    assert row(printed().replace("issued rwts", "issued rwt"))["requests"] == "100"
    assert row(printed().replace(" lat (u", " other (u"))["latency_mean_ms"] == "0.0"
    assert "p50_ms" not in row(printed(tails=""))


def test_jobs_of_one_name_are_weighed_by_their_requests_and_have_no_percentiles() -> None:
    """100 of 5.5 and 300 of 7.5 microseconds; 50 and 150 a second."""
    text = printed() + printed(reads=300, mean="7.5").partition("\n")[2]
    found = row(text)
    assert (found["requests"], found["iops"], found["numjobs"]) == ("400", "200.0", "2")
    assert float(found["latency_mean_ms"]) == pytest.approx(7.0e-3)
    assert "p50_ms" not in found


def test_a_group_says_how_many_jobs_it_reports() -> None:
    assert row(printed(jobs=8))["numjobs"] == "8"
    assert row(printed(reads=0, jobs=3))["latency_mean_ms"] == "0.0"


def test_a_job_that_was_numbered_has_the_head_of_its_name() -> None:
    (only,) = read_fio_text(printed("job-2", opened="job"))
    assert (only.name, only.row["rw"]) == ("job-2", "randread")
    assert list(read_fio_text(printed("other", opened="job"))) == []
    *_, two = read_fio_text(printed("job", rw="randwrite") + printed("job-2", rw="read"))
    assert (two.name, two.row["rw"]) == ("job-2", "read")


def test_groups_are_apart_and_an_error_stays_with_its_own() -> None:
    text = printed("one", mean="1.0") + printed("two", error=5) + printed("three", mean="3.0", rw="write", writes=7)
    found = list(read_fio_text(text))
    assert [(group.name, group.error, group.row.get("latency_mean_ms")) for group in found] == [
        ("one", "", repr(1e-3)), ("two", "5", None), ("three", "", repr(3.0 * 1e-3))]  # fmt: skip
    assert found[1].row == {}


def test_text_is_known_by_its_first_lines() -> None:
    assert is_fio_text("fio-3.1\n" + printed())
    assert not is_fio_text(" " * 5000 + "\n" + printed())
    assert not is_fio_text(printed().partition("\n")[2])


def test_a_file_of_text_may_have_any_name_and_those_of_a_folder_some(tmp_path: Path) -> None:
    for name in ("a.txt", "b.out", "c.LOG", "d.fio", "e.dat"):
        (tmp_path / name).write_text(printed(depth=ord(name[0])))
    assert [each.depth for each in read_points(tmp_path).points] == [97, 98, 99, 100]
    assert is_fio(tmp_path / "e.dat")
    (only,) = read_points(tmp_path / "e.dat").points
    assert (only.depth, only.requests, only.iops, only.mean) == (101, 100, 50.0, pytest.approx(5.5e-6))


def test_an_error_names_its_job(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(printed("one") + printed("two", error=5))
    with pytest.raises(UserError) as error:
        read_points(file)
    assert str(error.value) == f"{file}: job 2, 'two': it ended with error '5'"


# Points.

def point(level: int, op: Op = READ, size: int = 4096, random: bool = True, span: int = 0) -> FioPoint:
    return FioPoint(op, level, 1, size, 1000, 1.0, 1.0, {}, span, random)


def test_a_point_has_a_level_a_kind_and_names() -> None:
    one = FioPoint(WRITE, 4, 3, 6144, 1, 1.0, 1.0, {}, random=False)
    assert (one.level, one.kind, one.pattern, one.name) == (12, (True, True, 6144), "write 6 KiB", "write 4 x 3")
    assert (point(1).kind, point(1).pattern, point(1).name) == ((False, False, 4096), "randread 4 KiB", "read 1 x 1")


def test_a_fit_sees_every_other_level_of_each_kind_from_the_lowest_on() -> None:
    some = [*(point(level) for level in (8, 1, 2, 4, 16)), *(point(level, WRITE) for level in (3, 5, 7))]
    points = FioPoints("x", some)
    assert [(each.op, each.level) for each in points.fitted_points()] == [
        (READ, 1), (READ, 4), (READ, 16), (WRITE, 3), (WRITE, 7)]  # fmt: skip
    assert {kind: len(each) for kind, each in points.kinds().items()} == {
        (False, False, 4096): 5, (True, False, 4096): 3}  # fmt: skip
    assert points.points_of(WRITE) == some[5:]


def test_the_span_is_the_largest_and_random_ones_are_taken_out() -> None:
    some = [*(point(level, span=level) for level in (1, 2, 4)), point(1, random=False, span=99)]
    points = FioPoints("x", some)
    assert points.span == 99
    assert points.random_ones() == FioPoints("x", some[:3])
    with pytest.raises(UserError, match="reads are at 1 depths; a fit takes 3 at least, for half are held out"):
        points.deep_ones()
    with pytest.raises(UserError, match="there are no random reads or writes of fio's in it"):
        FioPoints("x", some[3:]).random_ones()
