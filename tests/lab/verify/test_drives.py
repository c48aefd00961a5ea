"""The kind ``fio``: points that the fit saw are left out, and the rest is what drive fit says."""

from pathlib import Path

import pytest

from spindle.lab.fio import fit as fio
from spindle.lab.fio import flash_reads, nvme
from spindle.lab.fio.fit import FioHost, fio_fit
from spindle.lab.fio.points import read_points
from spindle.lab.verify.drives import predict_drives
from spindle.sim.error import UserError

HEAD = "rw,iodepth,numjobs,bs,requests,iops,latency_mean_ms,p50_ms,p95_ms,p99_ms"
ROWS = "".join(f"randread,{depth},1,4096,1000,{min(10_000 * depth, 60_000)},{max(0.1, depth / 60)},0.1,0.2,0.3\n"
               for depth in (1, 2, 4, 8, 16))  # fmt: skip


@pytest.fixture(autouse=True)
def short_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches stay where they begin, and answers are of few requests."""
    monkeypatch.setattr(fio, "fit_nvme", nvme._first)
    for name in ("NVME_REQUESTS", "JUDGED_REQUESTS"):
        monkeypatch.setattr(fio, name, 500)
    for name in ("MAX_SIMULATED_KINDS", "MAX_SIMULATIONS"):
        monkeypatch.setattr(flash_reads, name, 1)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "one.csv").write_text(f"{HEAD}\n{ROWS}")
    return tmp_path


def test_points_are_those_that_a_fit_holds_out(data: Path) -> None:
    """The host is said for all, or for a case; behind NVMe the simulation stands beside what is told by neighbours."""
    found = list(predict_drives(data, "one.csv", {"host": "nvme", "two.csv": {"host": "sata"}}))
    fit = fio_fit(read_points(data / "one.csv"), None, None, FioHost.NVME)
    for how, points in (("", fit.judged), (", simulated", fit.simulated)):
        rates = [point for point in found if point.quantity == f"throughput{how}"]
        assert [(point.predicted, point.measured) for point in rates] == [
            (each.predicted.iops, each.point.iops) for each in points if not each.fitted]
        assert len(rates) == 2
    assert {point.quantity for point in found} == {f"{quantity}{how}" for how in ("", ", simulated")
                                                   for quantity in ("throughput", "p50", "p95", "p99")}  # fmt: skip


def test_behind_sata_neighbours_tell_the_throughput_and_percentiles_where_requests_wait_alike(data: Path) -> None:
    """Between 1 and 4 under way one waits for none, and p50 is simulated; between 4 and 16 all wait in the drive."""
    found = list(predict_drives(data, "one.csv", {"one.csv": {"host": "sata"}}))
    by = {(point.quantity, point.case.rpartition(", ")[2]): point.predicted for point in found}
    assert len(found) == len(by)
    for under_way, alike in (("2 under way", False), ("8 under way", True)):
        assert by["throughput", under_way] != by["throughput, simulated", under_way]
        assert by["p95", under_way] != by["p95, simulated", under_way]
        assert (by["p50", under_way] != by["p50, simulated", under_way]) is alike


def test_a_mistake_is_one_line(data: Path) -> None:
    with pytest.raises(UserError, match="there is no two"):
        list(predict_drives(data, "two.csv", {}))
    with pytest.raises(UserError, match="unknown host 'scsi'"):
        list(predict_drives(data, "one.csv", {"one.csv": {"host": "scsi"}}))
