"""Options of runs by hand: which texts are given, how they are read, and what a run of a made-up system gets."""

import os
import re
import warnings
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spindle.cli import run_options
from spindle.cli.arguments import ArgumentParser, HelpShown
from spindle.cli.run_options import SYSTEM_PREFIX, add_options, arguments, axes, given_texts, pairs, run_of, values
from spindle.questions.field import Asked, spell_as_options
from spindle.questions.settings import PartSetting, Setting
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.sheets import HP7933
from spindle.sim.error import UserError, quote
from spindle.sim.parameter import assumed
from spindle.studies.settings import TOGETHER
from spindle.system import System
from spindle.workloads.traces.record import TraceLimits


@dataclass(frozen=True)
class ToyParameters:
    """What a toy is made of."""

    memory_size: int = assumed(8, "pages of it", "1")
    slice: float = assumed(0.25, "of the processor", "s")


def toy_run(users: int = 2, minutes: float = 5.0, warm_up: float = 2.0, fast: bool = False, seed: int = 1,
            log: str = "", **more: Any) -> dict[str, Any]:
    return dict(users=users, minutes=minutes, warm_up=warm_up, fast=fast, seed=seed, log=log, **more)


TOY = System("toy", "Toy", toy_run, ToyParameters(), says={"users": "people at it"}, instead=("users", "minutes"))


def given(*pairs_set: str, **texts: Any) -> dict[str, str]:
    return given_texts(TOY, Namespace(**{SYSTEM_PREFIX + name: text for name, text in texts.items()}), pairs_set)


def test_texts_come_from_options_and_from_pairs() -> None:
    assert given() == {}
    assert given("memory-size=9", "slice=1ms=", users="3") == {"users": "3", "memory_size": "9", "slice": "1ms="}
    assert given("log=x", users="") == {"log": "x", "users": ""}, "what is empty is refused where it is read"
    assert given(users=["a", "b"]) == {"users": f"a{TOGETHER}b"}


@pytest.mark.parametrize(("words", "texts", "says"), [
    (("users",), {}, "--set takes NAME=VALUE, not 'users'"), (("=3",), {}, "--set takes NAME=VALUE, not '=3'"),
    (("users=",), {}, "--set takes NAME=VALUE, not 'users='"),
    (("usrs=3",), {}, "unknown name to set 'usrs': did you mean users"),
    (("slice=1", "slice=2"), {}, "--set slice is given twice; list all its values in one"),
    (("warm-up=1",), {"warm_up": "2"}, "warm_up is given twice, by --warm-up and by --set; leave out one of them"),
    (("users=3",), {"minutes": "2"}, "--users and --minutes exclude each other; leave out one of them"),
])  # fmt: skip
def test_a_name_that_is_given_twice_or_not_at_all_is_refused(
    words: tuple[str, ...], texts: dict[str, str], says: str
) -> None:
    spell_as_options()
    with pytest.raises(UserError) as error:
        given(*words, **texts)
    assert str(error.value).startswith(says)


def test_files_that_a_run_writes_are_no_pairs_of_many_runs() -> None:
    with pytest.raises(UserError, match="unknown name to set 'log'"):
        pairs(TOY, "--against", ["log=x.csv"])
    assert pairs(TOY, "--set", ["log=x.csv"], (), ()) == {"log": "x.csv"}


def test_one_value_is_read_of_each_name_or_many() -> None:
    assert values(TOY, {"users": "3", "minutes": "90s", "fast": "true"}) == {"users": 3, "minutes": 1.5, "fast": True}
    assert axes(TOY, {"users": "3,5", "slice": "1ms"}) == {"users": [3, 5], "slice": [0.001]}
    with pytest.raises(UserError, match=r"^users .*spindle sweep toy"):
        values(TOY, {"users": "3,5"})
    for read in (values, axes):
        with pytest.raises(UserError, match=r"^users must be a whole number, not 'x'$"):
            read(TOY, {"users": "x"})


# A run by name.


def test_a_system_that_needs_nothing_read_is_its_own_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_options, "system_names", lambda: ["toy"])
    assert run_of("toy", TOY, {"users": [1, 2]}) is toy_run
    assert run_of("offered", TOY, {"users": [1, 2]}).args == ("offered", {}, {}, {})  # type: ignore[attr-defined]


