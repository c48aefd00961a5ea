"""Tests a load without a trace by hand: its requests, its host, its text, its drives."""

from functools import partial
from typing import Any

import pytest

from spindle.questions.array import ArrayOptions
from spindle.questions.storage import CacheOptions, DriveOptions, FlashTierOptions
from spindle.sim.disc.network_type import NetworkType
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError
from spindle.sim.eviction.arc import Arc
from spindle.sim.request import READ, WRITE, Request
from spindle.sim.units import Bytes
from spindle.traces.replay.answer import flash_plan
from spindle.traces.replay.data import load_data
from spindle.traces.replay.hosts import Closed, Open, Paced
from spindle.traces.replay.load import answer_load, host_of, records_of, storage_plan
from spindle.traces.replay.load_question import LoadOptions, LoadQuestion
from spindle.traces.replay.replay import DeviceTimes
from spindle.traces.replay.storage import CachePlan, write_through
from spindle.workloads.traces.record import Record

HP = DriveOptions("hp7933")


def records(devices: int = 1, capacity: int = 10_000, seed: object = 1, **asked: Any) -> list[Record]:
    return list(records_of(LoadOptions(size=Bytes(1000), **asked), devices, capacity, seed))


def test_requests_that_go_nowhere_else_follow_one_another_and_begin_anew_at_the_end() -> None:
    found = records(random=0.0, requests=12)
    assert [each.first for each in found] == [1000 * (place % 10) for place in range(1, 13)]
    assert {(each.time, each.device, each.op, each.length) for each in found} == {(None, "0", READ, 1000)}
    assert [each.first for each in records(random=0.0, requests=5, span=Bytes(3500))] == [1000, 2000, 0, 1000, 2000]
    assert records(random=0.0, requests=12, span=Bytes(99_999)) == found


def test_each_device_has_a_place_of_its_own() -> None:
    found = records(3, random=0.0, requests=300)
    for device in "012":
        firsts = [each.first for each in found if each.device == device]
        assert 60 < len(firsts) < 140
        assert firsts == [1000 * (place % 10) for place in range(1, len(firsts) + 1)]


def test_random_requests_go_to_every_place_alike() -> None:
    firsts = [each.first for each in records(requests=5000)]
    assert sorted(set(firsts)) == [1000 * place for place in range(10)]
    assert all(400 < firsts.count(first) < 600 for first in set(firsts))


@pytest.mark.parametrize(("writes", "ops"), [(0.0, {READ}), (1.0, {WRITE})])
def test_all_or_none_write(writes: float, ops: set[object]) -> None:
    assert {each.op for each in records(writes=writes, requests=100)} == ops


def test_times_are_of_a_poisson_process() -> None:
    """Gaps of 0.1 s on average whose spread is as large."""
    times = [each.time or 0.0 for each in records(iops=10.0, requests=4000)]
    assert times[0] < 1.0
    gaps = [after - before for before, after in zip([0.0, *times], times, strict=False)]
    mean = sum(gaps) / len(gaps)
    assert mean == pytest.approx(0.1, rel=0.05)
    assert sum((gap - mean) ** 2 for gap in gaps) / len(gaps) == pytest.approx(0.01, rel=0.15)
    assert records(iops=10.0, seed=2, requests=9) != records(iops=10.0, requests=9) == records(iops=10.0, requests=9)


def test_a_pause_is_before_each_burst_but_the_first() -> None:
    assert [each.gap for each in records(requests=7, burst=3, pause=0.5)] == [None] * 3 + [0.5, None, None, 0.5]
    assert [each.gap for each in records(requests=2)] == [None, None]


def test_a_request_has_room_on_the_device_and_on_the_span() -> None:
    assert len(records(capacity=1000, requests=2)) == 2
    for more, room in (({}, 999), ({"span": Bytes(500)}, 500)):
        with pytest.raises(UserError) as error:
            records(capacity=999 if not more else 5000, **more)
        assert str(error.value) == f"size of 1000 bytes has no room on {room}"


def test_who_submits_the_requests_follows_from_rate_and_threads() -> None:
    assert host_of(LoadOptions(iops=1.0)) is Open
    for options, kind, depth in ((LoadOptions(), Closed, 1), (LoadOptions(threads=4), Closed, 4),
                                 (LoadOptions(iops=1.0, threads=1), Paced, 1),
                                 (LoadOptions(iops=1.0, threads=4), Paced, 4)):  # fmt: skip
        host: Any = host_of(options)
        assert isinstance(host, partial)
        assert (host.func, host.keywords) == (kind, {"depth": depth})


@pytest.mark.parametrize(("options", "text"), [
    (LoadOptions(), "1 always under way, of 4 KiB, 0% writes, 100% random"),
    (LoadOptions(threads=7, writes=0.25, random=0.5, size=Bytes(8192)),
     "7 always under way, of 8 KiB, 25% writes, 50% random"),
    (LoadOptions(iops=12.5), "12.5 requests/s, of 4 KiB, 0% writes, 100% random"),
    (LoadOptions(iops=100, threads=3), "100 requests/s, of 4 KiB, 0% writes, 100% random, at most 3 under way"),
])  # fmt: skip
def test_a_load_in_words(options: LoadOptions, text: str) -> None:
    assert options.text() == text


