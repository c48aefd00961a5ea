"""Drives, loaders and page caches held to made-up data: which points there are, and what each is compared with."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.lab.fio import fit as fits
from spindle.lab.fio.fit import FioHost
from spindle.lab.fio.judged import JudgedPoint
from spindle.lab.fio.load import LoadAnswer
from spindle.lab.fio.points import FioPoint, FioPoints
from spindle.lab.verify import pagecache
from spindle.lab.verify.drives import QUANTITIES_OF_DRIVES, predict_drives
from spindle.lab.verify.kinds import LAYER_KINDS
from spindle.lab.verify.loader import StepWaits, predict_loaders
from spindle.lab.verify.pagecache import QUANTITIES_OF_PIPELINES, predict_pipelines
from spindle.lab.verify.point import EvidencePoint
from spindle.lab.verify.serving import predict_serving
from spindle.models.unix_stdio.pipelines.host import PipelineHost
from spindle.models.unix_stdio.pipelines.run import PipelineTask, TaskTimes, chain
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.sim.request import READ


def test_each_kind_has_its_prediction() -> None:
    assert {name: kind.predict for name, kind in LAYER_KINDS.items()} == {
        "fio": predict_drives, "loader": predict_loaders, "pagecache": predict_pipelines, "serving": predict_serving}


# Drives.

TABLE = "rw,iodepth,numjobs,bs,requests,iops,latency_mean_ms\nrandread,1,1,4096,1000,100,1\n"


def judged(level: int, fitted: bool, **quantiles: float) -> JudgedPoint:
    shares = {float(name.replace("p", "0.")): seconds for name, seconds in quantiles.items()}
    point = FioPoint(READ, level, 1, 4096, 1000, 100.0 * level, 1.0, shares)
    return JudgedPoint(point, LoadAnswer(7.0, 1.0, {0.50: 1.0, 0.95: 2.0, 0.99: 3.0, 0.999: 4.0}), fitted)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """How a fit was asked for; it answers with three points."""
    (tmp_path / "one.csv").write_text(TABLE)
    calls: list[tuple[Any, ...]] = []

    def fit(points: FioPoints, capacity: int | None, raid: object, host: FioHost | None) -> Any:
        calls.append((points.name, capacity, raid, host))
        return SimpleNamespace(judged=[judged(1, True, p50=1.0), judged(2, False, p50=9.0, p999=5.0, p95=0.0),
                                       judged(4, False)],
                               simulated=[judged(1, True), judged(8, False, p50=3.0)])  # fmt: skip

    monkeypatch.setattr(fits, "fio_fit", fit)
    return calls


def test_points_that_are_held_out_have_throughput_and_the_percentiles_that_were_measured(
    tmp_path: Path, asked: list[tuple[Any, ...]]
) -> None:
    found = list(predict_drives(tmp_path, "one.csv", {}))
    two, four, eight = (f"one.csv, randread 4 KiB, {level} under way" for level in (2, 4, 8))
    assert found == [
        EvidencePoint(two, "throughput", 7.0, 200.0), EvidencePoint(two, "p50", 1.0, 9.0),
        EvidencePoint(two, "p99.9", 4.0, 5.0), EvidencePoint(four, "throughput", 7.0, 400.0),
        EvidencePoint(eight, "throughput, simulated", 7.0, 800.0), EvidencePoint(eight, "p50, simulated", 1.0, 3.0)]
    assert asked == [("one", None, None, None)]
    named = ("throughput", "p50", "p95", "p99", "p99.9")
    assert (*named, *(f"{name}, simulated" for name in named)) == QUANTITIES_OF_DRIVES


def test_settings_may_say_the_host_of_a_case(tmp_path: Path, asked: list[tuple[Any, ...]]) -> None:
    list(predict_drives(tmp_path, "one.csv", {"one.csv": {"host": "nvme"}, "two.csv": {"host": "sata"}}))
    assert asked[-1][3] is FioHost.NVME
    with pytest.raises(UserError, match="unknown host 'nvm': did you mean nvme"):
        list(predict_drives(tmp_path, "one.csv", {"one.csv": {"host": "nvm"}}))
    with pytest.raises(UserError, match=r"there is no two\.csv"):
        list(predict_drives(tmp_path, "two.csv", {}))


# Loaders.

LOADS = "model,accelerator,batch,compute_s_per_batch,au_floor_percent\nnet,b200,4,0.5,50\nnet,h100,8,0.25,90\n"
HEAD = "system,model,accelerator,accelerators,samples_per_s,au_percent\n"
WAITS = {"net": {"base": 0.25, "growth": 0.5, "counted": 0.5, "margin": 2.0}}


def loaders(tmp_path: Path, rows: str, case: str = "host") -> list[EvidencePoint]:
    (tmp_path / "workloads.csv").write_text(LOADS)
    (tmp_path / "points.csv").write_text(HEAD + rows)
    return list(predict_loaders(tmp_path, case, WAITS))


def test_waits_grow_with_the_harmonic_number_and_never_below_the_floor() -> None:
    waits = StepWaits(base=0.25, growth=0.5, margin=2.0)
    assert waits.use(1, 0.0) == pytest.approx(100 / 1.75)
    assert waits.use(3, 0.0) == pytest.approx(100 / (1.25 + 0.5 * (1 + 1 / 2 + 1 / 3)))
    assert waits.use(3, 70.0) == 72.0
    usual = StepWaits()
    assert (usual.base, usual.growth, usual.counted, usual.margin) == (0.0, 0.02, 1.0, 0.5)


def test_samples_and_use_of_a_count(tmp_path: Path) -> None:
    """Three accelerators of 8 samples in 0.25 s: 96 a second at most, of which 92 % are used, and half counts."""
    found = loaders(tmp_path, "host,net,h100,3,40,93\nother,net,h100,3,1,1\n")
    assert found == [EvidencePoint("host, net, 3 h100", "samples a second", pytest.approx(96 * 0.92 * 0.5), 40.0),
                     EvidencePoint("host, net, 3 h100", "use", 92.0, 93.0, 100.0)]  # fmt: skip


@pytest.mark.parametrize(("use", "points"), [("55", 2), ("55.1", 4), ("49", 2), ("", 2)])
def test_a_use_of_five_points_above_the_floor_is_told_apart(tmp_path: Path, use: str, points: int) -> None:
    found = loaders(tmp_path, f"host,net,b200,2,10,{use}\n")
    assert [point.quantity for point in found] == ["samples a second", "use", "samples a second above the floor",
                                                   "use above the floor"][:points]  # fmt: skip
    assert found[-2].predicted == found[0].predicted
    assert found[-1].measured == (float(use) if use else None)


def test_a_system_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="unknown system 'x': there are host, other"):
        loaders(tmp_path, "host,net,h100,3,40,93\nother,net,h100,3,1,1\n", "x")


# Page caches.

HOST = """group,name,value,unit,source
measured,disc_read,100,MB/s,
measured,nfs_disc_read,50,MB/s,
measured,nfs_disc_write,25,MB/s,
measured,network,500,MB/s,
other,disc_read,1,MB/s,
task,compute_2gb,2,s,
task,compute_3gb,4,s,
nighres,step_1,"in 100 MB, out 40 MB, compute 1 s",,
nighres,step_2,"in 20.5 MB, out 10 MB, compute 1.5 s",,
nighres,step_3,"in 10 MB, out 11 MB, compute 3 s",,
nighres,step_4,"in 40 MB, out 12 MB, compute 4 s",,
"""
RUNS = """experiment,file_gb,concurrent,repeat,app,task,phase,start_s,end_s,seconds
single,2,1,1,1,1,read,0,10,10
single,2,1,2,1,1,read,0,10,20
single,9,1,1,1,1,read,0,10,99
nighres,1,1,1,1,2,write,0,10,7
nfs,3,2,1,1,1,read,0,1,1
nfs,3,2,1,2,1,read,0,3,3
nfs,3,2,2,1,1,read,0,3,5
nfs,3,2,1,1,1,write,0,2,2
nfs,3,2,1,1,1,compute,0,2,6
nfs,3,5,1,1,1,read,0,2,77
local,3,2,1,1,1,read,0,2,88
"""
Call = tuple[Any, ...]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "host.csv").write_text(HOST)
    (tmp_path / "some_runs.csv").write_text(RUNS)
    return tmp_path


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """How pipelines were run; each of two programs has two tasks."""
    made: list[Call] = []

    def run(tasks: list[PipelineTask], host: PipelineHost, *more: Any) -> list[list[TaskTimes]]:
        made.append((tasks, host, *more))
        return [[TaskTimes(1.0, 2.0, 3.0), TaskTimes(10.0, 20.0, 30.0)], [TaskTimes(3.0, 4.0, 5.0)] * 2]

    monkeypatch.setattr(pagecache, "run_pipelines", run)
    return made


STATED = change(PipelineHost(), alone_read=100e6, server_read=50e6, server_write=25e6, network=500e6)


def test_one_program_runs_a_chain_on_the_host_as_it_is_stated(data: Path, calls: list[Call]) -> None:
    found = list(predict_pipelines(data, "single 2", {"cached_read": 1e9}))
    assert calls == [(chain(2e9, 2.0), change(STATED, cached_read=1e9))]
    assert found == [
        EvidencePoint("single 2, read 1", "single: operation", 1.0, 15.0),
        EvidencePoint("single 2, write 1", "single: operation", 3.0, None),
        EvidencePoint("single 2, read 2", "single: operation", 10.0, None),
        EvidencePoint("single 2, write 2", "single: operation", 30.0, None)]  # fmt: skip


def test_steps_of_nighres_read_what_others_wrote(data: Path, calls: list[Call]) -> None:
    found = list(predict_pipelines(data, "nighres", {}))
    tasks = [PipelineTask("input", 100e6, 1.0, "skull", 40e6), PipelineTask("skull", 20.5e6, 1.5, "tissue", 10e6),
             PipelineTask("tissue", 10e6, 3.0, "region", 11e6), PipelineTask("skull", 40e6, 4.0, "cortex", 12e6)]
    assert calls == [(tasks, STATED)]
    assert [(point.case, point.quantity, point.measured) for point in found] == [
        ("nighres, read 1", "nighres: operation", None), ("nighres, write 1", "nighres: operation", None),
        ("nighres, read 2", "nighres: operation", None), ("nighres, write 2", "nighres: operation", 7.0)]  # fmt: skip


@pytest.mark.parametrize(("case", "mounted", "known"), [
    ("nfs 2", True, (9 / 3, 2 / 3, 17 / 3)), ("local 2", False, (88.0, None, None)), ("local 7", False, (None,) * 3),
])  # fmt: skip
def test_many_programs_are_told_as_an_average_one(
    data: Path, calls: list[Call], case: str, mounted: bool, known: tuple[float | None, ...]
) -> None:
    """Predicted over two programs, measured over those that ran: three of them read 9 s in all.

    Of what is not measured no sum is: reads alone are no makespan.
    """
    found = list(predict_pipelines(data, case, {}))
    assert calls == [(chain(3e9, 4.0), STATED, int(case[-1]), mounted)]
    name = case.partition(" ")[0]
    assert [(point.case, point.quantity, point.predicted) for point in found] == [
        (case, f"{name}: read", (11 + 6) / 2), (case, f"{name}: write", (33 + 10) / 2),
        (case, f"{name}: makespan", (66 + 24) / 2)]  # fmt: skip
    assert [point.measured for point in found] == [
        None if each is None else pytest.approx(each) for each in known]  # fmt: skip
    assert {point.quantity for point in found} <= {*QUANTITIES_OF_PIPELINES}


@pytest.mark.parametrize(("case", "says"), [
    ("double 1", "a case is single GB, local PROGRAMS, nfs PROGRAMS or nighres, not 'double 1'"),
    ("local", "a case has a number from 1 to 1000 behind its name, as single 20, not 'local'"),
    ("local 0.5", "a case has a number from 1 to 1000 behind its name, as single 20, not 'local 0.5'"),
    ("local 2.5", "a case has a number from 1 to 1000 behind its name, as single 20, not 'local 2.5'"),
    ("nfs 1001", "a case has a number from 1 to 1000 behind its name, as single 20, not 'nfs 1001'"),
    ("single 7.5", "host.csv does not say compute_7.5gb"),
])  # fmt: skip
def test_a_case_that_there_is_not(data: Path, case: str, says: str) -> None:
    with pytest.raises(UserError) as error:
        list(predict_pipelines(data, case, {}))
    assert str(error.value) == says


def test_the_most_programs_are_a_thousand(data: Path, calls: list[Call]) -> None:
    list(predict_pipelines(data, "local 1000", {}))
    list(predict_pipelines(data, "local 1", {}))
    assert [call[2] for call in calls] == [1000, 1]


@pytest.mark.parametrize("step", [1, 4])
def test_a_step_that_is_missing_is_named(data: Path, step: int) -> None:
    (data / "host.csv").write_text(HOST.replace(f"nighres,step_{step},", "nighres,other,"))
    with pytest.raises(UserError) as error:
        list(predict_pipelines(data, "nighres", {}))
    assert str(error.value) == f"host.csv does not say step_{step} as: in 295 MB, out 393 MB, compute 137 s"


def test_a_host_that_says_nothing_is_the_usual_one(data: Path, calls: list[Call]) -> None:
    (data / "host.csv").write_text("group,name,value,unit,source\ntask,compute_2gb,2,s,\n")
    list(predict_pipelines(data, "single 2", {}))
    assert calls[0][1] == PipelineHost()

