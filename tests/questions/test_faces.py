"""Tests that a question has the same answer from the command, from Python, in a sweep and in a search."""

import inspect
import json
import os
import random
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from spindle import ask
from spindle.cli.main import main
from spindle.output.text import json_text
from spindle.questions.field import option_of
from spindle.questions.settings import settings_of_fields
from spindle.sim import user_parts
from spindle.sim.error import UserError
from spindle.traces.curve.question import CurveQuestion
from spindle.traces.opening import TraceOptions
from spindle.traces.replay.question import ReplayQuestion
from spindle.traces.system import run
from tests.conftest import ROOT
from tests.traces.conftest import trace_of

QUESTIONS = int(os.environ.get("SPINDLE_QUESTIONS", "20"))
"""Questions that are drawn."""
VALUES: Mapping[str, list[str]] = {
    "drive": ["hp7933", "hp7920", "intels3700", "toshibamk2124fc"], "scheduler": ["fcfs", "sptf", "sstf", "c-look",
    "sptf(ageing=0.006)"], "depth": ["0", "1", "4"], "wrap": ["true", "false"], "bus": ["HP-IB"],
    "raid": ["0", "1", "5", "10"], "drives": ["3", "4"], "chunk": ["64K", "128K"], "bitmap": ["1M", "64M"],
    "delayed": ["true"], "failed": ["0", "1"], "rebuild": ["100K"], "ure": ["1e-9"],
    "cache": ["0", "64K", "1MiB"], "policy": ["lru", "arc", "lru-k(k=3)", "s3-fifo"], "block": ["512", "4096"],
    "write": ["back", "through"], "tiers": ["64K:10us", "64K:1us,1MB:100us"], "inclusion": ["inclusive"],
    "open": ["true"], "closed": ["0", "1", "5"], "limit": ["0", "10", "1e3"], "skip_bad": ["0", "2"], "chains": ["5ms"],
    "head": ["0", "200"], "filled": ["0", "0.5"], "foreground": ["true"],
    "speed": ["0.5", "2", "1e3"], "sleep_after": ["5ms", "1"], "wake": ["20ms"], "stall_every": ["3", "7"],
    "stall": ["10ms", "0.3"], "network_latency": ["1ms"], "network_rate": ["1MB", "1GB"],
    "flash": ["intels3700"], "flash_size": ["64K", "1M"], "flash_policy": ["arc", "fifo"], "flash_block": ["512", "8K"],
    "flash_write": ["back", "through"], "engine": ["libaio", "psync", "spdk"], "cpus": ["1", "3"],
}  # fmt: skip
"""Values of each field that may be drawn; fields of a trace's format have none, for the trace has one format."""
NOT_DRAWN = {"format", "columns", "separator", "ops", "keys"}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = random.Random(7)
    rows = [(round(number * 0.02 + chance.random() * 0.02, 6), chance.choice("RRW"), chance.randrange(300) * 8, 8)
            for number in range(40)]  # fmt: skip
    path = tmp_path_factory.mktemp("faces") / "t.csv"
    path.write_text(trace_of(*rows))
    return path


GROUPS: tuple[tuple[str, ...], ...] = (
    ("drive", "scheduler", "depth", "wrap", "closed", "limit", "skip_bad", "head", "filled", "foreground"),
    ("cache", "policy", "block", "write"),
    ("tiers", "inclusion", "policy", "block"), ("raid", "drives", "chunk", "bitmap", "delayed", "failed", "ure"),
    ("open", "speed"), ("bus",), ("sleep_after", "wake"), ("stall_every", "stall"), ("network_latency", "network_rate"),
    ("flash", "flash_size", "flash_policy", "flash_block", "flash_write"),
    ("engine", "cpus"),
)  # fmt: skip
"""Fields that go together; the first of a group is drawn with the others."""


