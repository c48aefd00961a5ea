"""What is printed as JSON, which has no NaN and no infinity: both become null."""

import json
from collections.abc import Callable, Mapping
from math import isfinite


def json_text(content: object, indent: int | None = 2, default: Callable[[object], object] | None = None) -> str:
    """*content* as JSON; *default* gives what stands for a value that JSON does not know."""
    return json.dumps(_finite(content), indent=indent, default=default, allow_nan=False)


def _finite(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
