"""Tests traces of prompts: fields of several tools, arrival order, and one line for what is missing."""

import gzip
import json
from pathlib import Path

import pytest

from spindle.sim.error import UserError
from spindle.sim.units import MS
from spindle.workloads.prompts import Prompt
from spindle.workloads.traces import prompts
from spindle.workloads.traces.prompts import NO_JSON, read_prompts

GOOD = {"timestamp": 1000, "input_length": 1000, "output_length": 7, "hash_ids": [5, 9]}


def written(place: Path, *entries: object) -> Path:
    path = place / "prompts.jsonl"
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in entries))
    return path


def test_mooncake(tmp_path: Path) -> None:
    trace = read_prompts(written(tmp_path, GOOD, "", {**GOOD, "timestamp": 2500, "hash_ids": [5, 7]}))
    assert trace.prompts == (Prompt(0.0, 1000, 7, (0, 1)), Prompt(1.5, 1000, 7, (0, 2)))
    assert trace.block_tokens == 512


def test_other_names_and_units(tmp_path: Path) -> None:
    entry = {"arrival_time": 3.5, "prompt_tokens": 33, "completion_tokens": 1, "block_hashes": ["a", "b"],
             "block_size": 16}
    trace = read_prompts(written(tmp_path, entry))
    assert trace.prompts == (Prompt(0.0, 33, 1, (0, 1)),)
    assert trace.block_tokens == 16


def test_fields_may_be_called_otherwise_and_lie_within_others(tmp_path: Path) -> None:
    entry = {"at": 3.5, "n": {"in": 33, "out": 1}, "kv": {"hashes": ["a", "b", "c"]}}
    names = {"timestamp_s": "at", "input_tokens": "n.in", "output_length": "n.out", "hash_ids": "kv.hashes"}
    trace = read_prompts(written(tmp_path, entry, {**entry, "at": 4.0}), 16, columns=names)
    assert trace.prompts == (Prompt(0.0, 33, 1, (0, 1, 2)), Prompt(0.5, 33, 1, (0, 1, 2)))
    with pytest.raises(UserError, match="unknown field 'in': did you mean n"):
        read_prompts(written(tmp_path, entry), 16, columns={**names, "input_tokens": "in"})
    with pytest.raises(UserError, match="unknown field of prompts 'time': did you mean timestamp"):
        read_prompts(written(tmp_path, entry), 16, columns={"time": "at"})


def test_given_units_win(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD, {**GOOD, "timestamp": 1002})
    assert read_prompts(path, 500, 1.0).prompts[1].time == 2.0
    assert read_prompts(path).faster(2.0).prompts[1].time == pytest.approx(0.001)


