"""Tests a training host step by step: requests of a record, batches read ahead, checkpoints, and numbers of a run."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.models.ml_loader.machine import (
    MICRON_6500,
    MICRON_9400,
    MICRON_9550,
    MIN_RECORD,
    MlOptions,
    Training,
    TrainingHost,
    _nvme,
)
from spindle.models.ml_loader.parameters import MlParameters, TrainingModel
from spindle.models.ml_loader.run import MAX_TRAINING, run
from spindle.sim.clock import Phase
from spindle.sim.disc.flash.sheet import Nand, nvme
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE, Access, Span
from spindle.sim.streams import normal, stream
from spindle.sim.units import MIB, US, Bytes
from tests.doubles import KeptRows
from tests.models.engine_calls import defaults, engine_calls
from tests.sim.watched_drives import FLASH

RUNS: Any = inspect.getmodule(run)
MODEL = TrainingModel("small", 4096, 0.0, 1, {"any": 1.0}, 1, True, 1, 4096, "")
QUIET = MlParameters(barrier=0.0, handing=0.0, request=4096)


def host(model: TrainingModel = MODEL, accelerators: int = 1, steps: int = 2, threads: int = 1, every: int = 0,
         parameters: MlParameters = QUIET, seed: object = 1) -> TrainingHost:
    return TrainingHost(Training(model, "any", accelerators, steps, threads, every), parameters,
                        MlOptions(FLASH), seed)  # fmt: skip


def accesses(of: TrainingHost) -> list[tuple[float, Access]]:
    """Return the list to which what *of* asks its drive for is added, with the instant."""
    asked: list[tuple[float, Access]] = []
    start = of.drive.start

    def noted(access: Access) -> object:
        asked.append((of.env.now, access))
        return start(access)

    of.drive.start = noted  # type: ignore[method-assign, assignment]
    return asked


def started(of: TrainingHost) -> KeptRows:
    log = KeptRows()
    for program in of.programs().values():
        of.env.process(program(log))
    return log


@pytest.mark.parametrize(("change", "pieces", "of_batch"), [
    ({}, [4096], 1), ({"record": 8192}, [4096, 4096], 1), ({"record": 1000}, [1000], 1),
    ({"record": 10_000}, [5000, 5000], 1), ({"record": 10_001}, [5001, 5000], 1),
    # A worker's batch is record after record; else the records of a batch lie one behind another.
    ({"batch": 2}, [4096], 2), ({"batch": 2, "workers_batch": False}, [4096, 4096], 1),
    ({"batch": 3, "workers_batch": False}, [4096, 4096, 4096], 1), ({"batch": 1, "workers_batch": False}, [4096], 1),
])  # fmt: skip
def test_a_batch_is_read_in_requests_one_behind_another(
    change: dict[str, int], pieces: list[int], of_batch: int
) -> None:
    of = host(replace(MODEL, **change))
    asked = accesses(of)
    started(of)
    of.env.run()
    batch = asked[: len(asked) // 2]
    assert [access.span.length for _, access in batch] == pieces * of_batch
    assert {access.op for _, access in batch} == {READ}
    assert {access.account.name for _, access in batch} == {"loader"}
    random, size = stream(1, "records"), sum(pieces)
    for number in range(of_batch):
        first = int(random.random() * (of.drive.capacity - size)) // of._unit * of._unit
        ends = [first + sum(pieces[:place]) for place in range(len(pieces))]
        assert [access.span.first for _, access in batch[number * len(pieces) :][: len(pieces)]] == ends


def test_a_record_is_read_in_four_requests_at_most() -> None:
    of = host(replace(MODEL, record=12_287), parameters=replace(QUIET, requests=2))
    assert of._pieces == 2
    assert of._unit == 1024, "a page at least; the eighth of a request is 767 bytes"
    assert host(replace(MODEL, record=12_000)).drive.sector_bytes == 256


def test_a_drive_has_room_for_four_records() -> None:
    largest = host().drive.capacity // 4
    host(replace(MODEL, record=largest))
    with pytest.raises(UserError, match="a record of small has 12,801 bytes, and the drive has 51,200"):
        host(replace(MODEL, record=largest + 1))


def test_sizes_of_records_are_normal_and_have_a_least() -> None:
    of, random = host(replace(MODEL, spread=3000.0)), stream(1, "records")
    sizes = [of._size() for _ in range(200)]
    assert sizes == [int(max(MIN_RECORD * 4096, 4096 + 3000.0 * normal(random))) for _ in range(200)]
    assert min(sizes) == int(MIN_RECORD * 4096)


@pytest.mark.parametrize(("prefetch", "threads"), [(1, 1), (2, 1), (2, 3)])
def test_no_more_is_read_ahead_than_the_loader_holds(prefetch: int, threads: int) -> None:
    """While the accelerator computes the first batch for a second, *prefetch* batches a worker are ready."""
    of = host(steps=20, threads=threads, parameters=replace(QUIET, prefetch=prefetch))
    asked = accesses(of)
    log = started(of)
    for step in range(1, 4):
        of.env.run(step * 1.0)
        assert (of.loaders[0].taken, len(of.loaders[0].ready)) == (step, prefetch * threads)
        assert len(asked) == step + prefetch * threads
        assert of.share() == step / 20
    of.env.run()
    assert (of.loaders[0].taken, len(asked), of.share()) == (20, 20, 1.0)
    assert log.charges == [1] * 20
    assert of.busy == [pytest.approx(1.0)]


def test_a_wait_for_a_batch_is_a_row() -> None:
    of = host(accelerators=2)
    log = started(of)
    of.env.run()
    row = log.rows[0]
    assert (row.terminal, row.name, row.began) == ("accelerator 0", "batch", 0.0)
    assert row.responded == row.ended > 0.0
    assert row.phases[Phase.QUEUE] == row.responded
    assert sum(row.phases) == row.responded
    assert {row.terminal for row in log.rows} == {"accelerator 0", "accelerator 1"}


def test_an_accelerator_is_busy_for_all_but_its_waits() -> None:
    """Behind the first step three steps of 1 s of computing and 0.5 s at the barrier, for two accelerators."""
    of = host(accelerators=2, steps=4, parameters=replace(QUIET, barrier=0.25))
    started(of)
    of.env.run()
    assert of.busy == [pytest.approx(3.0 / (3.0 + 4 * 0.5), rel=1e-3)] * 2
    at_once = host(replace(MODEL, compute={"any": 0.0}), steps=2, parameters=QUIET)
    started(at_once)
    at_once.env.run()
    assert at_once.busy == [0.0]


@pytest.mark.parametrize(("every", "after"), [(0, []), (1, [1, 2, 3, 4, 5]), (2, [2, 4]), (3, [3]), (5, [5]), (6, [])])
def test_a_checkpoint_follows_each_so_many_steps(every: int, after: list[int]) -> None:
    of = host(replace(MODEL, checkpoint=1000), steps=5, every=every, threads=5,
              parameters=replace(QUIET, checkpoint_state=1.5))
    asked, flushed = accesses(of), list[Span]()
    flush = of.drive.flush

    def noted(span: Span) -> object:
        flushed.append(span)
        return flush(span)

    of.drive.flush = noted  # type: ignore[method-assign, assignment]
    started(of)
    of.env.run()
    written = [(when, access) for when, access in asked if access.op is WRITE]
    assert [round(when) for when, access in written if not access.span.first] == after
    assert [access.span for _, access in written] == [Span(0, 1024), Span(1024, 476)] * len(after)
    assert {access.account.name for _, access in written} <= {"loader"}
    assert flushed == [Span(0, 1024)] * len(after)


def test_checkpoints_take_the_time_of_writes_and_of_a_flush() -> None:
    of = host(steps=3, every=1, threads=3)
    started(of)
    of.env.run()
    alone = host(steps=3, threads=3)
    started(alone)
    alone.env.run()
    assert alone.checkpoint_seconds == 0.0
    assert of.checkpoint_seconds == pytest.approx(of.env.now - alone.env.now)
    assert of.checkpoint_seconds > 0.0


def test_batches_of_a_worker_wait_for_their_turn() -> None:
    """Worker 1 has batch 1 first where batch 0 has more to read; the accelerator takes batch 0 first all the same."""
    of = host(replace(MODEL, spread=4000.0), steps=12, threads=4)
    log = started(of)
    of.env.run()
    assert [row.began for row in log.rows] == sorted(row.began for row in log.rows)
    assert len(log.rows) == 12


def test_batches_that_may_be_read_ahead() -> None:
    """What each worker has read ahead; or as many batches as all threads have records of, and two at least."""
    assert MODEL.batches_ahead(3, 2) == 6
    together = replace(MODEL, workers_batch=False, batch=4)
    assert [together.batches_ahead(threads, 9) for threads in (1, 8, 11, 12, 16)] == [2, 2, 2, 3, 4]


# Sheets of drives.

def test_a_sheet_by_hand() -> None:
    made = _nvme("mine", 4096 * 5000 + 4095, (4, 2), 10, (2e9, 1e9), (8e5, 4e5), 1e-3, "cited: a source")
    assert made.name == "mine"
    assert made.nand == Nand(channels=4, ways=2, planes=4, blocks=10, pages=1024, page_bytes=16384, read=60 * US,
                             program=1e-3, erase=5e-3, bus=1.2e9)  # fmt: skip
    assert made.front == nvme(2e9, 8 / 8e5, 8, 128, (1e9, 8 / 4e5))
    assert (made.capacity, made.buffer, made.buffer_survives) == (4096 * 5000, 16 * MIB, True)
    kinds = {name: source.kind for name, source in made.sources.items()}
    printed = {"capacity", "rate", "write_rate", "command", "write_command"}
    assert {name for name, kind in kinds.items() if kind == "cited"} == printed
    assert set(kinds) - printed == {
        "channels", "ways", "planes", "blocks", "pages", "page_bytes", "read", "program", "erase", "bus", "buffer",
        "unit", "map_pages", "cleaning", "reserve", "queues", "tags", "buffer_survives"}  # fmt: skip
    said = [made.sources[name].note for name in ("capacity", "rate", "write_rate", "command", "write_command")]
    for text, number in zip(said, ("2.048", "a source", "1,000 MB/s", "800,000 reads", "400,000 writes"), strict=True):
        assert number in text


def test_the_three_drives_are_those_of_their_maker() -> None:
    of = {each.name: (each.capacity, each.nand.dies, each.nand.program, each.front.rate, each.front.write_rate,
                      each.front.command, each.front.write_command) for each in (MICRON_6500, MICRON_9400, MICRON_9550)}
    assert of == {"Micron 6500 ION": (30_720_000_000_000, 512, 2e-3, 6.918e9, 5e9, 8e-6, 4e-5),
                  "Micron 9400": (7_680_000_000_000, 128, 0.6e-3, 7e9, 7e9, 5e-6, 8 / 0.6e6),
                  "Micron 9550": (7_680_000_000_000, 128, 0.6e-3, 11.65e9, 10e9, 8 / 3.3e6, 8e-6)}  # fmt: skip


# A run.

SHORT = {"model": "cosmoflow", "accelerators": 2, "steps": 6}


def test_arguments_that_are_not_given() -> None:
    assert defaults(run) == {
        "model": "unet3d", "accelerators": 2, "gpu": "h100", "steps": 300, "records": 0, "threads": 0,
        "checkpoint_every": 0, "compute": 0.0, "seed": 1, "choices": None, "keep_rows": True, "interval": None,
        "watch": None,
        "raid": "", "drives": 0, "chunk": 512 * 1024, "bitmap": 0, "delayed": False, "failed": 0, "rebuild": 0,
        "ure": 0.0,
    }  # fmt: skip


def test_numbers_of_a_run_by_hand() -> None:
    of = run("cosmoflow", 2, "a100", 12, threads=3, checkpoint_every=4)
    counters, seconds = of.counters, of.seconds
    assert of.system == "ml_loader"
    assert of.parameters == {"model": "cosmoflow", "accelerators": 2, "gpu": "a100", "steps": 12, "threads": 3,
                             "checkpoint_every": 4}  # fmt: skip
    extras = dict(of.extras)
    assert 0.0 < extras.pop("accelerator_utilisation") < 1.0
    assert 0.0 < extras.pop("checkpoint_share") < 1.0
    assert extras == pytest.approx({
        "samples_rate": 24 / seconds, "bytes_rate": counters["drive.bytes_read"] / seconds, "makespan": seconds,
        "disc_busy": counters["drive.busy"] / seconds, "number_at_drive": counters["drive.number_seconds"] / seconds,
        "bytes_written": 3 * 35_000_000}, rel=1e-12)  # fmt: skip


def test_samples_are_those_of_the_batches_of_all_accelerators() -> None:
    """Two steps of three accelerators, with 400 records each."""
    of = run("resnet50", 3, "a100", 2)
    assert of.extras["samples_rate"] == pytest.approx(2 * 400 * 3 / of.seconds, rel=1e-12)


def test_checkpoints_are_a_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = captured_hosts(monkeypatch)
    of = run(**SHORT, checkpoint_every=2)  # type: ignore[arg-type]
    assert of.extras["checkpoint_share"] == hosts[0].checkpoint_seconds / of.seconds


def captured_hosts(monkeypatch: pytest.MonkeyPatch) -> list[TrainingHost]:
    made: list[TrainingHost] = []

    def build(*given: object) -> TrainingHost:
        made.append(TrainingHost(*given))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(RUNS, "TrainingHost", build)
    return made


def test_an_array_is_as_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = captured_hosts(monkeypatch)
    asked = {"raid": "6", "drives": 5, "chunk": Bytes(64 * 1024), "bitmap": Bytes(64 * MIB), "delayed": True,
             "failed": 1, "rebuild": Bytes(10**6), "ure": 1e-15}  # fmt: skip
    of = run(**SHORT, seed=3, **asked)  # type: ignore[arg-type]
    kind = hosts[0].drive.kind  # type: ignore[union-attr]
    assert kind == RaidType("6", 5, 64 * 1024, unrecoverable=1e-15, seed=3, bitmap=64 * MIB, delayed=True, failed=1,
                            rebuild=10**6)  # fmt: skip
    assert {name: of.parameters[name] for name in asked} == asked
    assert of.extras["disc_busy"] == of.counters["drive.busy"] / of.seconds / 5


def test_what_the_engine_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, hosts, told = engine_calls(monkeypatch), captured_hosts(monkeypatch), list[float]()

    def watch(share: float, *_: object) -> None:
        told.append(share)

    of = run(**SHORT, seed="mine", keep_rows=False, interval=1.0, watch=watch)  # type: ignore[arg-type]
    (call,) = calls
    assert (call["seed"], call["keep_rows"], call["window"].interval) == ("mine", False, 1.0)
    assert call["watch"] is watch
    assert call["load"].share() == hosts[0].share() == 1.0
    assert call["machine"] is hosts[0].machine
    assert of.recorder.rows == []


@pytest.mark.parametrize(("name", "least", "most"), [
    ("accelerators", 1, 4096), ("steps", 2, MAX_TRAINING), ("records", 0, 1 << 40), ("threads", 0, 1024),
    ("checkpoint_every", 0, MAX_TRAINING),
])  # fmt: skip
def test_numbers_have_limits(monkeypatch: pytest.MonkeyPatch, name: str, least: int, most: int) -> None:
    for wrong in (least - 1, most + 1):
        with pytest.raises(UserError, match=f"{name} must be a whole number from {least} to {most}, not {wrong}"):
            run(**{name: wrong})  # type: ignore[arg-type]

    def stop(*_: object) -> None:
        raise StopIteration

    monkeypatch.setattr(RUNS, "TrainingHost", stop)
    monkeypatch.setattr(RUNS, "_steps", lambda model, accelerators, steps, records: steps)
    for right in (least, most):
        with pytest.raises(StopIteration):
            run(**{name: right})  # type: ignore[arg-type]


def test_an_epoch_has_from_two_steps() -> None:
    two: Callable[..., int] = RUNS._steps
    model = SimpleNamespace(batch=10)
    assert two(model, 3, 77, 0) == 77
    assert two(model, 3, 77, 60) == two(model, 3, 77, 89) == 2
    assert two(model, 1, 77, 10 * MAX_TRAINING) == MAX_TRAINING
    for records in (59, 10 * MAX_TRAINING + 10):
        with pytest.raises(UserError, match=f"{records} records are .* from 2 to {MAX_TRAINING}"):
            two(model, 1 if records > 59 else 3, 77, records)
