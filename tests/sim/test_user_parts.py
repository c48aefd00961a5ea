"""Tests parts of a user's own, in files and in packages: how they are named, found, given arguments, and refused."""

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from spindle.sim import offers, user_parts
from spindle.sim.disc.registry import DRIVES, FLASH, SCHEDULERS, STORES
from spindle.sim.disc.scheduling import Sptf
from spindle.sim.error import UserError
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.policy import make
from spindle.sim.eviction.registry import POLICIES
from spindle.sim.eviction.slru import Slru
from spindle.sim.inputs import protected_inputs

MINE = """
import math
from spindle import HP7933 as _known
from spindle.sim.eviction.lru import Lru
from spindle.sim.eviction.slru import Slru
from spindle.sim.error import UserError

class Newest(Lru):
    def __init__(self, depth=2, **others):
        super().__init__()
        self.depth, self.others = depth, others

class Half:
    def insert(self, key): pass
    def choose(self): pass
    def __len__(self): return 0

class Needy:
    def __init__(self, depth): pass

class Bounded(Slru):
    def __init__(self, capacity):
        self.built_for = capacity
        super().__init__(capacity)

def refusing():
    raise UserError("not on this host")

def fails(words="seek"):
    raise ValueError(f"of two,\\n {words}")

def made(depth=2):
    return Newest(depth)

DRIVE = _known
RULES = [1, 2]
SIZE, NAME, RATIO, _hidden = 4096, "mine", 0.5, [3]
"""
CHOICES = {"lru": Lru}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with mine.py; no other package has entered a class of its own yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(user_parts, "TYPES", {})
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


@pytest.fixture
def installed(place: Path, offered: Callable[[str], None]) -> Iterator[Path]:
    """A package that offers two parts, of which one cannot be imported."""
    offered("[spindle.policies]\nnewest = spindle_newest:Newest\nbroken = spindle_broken_one:Any\n")
    (place / "spindle_newest.py").write_text(MINE)
    (place / "spindle_broken_one.py").write_text("1 / 0\n")
    yield place
    for module in ("spindle_newest", "spindle_broken_one"):
        sys.modules.pop(module, None)


def policy(text: str) -> Any:
    return user_parts.part("policy", text, POLICIES)


def refusal(kind: str, text: str, choices: Any = CHOICES) -> str:
    with pytest.raises(UserError) as caught:
        user_parts.part(kind, text, choices)
    return str(caught.value)


def test_a_known_name_is_the_choice_itself() -> None:
    assert policy("lru") is Lru
    assert user_parts.part("place", "outer", {"outer": 3}) == 3
    assert user_parts.part("policy", "outer", {"outer": 3}) == 3  # and is not tried


def test_a_known_part_takes_arguments() -> None:
    aged = user_parts.part("scheduler", "sptf(ageing=0.006)", SCHEDULERS)()
    assert isinstance(aged, Sptf)
    assert aged._ageing == 0.006
    assert type(policy("lru()")()) is Lru


def test_a_policy_of_fixed_capacity_takes_arguments_and_then_its_capacity() -> None:
    kind = policy("slru(share=0.75)")
    assert (kind.__name__, issubclass(kind, Slru)) == ("Slru", True)
    made = make(kind, 8)
    assert isinstance(made, Slru)
    assert made.fixed_capacity() == 8
    half = make(policy("slru(share=0.25)"), 8)
    assert isinstance(half, Slru)
    for key in "abcd":
        for each in (made, half):
            each.insert(key)
            each.touch(key)
    assert (len(made._protected), len(half._protected)) == (4, 2)


def test_a_comma_within_parentheses_divides_nothing() -> None:
    assert user_parts.split("lru,2q(k_in=1, k_out=2),arc") == ["lru", "2q(k_in=1, k_out=2)", "arc"]


def test_a_part_of_a_file_takes_arguments_of_any_name_that_it_knows(place: Path) -> None:
    assert policy("mine.py:Newest")().depth == 2
    made = policy("mine.py:Newest(depth=3, words='a, b')")()
    assert (made.depth, made.others) == (3, {"words": "a, b"})
    assert policy("mine.py:made(depth=4)")().depth == 4
    assert make(policy("mine.py:Bounded"), 5).fixed_capacity() == 5  # type: ignore[attr-defined]
    drive = DRIVES["hp7933"]
    assert user_parts.part("drive", "mine.py:DRIVE", {"hp7933": drive}) == drive
    assert user_parts.part("drive", "mine.py:DRIVE", {}) == drive
    assert user_parts.part("trace format", "mine.py:RULES", {}) == [1, 2]  # what has no rule here is not tried


