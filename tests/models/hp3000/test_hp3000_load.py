"""Tests places of files on discs, the people at the terminals, and the source of each number of the HP3000."""

from dataclasses import replace
from typing import Any

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from spindle.models.hp3000.discs import DEFAULT_EXTENTS, Volumes
from spindle.models.hp3000.load import clerks_by, default_load, in_phases, read_shipped, spread
from spindle.models.hp3000.machine import Hp3000, MpeOptions
from spindle.models.hp3000.parameters import SEGMENT_MARGIN, MpeParameters
from spindle.sim.error import UserError
from spindle.sim.parameter import change
from spindle.sim.request import Span
from spindle.sim.script import Call, Choose, Loop, Script, Think, calls
from spindle.sim.streams import Constant
from spindle.sim.units import KIB, MIB
from spindle.workloads.programs import Act, Answer, Compute, DataBaseCalls, Intrinsic, Reply
from spindle.workloads.shipped_programs import CATALOGUE

# Volumes ------------------------------------------------------------------------------------------

DISCS: list[Any] = ["disc 1", "disc 2", "disc 3"]


def test_files_go_to_the_discs_in_turn() -> None:
    volumes = Volumes(DISCS, [MIB] * 3, reserved=8 * KIB)
    assert [volumes.build(f"file {number}", 4 * KIB).storage for number in range(4)] == [*DISCS, DISCS[0]]


def test_a_file_has_so_many_extents_of_one_size_and_at_least_its_bytes() -> None:
    volumes = Volumes(DISCS, [MIB] * 3, reserved=8 * KIB)
    file = volumes.build("file", 100_000)
    assert len(file.extents) == DEFAULT_EXTENTS == 8
    assert {extent.length for extent in file.extents} == {12_544}  # 49 sectors: 100,000 / 8 rounded up
    assert file.size == 8 * 12_544
    assert len(volumes.build("one piece", 100_000, extents=1).extents) == 1


def test_virtual_memory_is_what_is_reserved_on_the_first_disc_and_then_what_is_free_there() -> None:
    volumes = Volumes(DISCS[:1], [24 * KIB], reserved=8 * KIB)
    volumes.build("file", 8 * KIB)  # from 8 + 0.618 x 16 = 17.9 KiB on there is no room, so it begins at 8
    places = [volumes.virtual(f"stack {number}", 3 * KIB) for number in range(4)]
    assert places == [Span(0, 3 * KIB), Span(3 * KIB, 3 * KIB), Span(16 * KIB, 3 * KIB), Span(19 * KIB, 3 * KIB)]
    with pytest.raises(UserError, match="virtual memory: no room for stack 4 on disc 1"):
        volumes.virtual("stack 4", 3 * KIB)


def test_a_place_on_the_disc_whose_turn_it_is() -> None:
    volumes = Volumes(DISCS, [MIB] * 3, reserved=8 * KIB)
    volumes.build("file", 4 * KIB)
    assert [volumes.place("program", 1000)[0] for _ in range(3)] == [1, 2, 0]


def test_what_does_not_fit_is_refused_by_the_discs_name() -> None:
    volumes = Volumes(DISCS[:1], [100 * KIB], reserved=8 * KIB)
    volumes.build("first", 40 * KIB)
    with pytest.raises(UserError, match="no room for file second on disc 1 of 102400 bytes; use more discs"):
        volumes.build("second", 60 * KIB)


def test_a_file_may_take_all_that_is_not_reserved() -> None:
    file = Volumes(DISCS[:1], [72 * KIB], reserved=8 * KIB).build("all", 64 * KIB)
    assert (file.extents[0].first, file.extents[-1].end) == (8 * KIB, 72 * KIB)