def drawn(seed: int) -> dict[str, str]:
    """Draw fields of one or two groups; now and then of all, most of which exclude each other."""
    chance = random.Random(seed)
    if chance.random() < 0.1:
        return {name: chance.choice(VALUES[name]) for name in chance.sample(sorted(VALUES), 4)}
    given: dict[str, str] = {"drive": chance.choice(VALUES["drive"])}
    for first, *others in chance.sample(GROUPS, chance.randrange(1, 3)):
        names = [first, *chance.sample(others, chance.randrange(len(others) + 1))]
        names += ["drives"] if first == "raid" else []
        given |= {name: chance.choice(VALUES[name]) for name in names}
    return given


def by_command(trace: Path, given: Mapping[str, str]) -> dict[str, float] | None:
    words = [f"{option_of(name)}={text}" for name, text in given.items()]
    with redirect_stdout(StringIO()) as out:
        status = main(["replay", str(trace), *words, "--json"])
    assert status in (0, 2), given
    return None if status else {name: value for name, value in json.loads(out.getvalue())["measures"].items()
                                if value is not None}  # fmt: skip


def by_python(trace: Path, given: Mapping[str, str]) -> dict[str, float]:
    return dict(ask.replay(trace, **given))


def by_sweep(trace: Path, given: Mapping[str, str]) -> dict[str, float]:
    frame = ask.sweep(str(trace), **given, seeds=[1], workers=1, progress=False)
    return {name: value for name, value in frame.iloc[0].to_dict().items() if name not in (*given, "seed")}


FACES: tuple[Callable[[Path, Mapping[str, str]], dict[str, float]], ...] = (by_python, by_sweep)


def answers(face: Callable[[Path, Mapping[str, str]], dict[str, float]], trace: Path, given: Mapping[str, str]) -> Any:
    """The numbers that are there; None for a question that is refused."""
    try:
        found = face(trace, given)
    except UserError:
        return None
    return {name: value for name, value in found.items() if value == value}


@pytest.mark.parametrize("seed", range(QUESTIONS))
def test_all_faces_answer_alike_to_the_last_digit(seed: int, trace: Path) -> None:
    given = drawn(seed)
    told = by_command(trace, given)
    for face in FACES:
        assert answers(face, trace, given) == told, (face.__name__, given)


def test_most_questions_that_are_drawn_have_an_answer(trace: Path) -> None:
    answered = [by_command(trace, drawn(seed)) is not None for seed in range(40)]
    assert sum(answered) >= 10


def test_a_search_probes_what_a_replay_answers(trace: Path) -> None:
    given = {"drive": "hp7933", "scheduler": "sptf", "closed": "5"}
    seconds = by_python(trace, {**given, "limit": "15"})["makespan"]
    found = ask.find(str(trace), "limit", f"makespan <= {seconds!r}", ("5", "40"), seeds=2, workers=1, **given)
    assert len(found.curve) > 2
    for limit, mean in zip(found.curve["limit"], found.curve["makespan"], strict=True):
        assert mean == by_python(trace, {**given, "limit": str(limit)})["makespan"]


def test_every_field_is_drawn_or_is_of_the_format() -> None:
    assert set(settings_of_fields(ReplayQuestion)) == {*VALUES, *NOT_DRAWN}


