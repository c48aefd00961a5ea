"""Tests whole runs of the HP3000: laws, repetition, pairs of runs, and a gain by caching where discs are short."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import simpy

from spindle.models.hp3000.caching.control import WRITE_BEHIND, CacheSettings, WriteMode
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import SEGMENT_MARGIN, MpeParameters
from spindle.models.hp3000.run import run
from spindle.models.hp3000.studies.idle_machine import unloaded_reads
from spindle.models.hp3000.system import PARTS
from spindle.sim.cpu import FcfsCpu
from spindle.sim.error import UserError
from spindle.sim.eviction.policy import NeedsCapacity
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change
from spindle.sim.script import Call, Expect, Loop, Said, Script, Think
from spindle.sim.streams import Constant
from spindle.sim.units import KIB, MIB, MS
from spindle.workloads.programs import Answer, Compute, Reply
from spindle.workloads.shipped_programs import CATALOGUE

RESIDENT = MpeParameters().resident
SHORT: dict[str, Any] = {"minutes": 2.0, "warm_up": 1.0}


@pytest.fixture(scope="module")
def full() -> dict[bool, Result]:
    """The hybrid load of 101 terminals, without caching and with it."""
    return {caching: run(101, 63, caching=caching, **SHORT) for caching in (False, True)}


# Pairs --------------------------------------------------------------------------------------------


def test_caching_lowers_the_response_of_101_terminals(full: dict[bool, Result]) -> None:
    plain, cached = (full[caching].summary() for caching in (False, True))
    assert cached["response_mean"] < 0.7 * plain["response_mean"]
    assert cached["response_p95"] < plain["response_p95"]
    assert cached["disc_rate"] < plain["disc_rate"]
    assert cached["cpu_cache"] > 0.0 == plain["cpu_cache"]
    assert 0.3 < cached["hit_ratio"] < 0.95


def test_most_of_an_uncached_response_is_the_disc_and_the_queue_for_the_control_block(full: dict[bool, Result]) -> None:
    parts = full[False].breakdown()
    disc = sum(parts[name] for name in ("queue", "overhead", "seek", "rotation", "transfer", "channel"))
    assert disc + parts["lock"] > 0.6 * full[False].recorder.mean


@pytest.mark.parametrize("caching", [False, True])
def test_the_breakdown_sums_to_the_mean_response(full: dict[bool, Result], caching: bool) -> None:
    result = full[caching]
    assert sum(result.breakdown().values()) == pytest.approx(result.summary()["response_mean"], rel=1e-9)
    for row in result.transactions:
        assert sum(row.phases) == pytest.approx(row.responded - row.began, rel=1e-9, abs=1e-9)


def test_without_caching_there_is_no_trace_of_a_cache(full: dict[bool, Result]) -> None:
    assert not [name for name in full[False].counters if name.startswith("cache")]
    assert [name for name in full[True].counters if name.startswith("cache1.")]
    for name in ("cache", "write_wait"):
        assert full[False].breakdown()[name] == 0.0
    assert full[False].counters["cpu.busy_cache"] == 0.0
    for name in ("hit_ratio", "late_hit_ratio"):
        assert full[False].extras[name] != full[False].extras[name]


def few_transactions(caching: bool, **change: Any) -> Sequence[object]:
    return run(25, 20, caching=caching, minutes=1.5, warm_up=0.5, **change).transactions


@pytest.fixture(scope="module")
def unchanged() -> dict[bool, Sequence[object]]:
    return {caching: few_transactions(caching) for caching in (False, True)}


@pytest.mark.parametrize("change", [
    {"hit_cpu": 0.5}, {"miss_search": 0.3, "hit_cpu": 0.4},
    {"fetch_random": 96 * 256}, {"fetch_sequential": 256},
])  # fmt: skip
def test_what_caching_costs_costs_nothing_when_it_is_off(
    change: dict[str, Any], unchanged: dict[bool, Sequence[object]]
) -> None:
    assert few_transactions(False, **change) == unchanged[False]
    assert few_transactions(True, **change) != unchanged[True]


def test_with_and_without_caching_everybody_thinks_types_and_asks_the_same(full: dict[bool, Result]) -> None:
    """Common random numbers: nobody's own doings depend on how fast he is answered."""

    def asked(result: Result) -> dict[str, list[str]]:
        by_terminal: dict[str, list[str]] = {}
        for row in result.transactions:
            by_terminal.setdefault(row.terminal, []).append(row.name)
        return by_terminal

    load: dict[str, Any] = {"terminals": 18, "clerks": 12, "minutes": 3.0, "warm_up": 0.0}
    plain, cached = (run(caching=caching, **load) for caching in (False, True))
    one, other = asked(plain), asked(cached)
    assert one.keys() == other.keys()
    compared = 0
    for terminal in one:
        both = list(zip(one[terminal], other[terminal], strict=False))
        assert all(first == second for first, second in both)
        compared += len(both)
    assert compared > 200

    def thinking(result: Result, terminal: str) -> list[float]:
        """From the end of one printed reply to the next inquiry: thinking and typing."""
        rows = [row for row in result.transactions if row.terminal == terminal]
        return [later.began - earlier.ended for earlier, later in pairwise(rows)]

    alike = []
    for terminal in one:
        pairs = list(zip(thinking(plain, terminal), thinking(cached, terminal), strict=False))[:-1]
        # The interrupt of RETURN waits for the CPU a little longer or shorter; nothing else differs.
        assert all(first == pytest.approx(second, abs=0.3) for first, second in pairs)
        alike += [first == pytest.approx(second, abs=1e-3) for first, second in pairs]
    assert sum(alike) >= 0.9 * len(alike)


