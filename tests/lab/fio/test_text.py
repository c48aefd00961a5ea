"""What fio prints for people: the same points as its JSON has, in files and folders, and mistakes in one line."""

from pathlib import Path

import pytest

from spindle.lab.fio.points import is_fio, read_points
from spindle.lab.fio.text import _size, is_fio_text, read_fio_text
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE

TEXT = """\
reads: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth={depth}
...
fio-3.35
Starting 2 processes

reads: (groupid=0, jobs=2): err= {error}: pid=4242: Mon Sep  4 10:00:00 2023
  read: IOPS=117k, BW=458MiB/s (480MB/s)(8192MiB/17895msec)
    slat (nsec): min=1200, max=90000, avg=2000.00, stdev=900.00
    clat (usec): min=60, max=9000, avg=271.50, stdev=80.00
     lat (usec): min=61, max=9001, avg=273.50, stdev=80.00
    clat percentiles (usec):
     |  1.00th=[   80],  5.00th=[  100], 10.00th=[  120], 50.00th=[  260],
     | 90.00th=[  380], 95.00th=[  420], 99.00th=[  600], 99.90th=[ 1200],
     | 99.99th=[ 4000]
   bw (  KiB/s): min=400000, max=500000, per=100.00%, avg=469000.00, stdev=9000.00, samples=70
  lat (usec)   : 100=1.00%, 250=40.00%, 500=57.00%
  cpu          : usr=10.00%, sys=40.00%, ctx=100, majf=0, minf=200
     issued rwts: total=2097152,0,0,0 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth={depth}

Run status group 0 (all jobs):
   READ: bw=458MiB/s (480MB/s), 458MiB/s-458MiB/s (480MB/s-480MB/s), io=8192MiB (8590MB), run=17895-17895msec
"""


def text(depth: int, error: int = 0) -> str:
    return TEXT.replace("{depth}", str(depth)).replace("{error}", str(error))


def test_a_run_as_fio_prints_it(tmp_path: Path) -> None:
    file = tmp_path / "run.txt"
    file.write_text(text(32))
    assert is_fio(file)
    (point,) = read_points(file).points
    assert (point.op, point.random, point.depth, point.jobs, point.size) == (READ, True, 32, 2, 4096)
    assert (point.requests, point.iops) == (2097152, pytest.approx(2097152 / 17.895))
    assert point.mean == pytest.approx(273.5e-6)
    assert point.quantiles == pytest.approx({0.50: 260e-6, 0.95: 420e-6, 0.99: 600e-6, 0.999: 1200e-6})


def test_a_folder_of_them_beside_other_texts(tmp_path: Path) -> None:
    for depth in (1, 4, 2):
        (tmp_path / f"{depth}.log").write_text(text(depth))
    (tmp_path / "notes.txt").write_text("what I did\n")
    assert [each.level for each in read_points(tmp_path).points] == [2, 4, 8]


def test_jobs_of_one_name_are_joined(tmp_path: Path) -> None:
    """Milliseconds, the older form of sizes, and writes in sequence; two jobs, that report apart."""
    alone = text(8).replace("jobs=2", "jobs=1").replace("(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B",
                                                        "128K-128K/128K-128K/128K-128K")  # fmt: skip
    alone = alone.replace("rw=randread", "rw=write").replace("total=2097152,0", "total=0,500")
    alone = alone.replace("lat (usec): min=61, max=9001, avg=273.50", "lat (msec): min=1, max=90, avg=12.50")
    group = alone[alone.index("reads: (groupid"):alone.index("\nRun status")]
    (tmp_path / "w.out").write_text(alone.replace(group, group + group.replace("avg=12.50", "avg=7.50")))
    (point,) = read_points(tmp_path / "w.out").points
    assert (point.op, point.random, point.jobs, point.size, point.requests) == (WRITE, False, 2, 128 << 10, 1000)
    assert (point.iops, point.mean) == (pytest.approx(1000 / 17.895), pytest.approx(10e-3))
    assert not point.quantiles


def test_a_group_has_no_numbers_of_the_next() -> None:
    """Of three, the last alone has percentiles."""
    last = text(8)
    head, group = last.splitlines()[0], last[last.index("reads: (groupid"):last.index("\nRun status")]
    bare = group.replace("clat percentiles", "slat percentiles")
    texts = [head.replace("reads", name) for name in "abc"]
    texts += [each.replace("reads", name) for name, each in zip("abc", (bare, bare, group), strict=True)]
    rows = {each.name: each.row for each in read_fio_text("\n".join(texts))}
    assert [(name, row["requests"], row.get("p50_ms")) for name, row in rows.items()] == [
        ("a", "2097152", None), ("b", "2097152", None), ("c", "2097152", "0.26")]  # fmt: skip


def test_runs_of_one_name_are_apart_by_their_group_and_by_their_output(tmp_path: Path) -> None:
    """Two outputs in one file, both of group 0; and one output in which stonewall made two groups."""
    file, deep = tmp_path / "run.txt", text(8).replace("g=0", "g=1").replace("groupid=0", "groupid=1")
    head, rest = text(2).split("\n", 1)
    both = "\n".join([head, deep.split("\n", 1)[0], rest, deep[deep.index("reads: (groupid"):]])
    for whole in (text(2) + text(8), both):
        file.write_text(whole)
        assert [(each.depth, each.jobs, each.requests) for each in read_points(file).points] == [
            (2, 2, 2097152), (8, 2, 2097152)]  # fmt: skip


def test_jobs_of_two_names_that_ran_at_once_are_refused(tmp_path: Path) -> None:
    head, rest = text(2).split("\n", 1)
    lines = [head, head.replace("reads", "more"), rest, rest.replace("reads", "more")]
    (tmp_path / "run.txt").write_text("\n".join(lines))
    with pytest.raises(UserError, match=r"run.txt: fio's jobs 'reads' and 'more' ran at the same time, and a point is "
                                        "of one kind of requests: stonewall before each job runs them in turn"):
        read_points(tmp_path / "run.txt")


@pytest.mark.parametrize(("printed", "size"), [
    ("(R) 4096B-4096B, (W) 512B-512B", "4096"), ("128KiB-128KiB", "128k"), ("4K-4K/8K-8K", "4k"), ("512-512", "512"),
])  # fmt: skip
def test_sizes_as_fio_prints_them(printed: str, size: str) -> None:
    assert _size(printed) == size


@pytest.mark.parametrize(("made", "said"), [
    (text(4, 5), "ended with error '5'"), (text(4).replace("issued rwts", "other"), "requests must be a number"),
    (text(4).replace("avg=273.50", "avg=oops"), "run.txt: job 1, 'reads': latency_mean_ms must be"),
    (text(4).replace("rw=randread", "rw=randrw"), "no reads"),
])  # fmt: skip
def test_what_fio_did_not_print(tmp_path: Path, made: str, said: str) -> None:
    (tmp_path / "run.txt").write_text(made)
    with pytest.raises(UserError, match=said):
        read_points(tmp_path / "run.txt")


def test_other_texts_are_told_apart() -> None:
    assert is_fio_text(text(1))
    assert not is_fio_text("reads: (groupid=0, jobs=2): err= 0\n")
