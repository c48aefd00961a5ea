"""Tests JSON of numbers that it lacks: NaN and infinity become null at any depth; other values are unchanged."""

import json
from math import inf, nan

import numpy as np
import pytest

from spindle.output.text import json_text


def test_nan_and_infinities_become_null_at_any_depth() -> None:
    content = {"one": nan, "two": [1.5, inf, {"three": (-inf, np.float64("nan"))}], "four": "NaN"}
    assert json.loads(json_text(content)) == {"one": None, "two": [1.5, None, {"three": [None, None]}], "four": "NaN"}
    assert json_text(nan) == "null"


def test_all_else_is_written_as_python_writes_it() -> None:
    content = {"a": [1, 0.1, True, None, "é"], "b": {"c": ()}}
    assert json_text(content) == json.dumps(content, indent=2)
    assert json_text(content, indent=None) == json.dumps(content)


def test_what_json_does_not_know_is_refused_unless_something_stands_for_it() -> None:
    assert json_text([{1}], indent=None, default=lambda value: "a set") == '["a set"]'
    with pytest.raises(TypeError):
        json_text([{1}])
    with pytest.raises(ValueError, match="JSON"):
        json_text([{1}], default=lambda value: nan)
