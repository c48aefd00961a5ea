"""Parts and systems of a user's own: with arguments, from a file, from an installed package, here and in workers."""

import json
from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.sim import user_parts
from spindle.sim.disc.registry import SCHEDULERS
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.eviction.policy import make
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.eviction.slru import Slru

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "lru2"
NCQ = ("--requests", "300")
SWEEP = ("sweep", "sata_ncq", "--set=requests=300", "--set=policy=lru,mine.py:Lru2,slru(share=0.5)", "--seeds=2",
         "--json")  # fmt: skip
SYSTEM = """
from dataclasses import dataclass
from spindle import Computer, Constant, FcfsCpu, HP7933, KIB, MIB, Result, Sptf
from spindle.sim.parameter import assumed, check
from spindle.system import System
from spindle.workloads.synthetic import RandomReads

@dataclass(frozen=True)
class Costs:
    read_call: float = assumed(0.001, "so that there is one", "s")
    __post_init__ = check

@dataclass(frozen=True)
class Options:
    scheduler: object = Sptf

def run(users: int = 3, seed: object = 1, choices: Options | None = None, watch=None, **costs: float) -> Result:
    mine = Computer(**costs)
    reads = RandomReads(mine.file(mine.drive(HP7933, (choices or Options()).scheduler()), MIB), 4 * KIB)
    return mine.run(terminals=users, think=Constant(1.0), transaction=reads, minutes=1, warm_up=0, seed=seed,
                    watch=watch)

MINE = System("mine", "A disc of my own", run, Costs(), parts={"scheduler": {"sptf": Sptf}}, choose=Options)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a policy of one's own, mine.py, a system, system.py, and what is none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text((EXAMPLE / "spindle_lru2.py").read_text())
    (tmp_path / "system.py").write_text(SYSTEM)
    (tmp_path / "absent.py").write_text("import os\nimport spindle_of_nobody\n")
    (tmp_path / "wrong.py").write_text("class Half:\n    def choose(self:\n")
    (tmp_path / "half.py").write_text(
        "class Half:\n    def insert(self, key, size=1, cost=0.0): pass\n    def choose(self): pass\n"
        "class Needy(Half):\n    def __init__(self, depth): pass\nNUMBER = [1]\n"
    )
    return tmp_path


def test_a_part_takes_arguments() -> None:
    aged = user_parts.part("scheduler", "sptf(ageing=0.006)", SCHEDULERS)()
    assert isinstance(aged, Sptf)
    assert aged._ageing == 0.006
    policy = make(user_parts.part("policy", "slru(share=0.5)", POLICIES), 8)
    assert isinstance(policy, Slru)
    assert policy.fixed_capacity() == 8


def test_a_comma_within_parentheses_divides_nothing() -> None:
    assert user_parts.split("lru,2q(k_in=1, k_out=2),arc") == ["lru", "2q(k_in=1, k_out=2)", "arc"]


def test_a_policy_in_a_file_runs_and_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "sata_ncq", *NCQ, "--policy", "mine.py:Lru2"]) == 0
    assert "policy mine.py:Lru2" in capsys.readouterr().out


def test_an_edit_of_the_file_is_another_policy(place: Path) -> None:
    first = user_parts.part("policy", "mine.py:Lru2", POLICIES)
    assert user_parts.part("policy", "mine.py:Lru2", POLICIES) is first
    (place / "mine.py").write_text((place / "mine.py").read_text() + "\n# edited\n")
    assert user_parts.part("policy", "mine.py:Lru2", POLICIES) is not first


def test_curves_and_replays_take_it_too(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "trace.csv").write_text("op,lba,sectors\n" + "".join(f"R,{8 * (n * n % 7)},8\n" for n in range(60)))
    assert main(["curve", "trace.csv", "--policy", "lru,mine.py:Lru2", "--sizes", "2,4"]) == 0
    assert "mine.py:Lru2" in capsys.readouterr().out
    assert main(["replay", "trace.csv", "--drive", "hp7933", "--cache", "64K", "--policy", "mine.py:Lru2"]) == 0


def test_a_sweep_on_two_workers_is_the_one_on_one(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = []
    for workers in "12":
        assert main([*SWEEP, "--workers", workers]) == 0
        tables.append(capsys.readouterr().out)
    assert tables[0] == tables[1]
    assert column(tables[0], "policy")[::2] == ["lru", "mine.py:Lru2", "slru(share=0.5)"]


def column(table: str, name: str) -> list[object]:
    """Of the JSON that a sweep prints."""
    return [row[name] for row in json.loads(table)["rows"]]


def test_what_is_kept_hangs_on_the_source_of_the_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sweep = ["sweep", "sata_ncq", "--set=requests=300", "--set=policy=mine.py:Lru2", "--seeds=1", "--store=kept",
             "--workers=1"]  # fmt: skip
    assert main(sweep) == 0
    before, text = capsys.readouterr().out, (place / "mine.py").read_text()
    (place / "mine.py").write_text(text.replace("min((key", "max((key"))
    assert main(sweep) == 2
    error = capsys.readouterr().err
    assert "kept is no store of sweep" in error
    assert error.endswith("; name another folder, or remove it if what it keeps may go\n")
    (place / "mine.py").write_text(text)
    assert main(sweep) == 0
    assert capsys.readouterr().out == before


def test_a_system_in_a_file_is_run_and_swept(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "system.py:MINE", "--users", "5", "--scheduler", "sptf(ageing=0.5)"]) == 0
    assert "A disc of my own: terminals 5, scheduler sptf(ageing=0.5), seed 1" in capsys.readouterr().out
    assert main(["sweep", "system.py:MINE", "--set=users=1,2", "--seeds=1", "--workers=2", "--json"]) == 0
    assert column(capsys.readouterr().out, "users") == [1, 2]
    assert main(["parameters", "system.py:MINE"]) == 0
    assert "read_call = 1 ms   [assumed]" in capsys.readouterr().out


@pytest.mark.parametrize(("arguments", "says"), [
    ("--policy nowhere.py:Lru2", "cannot read nowhere.py: No such file or directory"),
    ("--policy absent.py:Lru2", "absent.py, line 2: ModuleNotFoundError: No module named 'spindle_of_nobody'"),
    ("--policy wrong.py:Half", "wrong.py, line 2: SyntaxError: '(' was never closed"),
    ("--policy mine.py:Lru3", "unknown name in mine.py 'Lru3': did you mean Lru2?"),
    ("--policy half.py:Half", "'half.py:Half' is no policy: it has no touch and no remove and no __len__"),
    ("--policy half.py:NUMBER", "'half.py:NUMBER' makes no policy: a class does, or a function that returns one"),
    ("--scheduler half.py:Half", "'half.py:Half' is no scheduler: it has no via and no attach and no add and no take"),
    ("--policy half.py:Needy", "'half.py:Needy' cannot be made: TypeError: Needy.__init__() missing 1 required "
                               "positional argument: 'depth'"),
    ("--drive half.py:Half", "'half.py:Half' is no drive: a drive is a DiscType"),
    ("--place mine.py:Lru2", "unknown place 'mine.py:Lru2': there are"),
    ("--scheduler sptf(agein=1)", "unknown argument of scheduler sptf 'agein': did you mean ageing?"),
    ("--scheduler sptf(ageing=-1)", "sptf: ageing -1 must be seconds a second waited, and not negative"),
    ("--scheduler sptf(0.5)", "scheduler sptf takes its arguments by name, such as (name=0.5), not '(0.5)'"),
    ("--scheduler sptf(ageing=x)", "scheduler sptf takes arguments such as (name=0.5, other=3), not '(ageing=x)'"),
    ("--scheduler sptf(ageing=1", "scheduler must be NAME or NAME(argument=value), not 'sptf(ageing=1'"),
    ("--drive hp7933(rpm=1)", "drive hp7933 takes no arguments"),
])  # fmt: skip
def test_what_is_no_part_is_said_in_one_line(
    arguments: str, says: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "sata_ncq", *NCQ, *arguments.split()]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"spindle: {says}")
    assert error.count("\n") == 1


@pytest.mark.parametrize(("name", "says"), [
    ("mine.py:Lru2", "'mine.py:Lru2' is no system: a system is a System, of spindle.system"),
    ("system.py:MIN", "unknown name in system.py 'MIN': did you mean MINE?"),
    ("systems.py:MINE", "cannot read systems.py"),
])  # fmt: skip
def test_what_is_no_system_is_said_in_one_line(
    name: str, says: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", name]) == 2
    assert capsys.readouterr().err.startswith(f"spindle: {says}")