WITNESSES: Mapping[str, tuple[Mapping[str, str], str]] = {
    "drive": ({}, "hp7920"), "scheduler": ({"closed": "9", "drive": "hp7933"}, "sptf"),
    "depth": ({"closed": "9", "drive": "hp7933"}, "4"), "bus": ({"drive": "hp7933"}, "HP-IB"),
    "raid": ({"raid": "0", "drives": "4", "drive": "hp7933"}, "5"),
    "drives": ({"raid": "0", "drive": "hp7933", "chunk": "4K"}, "3"),
    "chunk": ({"raid": "0", "drives": "4", "drive": "hp7933"}, "4K"),
    "bitmap": ({"raid": "5", "drives": "4", "drive": "hp7933"}, "64K"),
    "delayed": ({"raid": "5", "drives": "4", "drive": "hp7933"}, "true"),
    "failed": ({"raid": "5", "drives": "4", "drive": "hp7933"}, "1"),
    "rebuild": ({"raid": "5", "drives": "4", "failed": "1", "drive": "hp7933"}, "1M"),
    "ure": ({"raid": "5", "drives": "4", "drive": "hp7933"}, "1e-6"),
    "head": ({"drive": "hp7933"}, "1000"), "filled": ({"drive": "intels3700", "closed": "32"}, "1"),
    "cache": ({}, "64K"),
    "policy": ({"cache": "64K"}, "fifo"), "block": ({"cache": "64K"}, "512"),
    "write": ({"cache": "64K"}, "through"), "tiers": ({}, "64K:10us"),
    "inclusion": ({"tiers": "32K:1us,40K:100us"}, "inclusive"), "closed": ({}, "5"), "limit": ({}, "10"),
    "speed": ({}, "2"), "sleep_after": ({"wake": "9ms", "sleep_after": "1h"}, "1ms"),
    "wake": ({"wake": "9ms", "sleep_after": "1ms"}, "1s"), "stall_every": ({"stall": "9ms", "stall_every": "3"}, "4"),
    "stall": ({"stall": "9ms", "stall_every": "3"}, "1s"), "network_latency": ({}, "1ms"),
    "network_rate": ({}, "1MB"),
    "flash": ({}, "intels3700"), "flash_size": ({"flash": "intels3700"}, "64K"),
    "flash_policy": ({"flash": "intels3700", "flash_size": "64K"}, "s3-fifo"),
    "flash_block": ({"flash": "intels3700"}, "64K"), "flash_write": ({"flash": "intels3700"}, "back"),
    "engine": ({}, "libaio"), "cpus": ({"drive": "intels3700", "closed": "9", "engine": "psync"}, "2"),
}  # fmt: skip
"""For each field a question, and a value of the field that changes its answer."""
ONLY_ELSEWHERE = {"open", "chains", "wrap", "skip_bad", "foreground", *NOT_DRAWN}
"""Fields that change an answer only for another trace: one without times, with bad lines, larger than the drive, or one
that writes for long."""


@pytest.mark.parametrize("name", WITNESSES)
def test_each_field_matters(name: str, trace: Path) -> None:
    given, value = WITNESSES[name]
    before = by_python(trace, with_usual(name, given))
    assert by_python(trace, {**given, name: value}) != before


def with_usual(name: str, given: Mapping[str, str]) -> dict[str, str]:
    """The question without the field; an array has four drives where their number is asked for."""
    return {**given, "drives": "4"} if name == "drives" else dict(given)


def test_no_field_is_without_a_witness() -> None:
    assert set(settings_of_fields(ReplayQuestion)) == {*WITNESSES, *ONLY_ELSEWHERE}


@pytest.mark.parametrize(("given", "says"), [
    ({"limit": -1}, "limit must be a whole number from 0"), ({"closed": 1.5}, "closed must be a whole number, not 1.5"),
    ({"chunk": "64K"}, "chunk is for an array; raid gives its level"),
    ({"cache": "1M", "write": "bakc"}, "unknown way to write 'bakc'"),
    ({"policy": "arc"}, "policy is for a cache; cache gives its size"),
    ({"open": True, "closed": 2}, "two kinds of loop"),
    ({"wrap": "perhaps"}, "wrap must be true or false"),
    ({"tiers": "1M:1us", "cache": "1M"}, "cache and tiers exclude each other"),
])  # fmt: skip
def test_python_is_refused_in_its_own_words(given: dict[str, Any], says: str, trace: Path) -> None:
    with pytest.raises(UserError, match=says):
        ask.replay(trace, **given)




CURVE_VALUES: Mapping[str, list[str]] = {
    "policy": ["lru", "arc,fifo", "belady", "s3-fifo(small=0.2),lru"], "block": ["512", "4K"],
    "sizes": ["1,4,16", "10%,100%", "1e2"], "warm_up": ["0", "0.25"], "over_time": ["true"], "by_device": ["true"],
    "bytes": ["true"], "ttl": ["honour"], "admit": ["bloom", "size(most=4096)"], "tiers": ["64K:10us,1MB:1ms"],
    "inclusion": ["inclusive"], "below": ["10ms"], "prices": ["3,1"], "response": ["true"], "write": ["through"],
    "drive": ["hp7933"], "limit": ["15"], "sample": ["0.9", "1.5"], "raid": ["0"], "drives": ["2"],
}  # fmt: skip


