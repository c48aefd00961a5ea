"""Tests the report of a replay by hand: measures, rates, a rebuild, errors against measured times, lines of text."""

from collections.abc import Mapping
from io import BytesIO
from math import isnan, nan
from types import SimpleNamespace
from typing import Any

import pytest
import simpy

from spindle.sim.clock import Account, Phase
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.quantity import quantity
from spindle.sim.request import READ, WRITE, Op, Request, access
from spindle.studies.plots.terminal import TextLine
from spindle.traces.curve.tiers import Tier
from spindle.traces.replay import answer_page, data, measures, request_rows
from spindle.traces.replay.replay import DeviceTimes, Times, TraceReplayed, TraceTally
from spindle.traces.system import ReplayNumbers
from spindle.workloads.traces.record import Record

PHASES = ("queue", "overhead", "seek", "rotation", "transfer", "channel")


class Counted:
    """A drive, a cache or an array whose counters are known."""

    def __init__(self, busy: float = 0.0, **counts: float) -> None:
        self._busy, self._counts = busy, counts

    def reading(self) -> Mapping[str, float]:
        return self._counts

    def busy(self) -> float:
        return self._busy


def drive(busy: float = 0.0, **counts: float) -> Counted:
    return Counted(busy, **{**dict.fromkeys((*PHASES, "completed", "issued"), 0.0), **counts})


def storage(*drives: Counted, caches: tuple[Counted, ...] = (), arrays: tuple[Counted, ...] = ()) -> Any:
    return SimpleNamespace(drives={str(place): each for place, each in enumerate(drives)}, caches=caches, arrays=arrays,
                           has_layers=False, flash_drives=[], flash_tiers=[],
                           places=SimpleNamespace(behind=["0", "1"][:len(caches)]))  # fmt: skip


def times(*seconds: float, length: int = 1000) -> Times:
    made = Times()
    for each in seconds:
        made.add(each, length)
    return made


def tally(reads: Times, writes: Times, begin: float = 2.0) -> TraceTally:
    made = TraceTally()
    made.reads, made.writes, made.begin = reads, writes, begin
    return made


def replayed(*drives: Counted, reads: Times | None = None, writes: Times | None = None, **more: Any) -> TraceReplayed:
    """A replay from 2 s to 12 s."""
    two = tally(times(1.0, 3.0) if reads is None else reads, times(8.0) if writes is None else writes)
    return TraceReplayed(two, storage(*drives, **more), 12.0)


# Measures.

