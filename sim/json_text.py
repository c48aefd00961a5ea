"""Reads JSON, and refuses an object that has a name twice with two values, of which Python would drop one."""

import json
from collections.abc import Sequence
from typing import Any

from spindle.sim.error import UserError, quote


def read_json(text: str | bytes) -> Any:
    """Read *text*; UserError where an object has a name twice with two values, of which Python would take the last."""
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        for name, value in pairs:
            if value != made[name]:
                raise UserError(f"{quote(name)} stands in one object twice, for two values")
    return made
