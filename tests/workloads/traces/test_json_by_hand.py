"""Tests lines of JSON by hand: keys that are whole numbers, times to live, the first line of a block."""

import numpy as np
import pytest

from spindle.workloads.traces.batch import NotSimpleError
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.formats.jsonl import JsonLines, _first, _names_in, _valid


@pytest.mark.parametrize(("key", "text"), [("a", "a"), (7, "7"), (7.0, "7"), (-7.0, "-7"), ("7.0", "7.0")])
def test_a_key_is_text_or_a_whole_number(key: object, text: str) -> None:
    assert JsonLines("key")._key(key) == text


@pytest.mark.parametrize("key", [7.5, True, None, "", [1], 1e30, float("nan")])
def test_what_is_no_key(key: object) -> None:
    with pytest.raises(Wrong, match="a key must be a whole number or"):
        JsonLines("key")._key(key)


def test_the_first_line_of_a_block_is_an_object() -> None:
    assert _first(b'{"a": 1}\n{"a": 2}\n') == _first(b'{"a": 1}') == {"a": 1}
    for block in (b"[1]\n", b"{\n", b"\n"):
        with pytest.raises(NotSimpleError):
            _first(block)


def test_columns_of_times_to_live_and_of_names() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    some = np.array([True, True, True, True, False])
    found = _valid(pyarrow.array([-1.0, 0.0, 0.5, 1.0, 2.0]), some)
    assert found.tolist() == pytest.approx([np.nan, np.nan, 0.5, 1.0], nan_ok=True)
    assert np.isnan(_valid(pyarrow.array([1.0, None, 1.0, 1.0, 1.0]), some)).all()
    assert _names_in(pyarrow.array(["b", "a", "b"])) == ["b", "a"]
    assert _names_in(pyarrow.array(["b", None])) == []
