"""One grammar of run, sweep, find and experiment: each setting an option everywhere, its default in its help."""

import argparse
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from spindle.cli.arguments import ArgumentParser
from spindle.cli.main import COMMANDS, main
from spindle.models import hp3000
from spindle.sim.measure.result import Result
from spindle.systems import system_names

EXAMPLES = Path(__file__).parents[2] / "examples"
SHOP = (f"--script={EXAMPLES}/shop.tepe", f"--program={EXAMPLES}/shop.toml")
OF_SYSTEMS = ("run", "sweep", "find")
NOTHING = {
    "--timeline", "--precision", "--script", "--program", "--set", "--design", "--sample", "--latin", "--sobol",
    "--cluster", "--where", "--against", "--store", "--plot", "--html", "--columns", "--limit", "--to",
    "--synthetic", "--tiers", "--prices", "--depth", "--from", "--bus", "--socket", "--log", "--notebooks", "--out",
}  # fmt: skip
"""Options without which nothing of the kind is done, so that they have no default to name."""
Asked = Callable[..., Any]


@pytest.fixture
def asked(capsys: pytest.CaptureFixture[str]) -> Asked:
    def ask(*arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return ask


class ParserOf(Exception):
    """Ends a command where its parser is complete."""


def parser_of(command: str, *arguments: str) -> ArgumentParser:
    def stop(parser: ArgumentParser) -> None:
        raise ParserOf(parser)

    module, function, _ = COMMANDS[command]
    main_of = getattr(import_module(f"spindle.cli.{module}"), function)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ArgumentParser, "read_first", stop)
        with pytest.raises(ParserOf) as ended:
            main_of(arguments)
    parser = ended.value.args[0]
    assert isinstance(parser, ArgumentParser)
    return parser


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_names_its_default(command: str) -> None:
    for system in system_names() if command in OF_SYSTEMS else [None]:
        for each in parser_of(command, *([] if system is None else [system]))._actions:
            if not each.option_strings or each.nargs == 0 or each.help == argparse.SUPPRESS:
                continue
            assert NOTHING & set(each.option_strings) or "default" in str(each.help), (system, each.option_strings)
            if each.default not in (None, []):
                assert str(each.default) in str(each.help), (system, each.option_strings)


@pytest.mark.parametrize("system", system_names())
def test_what_a_run_takes_sweep_and_find_take_too(system: str) -> None:
    ends = {"--log", "--no-log", "--timeline", "--html", "--window", "--precision"}
    names = {command: {name for each in parser_of(command, system)._actions for name in each.option_strings}
             for command in OF_SYSTEMS}  # fmt: skip
    assert names["run"] - names["sweep"] - ends == set()
    assert names["run"] - names["find"] - ends - {"--seed"} == set()


def test_a_script_its_discs_and_memory_are_axes(asked: Asked) -> None:
    swept = asked("sweep", "hp3000", *SHOP, "--discs=4,5", "--memory=4MB,5MiB", "--minutes=0.5", "--warm-up=30s",
                  "--seeds=1", "--workers=1")["rows"]  # fmt: skip
    assert sorted((row["discs"], row["memory"]) for row in swept) == [
        (discs, memory) for discs in (4, 5) for memory in (4_000_000, 5 << 20)
    ]  # fmt: skip
    one = asked("run", "hp3000", *SHOP, "--set", "discs=5", "--memory", "5M", "--minutes=0.5", "--warm-up=0.5")
    assert one["summary"]["response_mean"] == pytest.approx(swept[-1]["response_mean"])
    assert one["parameters"]["scripts"] == "TILLS+OFFICE"


def test_scripts_are_alternatives_or_run_at_once(asked: Asked, tmp_path: Path) -> None:
    for number, name in enumerate("ab", 2):
        text = f'SCRIPT {name}\nTERMINALS {number}\nRUN ORDERS\nLOOP\nTHINK 5\nENTER "FIND"\nEND\n'
        (tmp_path / f"{name}.tepe").write_text(text)
    a, b = (str(tmp_path / f"{name}.tepe") for name in "ab")
    short = ("sweep", "hp3000", "--minutes=0.5", "--warm-up=0", "--seeds=1", "--workers=1")
    each = asked(*short, f"--script={a},{b}")["rows"]
    (both,) = asked(*short, "--script", a, "--script", b)["rows"]
    assert [row["script"] for row in [*each, both]] == [a, b, f"{a} + {b}"]
    assert both["responses"] > max(row["responses"] for row in each)


