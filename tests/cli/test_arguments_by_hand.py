"""The parser of options by hand: its help, words that it does not know, values that are empty, lists given twice."""

import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest

from spindle.cli import arguments
from spindle.cli.arguments import ArgumentParser, of_kind
from spindle.cli.fields import add_fields, given_fields, read_fields, take_fields
from spindle.cli.named_files import check_picture, folder, named_folder, new_file, outputs, plot_file, present_folder
from spindle.cli.printing import HelpShown
from spindle.questions.field import ask
from spindle.questions.settings import Words
from spindle.sim.error import UserError
from spindle.sim.units import Bytes

Said = pytest.CaptureFixture[str]


@dataclass(frozen=True)
class BurstQuestion:
    name: str = ask("", "the first word", first="?", metavar="NAME")
    json: bool = ask(False, "as JSON")
    size: Bytes = ask(Bytes(4096), "how much")
    users: int = ask(3, "how many", most=9)
    plot: str = ask("", "a picture; default none", metavar="FILE.png", bare="-")
    some: str = ask("", "some of them; default none", metavar="NAME,...")
    tags: Words = ask((), "several words; default none", several=True)
    loads: Words = ask((), "one of several; default none")


@dataclass(frozen=True)
class NamedQuestion:
    name: str = ask("", "the first word", first="1", metavar="NAME")
    json: bool = ask(False, "as JSON")


@dataclass(frozen=True)
class RequiredQuestion:
    where: str = ask("", "what is asked", required=True)


@pytest.fixture(autouse=True)
def helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of help for the commands burst and burst fast."""
    (tmp_path / "help").mkdir()
    (tmp_path / "help" / "burst.txt").write_text("  Does {it}.\n", "utf-8")
    (tmp_path / "help" / "burst_fast.txt").write_text(
        "Does {what} ä.\n\nAt once.\n\nexamples:\n  spindle burst fast   one\n", "utf-8")
    monkeypatch.setattr(arguments, "HELP_FOLDER", tmp_path / "help")
    monkeypatch.setenv("COLUMNS", "62")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path / "help"


def taken(*words: str) -> BurstQuestion:
    return take_fields("burst", BurstQuestion, words)


def test_the_help_has_the_words_of_a_file_and_examples_as_they_are(capsys: Said) -> None:
    parser = ArgumentParser("burst fast", what="it")
    parser.add_argument("--x", metavar="N", help="12345 " * 7 + "abcd end")
    with pytest.raises(HelpShown):
        parser.take(["--help"])
    assert capsys.readouterr().out == """\
usage: spindle burst fast [-h] [--x N]

Does it ä.

At once.

options:
  -h, --help  show this help message and exit
  --x N       12345 12345 12345 12345 12345 12345 12345 abcd
              end

examples:
  spindle burst fast   one
"""


def test_braces_of_a_text_without_words_stay(capsys: Said) -> None:
    with pytest.raises(HelpShown):
        ArgumentParser("burst").take(["-h"])
    text, _, options = capsys.readouterr().out.partition("\noptions:\n")
    assert text.endswith("\n  Does {it}.\n")
    assert "Does" not in options


def test_values_are_those_of_the_fields() -> None:
    assert taken() == BurstQuestion()
    assert taken("one", "--json", "--size=64K", "--users", "5", "--plot", "--some=a,b", "--tags", "x", "y",
                 "--tags=z", "--loads", "up", "--loads=v") == BurstQuestion(
        "one", True, Bytes(65536), 5, "-", "a,b", Words(("x", "y", "z")), Words(("up", "v")))  # fmt: skip
    assert [taken(*words).json for words in (("--json=true",), ("--json", "--no-json"), ("--json=false",))] == [
        True, False, False]  # fmt: skip
    assert take_fields("burst", NamedQuestion, ["--json", "one"]) == NamedQuestion("one", True)
    assert take_fields("burst", NamedQuestion, ["--json", "false", "one"]) == NamedQuestion("one", False)
    with pytest.raises(UserError, match="the following arguments are required: NAME"):
        take_fields("burst", NamedQuestion, ["--json"])


OPTIONS = """\
options:
  -h, --help            show this help message and exit
  --json [BOOL]         as JSON; default false
  --size BYTES          how much; default 4 KiB
  --users N             people; default 3
  --plot [FILE.png]     a picture; default none
  --some NAME,...       some of them; default none
  --tags NAME [NAME ...]
                        several words; default none
  --loads NAME          one of several; default none
