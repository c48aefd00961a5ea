"""Tests whole runs of Max-IV: they repeat, obey laws, and are in the expected order."""

from random import Random
from typing import Any

import pytest
import simpy

from spindle.models.max_iv.disc_address import track_of
from spindle.models.max_iv.habits import LibraryLoop, PathLoop
from spindle.models.max_iv.machine import MaxIvOptions, Modcomp
from spindle.models.max_iv.parameters import MaxIvParameters
from spindle.models.max_iv.requests import SECTOR_BYTES
from spindle.models.max_iv.run import run
from spindle.models.max_iv.tools import read_mix, tools_users
from spindle.models.max_iv.volumes import TOOLS
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheets import HP_C2200A, IBM_2314, MODCOMP_4134, SHEETS
from spindle.sim.error import UserError
from spindle.sim.measure.result import Result
from spindle.sim.parameter import change, describe
from spindle.sim.script import Call, Choose, Loop
from spindle.sim.terminal import Line, Session
from spindle.workloads.software_tools import EDIT, LIST, WHO, users

SHORT: dict[str, Any] = {"minutes": 4.0, "warm_up": 3.0}


@pytest.fixture(scope="module")
def cached() -> Result:
    return run(**SHORT)


def test_the_same_seed_gives_the_same_run(cached: Result) -> None:
    again = run(**SHORT)
    assert again.summary() == cached.summary()
    assert again.transactions == cached.transactions
    assert run(seed=2, **SHORT).summary() != cached.summary()


def test_every_request_is_a_hit_or_a_miss(cached: Result) -> None:
    counters = cached.counters
    requests = sum(value for name, value in counters.items() if name.startswith("handler"))
    outcomes = sum(value for name, value in counters.items() if name.startswith(("fhl.hits", "fhl.late", "fhl.misses")))
    assert abs(requests - outcomes) <= 3  # one of each user may be waiting at either end
    misses = sum(value for name, value in counters.items() if name.startswith("fhl.misses"))
    assert abs(counters["drive1.completed"] + counters["drive2.completed"] - misses) <= 3


def test_a_larger_cache_hits_more_and_answers_sooner(cached: Result) -> None:
    none, small = (run(sectors=sectors, **SHORT).summary() for sectors in (0, 32))
    large = cached.summary()
    assert small["hit_ratio"] < large["hit_ratio"] - 0.1
    assert large["response_mean"] < small["response_mean"] < none["response_mean"]
    assert none["hit_ratio"] == 0.0


def test_the_extras_are_those_of_the_paper(cached: Result) -> None:
    extras = cached.extras
    assert extras["chain_mean"] == pytest.approx(512 / 251, rel=0.03)
    assert extras["miss_reads"] + extras["miss_writes"] + extras["miss_weofs"] == pytest.approx(1.0)
    assert 8.0 <= extras["accesses_per_open"] <= 10.0
    assert 0.0 < extras["management_share"] < 1.0


def test_a_request_takes_no_more_than_four_events() -> None:
    result = run(choices=MaxIvOptions(cpu=lambda env, _: FcfsCpu(env)), character=0.0, minutes=6.0, warm_up=0.0)
    requests = sum(value for name, value in result.counters.items() if name.startswith("handler"))
    hits = result.extras["hit_ratio"]
    beside = 20 * result.counters["software.commands"] + result.seconds  # users, lines, tools' bursts, samples
    assert result.events <= requests * (2 * hits + 4 * (1 - hits)) + beside


def test_a_disc_that_fails_is_asked_again_and_takes_longer(cached: Result) -> None:
    failing = run(errors=0.2, **SHORT)
    assert failing.counters["fhl.failures"] > 0
    busy, usual = (result.extras["disc_busy"] / result.extras["op_rate"] for result in (failing, cached))
    assert busy > usual


@pytest.mark.parametrize(("discs", "homes"), [(1, [0, 0, 0, 0]), (2, [1, 1, 1, 1]), (3, [1, 2, 1, 2])])
def test_tools_are_on_the_first_disc_and_accounts_on_the_others(discs: int, homes: list[int]) -> None:
    modcomp = Modcomp(simpy.Environment(), MaxIvParameters(discs=discs), MaxIvOptions(), 512, 1)
    sessions = [Session(f"user {number}", Line(modcomp.machine.env, 9600.0), Random(1), modcomp.machine.env)
                for number in range(4)]  # fmt: skip
    for session in sessions:
        modcomp.software.prepare(LIST, session)
    assert [session.state.unit for session in sessions] == homes
    assert [unit for unit, _ in sessions[0].state.search_path] == [homes[0], 0, 0]
    assert modcomp.discs[0].walk((*TOOLS, "ls"))[0] is not None
    assert len({session.state.image for session in sessions}) == 4


def test_the_images_of_shells_are_moved_on_the_first_disc() -> None:
    whole, shared = (run(sectors=0, **SHORT, shell_words=words).extras for words in (65536, 0))
    assert whole["busiest_disc"] == pytest.approx(shared["busiest_disc"], rel=0.2)
    assert whole["disc_busy"] > shared["disc_busy"]


@pytest.mark.parametrize("disc", [MODCOMP_4134, IBM_2314], ids=["4134", "2314"])
def test_the_other_discs_hold_the_files_too(disc: DiscType) -> None:
    result = run(choices=MaxIvOptions(drive=disc), minutes=2.0, warm_up=0.0)
    assert result.counters["drive1.completed"] > 0