def test_a_run_has_digests_of_the_files_that_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_options, "system_names", lambda: ["toy"])
    names = ("b.yaml", "a.toml", "d.yaml", "c.toml")
    for name in (*names, "t.csv", "p.csv"):
        Path(name).write_text(f"of {name}")
    run: Any = run_of("toy", TOY, {"log": [*names, "none.yaml", "t.csv"], "users": [3, Path("p.csv")]})
    name, digests, texts, read = run.args
    assert (name, texts, read) == ("toy", {}, {})
    assert list(digests.items()) == [
        (each, sha256(f"of {each}".encode()).hexdigest()) for each in (*sorted(names), "p.csv")]
    traced: Any = run_of("t.csv", TOY, {})
    assert list(traced.args[1]) == ["t.csv"]


def test_a_run_of_a_point_is_made_by_name_and_does_not_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_options, "system_called", {"toy": TOY}.__getitem__)
    assert run_options._run_point("toy", {}, {}, {}, users=3, minutes=1.5)["users"] == 3


def scripted() -> System:
    scripting: Any = SimpleNamespace(read=lambda *files, programs: [*files, *programs])
    return replace(TOY, scripting=scripting)


def test_scripts_are_read_once_for_each_files_and_programs() -> None:
    both = f"a.tepe{TOGETHER}b.tepe"
    read = run_options.loads(scripted(), {"script": [both, "c.tepe"], "program": ["p.toml", ""], "users": [1]})
    assert read == {
        (both, "p.toml"): ["a.tepe", "b.tepe", "p.toml"], (both, ""): ["a.tepe", "b.tepe"],
        ("c.tepe", "p.toml"): ["c.tepe", "p.toml"], ("c.tepe", ""): ["c.tepe"]}
    assert run_options.loads(scripted(), {"script": ["c.tepe"]}) == {("c.tepe", ""): ["c.tepe"]}
    assert run_options.loads(scripted(), {}) == run_options.loads(TOY, {"script": ["c.tepe"]}) == {}
    with pytest.raises(UserError, match="script"):
        run_options.loads(scripted(), {"program": ["p.toml"]})


def test_a_run_with_scripts_has_them_as_they_were_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_options, "system_names", lambda: ["toy"])
    run: Any = run_of("toy", scripted(), {"script": ["a.tepe"]})
    assert run.args == ("toy", {}, {}, {("a.tepe", ""): ["a.tepe"]})


def test_a_point_becomes_arguments_with_its_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    read: Any = {("c.tepe", "p.toml"): ["C"], ("c.tepe", ""): ["D"]}
    monkeypatch.setattr("spindle.workloads.tepe.with_terminals", lambda load, terminals: [*load] * terminals)
    assert arguments(scripted(), {"script": "c.tepe", "program": "p.toml", "users": 2}, read) == {
        "users": 2, "scripts": ["C"]}  # fmt: skip
    assert arguments(scripted(), {"script": "c.tepe"}, read) == {"scripts": ["D"]}
    assert arguments(scripted(), {"script": "c.tepe", "terminals": 2}, read) == {"scripts": ["D", "D"], "terminals": 2}
    assert arguments(scripted(), {"script": "c.tepe", "terminals": 0}, read) == {"scripts": [], "terminals": 0}
    assert arguments(TOY, {"users": 2, "script": "its own"}, {}) == {"users": 2, "script": "its own"}
    spell_as_options()
    with pytest.raises(UserError, match=r"^--clerks counts Spindle's own people; a script says who sits at its"):
        arguments(scripted(), {"script": "c.tepe", "clerks": 2}, read)


# Parts by name.


@pytest.fixture
def parted(monkeypatch: pytest.MonkeyPatch) -> System:
    """A toy with an argument and two choices that are parts."""
    settings = {
        "drive": SimpleNamespace(part="drive", choices={"one": HP7933}, argument=True),
        "order": SimpleNamespace(part="scheduler", choices={"fcfs": "in turn"}, argument=False),
        "policy": SimpleNamespace(part="policy", choices={"lru": "oldest"}, argument=False)}  # fmt: skip
    monkeypatch.setattr(run_options, "parts_of", lambda system: settings)
    return replace(TOY, choose=lambda **chosen: [*chosen.items()])


