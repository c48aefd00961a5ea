"""Words of a command line become values, or one line of a mistake; what an argument of a run may be."""

from pathlib import Path

import pytest

from models.commands.run_options import _simple
from models.commands.values import size, value
from sim.error import UserError
from sim.units import MIB, Bytes


@pytest.mark.parametrize(
    ("text", "bytes_"), [("512", 512), ("4k", 4096), ("64K", 65536), ("1MiB", MIB), ("1mib", MIB), ("2G", 2 << 30)]
)
def test_bytes_are_written_with_their_unit(text: str, bytes_: int) -> None:
    assert size("--block", text) == bytes_ == value("--block", text, Bytes)


@pytest.mark.parametrize("text", ["", "K", "1.5M", "-4K", "0", "4Q", "4MB", "1024ib", "9999999999G", "ib"])
def test_what_is_no_number_of_bytes_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UserError, match=r"--block must be [^\n]*$"):
        size("--block", text)


def test_no_bytes_are_an_argument_of_a_run_that_has_a_meaning_for_them() -> None:
    """No cache for sata_ncq, and no stride for unix_stdio; where it has none, the run says so."""
    assert value("cache", "0", Bytes) == 0
    with pytest.raises(UserError, match="cache must be a whole number from 0 to"):
        value("cache", "-1", Bytes)


def test_a_file_must_exist(tmp_path: Path) -> None:
    there = tmp_path / "script"
    there.write_text("")
    assert value("--probe", str(there), Path) == there
    with pytest.raises(UserError, match="--probe must name a file that exists"):
        value("--probe", str(tmp_path), Path)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [(int, int), (Bytes, Bytes), (Bytes | None, Bytes), (Path | None, Path), (object, None), (int | str, None),
     (list[int], None), (list[int] | None, None), (Path | list[int] | None, Path)],
)  # fmt: skip
def test_an_argument_is_an_option_where_one_word_says_it(annotation: object, kind: object) -> None:
    assert _simple(annotation) is kind