# One run ------------------------------------------------------------------------------------------


def test_the_seed_decides() -> None:
    load: dict[str, Any] = {"terminals": 13, "clerks": 10, "minutes": 2.0, "warm_up": 0.5}
    one, again, other = (run(seed=seed, **load) for seed in (1, 1, 2))
    assert one.transactions == again.transactions
    assert one.summary() == again.summary()
    assert one.counters == again.counters
    assert other.transactions != one.transactions


def test_a_result_says_what_was_run(full: dict[bool, Result]) -> None:
    for caching, result in full.items():
        said = {"terminals": 101, "scripts": "CLERKS+COBOL+FORTRAN+BASIC", "caching": caching}
        assert (result.system, result.parameters, result.seed) == ("hp3000", said, 1)
        assert (result.start, result.end, result.seconds) == (60.0, 180.0, 120.0)
    given = run(1, minutes=0.5, warm_up=0.0, memory=4 * MIB, discs=3).parameters
    assert given == {"terminals": 1, "scripts": "CLERKS", "caching": True, "memory": 4 * MIB, "discs": 3}


def test_every_read_of_a_cache_is_a_hit_late_or_a_miss(full: dict[bool, Result]) -> None:
    counters = full[True].counters

    def total(part: str, name: str) -> float:
        return sum(value for key, value in counters.items() if key.startswith(part) and key.endswith(f".{name}"))

    reads = sum(total("cache", name) for name in ("hits", "late_hits", "misses"))
    assert reads > counters["data_base.block_reads"] > 0
    assert full[True].extras["hit_ratio"] == total("cache", "hits") / reads
    assert total("drive", "completed") <= total("drive", "issued") + 101
    assert total("cache", "fetched_bytes") >= total("cache", "misses") * 256


def test_the_extras_are_rates_and_shares(full: dict[bool, Result]) -> None:
    for result in full.values():
        shares = ("cpu_busy", "cpu_cache", "memory_pressure", "disc_busy", "lock_busy")
        assert all(0.0 <= result.extras[name] <= 1.0 for name in shares)
        assert RESIDENT < result.extras["memory_used"] <= 8 * MIB
        assert result.extras["disc_rate"] > 0.0 < result.extras["impede_rate"]


def test_the_interactive_response_time_law_holds(full: dict[bool, Result]) -> None:
    for result in full.values():
        counters, seconds = result.counters, result.seconds
        assert counters["desk.logged_on_seconds"] == pytest.approx(101 * seconds, rel=0.1)
        assert counters["desk.waiting_seconds"] == pytest.approx(result.recorder.clipped, rel=1e-9)
        assert counters["desk.logged_on_seconds"] == pytest.approx(
            counters["desk.waiting_seconds"] + counters["desk.away_seconds"], rel=1e-9
        )