def test_a_policy_is_tried_with_eight_entries_and_no_more(place: Path) -> None:
    """A user's own may want a power of two."""
    (place / "mine.py").write_text(MINE.replace("self.built_for = capacity", "assert capacity == 8"))
    policy("mine.py:Bounded")


def test_a_file_may_lie_in_a_folder_of_any_name(place: Path) -> None:
    (place / "a.py:b").mkdir()
    (place / "a.py:b" / "c.py").write_text(MINE)
    assert policy("a.py:b/c.py:Newest")().depth == 2
    assert list(user_parts.sources("policy", ["a.py:b/c.py:Newest(depth=1)"])) == ["a.py:b/c.py"]


@pytest.mark.parametrize(("kind", "text", "says"), [
    ("policy", "lrv", "unknown policy 'lrv': did you mean lru?"),
    ("disc_order", "lrv", "unknown disc-order 'lrv': did you mean lru?"),
    ("policy", "lru(depth=1", "policy must be NAME or NAME(argument=value), not 'lru(depth=1'"),
    ("disc_order", "lru)", "disc-order must be NAME or NAME(argument=value), not 'lru)'"),
    ("policy", "lru(depth=1)", "unknown argument of policy lru 'depth': there are none"),
    ("policy", "mine.py:made(deth=1)", "unknown argument of policy mine.py:made 'deth': did you mean depth?"),
    ("policy", "lru(3)", "policy lru takes its arguments by name, such as (name=0.5), not '(3)'"),
    ("policy", "lru(**{'depth': 1})", "policy lru takes its arguments by name, such as (name=0.5), not "
                                      '"(**{\'depth\': 1})"'),
    ("policy", "lru(depth=x)", "policy lru takes arguments such as (name=0.5, other=3), not '(depth=x)'"),
    ("policy", "lru(depth=)", "policy lru takes arguments such as (name=0.5, other=3), not '(depth=)'"),
    ("policy", "lru(a=1) + (2)", "policy lru takes arguments such as (name=0.5, other=3), not '(a=1) + (2)'"),
    ("policy", "lru(a=1)(b=2)", "policy lru takes arguments such as (name=0.5, other=3), not '(a=1)(b=2)'"),
    ("policy", "lru(a={[]: 1})", "policy lru takes arguments such as (name=0.5, other=3), not '(a={[]: 1})'"),
    ("policy", "mine.py:made(depth=1, depth=2)", "policy mine.py:made takes each argument once, not "
                                                 "'(depth=1, depth=2)'"),
    ("policy", "mine.py:RULES(depth=1)", "policy mine.py:RULES takes no arguments"),
    ("policy", "mine.py", "policy 'mine.py' is a file, and must be given as FILE.py:NAME"),
    ("policy", "nowhere.py", "policy 'nowhere.py' is a file, and must be given as FILE.py:NAME"),
    ("trace format", "notes", "trace format 'notes' is a file, and must be given as FILE.py:NAME"),
    ("drive", "mine.py", "drive 'mine.py' is a file, and must be given as FILE.yaml or FILE.py:NAME"),
    ("place", "notes", "unknown place 'notes': there are lru"),
    ("place", "mine.py:Newest", "unknown place 'mine.py:Newest': there are lru"),
    ("policy", "nowhere.py:Lru", "cannot read nowhere.py: No such file or directory"),
    ("policy", "mine.py:Newst", "unknown name in mine.py 'Newst': did you mean Newest?"),
    ("policy", "mine.py:zzz", "unknown name in mine.py 'zzz': there are Bounded, DRIVE, Half, Needy, Newest, RULES, "
                              "fails, made, refusing"),
    ("policy", "mine.py:_hidden", "unknown name in mine.py '_hidden': there are Bounded, DRIVE, Half, Needy, Newest, "
                                  "RULES, fails, made, refusing"),
    ("policy", "mine.py:Half", "'mine.py:Half' is no policy: it has no touch and no remove"),
    ("scheduler", "mine.py:Half", "'mine.py:Half' is no scheduler: it has no via and no attach and no add and no take"),
    ("scheduler", "mine.py:Newest(depth=1)", "'mine.py:Newest(depth=1)' is no scheduler: it has no via and no attach "
                                             "and no add and no take"),
    ("policy", "mine.py:RULES", "'mine.py:RULES' makes no policy: a class does, or a function that returns one"),
    ("scheduler", "mine.py:RULES", "'mine.py:RULES' makes no scheduler: a class does, or a function that returns one"),
    ("policy", "mine.py:Needy", "'mine.py:Needy' cannot be made: TypeError: Needy.__init__() missing 1 required "
                                "positional argument: 'depth'"),
    ("policy", "mine.py:fails(words='b')", "\"mine.py:fails(words='b')\" cannot be made: ValueError: of two, b"),
    ("policy", "mine.py:refusing", "not on this host"),
])  # fmt: skip
def test_what_is_no_part_is_said(place: Path, kind: str, text: str, says: str) -> None:
    (place / "notes").write_text("")
    assert refusal(kind, text) == says