def drawn_curve(seed: int) -> dict[str, str]:
    """Draw up to four fields of a curve, some with those that they need."""
    chance = random.Random(seed)
    given = {name: chance.choice(CURVE_VALUES[name]) for name in chance.sample(sorted(CURVE_VALUES), 1 + seed % 4)}
    if chance.random() < 0.5 and {"write", "drive", "raid"} & {*given}:
        given |= {"response": "true", "drive": "hp7933"}
    return given


def curve_by_command(trace: Path, given: Mapping[str, str]) -> Any:
    words = [f"{option_of(name)}={text}" for name, text in given.items()]
    with redirect_stdout(StringIO()) as out:
        status = main(["curve", str(trace), *words, "--json"])
    assert status in (0, 2), given
    return None if status else json.loads(out.getvalue())["rows"]


def curve_by_python(trace: Path, given: Mapping[str, str]) -> Any:
    try:
        frame = ask.curve(trace, **given)
    except UserError:
        return None
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


@pytest.mark.parametrize("seed", range(QUESTIONS))
def test_both_faces_of_a_curve_answer_alike(seed: int, trace: Path) -> None:
    given = drawn_curve(seed)
    assert curve_by_python(trace, given) == curve_by_command(trace, given), given


@pytest.mark.parametrize("given", [{}, {"block": "512"}, {"limit": "15"}, {"block": "8K", "skip_bad": "2"}])
def test_both_faces_of_a_character_answer_alike(given: Mapping[str, str], trace: Path) -> None:
    words = [f"{option_of(name)}={text}" for name, text in given.items()]
    with redirect_stdout(StringIO()) as out:
        assert main(["characterise", str(trace), *words, "--json"]) == 0
    told = json.loads(out.getvalue())
    asked = json.loads(json_text(ask.characterise(trace, **given)))
    assert asked == {name: value for name, value in told.items() if name in asked}
    assert set(told) - set(asked) == {"version", "trace", "format"}
    usual = ask.characterise(trace)
    assert json_text(asked) == json_text(usual) or {*given} & {"block", "limit"}


SIZES = ("1,4,16", "3,40")
"""Sizes of curves of which each is a point."""


def drawn_points(seed: int) -> dict[str, str]:
    """Draw a curve with sizes that are numbers, which are points of a sweep and a search."""
    return {**drawn_curve(seed), "sizes": SIZES[seed % len(SIZES)]}


def points_of(rows: list[dict[str, Any]]) -> dict[tuple[str, int], dict[str, float]]:
    """The numbers of each policy and size that are there, without those that are the curve's own names."""
    room = next(name for name in rows[0] if name.startswith("cache_"))
    return {(row["policy"], row[room]): {name: value for name, value in row.items()
                                         if value is not None and name not in (room, "policy", "bytes")}
            for row in rows}  # fmt: skip


def points_by_sweep(trace: Path, given: Mapping[str, str]) -> Any:
    lists = {name: user_parts.split(text) for name, text in given.items() if name in ("sizes", "policy")}
    asked = {**given, "policy": [given.get("policy", "lru")], **lists}
    try:
        frame = ask.sweep("curve", trace=str(trace), **asked, workers=1, progress=False)
    except UserError:
        return None
    if "refused" in frame:
        return None
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return {(row["policy"], row["sizes"]): {name: value for name, value in row.items()
                                            if value is not None and name not in (*asked, "trace", "seed")}
            for row in rows}  # fmt: skip


@pytest.mark.filterwarnings("ignore::UserWarning")  # a sweep warns of a point that cannot be run
@pytest.mark.parametrize("seed", range(QUESTIONS))
def test_a_point_of_a_sweep_is_one_of_the_curve(seed: int, trace: Path) -> None:
    given = drawn_points(seed)
    rows = curve_by_command(trace, given)
    assert points_by_sweep(trace, given) == (None if rows is None else points_of(rows)), given