def test_memory_pressure_makes_domains_and_segments_go_alike() -> None:
    ample, tight = (run(32, 20, memory=memory, **SHORT) for memory in (8 * MIB, 9 * MIB // 4))
    assert tight.counters["memory.evictions"] > ample.counters["memory.evictions"]
    assert tight.extras["hit_ratio"] < ample.extras["hit_ratio"]
    assert tight.extras["fault_rate"] > ample.extras["fault_rate"]
    assert tight.counters["segments.swap_writes"] > 0
    assert tight.summary()["response_mean"] > ample.summary()["response_mean"]


def test_memory_that_holds_everything_evicts_nothing() -> None:
    result = run(25, 20, memory=512 * MIB, **SHORT)
    assert result.counters["memory.evictions"] == result.counters["segments.swap_writes"] == 0


def test_the_smallest_memory_still_runs() -> None:
    result = run(15, 10, memory=RESIDENT + SEGMENT_MARGIN, minutes=2.0, warm_up=0.0)
    assert result.summary()["responses"] > 0
    assert result.counters["memory.used_seconds"] <= SEGMENT_MARGIN * result.seconds


def test_the_caches_have_the_settings_that_are_chosen() -> None:
    parameters = change(MpeParameters(), fetch_random=2 * KIB, fetch_sequential=16 * KIB)
    serial = WriteMode(serial=True)
    for choices, (mode, flushed) in ((MpeOptions(), (WRITE_BEHIND, True)),
                                     (MpeOptions(write=serial, flush=False), (serial, False))):
        caching = Hp3000(simpy.Environment(), parameters, choices, caching=True).caching
        assert caching is not None
        assert caching.control.settings == CacheSettings(2 * KIB, 16 * KIB, mode, flushed)


@pytest.mark.parametrize("part", [(name, choice) for name, choices in PARTS.items() for choice in choices],
                         ids="-".join)
def test_every_part_that_may_be_named_runs(part: tuple[str, str]) -> None:
    name, choice = part
    # As many as its files need: a large drive takes long to build.
    discs = 64 if choice == "ibm2314" else 1 if choice.startswith("hitachi") else 16
    one = partial(run, 8, 4, choices=MpeOptions(**{name: PARTS[name][choice]}), minutes=1.0, warm_up=0.0, discs=discs,
                  set_bytes=128 * 1024, memory=4 * MIB)  # fmt: skip
    if name == "policy" and issubclass(PARTS[name][choice], NeedsCapacity):
        with pytest.raises(UserError, match="needs a fixed number of entries"):  # regions here are of any size
            one()
        return
    assert one().summary()["responses"] > 10


def test_waiting_for_the_medium_costs_the_writer() -> None:
    behind = run(40, **SHORT)
    blocked = run(40, choices=MpeOptions(write=WriteMode(block=True)), **SHORT)
    assert blocked.summary()["response_mean"] > behind.summary()["response_mean"]


def test_a_faster_machine_answers_sooner() -> None:
    slow, fast = (run(20, caching=False, mips=mips, **SHORT).summary() for mips in (0.7, 4.0))
    assert fast["response_mean"] < slow["response_mean"]
    assert fast["cpu_busy"] < slow["cpu_busy"]


def test_scripts_take_the_place_of_the_load() -> None:
    program = CATALOGUE["BASIC"]
    ask = Call(Answer(program, (Compute(Constant(0.05)), Reply(1))), "ASK")
    script = Script("ASKERS", (Loop((Think(Constant(10.0)), ask)),), terminals=2, stagger=5.0)
    result = run(scripts=[script], minutes=1.0, warm_up=0.0, caching=False, terminal_delay=0.0)
    assert result.parameters["terminals"] == 2
    assert result.parameters["scripts"] == "ASKERS"
    assert {row.name for row in result.transactions} == {"ASK"}
    first, *others = [row for row in result.transactions if row.terminal == "ASKERS 1"]
    # RETURN takes 1/960 s and its interrupt; stack and code are absent at first, and there from then on.
    assert first.responded - first.began > 0.05 + 2 * 10 * MS
    # After them the CPU time of two messages, the inquiry's and that of the reply before, and of one dispatch.
    settled = 0.05 + 2.5 * MS + 0.03 * MS + 1 / 960
    assert [row.responded - row.began for row in others] == pytest.approx([settled] * len(others))
    assert result.counters["segments.faults"] == 4  # two stacks, and two acts' code segments, which both users share


@pytest.mark.parametrize("text", ["HERE", "THERE"])
def test_a_script_may_wait_for_what_a_program_says(text: str) -> None:
    answer = Answer(CATALOGUE["BASIC"], (Reply(1, says=(("IT IS HERE", 100.0),)),))
    script = Script("ASKERS", (Loop((Think(Constant(10.0)), Call(answer, "ASK"), Expect(Said(text)))),), terminals=1)
    ask = partial(run, scripts=[script], minutes=0.5, warm_up=0.0, caching=False)
    if text == "HERE":
        assert len(ask().transactions) == 2
        return
    with pytest.raises(UserError, match="waits for 'THERE', but the program said 'IT IS HERE'"):
        ask()


def test_a_run_writes_the_log_that_is_asked_for(tmp_path: Path) -> None:
    run(1, minutes=1.0, warm_up=0.0, log=str(tmp_path / "opt.csv"))
    assert len((tmp_path / "opt.csv").read_text("utf-8").splitlines()) == 2


def test_a_burst_longer_than_a_slice_lets_others_in_between() -> None:
    """A quantum at a time, at a less urgent level from the second on."""
    program = CATALOGUE["BASIC"]

    def asks(name: str, seconds: float, start: float) -> Script:
        call = Call(Answer(program, (Reply(1), Compute(Constant(seconds)), Reply(1))), name)
        return Script(name, (call,), start=Constant(start))

    long, short = asks("LONG", 2.0, 0.0), asks("SHORT", 0.05, 1.0)
    result = run(scripts=[long, short], minutes=1.0, warm_up=0.0)
    ended = {row.name: row.ended - row.began for row in result.transactions}
    assert ended["LONG"] > 2.0
    assert ended["SHORT"] < 0.3


# The machine --------------------------------------------------------------------------------------


def test_a_hit_on_an_idle_machine_takes_what_the_paper_says() -> None:
    hit, miss = unloaded_reads(caching=True)
    again, access = unloaded_reads(caching=False)
    assert hit == pytest.approx(4.0 * MS)
    assert 30 * MS < access < 50 * MS
    assert again == pytest.approx(60 / 2700)  # without a cache, a revolution of the HP 7933 until it comes round
    assert miss > access


@pytest.mark.parametrize(("change", "said"), [
    ({"memory": MIB}, "memory must leave at least 64 KiB beside the 1280 KiB of MPE itself, not 1 MiB"),
    ({"hit_cpu": 1.9 * MS}, "hit_cpu must be at least read_call + miss_search, 0.002 s, not 0.0019 s"),
    # Half of what MPE leaves is for the control block: 8 KiB of tables and 17 buffers of a block each.
    ({"block": 3 * MIB}, f"block must be at most {((8 * MIB - RESIDENT) // 2 - 8192) // 17} bytes, to fit into"),
    ({"memory": RESIDENT + MIB, "block": 2 * MIB}, f"block must be at most {(MIB // 2 - 8192) // 17} bytes"),
    ({"memory": RESIDENT + MIB, "control_bytes": MIB}, f"control_bytes must be at most {MIB // 2 - 17} bytes, which"),
    ({"control_bytes": 1024 * MIB}, "control_bytes must be at most "),  # and not that no disc has so much room
    ({"block": 1024 * MIB}, "block must be at most "),
])  # fmt: skip
def test_parameters_that_contradict_each_other_are_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as refused:
        run(minutes=1.0, **change)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("change", [{"minutes": 0.0}, {"minutes": float("nan")}, {"warm_up": -1.0}, {"seeed": 3}])
def test_a_run_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=next(iter(change))):
        run(**change)


def test_the_data_base_is_that_of_the_paper() -> None:
    series = Hp3000(simpy.Environment(), MpeParameters(), MpeOptions(cpu=FcfsCpu), caching=True)
    sets = [each for family in series.data_base._sets.values() for each in family]
    assert len(sets) == 56
    assert [each.number for each in sets] == list(range(56))
    assert series.caching is not None
    assert len(series.caching.caches) == len(series.drives) == MpeParameters().discs
    spans = sorted((each.file.file.storage.cache.drive.name, *extent)  # type: ignore[attr-defined]
                   for each in sets for extent in each.file.file.extents)  # fmt: skip
    assert all(one[0] != other[0] or one[1] + one[2] <= other[1] for one, other in pairwise(spans))