def test_a_run_that_names_no_users_is_the_papers_own_case(
    asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    short = ("run", "hp3000", "--minutes=0.2", "--warm-up=0.2")
    usual, uncached, few = asked(*short), asked(*short, "--no-caching"), asked(*short, "--terminals=5")
    assert [each["parameters"]["terminals"] for each in (usual, uncached, few)] == [101, 101, 5]
    assert [(row["measure"], row["published"]) for row in usual["paper"]][:2] == [
        ("response_mean", 0.31), ("hit_ratio", 0.7),
    ]  # fmt: skip
    assert (uncached["paper"][0]["claim"], uncached["paper"][0]["published"]) == ("B33", 0.92)
    assert uncached["paper"][0]["simulated"] == uncached["summary"]["response_mean"]
    assert "paper" not in few
    assert "paper" not in asked(*short, "--mips=2")
    assert main(short) == 0
    assert "0.31 s  B34   mean response time 0.31" in capsys.readouterr().out


KINDS = [("hp3000", "--minutes=1", "--warm-up=1"), ("max_iv", "--minutes=5", "--warm-up=1"),
         ("sata_ncq", "--requests=300"), ("unix_stdio", "--program=w04")]  # fmt: skip


@pytest.mark.parametrize("arguments", KINDS, ids=lambda each: each[0])
def test_transactions_and_scripts_add_up_to_the_run(arguments: tuple[str, ...], asked: Asked) -> None:
    result = asked("run", *arguments)
    whole = result["summary"]
    for table in ("transactions", "scripts"):
        rows = result[table]
        assert sum(row["responses"] for row in rows) == whole["responses"]
        mean = sum(row["responses"] * row["response_mean"] for row in rows) / whole["responses"]
        assert mean == pytest.approx(whole["response_mean"], rel=1e-9)
        assert max(row["response_p99"] for row in rows) <= whole["response_max"]
        assert all(row["response_p95"] <= row["response_p99"] for row in rows)
    assert {row["script"] for row in result["transactions"]} == {row["script"] for row in result["scripts"]}


def test_a_script_in_python_is_named_by_text_or_by_path() -> None:
    read = [hp3000.scripts(name(EXAMPLES / "shop.tepe"), programs=[name(EXAMPLES / "shop.toml")])
            for name in (str, Path)]  # fmt: skip
    assert read[0] == read[1]
    result = hp3000.run(scripts=read[0], minutes=0.2, warm_up=0.2)
    assert isinstance(result, Result)
    assert result.parameters["terminals"] == 14


def test_a_run_says_what_it_wrote(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    log, timeline = tmp_path / "opt.csv", tmp_path / "run.pftrace"
    (tmp_path / "opt.txt").write_text("another")
    assert main(["run", "hp3000", "--terminals=2", "--minutes=1", "--warm-up=0", f"--log={log}",
                 f"--timeline={timeline}"]) == 0  # fmt: skip
    lines = capsys.readouterr().out.rsplit("\n\n", 1)[1].splitlines()
    assert {Path(line.partition(": ")[0]).name for line in lines} == {each.name for each in tmp_path.iterdir()} - {
        "opt.txt"
    }


MISTAKES = [
    (("run", "max_iv", "--set=sectrs=256"), "unknown name to set 'sectrs': did you mean sectors"),
    (("sweep", "max_iv", "--sectrs=256"), "unknown option '--sectrs': did you mean --sectors"),
    (("find", "max_iv", "sectrs", "--where", "x <= 1"), "'sectrs': did you mean sectors"),
    (("experiment", "max_iv", "--sectors=256"), "--sectors is an option of run, sweep and find; a study has its own"),
    (("sweep", "hp3000", "--log=x.csv"), "unknown option '--log'"),
    (("sweep", "max_iv", "--users=1", "--set=users=2"), "users is given twice, by --users and by --set"),
    (("sweep", "max_iv", "--seed=1,2", "--seeds=2"), "--seeds and --seed exclude each other"),
    (("sweep", "hp3000", "--program=x.toml"), "--program is for a --script that runs it"),
    (("find", "max_iv", "users", "--where", "x <= 1", "--users=3"), "users is searched, and cannot be given as well"),
    (("sweep", "--users=1"), "sweep: first comes the system, then options such as --users=1"),
]


@pytest.mark.parametrize(("arguments", "says"), MISTAKES)
def test_mistakes_are_one_line(arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err


NEVER, ALWAYS, NO_MEASURE = "disc_busy <= 0", "disc_busy <= 1", "disc_bsy <= 1"


@pytest.mark.parametrize(("where", "says"), [
    (NEVER, "users from 1 to 2: disc_busy <= 0 holds at neither end; search where it holds at one"),
    (ALWAYS, "users from 1 to 2: disc_busy <= 1 holds at both ends; search where it holds at one"),
    (NO_MEASURE, "unknown measure 'disc_bsy': did you mean disc_busy"),
])  # fmt: skip
def test_a_condition_that_no_value_meets_or_all_do(where: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    short = ("--between=1:2", "--minutes=1", "--warm-up=0", "--seeds=2", "--most=2", "--workers=1")
    assert main(["find", "max_iv", "users", "--where", where, *short]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err