def test_a_search_of_a_curve_probes_its_points(trace: Path) -> None:
    found = ask.find("curve", "sizes", "hit_ratio >= 0.05", (1, 30), seeds=2, workers=1, trace=str(trace), policy="arc")
    assert len(found.curve) > 2
    sizes = [int(size) for size in found.curve["sizes"]]
    assert list(found.curve["hit_ratio"]) == list(ask.curve(trace, policy="arc", sizes=sizes)["hit_ratio"])


@pytest.mark.parametrize(("given", "says"), [
    ({"sizes": "4"}, "trace must be given"), ({"trace": "TRACE"}, "sizes must be given"),
    ({"trace": "TRACE", "sizes": "0"}, "sizes must be at least 1, not 0"),
    ({"trace": "nowhere.csv", "sizes": "4"}, "trace must name a file that exists"),
])  # fmt: skip
def test_a_point_of_a_curve_needs_a_trace_and_a_size(
    given: Mapping[str, str], says: str, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [f"--{name}={text.replace('TRACE', str(trace))}" for name, text in given.items()]
    assert main(["sweep", "curve", *words, "--workers=1"]) == 2
    assert says in capsys.readouterr().err


def test_a_run_of_curves_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "curve"]) == 2
    assert "computed once by spindle curve" in capsys.readouterr().err