def test_devices_are_drives_or_one_array() -> None:
    assert [LoadQuestion(array=array).devices for array in
            (ArrayOptions(), ArrayOptions(drives=3), ArrayOptions("5", 3))] == [1, 3, 1]  # fmt: skip


def test_a_plan_has_what_was_asked_for() -> None:
    memory = CacheOptions(Bytes(1 << 20), "arc", Bytes(512), "through")
    device = DriveOptions("hp7933", wrap=True, head=7, network_latency=0.5)
    front = FlashTierOptions("samsung960pro", Bytes(1 << 20))
    question = LoadQuestion(device=device, array=ArrayOptions("1", 2, ure=1e-12), memory=memory, front=front, seed=5)
    plan = storage_plan(question)
    assert (plan.sheet.disc, plan.wrap, plan.head, plan.count) == (HP7933, True, 7, None)
    assert plan.raid == RaidType("1", 2, unrecoverable=1e-12, seed=5)
    assert plan.cache == CachePlan(1 << 20, 512, Arc, write_through)
    assert (plan.flash, plan.hindrance, plan.network) == (flash_plan(front), None, NetworkType(latency=0.5))
    assert storage_plan(LoadQuestion(array=ArrayOptions(drives=3))).raid is None


def test_an_answer_has_all_requests_and_says_what_was_asked() -> None:
    told: list[Record] = []

    def also(record: Record, response: float, request: Request) -> None:
        told.append(record)

    load = LoadOptions(iops=5.0, requests=20, size=Bytes(512), span=Bytes(1 << 20), writes=0.5)
    memory = CacheOptions(Bytes(1 << 16), "arc")
    answer = answer_load(LoadQuestion(load, HP, ArrayOptions("1", 2), memory, seed=3), also)
    assert sorted(told, key=lambda each: each.time or 0.0) == list(records_of(load, 1, 10**9, 3))
    assert answer.replayed.tally.all_times.count == 20
    assert answer.head() == {
        "load": {"iops": 5.0, "threads": 0, "writes": 0.5, "size": 512, "random": 1.0, "span": 1 << 20, "requests": 20,
                 "burst": 0, "pause": 0.0},
        "drive": HP7933.name, "drives": 2, "raid": "1", "chunk": 524288, "scheduler": "fcfs", "depth": 0,
        "cache": 1 << 16, "policy": "arc", "seed": 3, "notes": []}  # fmt: skip
    assert "cache" not in answer_load(LoadQuestion(load, HP)).head()
    told_of, found = DeviceTimes(), answer_load(LoadQuestion(LoadOptions(requests=4), HP))
    assert {*load_data(found)} >= {"version", "question", "measures", "drives"}
    assert "devices" not in load_data(found)
    assert load_data(found, told_of)["devices"] == {}
    front = FlashTierOptions("samsung960pro", Bytes(1 << 20), "arc")
    tier = answer_load(LoadQuestion(LoadOptions(requests=1), HP, front=front)).head()
    assert (tier["flash"], tier["flash_policy"]) == ("samsung960pro", "arc")


def test_a_drive_that_no_request_came_to_is_idle() -> None:
    """One request is busy all the time on one of four drives, below a cache each."""
    memory = CacheOptions(Bytes(1 << 16))
    found = load_data(answer_load(LoadQuestion(LoadOptions(requests=1), HP, ArrayOptions(drives=4), memory)))
    assert found["question"]["drives"] == 4
    assert (found["measures"]["disc_busy"], found["measures"]["busiest_disc"]) == (0.25, 1.0)
    assert sorted(each["completed"] for each in found["drives"].values()) == [0.0, 0.0, 0.0, 1.0]
    assert list(found["drives"]) == ["0", "1", "2", "3"]
    assert list(found["caches"]) == ["cache 0", "cache 1", "cache 2", "cache 3"]
    [missed] = [name for name, each in found["caches"].items() if each["misses"]]
    assert found["drives"][missed.removeprefix("cache ")]["completed"] == 1.0


def test_the_cache_of_an_array_has_the_name_of_the_array() -> None:
    memory = CacheOptions(Bytes(1 << 16))
    found = load_data(answer_load(LoadQuestion(LoadOptions(requests=1), HP, ArrayOptions("0", 2), memory)))
    assert (list(found["drives"]), list(found["caches"])) == (["0.0", "0.1"], ["cache 0"])


def test_without_a_span_all_of_the_drive_is_asked_for() -> None:
    told: list[int] = []
    load = LoadOptions(requests=400, size=Bytes(512))
    answer_load(LoadQuestion(load, HP), lambda record, response, request: told.append(record.first))
    assert max(told) > 0.98 * HP7933.layout.capacity


def test_a_solid_state_drive_of_one_tag_serves_one_request_after_another() -> None:
    """As with one thread, however many wait outside it."""
    ways = [(0, 100), (1, 100), (0, 1)]
    free, tagged, alone = (
        answer_load(LoadQuestion(LoadOptions(threads=threads, requests=400), DriveOptions("intels3700", depth=depth)))
        for depth, threads in ways)  # fmt: skip
    assert tagged.replayed.end == pytest.approx(alone.replayed.end, rel=1e-3)
    assert free.replayed.end < tagged.replayed.end / 5