def test_parts_are_arguments_or_choices(parted: System) -> None:
    assert run_options.parts(parted, {}) == run_options.parts(parted, {"drive": "", "order": None, "users": 3}) == {}
    assert run_options.parts(parted, {"drive": "one"}) == {"drive": HP7933}
    assert run_options.parts(parted, {"drive": HP7933, "order": "fcfs", "policy": "mine"[:0]}) == {
        "drive": HP7933, "choices": [("order", "in turn")]}  # fmt: skip
    assert run_options.parts(parted, {"order": "fcfs", "policy": 7}) == {
        "choices": [("order", "in turn"), ("policy", 7)]}  # fmt: skip
    assert arguments(parted, {"drive": "one", "order": "fcfs", "users": 3}, {}) == {
        "users": 3, "drive": HP7933, "choices": [("order", "in turn")]}  # fmt: skip
    with pytest.raises(UserError, match=f"^drive {INTEL_S3700.name} is flash, and a disc is asked for"):
        run_options.parts(parted, {"drive": INTEL_S3700})
    with pytest.raises(UserError, match="unknown scheduler 'fcs'"):
        run_options.parts(parted, {"order": "fcs"})
    for drive in (HP7933, INTEL_S3700):
        with pytest.raises(UserError, match=rf"^order takes a scheduler, and {drive.name} is a drive$"):
            run_options.parts(parted, {"order": drive})


def test_the_source_of_what_a_user_made_goes_with_a_run(parted: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_options, "system_names", lambda: ["toy"])
    monkeypatch.setattr(run_options.user_parts, "sources", lambda kind, names: {f"{kind} {names}": "text"})
    run: Any = run_of("toy", parted, {"order": ["fcfs", 7], "format": ["csv"], "users": [3]})
    assert [*run.args[2]] == ["system ['toy']", "scheduler ['fcfs']", "trace format ['csv']"]
    with monkeypatch.context() as patch:
        patch.setattr(run_options, "parts_of", lambda system: {})
        curves: Any = run_of("offered", parted, {"policy": ["arc", "mine.py:A"]})
    assert [*curves.args[2]] == ["system ['offered']", "policy ['arc', 'mine.py:A']"]
    texts: list[object] = []
    monkeypatch.setattr(run_options.user_parts, "use_texts", lambda given: texts.append(given) or nullcontext())
    monkeypatch.setattr(run_options, "system_called", lambda name: scripted())
    made = run_options._run_point("toy", {}, {"own.py": "x"}, {("a", ""): ["A"]}, script="a", users=2)  # type: ignore[dict-item]
    assert (made["scripts"], texts) == (["A"], [{"own.py": "x"}])


# Systems, traces, and what is neither.


