"""Tests the replay of a list of timed requests by hand: comparisons, DiskSim's responses, tables, rows of CSV."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.channel import SharingDrive
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.disc.registry import BUSES
from spindle.sim.disc.scheduling import Sstf
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, AccessTiming, Op, Request, access
from spindle.traces.replay.drives import (
    ANSWERS_FORMAT,
    CLOSED,
    OPEN,
    DiskSimAnswers,
    Drives,
    Replay,
    RequestLoop,
    StoragePlan,
    check_head,
    request_list,
)
from spindle.traces.replay.page import (
    DISKSIM,
    MEASURED,
    PREDICTED,
    RESPONSE,
    RESPONSES_LEGEND,
    SERVICE,
    QuantitySeries,
    ReplayTally,
    page,
    rows,
    summary,
)
from spindle.traces.replay.request_rows import DRIVE_HEAD, BufferOutcomes, RequestRows
from spindle.workloads.traces.reader import Trace
from spindle.workloads.traces.record import Record

SHEET = DriveSheet(HP7933, None)
PLAIN = "gap_before_ms,lba,sectors,op\n1,0,1,R\n2,99,1,W\n"
TIMED = "arrival_s,queue_ms,service_ms,lba,sectors,op\n0,1,20,0,1,R\n1,0,25,900,1,W\n2,0,30,5000,2,R\n"
ANSWERED = "# DiskSim\nseq,what,disksim_ms\n0,a,21\n1,b,22.5\n2,c,30\n"


def listed(tmp_path: Path, text: str) -> Trace:
    path = tmp_path / "list.csv"
    path.write_text(text)
    return request_list(path, SHEET)


# Which times are compared.

def series_of(trace: Trace, loop: RequestLoop, disksim: DiskSimAnswers | None = None) -> list[tuple[str, str]]:
    return [tuple(each) for each in Replay(SHEET, trace, loop, disksim=disksim).tally.series]


def test_a_closed_loop_compares_responses(tmp_path: Path) -> None:
    assert series_of(listed(tmp_path, PLAIN), CLOSED) == [(RESPONSE, PREDICTED)]
    measured = PLAIN.replace("op\n", "op,measured_ms\n").replace("R\n", "R,20\n").replace("W\n", "W,21\n")
    assert series_of(listed(tmp_path, measured), CLOSED) == [(RESPONSE, PREDICTED), (RESPONSE, MEASURED)]


def test_an_open_loop_compares_service_and_response(tmp_path: Path) -> None:
    both = [(SERVICE, PREDICTED), (RESPONSE, PREDICTED)]
    assert series_of(listed(tmp_path, "arrival_s,lba,sectors,op\n0,0,1,R\n"), OPEN) == both
    assert series_of(listed(tmp_path, TIMED), OPEN) == [*both, (SERVICE, MEASURED), (RESPONSE, MEASURED)]
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERED)
    assert series_of(listed(tmp_path, TIMED), OPEN, DiskSimAnswers(path))[-1] == (RESPONSE, DISKSIM)


def test_a_closed_loop_of_requests_with_service_compares_both(tmp_path: Path) -> None:
    both = TIMED.replace("arrival_s", "gap_before_ms")
    assert series_of(listed(tmp_path, both), CLOSED) == [
        (SERVICE, PREDICTED), (RESPONSE, PREDICTED), (SERVICE, MEASURED), (RESPONSE, MEASURED)]  # fmt: skip


@pytest.mark.parametrize(("text", "loop", "says"), [
    ("arrival_s,lba,sectors,op\n0,0,1,R\n", CLOSED,
     "there is no column gap_before_ms for a closed loop; there is arrival_s for an open loop"),
    (PLAIN, OPEN, "there is no column arrival_s for an open loop; there is gap_before_ms for a closed loop"),
    ("lba,sectors,op\n0,1,R\n", OPEN, "there is no column arrival_s for an open loop"),
])  # fmt: skip
def test_a_list_without_the_times_of_its_loop_is_refused(
    tmp_path: Path, text: str, loop: RequestLoop, says: str
) -> None:
    trace = listed(tmp_path, text)
    with pytest.raises(UserError) as error:
        Replay(SHEET, trace, loop)
    assert str(error.value) == f"{trace.path}: {says}"


def test_a_list_without_any_times_is_a_closed_loop(tmp_path: Path) -> None:
    trace = listed(tmp_path, "lba,sectors,op\n0,1,R\n0,1,R\n")
    assert Replay(SHEET, trace, CLOSED).run(iter(trace)).tally.count() == 2


# A replay.

def test_times_of_a_replay_are_the_clocks_and_those_of_the_list(tmp_path: Path) -> None:
    trace, path = listed(tmp_path, TIMED), tmp_path / "answers.csv"
    path.write_text(ANSWERED)
    told: list[tuple[int | None, float]] = []
    services: list[float] = []

    def also(record: Record, response: float, request: Request) -> None:
        told.append((record.number, response))
        services.append(response - request._value.queue)

    replayed = Replay(SHEET, trace, OPEN, disksim=DiskSimAnswers(path)).run(iter(trace), also)
    tally = replayed.tally
    assert [number for number, _ in told] == [0, 1, 2]
    assert (tally.count(), tally.count(READ), tally.count(WRITE)) == (3, 2, 1)
    for op, places in ((None, (0, 2, 1)), (READ, (0, 2)), (WRITE, (1,))):
        assert list(tally.seconds_of(RESPONSE, PREDICTED, op)) == pytest.approx([told[place][1] for place in places])
        assert list(tally.seconds_of(SERVICE, PREDICTED, op)) == pytest.approx([services[place] for place in places])
        measured = [(0.020, 0.021, 0.021), (0.025, 0.025, 0.0225), (0.030, 0.030, 0.030)]
        for column, (quantity, source) in enumerate(((SERVICE, MEASURED), (RESPONSE, MEASURED), (RESPONSE, DISKSIM))):
            assert list(tally.seconds_of(quantity, source, op)) == pytest.approx(
                [measured[place][column] for place in places])  # fmt: skip
    assert list(replayed.drives) == [""]
    assert replayed.end == pytest.approx(2.0 + told[2][1])


def test_service_is_a_response_without_its_queue(tmp_path: Path) -> None:
    """Two requests at one instant: the second waits for the first."""
    trace = listed(tmp_path, "arrival_s,lba,sectors,op\n0,0,1,R\n0,0,1,R\n")
    tally = Replay(SHEET, trace, OPEN).run(iter(trace)).tally
    service, response = (tally.seconds_of(each, PREDICTED) for each in (SERVICE, RESPONSE))
    assert response[1] - service[1] == pytest.approx(response[0])
    assert service[0] == response[0]


def test_the_scheduler_and_the_end_of_the_drive_are_those_of_the_sheet(tmp_path: Path) -> None:
    trace = listed(tmp_path, PLAIN)
    replay = Replay(SHEET, trace, CLOSED, Sstf)
    assert type(replay.run(iter(trace)).drives[""].scheduler) is Sstf
    sectors = HP7933.layout.capacity // HP7933.layout.sector_bytes
    with pytest.raises(UserError, match="where no device has any"):
        list(listed(tmp_path, f"lba,sectors,op\n{sectors},1,R\n"))
    (last,) = listed(tmp_path, f"lba,sectors,op\n{sectors - 1},1,R\n")
    assert (last.first, last.length) == (HP7933.layout.capacity - 256, 256)


def test_a_request_that_was_not_timed_among_others_is_refused(tmp_path: Path) -> None:
    trace = listed(tmp_path, PLAIN)
    records = [record._replace(response=0.02 if place else 0.01, number=place + 7) for place, record in
               enumerate(trace)]  # fmt: skip
    replay = Replay(SHEET, listed(tmp_path, PLAIN.replace("op\n", "op,measured_ms\n").replace("R\n", "R,20\n")
                                  .replace("W\n", "W,21\n")))  # fmt: skip
    with pytest.raises(UserError, match="request 8 was not timed, as those before it were"):
        replay.run(iter([records[0], records[1]._replace(response=None)]))


# DiskSim's answers.

def test_answers_are_records_with_a_number_and_a_response(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERED)
    assert list(Trace(path, ANSWERS_FORMAT))[1] == Record(None, "", READ, 0, 1, 0.0225, number=1)


def requests(*numbers: int | None) -> Iterator[Record]:
    return (Record(None, "", READ, 0, 1, number=number) for number in numbers)


def test_each_answer_is_taken_once(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERED)
    answers = DiskSimAnswers(path)
    found = list(answers.with_answers(requests(None, 1, 2)))
    assert [answers.take_seconds(each) for each in found] == pytest.approx([0.021, 0.0225, 0.030])
    with pytest.raises(KeyError):
        answers.take_seconds(found[1])
    path.write_text("seq,disksim_ms\n0,0\n")
    answers = DiskSimAnswers(path)
    assert [answers.take_seconds(each) for each in answers.with_answers(requests(0))] == [0.0]


@pytest.mark.parametrize(("numbers", "says"), [
    ((0, 1, 2, 3), "it ends after 3 answers, and there is none for request 3"),
    ((0, 2), "answer 2 is to request 1, and must be to 2, which stands in this place"),
])  # fmt: skip
def test_answers_are_to_the_requests_in_their_order(tmp_path: Path, numbers: tuple[int, ...], says: str) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERED)
    with pytest.raises(UserError) as error:
        list(DiskSimAnswers(path).with_answers(requests(*numbers)))
    assert str(error.value) == f"{path}: {says}"


@pytest.mark.parametrize(("text", "says"), [
    ("seq,ms\n0,1\n", "there is no column disksim_ms"), ("seq,disksim_ms\n0,x\n", "disksim_ms must be a number"),
    ("seq,disksim_ms\nx,1\n", "seq must be a whole number"), ("seq,disksim_ms\n0,1,2\n", "which is the last"),
])  # fmt: skip
def test_answers_that_cannot_be_read_are_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(text)
    with pytest.raises(UserError, match=says):
        list(DiskSimAnswers(path).with_answers(requests(0)))


# Drives.

def drives(env: simpy.Environment, sheet: DriveSheet = SHEET, **more: Any) -> Drives:
    return Drives(env, sheet, more.pop("scheduler", Fcfs), **more)


def test_each_drive_is_made_once_with_its_name_its_arm_and_its_queue(env: simpy.Environment) -> None:
    made = drives(env, head=7)
    assert made["a"] is made["a"] is not made["b"]
    assert (made["a"].name, made["b"].name) == ("disc a", "disc b")
    assert (made["a"].arm.cylinder, made["a"].arm.head) == (7, 0)
    assert not made["a"].gathers
    assert drives(env, scheduler=Sstf)["a"].gathers
    assert StoragePlan(SHEET, Fcfs, head=9).drives(env)["a"].arm.cylinder == 9
    assert drives(env)["a"].arm.cylinder == 0


def test_drives_of_a_sheet_with_a_bus_share_it(env: simpy.Environment) -> None:
    made = drives(env, DriveSheet(HP7933, "HP-IB"), scheduler=Sstf)
    one, other = made["a"], made["b"]
    assert isinstance(one, SharingDrive)
    assert isinstance(other, SharingDrive)
    bus, same = (each._begin.func.__self__ for each in (one, other))  # type: ignore[attr-defined]
    assert bus is same
    assert (bus.channel.name, bus.link) == ("HP-IB", BUSES["HP-IB"])
    assert (one.name, type(one.scheduler)) == ("disc a", Sstf)
    assert type(drives(env)["a"]) is Drive


@pytest.mark.parametrize(("cylinder", "fits"), [(0, True), (1320, True), (1321, False), (-1, False)])
def test_an_arm_is_on_a_cylinder_that_there_is(cylinder: int, fits: bool) -> None:
    assert HP7933.layout.cylinders == 1321
    if fits:
        check_head(HP7933, cylinder)
        return
    with pytest.raises(UserError, match=f"there is no cylinder {cylinder}; HP 7933 has 0 to 1320"):
        check_head(HP7933, cylinder)


def test_flash_has_no_arm_and_shares_no_bus(env: simpy.Environment) -> None:
    check_head(SAMSUNG_960_PRO, 0)
    with pytest.raises(UserError, match="is flash, and has no head to be on cylinder 1"):
        check_head(SAMSUNG_960_PRO, 1)
    with pytest.raises(UserError, match="has a link of its own, and shares no bus, such as HP-IB"):
        drives(env, DriveSheet(SAMSUNG_960_PRO, "HP-IB"))
    with pytest.raises(UserError, match="unknown kind of bus in the sheet 'SASI'"):
        drives(env, DriveSheet(HP7933, "SASI"))


# Rows of CSV.

def done(env: simpy.Environment, *seconds: float) -> Request:
    request = Request(env, access(READ, 0, 512, Account("")))
    request._value = AccessTiming(*seconds)
    return request


def test_a_row_has_the_sum_and_each_phase_in_milliseconds(env: simpy.Environment) -> None:
    file = BytesIO()
    write = RequestRows(file, lambda record: f"outcome of {record.number}")
    write(Record(None, "", READ, 0, 1, number=3), 9.0, done(env, 0.0015, 0.002, 0.0, -1e-12, 0.0040000004, 0.0))
    assert file.getvalue().decode().splitlines() == [
        DRIVE_HEAD, "3,7.500000,1.500000,2.000000,0.000000,0.000000,4.000000,0.000000,outcome of 3"]


class Counted:
    """A drive whose buffer's counters are set by hand."""

    def __init__(self) -> None:
        self.counts: dict[str, float] = {}

    @property
    def mechanism(self) -> "Counted":
        return self

    def reading(self) -> dict[str, float]:
        return dict(self.counts)