def test_by_arrival_and_compressed(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl.gz"
    lines = [{**GOOD, "timestamp": 5, "hash_ids": [1, 2]}, {**GOOD, "timestamp": 3, "hash_ids": [3, 4]}]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    assert [prompt.blocks for prompt in read_prompts(path).prompts] == [(2, 3), (0, 1)]
    assert read_prompts(path).note == "1 prompt out of order, before the one above: sorted by time"
    assert len(read_prompts(path, limit=1).prompts) == 1
    assert read_prompts(path, limit=1).note == ""


def without(name: str) -> dict[str, object]:
    return {key: value for key, value in GOOD.items() if key != name}


@pytest.mark.parametrize(("entry", "says"), [
    (without("timestamp"), "a prompt without an arrival time: it needs timestamp"),
    (without("input_length"), "a prompt without an input length: it needs input_length"),
    (without("output_length"), "a prompt without an output length"),
    (without("hash_ids"), "a prompt without a list of block hashes"),
    ({**GOOD, "input_length": 0}, "input_length must be a whole number from 1"),
    ({**GOOD, "input_length": True}, "input_length must be a whole number"),
    ({**GOOD, "output_length": -1}, "output_length must be a whole number from 0"),
    ({**GOOD, "timestamp": "now"}, "timestamp must be a number"),
    ({**GOOD, "timestamp": float("inf")}, "timestamp must be a number"),
    ({**GOOD, "hash_ids": [1, 2, 3]}, "3 hashes for 1000 tokens are not blocks of 512; --block-tokens"),
    ({**GOOD, "hash_ids": [1, [2]]}, "a block hash must be"),
    ({**GOOD, "hash_ids": 3}, "the block hashes must be a list"),
    ("[1, 2]", "a line must be an object in braces"),
    ("{", "this is no JSON"),
])  # fmt: skip
def test_mistakes_name_the_line(tmp_path: Path, entry: object, says: str) -> None:
    path = written(tmp_path, GOOD, entry)
    with pytest.raises(UserError, match=says) as error:
        read_prompts(path)
    assert str(error.value).startswith(f"{path}:2:")


def test_no_prompt(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no prompt in it"):
        read_prompts(written(tmp_path, ""))


def test_a_first_line_that_is_no_json_is_told_what_a_prompt_is(tmp_path: Path) -> None:
    for lines, says in ((("time,key",), NO_JSON), (("[1]",), "a line must be an object in braces"),
                        ((GOOD, "x"), "this is no JSON: Expecting value")):  # fmt: skip
        with pytest.raises(UserError) as error:
            read_prompts(written(tmp_path, *lines))
        assert str(error.value).split(": ", 1)[1].startswith(says)


def test_prompts_of_a_chat_come_in_seconds(tmp_path: Path) -> None:
    trace = read_prompts(written(tmp_path, *({**GOOD, "timestamp": time, "chat_id": 1} for time in (7, 5))))
    assert [prompt.time for prompt in trace.prompts] == [0.0, 2.0]
    assert trace.note == "timestamp is taken for seconds, by how it is written\n" \
                         "1 prompt out of order, before the one above: sorted by time"


def test_prompts_of_one_moment_keep_their_order(tmp_path: Path) -> None:
    trace = read_prompts(written(tmp_path, *({**GOOD, "output_length": answer} for answer in (7, 5))))
    assert [prompt.answer for prompt in trace.prompts] == [7, 5]
    assert (trace.note, trace.name) == ("", "prompts.jsonl")


def test_the_first_prompt_tells_the_unit_of_all(tmp_path: Path) -> None:
    trace = read_prompts(written(tmp_path, *({**GOOD, "timestamp": time} for time in (5, 2_000_000_005))))
    assert [prompt.time for prompt in trace.prompts] == pytest.approx([0.0, 2e6])


def test_a_fraction_behind_whole_times_is_not_taken_for_milliseconds(tmp_path: Path) -> None:
    """Unless the unit was given, or the first time is a date or a fraction."""
    def at(*times: float) -> Path:
        return written(tmp_path, *({**GOOD, "timestamp": time} for time in times))

    with pytest.raises(UserError, match=r":2:1: timestamp 0.5 is a fraction, and those before are whole and taken for "
                                        r"milliseconds: --time-unit says the unit"):
        read_prompts(at(0, 0.5))
    for times, unit, last in (((0, 0.5), 1.0, 0.5), ((0, 0.5), MS, 5e-4), ((0.0, 0.5), None, 0.5),
                              ((0, 5.0), None, 5e-3), ((1700000000000, 1700000000004.5), None, 4.5e-3)):  # fmt: skip
        assert read_prompts(at(*times), second=unit).prompts[-1].time == pytest.approx(last, rel=1e-3)


def test_limits_of_hashes_blocks_and_times(tmp_path: Path) -> None:
    entry = {**GOOD, "input_length": 2, "block_size": 1, "timestamp": 1e25, "hash_ids": ["h" * 256, "a"]}
    assert read_prompts(written(tmp_path, entry)).prompts == (Prompt(0.0, 2, 7, (0, 1)),)
    for wrong, says in (({"hash_ids": ["h" * 257, "a"]}, "a block hash must be"),
                        ({"hash_ids": ["", "a"]}, "a block hash must be"),
                        ({"timestamp": 2e25}, "timestamp must be a number")):  # fmt: skip
        with pytest.raises(UserError, match=says):
            read_prompts(written(tmp_path, {**entry, **wrong}))


def test_as_many_blocks_and_prompts_as_there_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "MAX_PROMPTS", 2)
    assert len(read_prompts(written(tmp_path, GOOD, GOOD)).prompts) == 2
    with pytest.raises(UserError, match="a trace has at most 2 prompts; --limit takes fewer"):
        read_prompts(written(tmp_path, GOOD, GOOD, GOOD))
    monkeypatch.setattr(prompts, "MAX_BLOCKS", 2)
    assert len(read_prompts(written(tmp_path, GOOD)).prompts) == 1
    monkeypatch.setattr(prompts, "MAX_BLOCKS", 1)
    with pytest.raises(UserError, match="the block hashes must be a list of at most 1"):
        read_prompts(written(tmp_path, GOOD))
