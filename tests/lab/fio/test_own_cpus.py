"""Processes on CPUs of their own before an NVMe drive, by hand; the fit of a drive that is known."""

from dataclasses import replace
from pathlib import Path

import pytest

from spindle.lab.fio import fit as fits
from spindle.lab.fio import nvme
from spindle.lab.fio.between import between
from spindle.lab.fio.fit import FioFit, FioHost, fio_fit
from spindle.lab.fio.judged import JudgedPoint
from spindle.lab.fio.load import FioLoad, LoadAnswer
from spindle.lab.fio.nvme import NvmeKnobs, fit_nvme, nvme_answer, nvme_sheet
from spindle.lab.fio.own_cpus import _Jobs, answer_on_cpus
from spindle.lab.fio.points import FioPoint, FioPoints, read_points
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Op
from spindle.sim.units import US

SIZE = 4096
KNOWN = NvmeKnobs(cpu=3 * US, command=20 * US, rate=500_000.0, inside=256, dies=32)


def answer(knobs: NvmeKnobs, level: int, jobs: int = 1, sequential: bool = False) -> LoadAnswer:
    sheet = knobs.sheet("known", SIZE)
    load = FioLoad(READ, level, SIZE, sheet.capacity, jobs, sequential=sequential)
    return answer_on_cpus(load, sheet, 4000, knobs.cpu)


def test_one_request_takes_the_cpu_the_command_and_its_die() -> None:
    alone = 3 * US + 20 * US + 32 / 500_000
    found = answer(KNOWN, 1)
    assert found.iops == pytest.approx(1 / alone, rel=1e-3)
    assert found.quantiles[0.999] == pytest.approx(alone, rel=1e-3)


def test_a_process_is_bound_by_its_cpu_and_two_are_twice_as_fast() -> None:
    """128 of one process take 128 times its CPU, and hardly differ."""
    slow = replace(KNOWN, cpu=8 * US)
    one, two = answer(slow, 128), answer(slow, 256, 2)
    assert one.iops == pytest.approx(125_000, rel=0.01)
    assert one.quantiles[0.50] == pytest.approx(128 * 8 * US, rel=0.05)
    assert one.quantiles[0.99] < 1.1 * one.quantiles[0.50]
    assert two.iops == pytest.approx(250_000, rel=0.02)


def test_what_the_drive_has_no_room_for_waits_in_its_turn() -> None:
    """Beyond 64 inside the throughput stays, and each further request waits as long as one takes of the dies."""
    few = replace(KNOWN, inside=64)
    some, many = answer(few, 512, 8), answer(few, 1024, 8)
    assert many.iops == pytest.approx(some.iops, rel=0.02)
    later = many.quantiles[0.50] - some.quantiles[0.50]
    assert later == pytest.approx(512 / some.iops, rel=0.05)


def test_dies_in_turn_are_never_in_each_others_way() -> None:
    in_order, random = answer(KNOWN, 32, 4, True), answer(KNOWN, 32, 4)
    assert in_order.iops > 1.2 * random.iops