@pytest.mark.parametrize(("word", "is_one"), [
    ("t.csv", True), ("t.py", False), ("t.py:Mine", False), ("none.csv", False), ("folder", False),
])  # fmt: skip
def test_a_trace_is_a_file_and_no_code(
    word: str, is_one: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("t.csv", "t.py", "t.py:Mine"):
        (tmp_path / name).write_text("")
    assert run_options.is_trace(word) is is_one
    assert run_options.is_certain(word) is is_one
    assert run_options.is_certain("curve")
    if not is_one:
        with pytest.raises(UserError, match="each run reads" if word == "folder" else "."):
            run_options.system_called(word)


@pytest.mark.parametrize(("word", "is_one"), [
    ("a.csv,b.csv", False), ("b c.csv,a.csv", False),
    ("*.csv", False), ("a?csv", False), ("folder", False), ("-", False), ("pipe", False),
    ("a.csv,none", True), (",", True), ("*.txt", True), ("a.csv", True), ("none", True), ("a.csv b.csv", True),
    ("X.py", True),
])  # fmt: skip
def test_a_trace_of_many_runs_is_one_file(
    word: str, is_one: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("a.csv", "b.csv", "b c.csv", "X.py"):
        (tmp_path / name).write_text("")
    said = "standard input" if word == "-" else word
    again = "write it to a file" if word in ("-", "pipe") else f"spindle convert {quote(word)} all.csv --to csv makes"
    says = f"^{re.escape(said)}: each run reads .*{re.escape(again)}"
    with nullcontext() if is_one else pytest.raises(UserError, match=says):
        run_options._refuse_pipes_and_folders(word)


@pytest.mark.parametrize(("words", "says"), [
    (["--users=3"], "sweep: first comes the system, then options such as --users=3: spindle sweep SYSTEM ..."),
    (["-x"], "sweep: first comes the system, then options such as -x: spindle sweep SYSTEM ..."),
    (["-"], "standard input: each run reads the trace anew"), (["--"], "sweep: -- has no meaning here"),
    ([], "sweep: the following arguments are required: SYSTEM"),
])  # fmt: skip
def test_the_system_comes_first(words: list[str], says: str) -> None:
    parser = ArgumentParser("sweep")
    parser.add_argument("system", metavar="SYSTEM")
    with pytest.raises(UserError) as error:
        run_options.system_of(parser, words)
    assert str(error.value).startswith(says)
    for word in ("-h", "--help"):
        with pytest.raises(HelpShown):
            run_options.system_of(parser, [word])


@pytest.mark.parametrize(("words", "says"), [
    (["t.csv"], "t.csv is a trace: spindle replay replays it once, spindle sweep and find many times"),
    (["load"], "a load is put on drives once by spindle load, and many times by spindle sweep and find"),
    (["curve"], "hits against sizes are computed once by spindle curve, and many times by spindle sweep and find"),
])  # fmt: skip
def test_a_run_is_of_a_system_and_a_sweep_of_more(
    words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("time_s,op,lba_512,sectors\n0,R,0,1\n")
    with pytest.raises(UserError) as error:
        run_options.system_of(ArgumentParser("run"), words)
    assert str(error.value) == says
    parser = ArgumentParser("sweep")
    assert run_options.system_of(parser, words).name in (words[0], "trace")
    assert parser.system == words[0]


def test_runs_are_those_of_the_system_and_of_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_options, "find_system", lambda name: {"toy": TOY}[name])

    def taken(command: str, *words: str, without: Sequence[str] = ()) -> run_options.AskedRuns[Any]:
        return run_options.take_runs(command, Asking, ["toy", *words], without)

    runs = taken("run", "--users=3", "--users=4", "--set", "slice=1ms", "--set", "log=x")
    assert (runs.question.named, runs.system, runs.texts) == (
        run_options.SystemOptions("toy", ("slice=1ms", "log=x")), TOY, {"users": "4", "slice": "1ms", "log": "x"})
    assert taken("run", "--log=x").texts == {"log": "x"}
    for words, says in ((["--users=3", "--users=4"], "--users is given twice"), (["--log=x"], "unknown option '--log'"),
                        (["--set=log=x"], "unknown name to set 'log'")):  # fmt: skip
        with pytest.raises(UserError, match=says):
            taken("sweep", *words, without=run_options.WRITTEN_FILES)


@dataclass(frozen=True)
class Asking:
    """A command on runs."""

    named: run_options.SystemOptions = run_options.AS_IT_IS


def test_a_setting_that_is_given_twice_is_refused_and_files_are_not() -> None:
    parser = ArgumentParser("sweep")
    parser.add_argument("--users", dest=f"{SYSTEM_PREFIX}users")
    parser.add_argument("--script", dest=f"{SYSTEM_PREFIX}script", action="append")
    parser.add_argument("--json", dest="of_run_json")
    for words in (["--users=3"], ["--script=a", "--script", "b"], ["--json", "--json"]):
        run_options.refuse_repeated_axes(parser, words)
    with pytest.raises(UserError, match=r"^--users is given twice; give its values with commas between$"):
        run_options.refuse_repeated_axes(parser, ["--users=3", "--users", "4"])
    with pytest.raises(UserError, match=r"^--where is given twice, and a search has one condition: search for each"):
        run_options.refuse_repeated_axes(parser, ["--where=a", "--where", "b"])


# Help.


@pytest.mark.parametrize(("name", "setting", "says"), [
    ("users", Setting(int), "people at it; default 2"), ("minutes", Setting(float, "min"), "default 5 min"),
    ("warm_up", Setting(float, "min"), "default 2 min; auto: MSER-5 finds it"),
    ("fast", Setting(bool), "--no-fast for false; default false"),
    ("dry_run", Setting(bool, asked=Asked("at all")), "at all; --no-dry-run for false; default true"),
    ("users", Setting(int, asked=Asked("5% of it")), "people at it; default 2"),
    ("minutes", Setting(float, "min", Asked("5% of it")), "5%% of it; default 5 min"),
    ("pace", Setting(float, asked=Asked("how fast")), "how fast"),
])  # fmt: skip
def test_the_help_of_a_setting_has_its_words_and_its_default(name: str, setting: Setting, says: str) -> None:
    def run(pace: float, users: int = 2, minutes: float = 5.0, warm_up: float = 2.0, fast: bool = False,
            dry_run: bool = True) -> None: ...

    assert run_options._help(replace(TOY, run=run), name, setting) == says


def run_program(program: str = "") -> None: ...


def test_files_of_scripts_are_options_that_may_be_repeated() -> None:
    parser = ArgumentParser("sweep")
    parser.system = "toy"
    add_options(parser, scripted())
    given = vars(parser.parse_args(["--script=a", "--script", "b", "--program=c"]))
    assert (given[f"{SYSTEM_PREFIX}script"], given[f"{SYSTEM_PREFIX}program"]) == (["a", "b"], ["c"])
    text = " ".join(parser.format_help().split())
    own = ArgumentParser("sweep")
    own.system = "toy"
    add_options(own, replace(TOY, run=run_program))
    assert vars(own.parse_args(["--program=c"]))[f"{SYSTEM_PREFIX}program"] == "c", "its own argument of that name"
    assert text.index("--users") < text.index("--script"), "what a run is asked for comes before its parts and files"
    assert f"--script FILE.tepe {run_options.FILE_HELP['script']}" in text
    assert f"--program FILE.toml {run_options.FILE_HELP['program']}" in text


def test_the_help_of_a_part_has_its_choices_and_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    part = PartSetting("write", {"a": 1, "b": 2})
    for usual, says in (("a", "how it goes; a | b; default a"), (None, "how it goes; a | b; default as the machine")):
        monkeypatch.setattr(run_options, "usual_part", lambda system, name, usual=usual: usual)
        assert run_options._help(replace(TOY, says={"write": "how it goes"}), "write", part).startswith(says)


def test_each_setting_is_an_option_once_and_parameters_are_not_listed() -> None:
    parser = ArgumentParser("sweep")
    parser.system = "toy"
    parser.add_argument("--seed", dest="of_run_seed", metavar="A,B")
    before = parser.description
    add_options(parser, TOY, ["log"])
    help_text = parser.format_help()
    for option, shown in (("--users", True), ("--warm-up", True), ("--slice", False), ("--memory-size", False)):
        assert (f"  {option} " in help_text) is shown
    assert "--log" not in help_text
    assert parser.description == (f"{before}\nEach parameter is an option, too, such as --memory-size: "
                                  "spindle parameters toy lists them.")
    assert vars(parser.parse_args(["--memory-size=9"]))[f"{SYSTEM_PREFIX}memory_size"] == "9"
    for parameter in ("--memory-size", "--slice"):
        (taken := ArgumentParser("sweep")).system = "toy"
        taken.add_argument(parameter, dest="of_run_own")
        taken.add_argument("--slice" if parameter == "--memory-size" else "--memory-size", dest="of_run_other")
        add_options(taken, TOY)
        assert (vars(taken.parse_args([f"{parameter}=9"]))["of_run_own"], taken.description) == ("9", before)


# Warnings before many runs, whose table does not show what was guessed.


@pytest.fixture
def warned() -> Callable[..., list[str]]:
    def run(function: Callable[..., None], *told: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(*told)
        return [str(each.message) for each in caught]

    return run


def test_what_is_passed_over_of_each_trace_is_told(
    warned: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("time_s,device,op,lba_512,sectors\n0,a,R,0,1\n1,b,R,0,1\njunk\n")
    skip = {"skip_bad": [1, 0]}
    said = [f"{name}: 1 bad line passed over, the first: {name}:4:1: " for name in ("a.csv", "b.csv")]
    for name, points in (("toy", skip), ("curve", skip), ("a.csv", {"limit": [2]})):
        assert warned(run_options.warn_of_guesses, name, points) == []
    for name, points, names in (("a.csv", skip, said[:1]), ("curve", {**skip, "trace": ["a.csv", "b.csv"]}, said)):
        found = warned(run_options.warn_of_guesses, name, points)
        assert [each[: len(begin)] for each, begin in zip(found, names, strict=True)] == names
    with pytest.raises(UserError, match=r"a\.csv:4:1"):
        run_options.warn_of_guesses("a.csv", {})
    lines = [f"0,d{device},R,0,1" for device in range(TraceLimits.devices + 1)]
    (tmp_path / "many.csv").write_text("\n".join(["time_s,device,op,lba_512,sectors", *lines]))
    assert warned(run_options.warn_of_guesses, "many.csv", {}) == []


def test_what_changes_nothing_is_told(warned: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_options, "idle_notes", lambda *told: [f"of {told[0].name}", str(told[1])])
    assert warned(run_options.warn_of_idle, TOY, {"users": [1]}) == ["of toy", "{'users': [1]}"]
