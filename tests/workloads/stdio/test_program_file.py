"""Tests files of programs of buffered I/O: their keys, and mistakes that name the file and the line."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.sim.error import UserError
from spindle.workloads import stdio_files as file
from spindle.workloads.stdio import Advice, Flag, StdioCall, StdioProgram
from spindle.workloads.stdio_files import parse, programs, read

FOLDER = Path(file.__file__).with_name("stdio")
GOOD = 'says = "it reads"\ncall = "read"\nblock = "4 KiB"\nsize = 8192\n'


def test_sizes_are_written_as_people_say_them() -> None:
    assert parse(GOOD, "r") == StdioProgram("r", "it reads", StdioCall.READ, 4096, 8192)
    for text in ('"4K"', "4096", '"4096 bytes"', '"4KiB"', '"4096 B"'):
        assert parse(GOOD.replace('"4 KiB"', text), "r").block == 4096


def test_a_program_may_have_ten_thousand_characters(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text(f"{GOOD}#{'x' * (10_000 - len(GOOD) - 1)}")
    assert len(path.read_text()) == 10_000
    assert read(path).says == "it reads"


def test_flags_and_advice_are_the_words_of_the_manual() -> None:
    it = parse(GOOD + 'flags = ["O_DIRECT", "O_DSYNC"]\nadvice = "POSIX_FADV_RANDOM"\n', "r")
    assert (it.flags, it.advice) == (frozenset({Flag.DIRECT, Flag.DSYNC}), Advice.RANDOM)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("4 KiB", "4 XiB", "p.toml:3: block must be bytes"),
        ('"4 KiB"', "0", "p.toml:3: block must be a whole number of bytes from 1"),
        ('"4 KiB"', "true", "p.toml:3: block must be bytes"),
        ('"4 KiB"', '"' + "9" * 20 + '"', "p.toml:3: block must be bytes"),
        ('"read"', '"raed"', "p.toml:2: call: unknown word 'raed': did you mean read"),
        ("8192", "8192\nstrid = 1", "p.toml:5: unknown key 'strid': did you mean stride"),
        ("8192", '8192\nflags = ["O_DIRECT"]\nstride = 1', "p.toml:6: stride and size must be whole numbers of blocks"),
        ("8192", '8192\nflags = "O_DIRECT"', "p.toml:5: flags must be a list"),
        ("8192", "8192\nflags = [[1]]", "p.toml:5: flags: unknown word"),
        ("size = 8192", "", "p.toml:1: size is missing"),
        ('"it reads"', '""', "p.toml:1: says must be one line"),
        ('"it reads"', r'"a\nb"', "p.toml:1: says must be one line"),
        ("8192", '8192\nadvice = "RANDOM"', "p.toml:5: advice: unknown word 'RANDOM'"),
        ("8192", '8192\nstride = "1 TB"', "p.toml:5: stride must be bytes, such as 512"),
        ('says = "it reads"\n', "", "p.toml:1: says is missing"),
        ('call = "read"\n', "", "p.toml:1: call is missing"),
        ('block = "4 KiB"\n', "", "p.toml:1: block is missing"),
        ("8192", "= 1", "p.toml:4: "),
        ("8192", "81\nsize = 92", "p.toml:5: "),
    ],
)
def test_mistakes_name_the_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{tmp_path}/{says}")


@given(st.text(max_size=80) | st.text("[]{}=\"'#\n 1sayblockcallsize", max_size=200))
def test_any_text_is_a_program_or_a_mistake(text: str) -> None:
    try:
        said = parse(text, "x").name
    except UserError as error:
        said = str(error)
    assert said == "x" or said.startswith("program:")


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "long.toml").write_text("#" * 10_001)
    for name in ("b.toml", "long.toml", "none.toml"):
        with pytest.raises(UserError, match=name):
            read(tmp_path / name)
    with pytest.raises(UserError, match=r"^/dev/zero is longer than 10000 characters, which no program is$"):
        read(Path("/dev/zero"))


@pytest.mark.parametrize("name", programs())
def test_a_shipped_file_fits_on_a_slide(name: str) -> None:
    lines = (FOLDER / f"{name}.toml").read_text("utf-8").splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 88


def test_what_the_readme_shows_is_so(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", readme, re.MULTILINE) == list(programs())
    (block,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out == "2560 [0, 65536, 131072]\n"