@pytest.mark.parametrize(("places", "sequential"), [(1, False), (1, True), (100, True)])
def test_processes_in_order_begin_anywhere_and_stay_in_their_span(places: int, sequential: bool) -> None:
    load = FioLoad(READ, 8, SIZE, places * SIZE + 1, 8, sequential=sequential)
    jobs, asked = _Jobs(load, KNOWN.sheet("known", SIZE), 3 * US), list[int]()
    serve = jobs._flash.serve
    jobs._flash.serve = lambda arm, now, op, span: asked.append(span.first // SIZE) or serve(arm, now, op, span)  # type: ignore[method-assign, assignment, misc]
    jobs.run(500)
    assert (min(asked), max(asked)) == (0, places - 1)
    assert len(set(asked[:8])) > places // 20


def test_a_queue_has_1023_tags() -> None:
    quick = replace(KNOWN, inside=4096)
    one, more = (answer(quick, level) for level in (1023, 2000))
    assert more.mean == pytest.approx(one.mean, rel=0.01)


def points_of(knobs: NvmeKnobs, op: Op, jobs: tuple[int, ...], size: int = SIZE) -> list[FioPoint]:
    points = [FioPoint(op, 128, each, size, 100_000, 1.0, 1.0, {}) for each in jobs]
    answers = [nvme_answer(knobs, each, 4000) for each in points]
    return [replace(point, iops=found.iops, mean=found.mean, quantiles=found.quantiles)
            for point, found in zip(points, answers, strict=True)]  # fmt: skip


def test_of_a_known_drive_other_depths_are_predicted(few_counts: None) -> None:
    knobs = fit_nvme(points_of(KNOWN, READ, (1, 3, 5)))
    assert knobs.cpu == pytest.approx(3 * US, rel=0.05)
    for point in points_of(KNOWN, READ, (2, 4)):
        found = nvme_answer(knobs, point, 4000)
        assert found.iops == pytest.approx(point.iops, rel=0.03)
        assert found.quantiles[0.95] == pytest.approx(point.quantiles[0.95], rel=0.15)


@pytest.fixture
def few_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the search; the known drive's counts are among them."""
    monkeypatch.setattr(nvme, "TRIED_INSIDE", (64, 256))
    monkeypatch.setattr(nvme, "TRIED_DIES", (8, 32))
    monkeypatch.setattr(nvme, "REQUESTS", 800)


def test_reads_and_writes_share_a_sheet() -> None:
    writes = NvmeKnobs(6 * US, 5 * US, 250_000.0, 128, 64)
    sheet = nvme_sheet("both", SIZE, 1 << 30, KNOWN, writes)
    assert (sheet.nand.dies, sheet.front.tags) == (32, 256)
    assert sheet.nand.dies / sheet.nand.program == pytest.approx(250_000.0)
    assert (sheet.front.command, sheet.front.write_command) == (20 * US, 5 * US)
    assert nvme_sheet("reads", SIZE, 0, KNOWN, None) == KNOWN.sheet("reads", SIZE)


def test_kinds_are_fitted_by_themselves(few_counts: None) -> None:
    reads = points_of(KNOWN, READ, (1, 2, 3))
    large = points_of(replace(KNOWN, rate=250_000.0), READ, (1, 2, 3), 2 * SIZE)
    fit = fio_fit(FioPoints("two sizes", [*reads, *large]), None, None)
    assert sum(each.fitted for each in fit.judged) == 4
    assert {each.name.partition(".")[0] for each in fit.numbers} == {"randread_4k", "randread_8k"}
    assert fit.sections["flash"]["page_bytes"] == SIZE
    assert all(abs(each.error("throughput") or 0.0) < 0.05 for each in fit.simulated)
    held = [each for each in fit.judged if not each.fitted]
    assert [each.predicted for each in held] == [between(fit_seen(fit), each.point) for each in held]
    assert [each.point for each in fit.simulated if not each.fitted] == [each.point for each in held]


def fit_seen(fit: FioFit) -> list[FioPoint]:
    return [each.point for each in fit.judged if each.fitted]


def test_sizes_at_one_depth_are_told_by_the_sizes_beside(few_counts: None) -> None:
    """What no simulation was fitted to has none."""
    (one,) = points_of(KNOWN, READ, (1,))
    points = [replace(one, size=size, iops=1e5 * SIZE / size) for size in (SIZE, 2 * SIZE, 4 * SIZE)]
    fit = fio_fit(FioPoints("sizes", points), None, None, FioHost.NVME)
    assert [each.point.size for each in fit.judged if not each.fitted] == [8192]
    assert [each.point.size for each in fit.simulated] == [4096, 16384]
    assert fit.judged[-1].predicted.iops == pytest.approx(5e4)
    with pytest.raises(UserError, match="3 depths of a kind"):
        fio_fit(FioPoints("two", points[:2]), None, None, FioHost.NVME)


def rates(*of: float, op: Op = READ, jobs: int = 1, size: int = SIZE) -> list[FioPoint]:
    """Rates at 1, 2, 4 ... under way, with a median."""
    return [FioPoint(op, 2**place, jobs, size, 1000, rate, 1e-3, {0.5: 1e-3}) for place, rate in enumerate(of)]


BOTH = [1e4, 2e4, 4e4, 6e4, 8e4, 9e4]


@pytest.mark.parametrize(("points", "is_nvme"), [
    (FioPoints("named", rates(*BOTH), nvme=True), True), (FioPoints("slow", rates(*BOTH)), False),
    (FioPoints("beyond SATA", rates(1e4, 2e5)), True), (FioPoints("writes alone", rates(*BOTH, op=WRITE)), True),
    (FioPoints("none at random", [replace(each, random=False) for each in rates(*BOTH)]), False),
    (FioPoints("two sizes", [*rates(*BOTH), *rates(1e4, size=8192)]), True),
    (FioPoints("more tags", rates(*BOTH, 11e4)), True), (FioPoints("no more tags", rates(*BOTH, 10e4)), False),
    (FioPoints("just as many as noise", rates(*[64.0] * 6, 1.15 * 64.0)), False),
    (FioPoints("more processes", [*rates(*BOTH), *rates(*BOTH, 12e4, jobs=2)]), False),
    (FioPoints("32 was not tried", [*rates(*BOTH, 12e4)[:3], rates(*BOTH, 12e4)[-1]]), False),
])  # fmt: skip
def test_the_points_tell_the_host(points: FioPoints, is_nvme: bool) -> None:
    assert fits._is_nvme(points, False) == is_nvme


def test_a_disc_is_not_behind_nvme_unless_it_is_named() -> None:
    slow = FioPoints("disc", [*rates(100.0), *rates(50.0, size=8192)])
    assert not fits._is_nvme(slow, True)
    assert fits._is_nvme(replace(slow, nvme=True), True)


@pytest.mark.parametrize("sata", [0.9, 0.5])
def test_where_nothing_tells_the_nearer_simulation_does(monkeypatch: pytest.MonkeyPatch, sata: float) -> None:
    points = FioPoints("slow", rates(*BOTH))

    def fit(kind: str, share: float) -> FioFit:
        seen = [JudgedPoint(each, LoadAnswer(share * each.iops, 1.0, {0.5: 1e-3}), True) for each in points.points]
        return FioFit("slow", kind, {}, (), (), seen, ())

    monkeypatch.setattr(fits, "_flash_fit", lambda *_: fit("sata", sata))
    asked: list[tuple[FioPoints, int]] = []
    monkeypatch.setattr(fits, "_nvme_fit", lambda *given: asked.append(given) or fit("nvme", 0.7))
    assert fio_fit(points, 7, None).kind == ("sata" if sata == 0.9 else "nvme")
    assert asked == [(points, 7)]
    twins = replace(points, points=[*points.points, *rates(1e4, 2e4, 4e4, jobs=2)])
    assert fio_fit(twins, None, None).kind == "sata"
    assert fio_fit(points, None, None, FioHost.SATA).kind == "sata"


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "host", "mean", "p95", "p999"), [
    ("intel_p4510", None, 0.08, 0.20, 0.35), ("intel_p4510_repeat_5g", None, 0.08, 0.20, 0.35),
    ("student_a_qd_sweep", None, 0.08, 0.20, 0.35), ("student_a_qd_sweep", FioHost.NVME, 0.08, 0.20, 0.35),
])  # fmt: skip
def test_measured_drives(shared: Path, name: str, host: FioHost | None, mean: float, p95: float, p999: float) -> None:
    """Bounds are those that were asked for."""
    file = shared / "data" / "blind" / "nvme" / f"{name}.csv"
    if not file.exists():
        pytest.skip(f"{file.name} is not among the measured drives in {shared}")
    held = [each for each in fio_fit(read_points(file), None, None, host).judged if not each.fitted]
    for quantity, bound in (("throughput", mean), ("p95", p95), ("p99.9", p999)):
        errors = [abs(error) for each in held if (error := each.error(quantity)) is not None]
        assert sum(errors) / len(errors) <= bound
