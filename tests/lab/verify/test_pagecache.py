"""The kind ``pagecache``: cases, what host.csv says, and what was measured."""

from pathlib import Path

import pytest

from spindle.lab.verify.pagecache import predict_pipelines
from spindle.sim.error import UserError

HOST = """group,name,value,unit,source
measured,disc_read,100,MB/s,
task,compute_1gb,2,s,
task,compute_3gb,4,s,
nighres,step_1,"in 100 MB, out 40 MB, compute 1 s",,
nighres,step_2,"in 20 MB, out 10 MB, compute 1 s",,
nighres,step_3,"in 10 MB, out 10 MB, compute 1 s",,
nighres,step_4,"in 40 MB, out 10 MB, compute 1 s",,
"""
RUNS = """experiment,file_gb,concurrent,repeat,app,task,phase,start_s,end_s,seconds
single,1,1,1,1,1,read,0,10,10
local,3,2,1,1,1,read,0,1,1
local,3,2,1,2,1,read,0,3,3
local,3,2,1,1,1,write,0,2,2
local,3,2,1,2,1,write,0,2,2
local,3,2,1,1,1,compute,0,2,4
local,3,2,1,2,1,compute,0,2,4
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "host.csv").write_text(HOST)
    (tmp_path / "all_runs.csv").write_text(RUNS)
    return tmp_path


def test_each_operation_of_one_program(data: Path) -> None:
    points = list(predict_pipelines(data, "single 1", {}))
    assert [point.case for point in points[:2]] == ["single 1, read 1", "single 1, write 1"]
    assert len(points) == 6
    assert (points[0].predicted, points[0].measured) == (pytest.approx(10.0), 10.0)
    assert points[1].measured is None


def test_what_a_layer_says_of_the_host_goes_before_its_file(data: Path) -> None:
    assert next(predict_pipelines(data, "single 1", {"alone_read": 5e7})).predicted == pytest.approx(20.0)


def test_means_of_many_programs(data: Path) -> None:
    read, write, makespan = predict_pipelines(data, "local 2", {})
    assert (read.quantity, write.quantity) == ("local: read", "local: write")
    assert (read.measured, write.measured, makespan.measured) == (2.0, 2.0, 8.0)
    assert makespan.predicted > read.predicted + write.predicted


def test_nighres_reads_what_it_wrote_from_memory(data: Path) -> None:
    points = list(predict_pipelines(data, "nighres", {"cached_read": 1e9}))
    assert [point.predicted for point in points if "read" in point.case] == pytest.approx([1.0, 0.02, 0.01, 0.04])


def test_a_server_of_files_is_slower_to_write_to(data: Path) -> None:
    local, mounted = (list(predict_pipelines(data, case, {}))[1].predicted for case in ("local 1", "nfs 1"))
    assert mounted > 2 * local


@pytest.mark.parametrize(
    ("case", "words"),
    [("double 1", "a case is single GB"), ("local many", "from 1 to 1000"), ("local 2000", "from 1 to 1000"),
     ("single 7", "does not say compute_7gb")],
)
def test_a_mistake_is_one_line(data: Path, case: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        list(predict_pipelines(data, case, {}))


def test_a_step_that_is_not_said(data: Path) -> None:
    (data / "host.csv").write_text(HOST.replace("out 10 MB, compute 1 s", "out 10", 1))
    with pytest.raises(UserError, match="does not say step_2"):
        list(predict_pipelines(data, "nighres", {}))