def test_a_drive_is_of_a_kind_that_is_asked_for(place: Path) -> None:
    stores = {name: STORES[name] for name in ("hp7933", "hp7920", next(iter(FLASH)))}
    assert refusal("drive", "mine.py:Half", {}) == "'mine.py:Half' is no drive: a drive is a DiscType"
    assert refusal("drive", "mine.py:Half", stores) == (
        "'mine.py:Half' is no drive: a drive is a DiscType or a FlashType"
    )


@pytest.mark.parametrize(("text", "says"), [
    ("import os\nimport spindle_of_nobody\n", "line 2: ModuleNotFoundError: No module named 'spindle_of_nobody'"),
    ("class Half:\n    def choose(self:\n", "line 2: SyntaxError: '(' was never closed"),
    ("def f():\n    raise ValueError\n\nf()\n", "line 2: ValueError"),
    ("\nraise SystemExit(3)\n", "line 2: SystemExit: 3"),
])  # fmt: skip
def test_a_file_that_cannot_be_imported_is_said_with_its_line(place: Path, text: str, says: str) -> None:
    (place / "mine.py").write_text(text)
    assert refusal("policy", "mine.py:Half") == f"mine.py, {says}"


@pytest.mark.parametrize(("error", "text"), [
    (ValueError("two\n  lines"), "ValueError: two lines"), (KeyError(), "KeyError"),
    (SyntaxError("was never closed", ("mine.py", 2, 1, "(")), "SyntaxError: was never closed"),
])  # fmt: skip
def test_a_failure_of_other_code_is_one_line(error: Exception, text: str) -> None:
    assert user_parts.error_text(error) == text


def test_a_file_is_imported_once_until_it_is_edited(place: Path) -> None:
    first = policy("mine.py:Newest")
    assert policy("mine.py:Newest") is first
    (place / "mine.py").write_text(MINE + "\n# edited\n")
    assert policy("mine.py:Newest") is not first


def test_a_file_that_was_read_is_not_written_over(place: Path) -> None:
    (place / "of_this_test.py").write_text(MINE)
    policy("of_this_test.py:Newest")
    assert Path("of_this_test.py") in protected_inputs()


def test_another_process_gives_the_texts_of_files_that_are_not_here(place: Path) -> None:
    with user_parts.use_texts({"mine.py": MINE.replace("depth=2", "depth=7"), "far/away.py": MINE}):
        assert (policy("mine.py:Newest")().depth, policy("far/away.py:Newest")().depth) == (7, 2)
    assert policy("mine.py:Newest")().depth == 2
    assert refusal("policy", "far/away.py:Newest").startswith("cannot read far/away.py: ")


def test_another_process_gets_a_class_whose_file_it_has_not(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "sent.py").write_text(MINE + "# sent\n")
    newest = policy("sent.py:Newest")
    sent = cloudpickle.dumps(newest)
    monkeypatch.delitem(sys.modules, newest.__module__)
    assert cloudpickle.loads(sent)().depth == 2


def test_a_line_of_the_users_own_is_named_and_no_other(place: Path) -> None:
    fails = user_parts.value_in_file("mine.py:fails")
    with pytest.raises(ValueError, match="of two") as own:
        fails()
    with pytest.raises(ValueError, match="in the policy") as other:
        make_twice()
    line = MINE.splitlines().index('    raise ValueError(f"of two,\\n {words}")') + 1
    assert user_parts.place_of(own.value) == f"mine.py, line {line}"
    assert user_parts.place_of(other.value) == ""
    (place / "a, line b.py").write_text(MINE)
    with pytest.raises(ValueError, match="of two") as named_so:
        user_parts.value_in_file("a, line b.py:fails")()
    assert user_parts.place_of(named_so.value) == f"a, line b.py, line {line}"
    assert (user_parts.is_own("mine.py"), user_parts.is_own(__file__)) == (True, False)