def test_an_outcome_is_the_counter_that_went_up() -> None:
    one, other = Counted(), Counted()
    told = BufferOutcomes({"a": one, "b": other})  # type: ignore[dict-item]

    def ask(device: str, op: Op = READ, **counts: float) -> str:
        (one if device == "a" else other).counts |= counts
        return told(Record(None, device, op, 0, 1))

    assert ask("a") == ""
    assert ask("a", buffer_hits=1.0) == "hit"
    assert ask("a") == ""
    assert ask("b", buffer_hits=1.0) == "hit"
    assert ask("a", buffer_late_hits=1.0, buffer_hits=2.0) == "hit late hit"
    assert ask("a", WRITE, buffer_misses=1.0) == ""
    assert ask("a") == "miss"


# Tables.

def tally_of(measured: bool) -> ReplayTally:
    series = [QuantitySeries(RESPONSE, PREDICTED), *[QuantitySeries(RESPONSE, MEASURED)] * measured]
    tally = ReplayTally(series)
    for op, predicted, known in ((READ, 0.010, 0.020), (READ, 0.030, 0.030), (WRITE, 0.050, 0.040)):
        tally.add(op, [predicted, known] if measured else [predicted])
    return tally


def test_a_summary_by_quantity_group_and_source() -> None:
    groups = summary(tally_of(True))[RESPONSE]
    assert list(groups) == ["all", "reads", "writes"]
    assert [group["requests"] for group in groups.values()] == [3, 2, 1]
    assert list(groups["all"]) == ["requests", MEASURED, PREDICTED]
    assert groups["all"][MEASURED] == pytest.approx({"mean_ms": 30, "median_ms": 30, "p95_ms": 40, "max_ms": 40})
    predicted = groups["reads"][PREDICTED]
    assert {name: predicted[name] for name in ("mean_ms", "median_ms", "p95_ms", "max_ms")} == pytest.approx(
        {"mean_ms": 20, "median_ms": 10, "p95_ms": 30, "max_ms": 30})  # fmt: skip
    # The quantiles are apart by 10 and 0 ms: their root mean square, and in percent of 25 ms; request by request 5.
    assert predicted["demerit_ms"] == pytest.approx(50**0.5)
    assert predicted["demerit_percent"] == pytest.approx(100 * 50**0.5 / 25)
    assert predicted["median_difference_ms"] == pytest.approx(5.0)