@pytest.mark.parametrize("disc", SHEETS, ids=lambda disc: disc.name)
def test_all_that_is_labelled_is_on_the_disc_and_has_an_address_of_its_own(disc: DiscType) -> None:
    """Of the HP C2200A 11,490 of 11,592 tracks, because each of them has a spare sector."""
    modcomp = Modcomp(simpy.Environment(), MaxIvParameters(), MaxIvOptions(drive=disc), 512, 1)
    region, handler = modcomp.volumes[0].files.region, modcomp.handlers[0]
    end = region.tracks.first + region.tracks._size
    assert end * handler.track_sectors * SECTOR_BYTES <= disc.layout.capacity
    assert end == 11_490 or disc is not HP_C2200A
    last = end * handler.track_sectors - 1
    assert len({handler.dpi(sector) for sector in (0, 1, last - 1, last, last - handler.track_sectors)}) == 5
    assert track_of(handler.dpi(last)) == end - 1


def test_a_drive_with_spare_sectors_holds_the_files_of_many_users() -> None:
    result = run(users=12, choices=MaxIvOptions(drive=HP_C2200A), minutes=1.0, warm_up=0.0)
    assert result.counters["drive1.completed"] > 0


def test_every_parameter_says_where_it_comes_from() -> None:
    described = list(describe(MaxIvParameters()))
    assert {each.kind for each in described} == {"cited", "assumed", "fitted"}
    assert sorted(each.name for each in described if each.kind == "fitted") == [
        "cold", "inputs", "shot_cpu", "shot_requests", "think"
    ]
    assert next(each for each in described if each.name == "copy").value == pytest.approx(320e-6)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"users": 0}, "users must be between 1 and 1000, not 0"),
        ({"sectors": -1}, "sectors must be a whole number up to 2048, which is all of memory, 0 for no cache, not -1"),
        ({"sectors": float("nan")}, "sectors must be a whole number"),
        ({"copy": float("inf")}, "copy must be a finite number"),
        ({"copie": 1.0}, "unknown parameter 'copie': did you mean copy"),
        ({"account_files": 5000}, "data space: .* are not free any more"),
        ({"minutes": float("nan")}, "minutes must be positive"),
        ({"discs": 17}, "discs must be at least 1 and at most 16, not 17"),
    ],
)
def test_mistakes_are_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        run(**{**SHORT, **changes})


def test_users_are_a_script_of_endless_commands() -> None:
    script = users(4, 30.0)
    assert (script.terminals, len(script.steps)) == (4, 1)


def test_factors_weigh_the_commands_of_the_list() -> None:
    def weights(**factors: Any) -> tuple[float, ...]:
        (loop,) = tools_users(2, MaxIvParameters(**factors)).steps
        assert isinstance(loop, Loop)
        _, mix = loop.steps
        assert isinstance(mix, Choose)
        return mix.weights

    # ls, who, cat, find, cat | sort, translit | sort | uniq, ed, format | print, ratfor | fc
    assert weights() == (10.0, 5.0, 15.0, 10.0, 20.0, 10.0, 15.0, 5.0, 10.0)
    assert weights(pipelines=2.0, editing=0.5, asking_who=4.0) == (
        10.0, 20.0, 15.0, 10.0, 40.0, 20.0, 7.5, 10.0, 10.0)  # fmt: skip


@pytest.mark.parametrize("changes", [
    {"tool_spread": 0.0}, {"printed": 4.0}, {"typed": 36}, {"local_tools": 60}, {"own_commands": 50},
], ids=str)  # fmt: skip
def test_every_number_of_the_lists_is_reached(cached: Result, changes: dict[str, Any]) -> None:
    assert run(**SHORT, **changes).summary() != cached.summary()


def test_a_habit_loops_as_far_as_the_factor_says() -> None:
    assert PathLoop().times(2.0) == PathLoop(directories=50)
    assert LibraryLoop().times(0.5) == LibraryLoop(sectors=115)
    looping = [run(choices=MaxIvOptions(habit=LibraryLoop()), **SHORT, loops=loops).extras for loops in (0.1, 1.0)]
    assert looping[0]["requests_per_command"] < looping[1]["requests_per_command"] - 100


def test_a_mix_is_commands_and_their_weights() -> None:
    assert read_mix("who=3, ls=1.5") == ((3.0, WHO), (1.5, LIST))
    (loop,) = tools_users(4, MaxIvParameters(), read_mix("who=3,ed=1")).steps
    assert isinstance(loop, Loop)
    (choice,) = (step for step in loop.steps if isinstance(step, Choose))
    assert [answer for _, answer in choice.branches] == [Call(WHO, "who"), Call(EDIT, "ed")]
    used = MaxIvParameters()
    assert choice.weights == (3.0 * used.asking_who, used.editing)
    assert tools_users(4, change(used, typed=36, think=7.0)) == users(4, 7.0, characters=36)


@pytest.mark.parametrize(("mix", "said"), [
    ("whom=3", "unknown command of a mix 'whom': did you mean who?"), ("who=3,who=1", "mix has who twice"),
    ("who=0", "the weight of who in mix must be positive, not 0"),
    ("who=inf", "the weight of who in mix must be positive, not inf"),
    ("who", "the weight of who in mix must be a number"),
    ("", "unknown command of a mix ''"),
])  # fmt: skip
def test_what_is_no_mix(mix: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        run(mix=mix, minutes=1.0, warm_up=0.0)
    assert str(refused.value).startswith(said)


def test_a_run_of_one_command_gives_no_other() -> None:
    found = run(users=3, mix="ls=1", minutes=3.0, warm_up=0.5)
    assert {row.name for row in found.transactions} == {"ls"}
    assert found.parameters["mix"] == "ls=1"