@given(
    st.lists(st.integers(30, 300), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 8)), max_size=30),
)
def test_extents_never_overlap_and_a_file_is_refused_only_where_no_hole_can_take_it(
    discs: list[int], files: list[tuple[int, int]]
) -> None:
    sizes, reserved = [size * KIB for size in discs], 8 * KIB
    volumes = Volumes(DISCS[: len(discs)], sizes, reserved)
    taken = [[Span(0, reserved)] for _ in discs]
    for number, (size, extents) in enumerate(files):
        disc = number % len(discs)
        needed = -(-size * KIB // extents // 256) * 256 * extents
        try:
            file = volumes.build(f"file {number}", size * KIB, extents)
        except UserError:
            ends = [span.first for span in taken[disc][1:]] + [sizes[disc]]
            assert all(end - span.end < needed for span, end in zip(taken[disc], ends, strict=True))
            continue
        assert file.storage == DISCS[disc]
        assert file.size == needed
        taken[disc] = sorted([*taken[disc], *file.extents])
        assert all(one.end <= other.first for one, other in zip(taken[disc], taken[disc][1:], strict=False))
        assert taken[disc][-1].end <= sizes[disc]


# Load ---------------------------------------------------------------------------------------------


def terminals(scripts: list[Script]) -> dict[str, int]:
    return {script.name: script.terminals for script in scripts}


def test_the_shipped_development_sessions_are_those_of_the_paper() -> None:
    assert terminals(list(read_shipped("development_38.tepe"))) == {"COBOL": 16, "FORTRAN": 12, "BASIC": 10}
    assert terminals(list(read_shipped("orders_63.tepe"))) == {"CLERKS": 63}


@pytest.mark.parametrize(("total", "each"), [
    (38, {"COBOL": 16, "FORTRAN": 12, "BASIC": 10}),
    (76, {"COBOL": 32, "FORTRAN": 24, "BASIC": 20}),
    (19, {"COBOL": 8, "FORTRAN": 6, "BASIC": 5}),
    (2, {"COBOL": 1, "BASIC": 1}),
    (1, {"FORTRAN": 1}),
    (0, {}),
])  # fmt: skip
def test_sessions_are_spread_in_the_proportions_of_the_script(total: int, each: dict[str, int]) -> None:
    assert terminals(spread(read_shipped("development_38.tepe"), total)) == each


@given(st.integers(0, 10_000))
def test_spreading_loses_nobody(total: int) -> None:
    scripts = spread(shipped_once, total)
    assert sum(script.terminals for script in scripts) == total
    for script in scripts:
        share = {"COBOL": 16, "FORTRAN": 12, "BASIC": 10}[script.name] / 38
        assert abs(script.terminals - share * total) <= 1


shipped_once = read_shipped("development_38.tepe")


AS_SHIPPED = dict.fromkeys(
    ("think_scale", "pace_scale", "compute_scale", "development_scale", "touch_scale", "order_scale"), 1.0
)
"""Parameters (factors) that leave scripts and programs as they are."""


def scaled(terminals: int = 38, **factors: float) -> list[Script]:
    """As many clerks and as many programmers, who do what parameters with those *factors* make of the scripts."""
    return default_load(2 * terminals, terminals, change(MpeParameters(), **{**AS_SHIPPED, **factors}))


def thinks(script: Script) -> list[float]:
    """Mean think times in the round of a clerk or of a programmer."""
    (loop,) = [step for step in script.steps if isinstance(step, Loop)][-1:]
    steps = [*loop.steps, *(step for inner in loop.steps if isinstance(inner, Loop) for step in inner.steps)]
    return [step.time.mean for step in steps if isinstance(step, Think)]


def acts_of(script: Script) -> list[Act]:
    return [act for call in calls(script.steps) if isinstance(call.program, Answer) for act in call.program.acts]


def test_factors_of_one_change_no_number() -> None:
    (clerks,), (as_shipped,) = scaled(63)[:1], read_shipped("orders_63.tepe")
    assert thinks(clerks) == thinks(as_shipped) == [8.0]
    assert (clerks.typing, clerks.terminals) == (as_shipped.typing, as_shipped.terminals)
    means = [
        [act.times.mean for act in acts_of(each) if isinstance(act, DataBaseCalls)] for each in (clerks, as_shipped)
    ]
    assert means[0] == means[1]


def test_think_and_typing_times_are_scaled_the_clerks_once_more_by_their_pace() -> None:
    clerks, cobol, *_ = scaled(pace_scale=2.0, typing_scale=4.0)
    assert (thinks(clerks), clerks.typing) == ([16.0], 4.0 / 8.0)
    assert (thinks(cobol), cobol.typing) == ([4.0, 30.0, 20.0, 10.0], 1.0)
    assert thinks(default_load(1, 1, change(MpeParameters(), think_scale=3.0, pace_scale=1.0))[0]) == [24.0]
    # Each within its rule, though their product is beyond it
    assert thinks(default_load(1, 1, change(MpeParameters(), think_scale=3.0, pace_scale=100.0))[0]) == [2400.0]


@pytest.mark.parametrize(("factor", "places"), [("compute_scale", [0]), ("development_scale", [1, 2, 3])])
def test_programs_compute_longer(factor: str, places: list[int]) -> None:
    for place, (usual, longer) in enumerate(zip(scaled(), scaled(**{factor: 2.0}), strict=True)):
        means = [[act.time.mean for act in acts_of(each) if isinstance(act, Compute)] for each in (usual, longer)]
        assert means[1] == pytest.approx([(2.0 if place in places else 1.0) * mean for mean in means[0]])


def test_calls_that_touch_blocks_replace_those_that_do_not() -> None:
    def counts(script: Script) -> list[tuple[float, float]]:
        """Of each answer: its calls in all, and those that touch a block."""
        answers = [call.program.acts for call in calls(script.steps) if isinstance(call.program, Answer)]
        means = [[(act.intrinsic is Intrinsic.CONTROL, act.times.mean)
                  for act in acts if isinstance(act, DataBaseCalls)]
                 for acts in answers]  # fmt: skip
        return [(sum(mean for _, mean in each), sum(mean for idle, mean in each if not idle)) for each in means][1:]

    for (all_, touching), (same, half) in zip(counts(scaled()[0]), counts(scaled(touch_scale=0.5)[0]), strict=True):
        assert same == pytest.approx(all_)
        assert half == pytest.approx(0.5 * touching)


@pytest.mark.parametrize(("touching", "idle"), [(0.5, 5.0), (1.0, 3.0), (1.5, 1.0), (2.0, 0.0)])
def test_an_answer_keeps_its_calls_where_it_has_enough_that_touch_nothing(touching: float, idle: float) -> None:
    """Of 3 and 4 calls; what is 4 more cannot be taken off 3. An answer without such calls gets none."""
    kinds = {Intrinsic.CONTROL: 3.0, Intrinsic.FIND: 3.0, Intrinsic.PUT: 1.0}
    acts = tuple(DataBaseCalls(kind, "ORDER", Constant(times)) for kind, times in kinds.items())
    script = Script("CLERKS", tuple(Call(Answer(CATALOGUE["ORDERS"], each), "DO") for each in (acts, acts[1:])))
    (clerks,) = clerks_by(change(MpeParameters(), touch_scale=touching), [script])
    means = [act.times.mean for act in acts_of(clerks) if isinstance(act, DataBaseCalls)]
    touched = [3.0 * touching, touching]
    assert means == pytest.approx([idle, *touched, *touched])


def test_shares_of_answers_are_scaled() -> None:
    def weights(script: Script) -> tuple[float, ...]:
        (loop,) = [step for step in script.steps if isinstance(step, Loop)]
        return next(step.weights for step in loop.steps if isinstance(step, Choose))

    assert weights(scaled()[0]) == (40.0, 30.0, 20.0, 10.0)
    assert weights(scaled(order_scale=2.0, list_scale=0.5)[0]) == (40.0, 30.0, 40.0, 5.0)


def test_replies_edits_and_languages_are_scaled() -> None:
    replies = [act.characters for act in acts_of(scaled(reply_scale=0.5)[0]) if isinstance(act, Reply)]
    assert replies == [200, 200, 200, 200, 600]  # the form of RUN, FIND, STOCK and ORDER, and a list
    edits = [loop.times for script in scaled(edits_scale=0.5)[1:] for step in script.steps if isinstance(step, Loop)
             for loop in step.steps if isinstance(loop, Loop)]  # fmt: skip
    assert edits == [6, 5, 3]
    assert terminals(scaled(cobol_scale=2.0)) == {"CLERKS": 38, "COBOL": 23, "FORTRAN": 8, "BASIC": 7}  # 32 : 12 : 10


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_programs_and_files_are_as_large_as_parameters_say(scale: float) -> None:
    parameters = change(MpeParameters(), program_scale=scale, file_bytes=64 * KIB, keyed_records=30)
    machine = Hp3000(simpy.Environment(), parameters, MpeOptions(), caching=False)
    machine.software._loader.prepare(CATALOGUE["COBOL"], "a session", None)
    sizes = {segment.name: segment.size for segment in machine.segments.segments}
    assert (sizes["COBOL code 0"], sizes["stack of a session"]) == (14 * KIB * scale, 20 * KIB * scale)
    assert sizes["COBOL compiler data 0 of a session"] == 12 * KIB * scale
    work = machine.software._loader.prepare(CATALOGUE["ORDERS"], "another", None)
    assert work.keyed["PRICES"]._records == 30


def test_programmers_begin_in_different_places_of_their_round() -> None:
    load = default_load(38, 0, change(MpeParameters(), phases=4))
    assert sum(each.terminals for each in load) == 38
    cobol = [each for each in load if each.name.startswith("COBOL")]
    assert [each.name for each in cobol] == [f"COBOL from {place}/4" for place in range(4)]
    edits = [[step.times for step in each.steps if isinstance(step, Loop)] for each in cobol]
    assert edits == [[12, None], [9, None], [6, None], [3, None]]  # what is left of the first round, then all of it


@pytest.mark.parametrize(("terminals", "clerks", "said"), [
    (0, 63, "terminals must be between 1 and 10000, not 0"),
    (-1, 5, "terminals must be between 1 and 10000, not -1"),
    (10_001, 0, "terminals must be between 1 and 10000, not 10001"),
    (5, 10_001, "clerks must be between 0 and 10000, not 10001"),
    (5, -1, "clerks must be between 0 and 10000, not -1"),
])  # fmt: skip
def test_a_load_that_cannot_be_is_refused(terminals: int, clerks: int, said: str) -> None:
    with pytest.raises(UserError) as refused:
        default_load(terminals, clerks, MpeParameters())
    assert str(refused.value) == said


def test_what_comes_before_a_round_is_done_once_at_each_place_of_it() -> None:
    """Five users at two places; the second goes into the first round for half of its edits, and at least one."""
    first, think = (Think(Constant(1.0)), Think(Constant(2.0))), Think(Constant(3.0))
    loops = tuple(Loop((think,), times) for times in (10, 1, None))
    script = Script("USERS", (*first, Loop((*loops, think))), terminals=5)
    one, other = in_phases(script, 2)
    assert (one.name, one.terminals, one.steps) == ("USERS from 0/2", 3, (*first, *loops, think, script.steps[-1]))
    shorter = (Loop((think,), 5), *loops[1:], think)
    assert (other.name, other.terminals, other.steps) == ("USERS from 1/2", 2, (*first, *shorter, script.steps[-1]))
    assert in_phases(script, 1) == [script]
    assert [each.terminals for each in in_phases(replace(script, terminals=2), 3)] == [1, 1]


@pytest.mark.parametrize(("people", "clerks", "entering"), [
    (10_000, 10_000, 10_000), (1, 0, 0), (21, 63, 21), (63, 63, 63), (101, 63, 63), (101, 0, 0), (101, 127, 101),
])  # fmt: skip
def test_those_at_terminals_who_are_no_clerks_program(people: int, clerks: int, entering: int) -> None:
    load = terminals(default_load(people, clerks, MpeParameters()))
    assert (sum(load.values()), load.get("CLERKS", 0)) == (people, entering)


def test_calls_finds_all_that_a_script_runs() -> None:
    orders, cobol = (CATALOGUE[name] for name in ("ORDERS", "COBOL"))
    steps = (
        Call(Answer(orders, ()), "RUN"),
        Loop((Choose((1.0,), ((Call(Answer(cobol, ()), "RUN"), Think(Constant(1.0))),)),)),
    )
    assert [call.program for call in calls(steps)] == [Answer(orders, ()), Answer(cobol, ())]


# Parameters ---------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "value"), [
    ("mips", 0.0), ("memory", 0), ("memory", 64 * 1024 * MIB + 1), ("memory", 8e6), ("discs", 0), ("discs", 65),
    ("slice", 0.0), ("hit_cpu", 0.0), ("fetch_random", 255), ("fetch_random", 96 * 256 + 1),
    ("fetch_sequential", 0), ("buffers", -1), ("buffers", 256), ("channels", 0), ("file_buffers", 0),
    ("key_buffers", 21), ("calls_scale", 0.0), ("block", 0), ("near", 1.01), ("hot_share", 1.01),
    ("hot_size", 1.01), ("chain_step", 1.01), ("set_bytes", 0), ("think_scale", 0.0), ("block_records", 0),
    ("block_records", 257),
])  # fmt: skip
def test_a_value_out_of_its_range_is_refused(name: str, value: float) -> None:
    with pytest.raises(UserError) as refused:
        change(MpeParameters(), **{name: value})
    assert str(refused.value).startswith(f"{name} must be ")
    assert str(refused.value).endswith(f"not {value!r}")


def test_a_parameter_that_does_not_exist_is_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match="unknown parameter 'memry': did you mean memory"):
        change(MpeParameters(), memry=1)


def test_what_mpe_leaves_of_memory_is_there_for_segments_and_domains() -> None:
    parameters = change(MpeParameters(), memory=10 * MIB, resident=4 * MIB)
    assert parameters.available == 6 * MIB > SEGMENT_MARGIN