def test_a_summary_of_reads_alone_has_one_group() -> None:
    tally = ReplayTally([QuantitySeries(RESPONSE, PREDICTED)])
    tally.add(READ, [0.01])
    assert list(summary(tally)[RESPONSE]) == ["all"]
    with pytest.raises(ValueError, match=r"zip\(\)"):
        tally.add(READ, [0.01, 0.02])


def test_a_page_has_the_columns_that_there_are() -> None:
    assert page(summary(tally_of(False))) == [
        "", "response time, ms             mean  median     p95      max",
        "all            3 predicted  30.000  30.000  50.000   50.000",
        "reads          2 predicted  20.000  10.000  30.000   30.000",
        "writes         1 predicted  50.000  50.000  50.000   50.000",
    ]  # fmt: skip
    first, head, measured, predicted, *_, blank, legend = page(summary(tally_of(True)))
    assert (first, blank, legend) == ("", "", RESPONSES_LEGEND)
    assert head == "response time, ms             mean  median     p95      max demerit     %  apart"
    assert measured == "all            3 measured   30.000  30.000  40.000   40.000"
    assert predicted.startswith("                 predicted  30.000  30.000  50.000   50.000")


def test_a_page_has_a_table_for_each_quantity() -> None:
    tally = ReplayTally([QuantitySeries(SERVICE, PREDICTED), QuantitySeries(RESPONSE, PREDICTED)])
    tally.add(READ, [0.010, 0.020])
    assert [line.split()[0] for line in page(summary(tally)) if line] == ["service", "all", "response", "all"]


def test_rows_by_group_shorten_names_and_numbers_that_are_too_long() -> None:
    assert rows("by device", []) == ["", "by device                 "]
    found = rows("by device", [("a name of many letters", 12345, {"mean_ms": 1.5, "max_ms": float("nan")}),
                               ("b", 1, {"mean_ms": 123456.789, "max_ms": 12345678.9})])  # fmt: skip
    assert found == [
        "", "by device                     mean      max",
        "a name of many l    12,345   1.500        -", "b                        1  123457 12345679",
    ]  # fmt: skip