def test_a_policy_of_a_users_own_is_a_point(trace: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from spindle.sim.eviction.lru import Fifo\n\n\nclass Mine(Fifo):\n    pass\n")
    rows = ask.sweep("curve", trace=str(trace), policy=[f"{tmp_path}/mine.py:Mine", "fifo"], sizes=4, workers=1)
    assert rows["hits"].tolist() == [rows["hits"][0]] * 2


CURVE_WITNESSES: Mapping[str, tuple[Mapping[str, str], str]] = {
    "policy": ({}, "fifo"), "block": ({}, "512"), "sizes": ({}, "5"), "warm_up": ({}, "0.25"),
    "over_time": ({}, "true"), "by_device": ({}, "true"), "sample": ({}, "0.5"), "bytes": ({}, "true"),
    "admit": ({}, "bloom"), "tiers": ({}, "64K:10us"),
    "inclusion": ({"tiers": "8K:1us,64K:9us", "policy": "fifo"}, "inclusive"),
    "below": ({"tiers": "64K:10us"}, "10ms"), "prices": ({"tiers": "64K:1us,1MB:9us", "below": "10ms"}, "3,1"),
    "response": ({}, "true"), "drive": ({"response": "true"}, "hp7920"),
    "write": ({"response": "true", "drive": "hp7933"}, "through"),
    "raid": ({"response": "true", "drive": "hp7933", "raid": "0", "drives": "4"}, "5"), "limit": ({}, "10"),
    "ttl": ({}, "honour"),
}  # fmt: skip
"""For each field of a curve a question, and a value of the field that changes its answer."""
SAME_AS_A_REPLAY = {"scheduler", "depth", "bus", "wrap", "head", "filled", "foreground", "chunk", "bitmap", "delayed",
                    "sleep_after", "wake", "stall_every", "stall", "network_latency", "network_rate", "failed",
                    "rebuild",
                    "ure", "drives", "skip_bad", *NOT_DRAWN}  # fmt: skip
"""Fields that do here what they do in a replay, which has witnesses of them."""


@pytest.mark.parametrize("name", CURVE_WITNESSES)
def test_each_field_of_a_curve_matters(name: str, trace: Path) -> None:
    given, value = CURVE_WITNESSES[name]
    usual = {"sizes": "64,80" if name == "sample" else "3,40", **given}
    frames = [ask.curve(trace, **asked) for asked in (usual, {**usual, name: value})]
    before, after = ((frame.attrs["page"], frame.to_json()) for frame in frames)
    assert before != after


def test_no_field_of_a_curve_is_without_a_witness() -> None:
    assert set(settings_of_fields(CurveQuestion)) == {*CURVE_WITNESSES, *SAME_AS_A_REPLAY}


def test_most_curves_that_are_drawn_have_an_answer(trace: Path) -> None:
    assert sum(curve_by_python(trace, drawn_curve(seed)) is not None for seed in range(40)) >= 15


def test_every_field_of_a_curve_is_drawn_or_is_one_of_a_replay() -> None:
    assert set(settings_of_fields(CurveQuestion)) - {*VALUES, *NOT_DRAWN} <= {*CURVE_VALUES}


def test_a_signature_has_the_fields_and_a_list_is_text_with_commas(trace: Path) -> None:
    for face, asked in ((ask.curve, CurveQuestion), (ask.replay, ReplayQuestion)):
        _, *names = inspect.signature(face).parameters
        assert {*names} == {*settings_of_fields(asked), *["seed"] * (face is ask.replay)}
    assert list(ask.curve(trace, sizes=[4, 1])["hits"]) == list(ask.curve(trace, sizes="1,4")["hits"])


def test_a_truth_option_does_not_take_the_trace_for_its_value(trace: Path) -> None:
    with redirect_stdout(StringIO()) as out:
        assert main(["curve", "--over-time", str(trace), "--json"]) == 0
        assert main(["curve", str(trace), "--over-time", "perhaps"]) == 2
    assert json.loads(out.getvalue())["rows"]


def test_what_is_said_to_be_false_is_not_there(trace: Path) -> None:
    with pytest.raises(UserError, match="drive is for response"):
        ask.curve(trace, response=False, drive="hp7933")
    assert ask.curve(trace, sizes="1", response=False, tiers="")["hits"].tolist()


def test_a_curve_with_responses_opens_its_trace_once(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input can be read once."""
    opened, whole = [], TraceOptions.open
    monkeypatch.setattr(TraceOptions, "open", lambda *given: opened.append(1) or whole(*given))
    ask.curve(trace, sizes="4", response=True, drive="hp7933")
    assert opened == [1]


def test_a_run_of_the_system_is_the_same_question(trace: Path) -> None:
    assert dict(run(trace, drive="hp7933", closed=5)) == by_python(trace, {"drive": "hp7933", "closed": "5"})


@pytest.mark.parametrize("given", [
    {}, {"bus": "HP-IB"}, {"open": "true"}, {"open": "true", "scheduler": "sptf"}, {"open": "true", "bus": "HP-IB"},
])  # fmt: skip
def test_both_faces_of_a_drive_answer_alike(
    given: Mapping[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    requests = tmp_path / "requests.csv"
    requests.write_text("gap_before_ms,arrival_s,op,lba,sectors\n0,0,R,0,8\n1,0,R,9000,8\n1,0.001,W,400,8\n")
    files = [str(ROOT / "examples" / "drive.yaml"), str(requests)]
    words = [word for name, text in given.items() for word in (option_of(name), text)]
    assert main(["drive", *files, *words, "--json"]) == 0
    assert json.loads(json_text(ask.drive(*files, **given))) == json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(("given", "says"), [
    ({"scheduler": "sptf"}, "scheduler is for an open loop, where there is a queue; open makes one"),
    ({"open": True, "chains": "x"}, "chains must be a number, such as"),
    ({"loop": "open"}, "unknown name of an argument 'loop'"),
])  # fmt: skip
def test_a_drive_is_refused_in_its_own_words(given: Mapping[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        ask.drive(ROOT / "examples" / "drive.yaml", ROOT / "examples" / "requests.csv", **given)


def test_both_faces_of_a_measurement_answer_alike(capsys: pytest.CaptureFixture[str]) -> None:
    kept = str(ROOT / "examples" / "measured.csv")
    assert main(["measure", "--from", kept, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json_text(ask.measure(kept)))


def test_a_measurement_is_of_a_folder_or_kept() -> None:
    with pytest.raises(UserError, match="measure needs a folder to measure in"):
        ask.measure("")
    with pytest.raises(UserError, match=r"(folder and from_|from_ and \w+) exclude each other"):
        ask.measure("/tmp", from_="kept.csv")
    with pytest.raises(UserError, match=r"seconds must be a number from 0\.1 to 3600, not 0"):
        ask.measure("/tmp", seconds=0)