"""
"""Negations are not shown."""


def test_each_option_is_told_with_its_value_and_its_default() -> None:
    parser = ArgumentParser("burst")
    add_fields(parser, BurstQuestion, says={"users": "people"})
    words = "\npositional arguments:\n  NAME                  the first word\n\n"
    assert parser.format_help().endswith(f"{words}{OPTIONS}")


def test_an_option_that_takes_one_value_names_the_command_that_takes_several() -> None:
    parser = ArgumentParser("burst")
    add_fields(parser, BurstQuestion)
    options = parser.take(["--users=1,2"])
    for command, says in (("", "--users must be a whole number, not '1,2'"),
                          ("spindle sweep X", "--users has one value here, not '1,2': spindle sweep X takes several")):
        with pytest.raises(UserError) as said:
            read_fields(BurstQuestion, options, command)
        assert str(said.value) == says
    with pytest.raises(UserError, match=r"^--users must be a whole number, not '1,2'$"):
        read_fields(BurstQuestion, options)


def test_words_take_the_places_of_names_in_the_help(capsys: Said) -> None:
    with pytest.raises(HelpShown):
        take_fields("burst fast", BurstQuestion, ["--help"], what="it")
    assert "\n\nDoes it ä.\n\n" in capsys.readouterr().out


def test_an_option_may_have_to_be_given() -> None:
    assert take_fields("burst", RequiredQuestion, ["--where=a"]) == RequiredQuestion("a")
    with pytest.raises(UserError, match="the following arguments are required: --where"):
        take_fields("burst", RequiredQuestion, [])


def test_fields_that_were_given_are_told_and_some_are_left_out() -> None:
    parser = ArgumentParser("burst")
    add_fields(parser, BurstQuestion, without=("size",), says={"users": "people"})
    options = parser.take(["--users", "3", "--no-json"])
    assert given_fields(BurstQuestion, options) == ["json", "users"]
    assert read_fields(BurstQuestion, options) == BurstQuestion()
    assert "people; default 3" in parser.format_help()
    with pytest.raises(UserError, match="unknown option '--size'"):
        parser.take(["--size=5"])


@pytest.mark.parametrize(("words", "says"), [
    (["--jsn"], "unknown option '--jsn': did you mean --json or --tags or --some?"),
    (["--no-jsn=5"], "unknown option '--no-jsn': did you mean --no-json or --json or --loads?"),
    (["one", "two"], "burst: one word too many: 'two'"), (["--size", ""], "--size must have a value, not ''"),
    (["--", "one"], "burst: -- has no meaning here"),
    (["--users"], "burst: argument --users: expected one argument (--help shows how it is used)"),
    (["--us=5"], "unknown option '--us': did you mean --users or --tags or --some?"),
])  # fmt: skip
def test_what_a_parser_refuses(words: list[str], says: str) -> None:
    with pytest.raises(UserError) as said:
        taken(*words)
    assert str(said.value) == says


@pytest.mark.parametrize(("words", "told"), [
    (["--some=a=1", "--some=a=2"], ["--some is given twice"]), (["--users=4", "--users=5"], []),
    (["--some=a", "--users=5"], []), (["--some", "a", "--some", "b"], ["--some is given twice"]),
])  # fmt: skip
def test_a_list_that_is_given_twice_is_told(words: list[str], told: list[str]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        taken(*words)
    assert [str(each.message) for each in caught] == [
        f"{each}, and the last counts: several values stand in one, with commas between" for each in told]


def test_a_shell_is_answered_before_a_line_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[ArgumentParser] = []
    monkeypatch.setattr(ArgumentParser, "read_first", seen.append)
    parser = ArgumentParser("burst")
    with pytest.raises(UserError):
        parser.take(["--unknown"])
    assert seen == [parser]


def test_a_bare_option_may_mean_nothing() -> None:
    parser = ArgumentParser("burst")
    parser.add_argument("--plot", nargs="?", const="")
    assert parser.take(["--plot"]).plot == ""


def test_folders_are_named_made_or_there(tmp_path: Path) -> None:
    for use in (named_folder, present_folder, folder):
        assert use("--results", str(tmp_path)) == tmp_path
        with pytest.raises(UserError, match=r"^--results must name a folder, not ''$"):
            use("--results", "")
    with pytest.raises(UserError, match=r"^--results: there is no folder .*/new$"):
        present_folder("--results", tmp_path / "new")
    assert folder("--results", tmp_path / "new" / "deep").is_dir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    for path, why in (("file", "it is a file"), ("file/x", rf"{tmp_path}/file is a file"), ("link", "it is a link to"),
                      ("link/x", rf"{tmp_path}/link is a link to nowhere")):  # fmt: skip
        with pytest.raises(UserError, match=rf"^--results: cannot make the folder {tmp_path}/{path}: {why}"):
            folder("--results", tmp_path / path)
    with pytest.raises(UserError, match=r"^--out: cannot make the folder"):
        new_file("--out", f"{tmp_path}/file/x.csv")


def test_a_folder_that_is_full_of_its_own_reasons_is_told_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(UserError, match=r"cannot make the folder .*/new: Read-only file system"):
        folder("--results", tmp_path / "new")
    monkeypatch.undo()
    for bits in (1, 2):  # it may be entered and not written, and the other way round
        monkeypatch.setattr("os.access", lambda _, asked, bits=bits: asked & bits == asked)
        with pytest.raises(UserError, match=r"^--results: nothing can be written into the folder"):
            folder("--results", tmp_path)


@pytest.mark.parametrize("text", ["", "-", "a\nb", "new/", "."])
def test_what_is_no_name_of_a_file(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"^--out must name a file, not '"):
        new_file("--out", text)
    assert [path.name for path in tmp_path.iterdir()] == ["help"]


def test_a_new_file_s_folder_is_made_and_told(tmp_path: Path, capsys: Said) -> None:
    for told in (f"spindle: --out: made the folder {tmp_path}/a/b\n", ""):
        assert new_file("--out", f"{tmp_path}/a/b/x.csv") == tmp_path / "a" / "b" / "x.csv"
        assert capsys.readouterr().err == told


def test_outputs_are_told_apart_from_each_other_and_from_tables_of_a_log(tmp_path: Path) -> None:
    log, other = str(tmp_path / "log.csv"), str(tmp_path / "x.png")
    assert outputs([], {"--log": log, "--out": None, "--plot": other}) == {
        "--log": Path(log), "--out": None, "--plot": Path(other)}  # fmt: skip
    with pytest.raises(UserError, match=r"^--timeline would overwrite .*/log\.csv, which is --log$"):
        outputs([], {"--log": log, "--timeline": log})
    with pytest.raises(UserError, match=r"^--html must name a file, not "):
        outputs([], {"--html": f"{tmp_path}/"})
    for table in ("log_global.csv", "log_ldevs.csv", "log_working_sets.csv"):
        for options in ({"--log": log, "--timeline": str(tmp_path / table)},
                        {"--timeline": str(tmp_path / table), "--log": log}):  # fmt: skip
            with pytest.raises(UserError, match=f"would overwrite .*{table}, which is "):
                outputs([], options)
    assert outputs([], {"--log": str(tmp_path / "log.txt"), "--timeline": str(tmp_path / "log_global.txt")})
    assert outputs([], {"--out": log, "--timeline": str(tmp_path / "log_global.csv")})
    (tmp_path / "log_disc 7.csv").symlink_to("nowhere")
    with pytest.raises(UserError, match=r"^--log: .*log_disc 7\.csv is a link, and would be a table of the log: rem"):
        outputs([], {"--log": log})
    assert outputs([], {"--out": log})


@pytest.mark.parametrize(("option", "name", "says"), [
    ("--plot", "x.csv", r"--plot must name a file that ends in \.png, \.pdf, \.svg, not '.*x\.csv'"),
    ("--out", "x.PNG", r"--out writes text, such as \.csv, and no \.PNG: .*x\.PNG"),
])  # fmt: skip
def test_a_name_that_says_another_kind_of_file(option: str, name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"^{says}$"):
        outputs([], {option: str(tmp_path / name)})
    assert outputs([], {"--html": str(tmp_path / name)})
    check_picture("--plot", Path("x.PDF"))
    check_picture("--html", Path("x.csv"))


def test_small_questions() -> None:
    assert [plot_file(each) for each in ("-", "", None, "x.png")] == [None, None, None, "x.png"]
    assert of_kind("--drive", 5, int, "a number") == 5
    with pytest.raises(UserError, match=r"^--drive: it is no number$"):
        of_kind("--drive", "5", int, "it is no number")