def test_measures_of_two_drives() -> None:
    one = drive(5.0, queue=3.0, seek=2.0, transfer=1.0, completed=2.0, issued=2.0)
    other = drive(1.0, queue=1.0, rotation=5.0, completed=1.0, issued=1.0)
    found = measures.measures(replayed(one, other))
    expected = {
        "responses": 3.0, "response_mean": 4.0, "response_max": 8.0, "reads": 2.0, "read_mean": 2.0, "read_max": 3.0,
        "writes": 1.0, "write_mean": 8.0, "write_max": 8.0, "throughput": 0.3, "bandwidth": 300.0,
        "read_throughput": 0.2, "read_bandwidth": 200.0, "write_throughput": 0.1, "write_bandwidth": 100.0,
        "part_queue": 4 / 3,
        "part_seek": 2 / 3, "part_rotation": 5 / 3, "part_transfer": 1 / 3, "disc_busy": 0.3, "busiest_disc": 0.5,
        "disc_accesses": 3.0, "service_mean": 8 / 3, "disc_queue_mean": 4 / 3, "makespan": 10.0,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    rest = {*found} - {*expected}
    assert rest == {f"{kind}_{share}" for kind in ("response", "read", "write")
                    for share in ("median", "p95", "p99", "p999", "p9999")}  # fmt: skip
    shares = [found[f"response_{share}"] for share in ("median", "p95", "p9999")]
    assert shares == pytest.approx([3.0, 8.0, 8.0], rel=2e-3)
    assert found["response_p95"] <= 8.0


def test_parts_of_responses_are_means_by_the_names_of_their_phases() -> None:
    run = replayed(drive(5.0))
    run.tally.charged[Phase.CPU_WAIT] = 6.0
    assert {name: value for name, value in measures.measures(run).items() if name.startswith("part_")} == {
        "part_cpu_wait": 2.0}  # fmt: skip


def test_what_did_not_happen_has_no_measures() -> None:
    found = measures.measures(replayed(drive(), writes=Times()))
    assert (found["writes"], "write_mean" in found, "write_throughput" in found) == (0.0, False, False)
    assert not {"rebuilt_share", "hit_ratio", "write_amplification"} & {*found}
    assert isnan(found["service_mean"])


def test_a_replay_of_no_time_has_no_rates() -> None:
    assert isnan(measures.rates(times(1.0), 0.0)["throughput"])
    assert measures.rates(Times(), 2.0) == {"throughput": 0.0, "bandwidth": 0.0}
    assert measures.rates(Times(), 2.0, "read_") == {}


def test_hits_are_shares_of_reads_and_of_writes() -> None:
    cache = Counted(hits=3.0, late_hits=1.0, misses=4.0, write_hits=1.0, write_late_hits=0.0, write_misses=1.0)
    found = measures.measures(replayed(drive(), caches=(cache,)))
    assert {name: found[name] for name in found if "hit_ratio" in name} == {
        "hit_ratio": 0.375, "late_hit_ratio": 0.125, "write_hit_ratio": 0.5, "write_late_hit_ratio": 0.0}  # fmt: skip


def array(**counts: float) -> Counted:
    return Counted(**{"bytes_to_rebuild": 800.0, "rebuilt_bytes": 200.0, "rebuilding": 10.0, **counts})


def test_a_rebuild_takes_as_long_as_at_its_speed_until_then() -> None:
    """A quarter in 10 s; of two arrays each took 10 s, and a quarter of both is done."""
    for arrays in ((array(),), (array(), array())):
        found = measures.measures(replayed(drive(), arrays=arrays))
        assert (found["rebuilt_share"], found["rebuild_seconds"]) == (0.25, 40.0)
    none = measures.measures(replayed(drive(), arrays=(array(rebuilt_bytes=0.0),)))
    assert none["rebuilt_share"] == 0.0
    assert isnan(none["rebuild_seconds"])


def test_flash_that_was_written_has_an_amplification() -> None:
    found = measures.measures(replayed(drive(units_written=4.0, units_copied=2.0)))
    assert found["write_amplification"] == 1.5
    tier = replayed(drive(units_written=4.0, units_copied=2.0))
    tier.storage.flash_drives = [drive(units_written=1.0, units_copied=3.0)]  # type: ignore[misc]
    assert measures.measures(tier)["write_amplification"] == 4.0, "of the tier, where there is one"


def test_hits_of_a_flash_tier_and_how_busy_it_is() -> None:
    tier = replayed(drive())
    assert not {"flash_hit_ratio", "flash_busy"} & {*measures.measures(tier)}
    tier.storage.flash_drives = [drive(5.0)]  # type: ignore[misc]
    found = measures.measures(tier)
    assert found["flash_busy"] == 0.5
    assert isnan(found["flash_hit_ratio"])
    tier.storage.flash_tiers = [Counted(hits=3.0, misses=1.0)]  # type: ignore[misc]
    assert measures.measures(tier)["flash_hit_ratio"] == 0.75


# Data for JSON.

def test_distributions_drives_and_caches_for_json() -> None:
    cache = Counted(hits=1.0, late_hits=0.0, misses=1.0)
    found = data.replay_data(replayed(drive(5.0, completed=2.0), caches=(cache,), arrays=(array(),)))
    assert list(found["distributions"]) == ["response", "read", "write"]
    assert found["distributions"]["read"] == pytest.approx(
        {f"{share:g}": 1.0 if share <= 0.5 else 3.0 for share in data.DISTRIBUTION_SHARES}, rel=2e-3)  # fmt: skip
    assert (found["drives"]["0"]["disc_busy"], found["drives"]["0"]["completed"]) == (0.5, 2.0)
    assert found["caches"] == {"cache 0": {"hits": 1.0, "late_hits": 0.0, "misses": 1.0}}
    assert found["arrays"]["rebuilt_bytes"] == 200.0
    assert "arrays" not in data.replay_data(replayed(drive()))


def test_errors_are_shares_of_what_was_measured() -> None:
    found = data.errors(times(1.0, 1.0, 4.0), times(2.0, 2.0, 2.0))
    assert found["mean"] == pytest.approx(0.0)
    assert found["median"] == pytest.approx(-0.5, rel=5e-3)
    assert (found["max"], list(found)) == (1.0, ["mean", "median", "p95", "p99", "p999", "p9999", "max"])
    assert isnan(data.errors(times(1.0), times(0.0))["mean"])


@pytest.mark.parametrize(("simulated", "measured", "is_so"), [
    (2, 2, True), (2, 1, False), (1, 2, False), (0, 0, False),
])  # fmt: skip
def test_only_where_all_were_measured_is_anything_compared(simulated: int, measured: int, is_so: bool) -> None:
    assert data.is_measured(times(*[1.0] * simulated), times(*[1.0] * measured)) is is_so


def record(device: str, op: Op, response: float | None) -> Record:
    return Record(0.0, device, op, 0, 500, response)


def devices(env: simpy.Environment, *rows: tuple[str, Op, float, float | None]) -> DeviceTimes:
    made, request = DeviceTimes(), Request(env, access(READ, 0, 512, Account("")))
    for device, op, seconds, measured in rows:
        made(record(device, op, measured), seconds, request)
    return made


def test_measured_times_by_kind_and_by_device(env: simpy.Environment) -> None:
    made = tally(times(1.0, 3.0), times(8.0))
    made.measured_reads, made.measured_writes = times(2.0, 2.0), Times()
    by_device = devices(env, ("a", READ, 1.0, 2.0), ("b", READ, 3.0, 2.0), ("b", WRITE, 8.0, None))
    found = data.measured_data(made, by_device)
    assert list(found) == ["reads", "devices"]
    assert (found["reads"]["requests"], found["reads"]["measured_mean"], found["reads"]["errors"]["mean"]) == (
        2.0, 2.0, 0.0)  # fmt: skip
    assert {name: list(kinds) for name, kinds in found["devices"].items()} == {"b": ["reads"], "a": ["all", "reads"]}
    assert found["devices"]["a"]["all"]["errors"]["mean"] == -0.5
    assert found["devices"]["b"]["reads"]["errors"]["mean"] == 0.5
    assert "devices" not in data.measured_data(made, None)
    made.measured_writes = times(4.0)
    found = data.measured_data(made, None)
    assert [(name, found[name]["measured_mean"]) for name in ("reads", "writes")] == [("reads", 2.0), ("writes", 4.0)]
    assert found["all"]["requests"] == 3.0


def test_data_of_devices(env: simpy.Environment) -> None:
    found = data.device_data(devices(env, ("a", READ, 1.0, None), ("a", WRITE, 3.0, None)), 2.0)["a"]
    names = ("responses", "response_mean", "throughput", "bandwidth", "reads", "read_mean", "read_throughput", "writes",
             "write_max", "write_bandwidth")  # fmt: skip
    assert {name: found[name] for name in names} == {
        "responses": 2.0, "response_mean": 2.0, "throughput": 1.0, "bandwidth": 500.0, "reads": 1.0, "read_mean": 1.0,
        "read_throughput": 0.5, "writes": 1.0, "write_max": 3.0, "write_bandwidth": 250.0}  # fmt: skip


def test_the_data_of_a_load_have_devices_where_they_are_asked_for(env: simpy.Environment) -> None:
    answer: Any = SimpleNamespace(head=lambda: {"drive": "x"}, replayed=replayed(drive(5.0)))
    some = devices(env, ("a", READ, 0.001, None))
    assert "devices" not in data.load_data(answer)
    found = data.load_data(answer, some)
    assert (found["version"], found["question"]) == (data.VERSION, {"drive": "x"})
    assert found["devices"] == data.device_data(some, 10.0)
    assert found["measures"] == data.replay_data(answer.replayed)["measures"]


def test_a_frame_has_a_row_for_each_kind_of_each_device(env: simpy.Environment) -> None:
    known = devices(env, ("a", READ, 1.0, None), ("a", WRITE, 3.0, None), ("b", READ, 5.0, None))
    frame = ReplayNumbers({"makespan": 2.0}, known, TraceTally()).frame()
    assert list(zip(frame["device"], frame["requests"], frame["count"], strict=True)) == [
        ("a", "all", 2), ("a", "reads", 1), ("a", "writes", 1), ("b", "all", 1), ("b", "reads", 1)]  # fmt: skip
    first = frame.iloc[0]
    assert [first[name] for name in ("throughput", "bandwidth", "mean", "median", "max")] == [1.0, 500.0, 2.0, 1.0, 3.0]
    assert frame.columns[-1] == "max"


# Lines of the page.

def test_rates_are_requests_and_megabytes_a_second() -> None:
    found = answer_page._rates("throughput", [("all", times(1.0, 1.0, length=3_000_000)), ("x" * 40, Times())], 4.0)
    assert [line.split() for line in found] == [
        [], ["throughput,", "of", "4", "s", "requests/s", "MB/s"], ["all", "0.5", "1.500"], ["x" * 36, "0.0",
                                                                                          "0.000"]]  # fmt: skip
    assert answer_page._rates("throughput", [("all", times(1.0))], 0.0) == []


def test_drives_in_a_line() -> None:
    one = drive(5.0, queue=3.0, seek=2.0, completed=1000.0, issued=1000.0, buffer_hits=7.0, buffer_misses=1.0)
    run = replayed(one)
    assert answer_page._drives(run, measures.measures(run)) == [
        "", "1,000 disc accesses: service 2.000 ms, queue 3.000 ms; busiest drive 50.0%",
        "buffer hits 7, buffer misses 1"]  # fmt: skip
    first = replayed(drive(5.0), drive(1.0))
    assert answer_page._drives(first, measures.measures(first))[1] == (
        "0 disc accesses: service 0.000 ms, queue 0.000 ms; drives busy 30.0% on average, the busiest 50.0%")


@pytest.mark.parametrize(("counts", "lines"), [
    ({"wakes": 1.0, "stalls": 0.0}, ["drives woke 1 time, and stalled 0 times"]),
    ({"wakes": 0.0, "stalls": 2.0}, ["drives woke 0 times, and stalled 2 times"]), ({"wakes": 0.0, "stalls": 0.0}, []),
    ({"buffer_hits": 7.0, "buffer_late_hits": 2000.0, "buffer_misses": 1.0},
     ["buffer hits 7, buffer late hits 2,000, buffer misses 1"]),
])  # fmt: skip
def test_what_else_drives_did(counts: Mapping[str, float], lines: list[str]) -> None:
    run = replayed(drive(5.0, **counts))
    assert answer_page._drives(run, measures.measures(run))[2:] == lines


def test_a_flash_tier_in_two_lines() -> None:
    run: Any = SimpleNamespace(storage=SimpleNamespace(
        flash_tiers=[Counted(written_back=1500.0)],
        flash_drives=[Counted(units_written=4.0, units_copied=2.0, blocks_erased=9.0)]))  # fmt: skip
    assert answer_page._tier_lines(run, {"flash_busy": 0.25, "flash_hit_ratio": 0.5}) == [
        "flash tier: 50.00% hits of the reads that reached it, 1,500 blocks written back; its drive busy 25.0%",
        "flash: write amplification 1.500, 9 blocks erased"]
    assert answer_page._tier_lines(run, {}) == []


@pytest.mark.parametrize(("behind", "done", "count", "is_told"), [
    (40.0, 60.0, 200, True), (5.0, 100.0, 1050, True), (5.0, 100.0, 1049, False), (4.0, 100.0, 9999, False),
])  # fmt: skip
def test_drives_that_do_not_keep_up_are_told(behind: float, done: float, count: int, is_told: bool) -> None:
    """Those that leave 50 requests, and a twentieth of the time, when the last one comes."""
    run: Any = SimpleNamespace(behind=behind, seconds=behind + done,
                               tally=SimpleNamespace(all_times=SimpleNamespace(count=count)))  # fmt: skip
    assert answer_page._overload(run) == (["", (
        f"The drives do not keep up: the last request comes after {done:g} s and all are done after {behind + done:g} "
        "s."), "The longer such a load lasts, the longer its requests take."] if is_told else [])


@pytest.mark.parametrize(("size", "random", "writes", "is_told"), [
    (-1, 0.0, 0.0, True), (-1, 0.5, 0.5, True), (0, 0.0, 0.0, False), (-1, 1.0, 0.0, False), (-1, 0.0, 1.0, False),
])  # fmt: skip
def test_reads_in_sequence_of_less_than_a_stripe_are_told_on_flash(
    size: int, random: float, writes: float, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = INTEL_S3700.stripe * INTEL_S3700.unit
    asked: Any = SimpleNamespace(device="x", load=SimpleNamespace(size=whole + size, random=random, writes=writes))
    monkeypatch.setattr(answer_page, "sheet_of", lambda device: SimpleNamespace(disc=INTEL_S3700 if device else None))
    assert answer_page._no_read_ahead(asked) == (["", (
        f"Reads in sequence of less than {quantity(whole, 'bytes')} are slower here than on a real drive, whose "
        "controller reads ahead.")] if is_told else [])
    asked.device = ""
    assert answer_page._no_read_ahead(asked) == []


def question(**changes: Any) -> Any:
    asked = {"array": SimpleNamespace(raid=""), "memory": SimpleNamespace(cache=0, policy="lru", write="back"),
             "front": SimpleNamespace(flash="", flash_policy="fifo", flash_write="through"), "device": "x",
             "layers": SimpleNamespace(tiers="", inclusion="exclusive"), "host": SimpleNamespace(text=lambda: "; host"),
             "load": SimpleNamespace(text=lambda: "a load", iops=0.0)}  # fmt: skip
    return SimpleNamespace(**{**asked, **changes})


def test_the_head_of_an_answer() -> None:
    said = {"drive": "x", "trace": "t", "format": "csv", "loop": "open loop,", "loop_because": "as it has times",
            "scheduler": "fcfs"}  # fmt: skip
    answer: Any = SimpleNamespace(head=lambda: said, question=question(), replayed=replayed(drive()))
    assert answer_page._head(answer) == ["t, csv, open loop, as it has times", "x, fcfs; host"]
    answer.replayed, said["head"] = replayed(drive(), drive()), "7"
    answer.question = question(layers=SimpleNamespace(tiers="4K:1ms", inclusion="exclusive"))
    assert answer_page._head(answer)[1] == (
        "2 drives x, fcfs, arm on cylinder 7 at first; tiers 4K:1ms, exclusive, lru; host")
    said["policy"] = "arc"
    assert answer_page._head(answer)[1].endswith("; tiers 4K:1ms, exclusive, arc; host")


def test_caches_and_flash_tiers_in_words() -> None:
    memory, front = question().memory, question().front
    assert answer_page._cache_text(memory, front) == ""
    memory.cache = 4096
    assert answer_page._cache_text(memory, front) == "; cache of 4 KiB, lru, write back"
    front.flash = "ssd"
    assert answer_page._cache_text(memory, front) == (
        "; cache of 4 KiB, lru, write back; flash tier on ssd, fifo, write through")


def test_the_lines_of_a_load(env: simpy.Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    """An overload is looked for where requests come at their times."""
    monkeypatch.setattr(answer_page, "_no_read_ahead", lambda asked: [f"no read-ahead on {asked.device}"])
    monkeypatch.setattr(answer_page, "_overload", lambda replayed: [f"overload of {replayed.seconds:g} s"])
    monkeypatch.setattr(answer_page, "_others", lambda asked: [f"others of {asked.device}"])
    monkeypatch.setattr(answer_page, "_hindrance", lambda device, replayed: [f"{device} waits {replayed.seconds:g} s"])
    said = {"drive": "x", "scheduler": "sptf", "depth": 0}
    answer: Any = SimpleNamespace(head=lambda: said, question=question(), idle=["no arm"], replayed=replayed(drive()))
    page = answer_page.page(answer.replayed)
    assert answer_page.load_lines(answer) == [
        "a load", "x, sptf; host", "others of x", "no arm", *page, "no read-ahead on x", "x waits 10 s"]
    said["depth"], answer.question.load.iops = 8, 5.0
    some = devices(env, ("a", READ, 0.001, None))
    assert answer_page.load_lines(answer, some) == [
        "a load", "x, sptf, NCQ of 8; host", "others of x", "no arm", *page, *answer_page.device_lines(some, 10.0),
        "no read-ahead on x", "x waits 10 s", "overload of 10 s"]


def test_flash_in_a_line() -> None:
    run = replayed(drive(5.0, units_written=4.0, units_copied=2.0, blocks_erased=9000.0))
    lines = answer_page._drives(run, measures.measures(run))
    assert lines[2] == "flash: write amplification 1.500, 9,000 blocks erased"


ROWS = {"full_writes": 1000.0, "read_modify_writes": 2.0, "reconstruct_writes": 3.0}


@pytest.mark.parametrize(("totals", "found", "lines"), [
    ({}, {}, []),
    (ROWS, {}, ["rows of arrays: 1,000 written in full, 2 by read-modify-write, 3 by reconstruct-write"]),
    ({"degraded_reads": 5.0, "rebuilt_bytes": 2.5e6}, {},
     ["drives that failed: 5 reads computed from the others, 2.5 MB rebuilt"]),
    ({"degraded_reads": 0.0, "rebuilt_bytes": 0.0}, {}, []),
    ({"degraded_reads": 5.0, "rebuilt_bytes": 0.0}, {},
     ["drives that failed: 5 reads computed from the others, 0.0 MB rebuilt"]),
    ({"degraded_reads": 0.0, "rebuilt_bytes": 2.5e6}, {},
     ["drives that failed: 0 reads computed from the others, 2.5 MB rebuilt"]),
    ({}, {"rebuilt_share": 1.0, "rebuild_seconds": 90.0}, ["rebuild: all done after 90 s"]),
    ({}, {"rebuilt_share": 0.125, "rebuild_seconds": 7200.0},
     ["rebuild: 0.125 of it done; at this speed all is done after 2 h"]),
    ({}, {"rebuilt_share": 0.0, "rebuild_seconds": nan}, []),
    ({"read_errors": 3.0, "corrected": 2.0, "lost": 1.0}, {}, ["unrecoverable read errors: 3; 2 corrected, 1 lost"]),
])  # fmt: skip
def test_arrays_in_lines(totals: Mapping[str, float], found: Mapping[str, float], lines: list[str]) -> None:
    assert answer_page._arrays(totals, found) == lines


@pytest.mark.parametrize(("seconds", "unit"), [(7200.0, "h"), (7199.0, "min"), (120.0, "min"), (119.0, "s")])
def test_long_times_are_read_best_in_long_units(seconds: float, unit: str) -> None:
    assert answer_page._clock(seconds) == unit


def test_hits_in_lines() -> None:
    lines = answer_page._hits({"hits": 3.0, "late_hits": 1.0, "misses": 4.0, "write_misses": 2000.0})
    assert [line.split() for line in lines] == [
        [], ["cache,", "of", "requests", "requests", "hits", "late", "hits", "misses"],
        ["reads", "8", "37.50%", "12.50%", "50.00%"], ["writes", "2,000", "0.00%", "0.00%", "100.00%"]]  # fmt: skip
    assert answer_page._hits({"hits": 0.0}) == []


def test_parts_are_bars_of_their_share_and_small_ones_are_left_out() -> None:
    found = {"response_mean": 0.1, "part_seek": 0.05, "part_cpu_wait": 0.0005, "part_queue": 0.000499, "other": 1.0}
    assert answer_page._phases(found) == [
        "", "where the mean response goes, ms", f"{'seek':>14}{50.0:>12.4f}  {'#' * 17}",
        f"{'cpu wait':>14}{0.5:>12.4f}"]
    assert answer_page._phases({"part_seek": 0.5}) == ["", "where the mean response goes, ms"]


def test_devices_are_those_with_most_requests_and_kinds_where_there_are_both(env: simpy.Environment) -> None:
    some = devices(env, ("a", READ, 0.001, None), ("a", WRITE, 0.003, None), ("", READ, 0.001, None))
    names = [line[:16].strip() for line in answer_page.device_lines(some, 2.0) if line]
    assert names == ["response by devi", "a", "reads", "writes", "(no name)", "throughput by de", "a", "reads",
                     "writes", "(no name)"]  # fmt: skip
    many = devices(env, *((f"d{number}", READ, 0.001, None) for number in range(23)))
    lines = answer_page.device_lines(many, 2.0)
    assert "and 3 devices more; --json has all" in lines
    assert sum(line.startswith("d") for line in lines) == 40
    few = devices(env, *((f"d{number}", READ, 0.001, None) for number in range(20)))
    assert not any("more" in line for line in answer_page.device_lines(few, 2.0))


def test_a_device_without_a_name_has_one_on_a_page(env: simpy.Environment) -> None:
    lines = answer_page.device_lines(devices(env, ("", READ, 0.002, 0.001)), 2.0, compared=True)
    assert sum(line.startswith("(no name) ") for line in lines) == 3
    lines = answer_page.device_lines(devices(env, ("", READ, 0.002, 0.001)), 2.0)
    assert sum("(no name)" in line for line in lines) == 2


def test_responses_are_drawn_from_the_shortest_to_the_longest_in_their_unit() -> None:
    text = answer_page.response_text(tally(times(0.001, 0.002, 0.004), times(0.008)), 60)
    assert "1 ms" in text
    assert "8 ms" in text
    assert text.startswith("share of requests that take no longer\n")
    assert "response time" in text


def test_the_lines_of_responses_are_shares_of_each_kind_that_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(answer_page, "drawn_lines", lambda *given: drawn.append(given) or ["a", "b"])
    reads = times(0.0012345, 0.0023456)
    assert answer_page.response_text(tally(reads, Times()), 60) == "share of requests that take no longer\na\nb"
    shares = [(place + 0.5) / 100 for place in range(100)]
    ((lines, width, ends, *labels),) = drawn
    assert lines == [TextLine("reads", [(reads.quantile(share), share) for share in shares], 10)]
    assert (width, labels) == (60, ["response time", "1"])
    assert ends == tuple(quantity(reads.quantile(share), "s", 3) for share in (0.005, 0.995))


def test_errors_of_devices_are_told_where_all_were_measured(env: simpy.Environment) -> None:
    some = devices(env, ("a", READ, 0.002, 0.001), ("b", READ, 0.003, None))
    lines = answer_page.device_lines(some, 2.0, compared=True)
    place = next(place for place, line in enumerate(lines) if line.startswith("error by device, %"))
    assert [line.split()[:3] for line in lines[place + 1 :]] == [["a", "1", "100.000"]]
    assert answer_page._device_errors(devices(env, ("b", READ, 0.003, None))) == []


def test_a_page_of_one_kind_has_one_row() -> None:
    one = replayed(drive(5.0, completed=2.0), writes=Times())
    rows = [line.split()[0] for line in answer_page.page(one) if line]
    assert rows[:3] == ["response", "all", "throughput,"]
    two = replayed(drive(5.0, completed=2.0))
    two.tally.measured_reads, two.tally.measured_writes = times(1.0, 1.0), times(4.0)
    both = [line.split()[0] for line in answer_page.page(two) if line]
    assert both[:5] == ["response", "all", "reads", "writes", "throughput,"]
    beside = [line.split()[0] for line in answer_page.page(two, compared=True) if line]
    assert beside[:5] == ["response", "all", "measured", "error,", "reads"]


def test_a_load_of_no_time_is_no_overload() -> None:
    none = TraceReplayed(tally(times(0.0), Times(), 12.0), storage(drive()), 12.0)
    assert none.seconds == 0.0
    assert answer_page._overload(none) == []


def test_rows_of_requests_have_their_numbers_in_the_trace(env: simpy.Environment) -> None:
    """The file is in the order of completion: the third, the first, the second."""
    file = BytesIO()
    write, request = request_rows.rows_into(file), Request(env, access(READ, 0, 512, Account("")))
    asked = [record("c", WRITE, None), record("c", READ, None), record("a,b", READ, None)]
    one, two, three = request_rows.number_records(asked)
    write(three, 0.0015, request)
    env.run(2.5)
    write(one, 2.0, Request(env, access(READ, 0, 512, Account(""))))
    write(two, 0.0, request)
    assert file.getvalue().decode() == (
        'request,device,op,asked_s,response_ms\n3,"a,b",R,0.000000000,1.500000\n1,c,W,2.500000000,2000.000000\n'
        "2,c,R,0.000000000,0.000000\n")


def test_numbers_are_those_of_the_order_whatever_the_file_has() -> None:
    asked = [record("a", READ, None)._replace(number=7), record("a", READ, None)]
    assert [each.number for each in request_rows.number_records(asked)] == [1, 2]


def test_tiers_have_shares_of_references_and_the_use_of_their_time() -> None:
    servers = [SimpleNamespace(tier=Tier(4, 1e-3), answered=6, asked=4, busy=2.0, waited=1.0),
               SimpleNamespace(tier=Tier(8, 1e-2), answered=1, asked=0, busy=0.0, waited=0.0)]  # fmt: skip
    caches = [SimpleNamespace(below=2), SimpleNamespace(below=1)]
    made: Any = SimpleNamespace(servers=servers, caches=caches, block=4096)
    assert data.served_data(made, 8.0) == [
        {"blocks": 4, "seconds": 1e-3, "share": 0.6, "utilisation": 0.25, "queue_seconds": 0.25},
        {"blocks": 8, "seconds": 1e-2, "share": 0.1, "utilisation": 0.0, "queue_seconds": 0.0}, {"share": 0.3}]
    assert [line.split() for line in answer_page.served_lines(made, 8.0)] == [
        [], ["tiers", "time", "share", "busy", "mean", "queue"],
        ["16", "KiB", "1", "ms", "60.00%", "25.0%", "0.25", "s"], ["32", "KiB", "10", "ms", "10.00%", "0.0%", "0", "s"],
        ["drives", "30.00%"]]  # fmt: skip
    quick = [SimpleNamespace(tier=Tier(1, 1e-6), answered=0, asked=0, busy=0.0, waited=0.0), *servers]
    shown = answer_page.served_lines(SimpleNamespace(servers=quick, caches=caches, block=4096), 8.0)  # type: ignore[arg-type]
    assert shown[2].split()[:4] == ["4", "KiB", "0.001", "ms"], "in the unit of the others"


def test_tiers_wait_in_a_unit_of_theirs() -> None:
    servers = [SimpleNamespace(tier=Tier(4, 1e-3), answered=6, asked=4, busy=2.0, waited=0.004),
               SimpleNamespace(tier=Tier(8, 1e-2), answered=1, asked=4, busy=0.0, waited=0.4)]  # fmt: skip
    made: Any = SimpleNamespace(servers=servers, caches=[SimpleNamespace(below=3)], block=4096)
    lines = answer_page.served_lines(made, 8.0)
    assert [line.split()[-2:] for line in lines[2:-1]] == [["0.001", "s"], ["0.1", "s"]]
    assert lines[1] == f"{'tiers':<24}{'time':>12}{'share':>12}{'busy':>10}{'mean queue':>14}"


def test_one_reference_is_all_of_them() -> None:
    made: Any = SimpleNamespace(servers=[], caches=[SimpleNamespace(below=1)])
    assert data.served_data(made, 8.0) == [{"share": 1.0}]
