"""Tests that JSON with a name twice is refused, wherever JSON is read, if one of two values would be lost."""

from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.sim.error import UserError
from spindle.sim.json_text import read_json

TWICE = "'{}' stands in one object twice, for two values\n"


def test_of_a_name_that_stands_twice_no_value_is_lost() -> None:
    assert read_json('{"a": 1, "b": [{"a": 2}], "a": 1}') == {"a": 1, "b": [{"a": 2}]}
    with pytest.raises(UserError, match="'a' stands in one object twice"):
        read_json('{"b": {"a": 1, "a": 2}}')


@pytest.mark.parametrize("command", ["curve", "replay"])
@pytest.mark.parametrize(("first", "name"), [
    ('{"key": "x", "key": "y"}', "key"), ('{"key": "x", "size": 1, "size": 2}', "size"),
    ('{"offset": 0, "size": 512, "op": "R", "offset": 512}', "offset"),
])  # fmt: skip
def test_a_trace_of_json_lines_is_refused(
    command: str, first: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{first}\n" * 3)
    assert main([command, str(path)]) == 2
    assert capsys.readouterr().err.endswith(TWICE.format(name))


def test_prompts_and_what_fio_printed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.jsonl").write_text('{"timestamp": 0, "input_length": 5, "input_length": 9, "output_length": 1, '
                                      '"hash_ids": [1]}\n')  # fmt: skip
    assert main(["kv", str(tmp_path / "p.jsonl")]) == 2
    assert capsys.readouterr().err.endswith(TWICE.format("input_length"))
    (tmp_path / "fio.json").write_text('{"jobs": [], "jobs": [{}]}')
    assert main(["drive", "fit", str(tmp_path / "fio.json"), "--out", str(tmp_path / "d.yaml")]) == 2
    assert capsys.readouterr().err.endswith(TWICE.format("jobs"))