def make_twice() -> None:
    twice = Lru()
    twice.insert("a")
    twice.insert("a")


def test_what_is_kept_depends_on_the_sources_of_the_users_parts(installed: Path) -> None:
    (installed / "also.py").write_text("HERE = []\n")
    texts = ["lru", "mine.py:Newest(depth=3)", "newest(depth=2)", "also.py:HERE", "mine.py:Half"]
    assert list(user_parts.sources("policy", texts).items()) == [
        ("also.py", "HERE = []\n"), ("mine.py", MINE), ("newest", MINE)]  # fmt: skip
    assert user_parts.sources("place", ["mine.py:Newest", "newest"]) == {}


def test_parts_of_a_package_are_known_by_their_names(installed: Path) -> None:
    assert set(offers.installed_parts("policy")) == {"newest", "broken"}
    assert (offers.installed_parts("scheduler"), offers.installed_parts("place")) == ({}, {})
    made = policy("newest(depth=3)")()
    assert (type(made).__module__, made.depth) == ("spindle_newest", 3)
    assert user_parts.is_own(str(installed / "spindle_newest.py"))
    assert refusal("policy", "newst") == "unknown policy 'newst': did you mean newest?"
    assert refusal("policy", "zzz") == "unknown policy 'zzz': there are broken, lru, newest"
    (installed / "newest").write_text("a file that happens to be called so")
    assert policy("newest")().depth == 2


def test_lists_of_packages_that_are_no_text_are_named_where_they_offer_parts(
    installed: Path, offered: Callable[[str], None]
) -> None:
    other = installed / "other-1.dist-info" / "entry_points.txt"
    other.parent.mkdir()
    other.write_bytes(b"[console_scripts]\nx\xe9 = other:main\n")
    assert set(offers.installed_parts("policy")) == {"newest", "broken"}
    other.write_bytes(b"[spindle.policies]\nx\xe9 = other:main\n")
    offers._offers.cache_clear()
    with pytest.raises(UserError, match=r"other-1\.dist-info/entry_points\.txt: entry points are UTF-8 text$"):
        offers.installed_parts("policy")


def test_of_two_packages_with_a_part_of_one_name_the_first_on_the_path_is_meant(installed: Path) -> None:
    later = installed / "later" / "later-1.dist-info"
    later.mkdir(parents=True)
    (later / "entry_points.txt").write_text("[spindle.policies]\nnewest = later:Newest\nlast = later:Last\n")
    sys.path.append(str(later.parent))
    assert {name: each.value for name, each in offers.installed_parts("policy").items()} == {
        "newest": "spindle_newest:Newest", "broken": "spindle_broken_one:Any", "last": "later:Last"}


def test_a_package_that_cannot_be_imported_is_named(installed: Path) -> None:
    says = "cannot be imported: ZeroDivisionError: division by zero"
    assert refusal("policy", "broken") == f"broken of the package spindle-mine {says}"
    with pytest.raises(UserError, match=r"^broken of the package"):
        user_parts.sources("policy", ["broken"])
    with pytest.raises(UserError) as caught:
        user_parts._load("lone", EntryPoint("lone", "spindle_broken_one:Any", "spindle.policies"))
    assert str(caught.value) == f"lone of the package spindle_broken_one {says}"


def test_a_file_with_one_value_of_a_class_needs_no_name(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(user_parts.TYPES, "system", (Path, "the library of paths"))
    (place / "one.py").write_text("from pathlib import Path\nOTHER, HERE = 3, Path('a')\n")
    (place / "two.py").write_text("from pathlib import Path\nHERE, THERE = Path('a'), Path('b')\n")
    assert user_parts.part("system", "one.py", {}) == Path("a")
    assert user_parts.part("system", "two.py:THERE", {}) == Path("b")
    assert list(user_parts.sources("system", ["one.py"])) == ["one.py"]
    assert user_parts.sources("system", ["two.py"]) == {}
    assert refusal("system", "two.py", {}) == "system 'two.py' is a file, and must be given as FILE.py:NAME"
    assert refusal("system", "mine.py", {}) == "system 'mine.py' is a file, and must be given as FILE.py:NAME"
    assert refusal("system", "one.py:OTHER", {}) == (
        "'one.py:OTHER' is no system: a system is a Path, of the library of paths")  # fmt: skip
    assert refusal("policy", "one.py") == "policy 'one.py' is a file, and must be given as FILE.py:NAME"
