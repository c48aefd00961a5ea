"""Reads ``verify.toml``, which describes a folder of measurements: kind, cases, source, and the errors allowed."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from spindle.folders import PACKAGE
from spindle.sim.error import UserError, unknown
from spindle.sim.inputs import read_whole

FORM = "verify.toml"
SHIPPED = Path(__file__).with_name("layers")
SHARED = "SPINDLE_SHARED"
ROW_GROUPS = {"fit": "fitted", "seen": "seen", "predict": "left out"}
"""Lists of cases and the names of their groups: numbers were fitted to them; rules were written by them; neither."""
IN_TURN = "each left out in turn"
"""The group of fitted cases, each predicted by the setting that is best for the others."""


@dataclass(frozen=True)
class Goal:
    """A goal, one line of the table: a *quantity*, and the error that it *must* not exceed.

    *anchor* is the error that is published of another simulator, *by* whom. Both are in percent, of the mean error, or
    of the *worst* point.
    """

    quantity: str
    must: float | None = None
    anchor: float | None = None
    by: str = ""
    worst: bool = False


@dataclass(frozen=True)
class EvidenceLayer:
    """A layer of a machine, with the *data* that its model is compared with, and its cases in groups.

    *settings* are defined by the *kind*; *rules* is text on what was fitted to what. *choose* has values of one
    setting: each fitted case is predicted with the value that is best for all other fitted cases.
    """

    name: str
    kind: str
    source: str
    data: Path
    fit: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    predict: tuple[str, ...] = ()
    rules: str = ""
    goals: tuple[Goal, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    choose: Mapping[str, Any] = field(default_factory=dict)

    def cases(self) -> Iterator[tuple[str, str]]:
        """Yield the group and the name of each case."""
        for attribute, group in ROW_GROUPS.items():
            for case in getattr(self, attribute):
                yield group, case


def shared_folder() -> Path:
    """Return the folder of other people's measurements, beside the checkout unless the environment names another."""
    return Path(os.environ.get(SHARED) or PACKAGE.parent.parent / "shared")


def shipped_layers() -> list[EvidenceLayer]:
    """Return the layers that are described in Spindle itself; their data may be missing."""
    return [_layer(path, shared_folder()) for path in sorted(SHIPPED.glob("*.toml"))]


def layer_in(folder: Path) -> EvidenceLayer:
    """Return the layer that *folder* describes; UserError if it has no FORM."""
    path = folder / FORM
    if not path.is_file():
        raise UserError(f"{folder} has no {FORM}, which says of what kind its data are")
    layer = _layer(path, folder)
    if not layer.data.is_dir():
        raise UserError(f"{path}: the folder of data, {layer.data}, is not there")
    return layer


def _layer(path: Path, base: Path) -> EvidenceLayer:
    try:
        document = tomllib.loads(read_whole(path))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path}: {error}") from None
    _check(path, document, EvidenceLayer, ("name", "kind", "source"))
    goals = document.pop("goals", [])
    for goal in goals:
        _check(path, goal, Goal, ("quantity",))
    for name in ROW_GROUPS:
        document[name] = tuple(document.get(name, ()))
    cases = [case for name in ROW_GROUPS for case in document[name]]
    for case in cases:
        if cases.count(case) > 1:
            raise UserError(f"{path}: {case!r} is named twice; a case is in one of {', '.join(ROW_GROUPS)}")
    document["data"] = base / document.get("data", ".")
    for name, values in document.get("choose", {}).items():
        if not isinstance(values, list) or len(values) < 2 or len(document["choose"]) > 1 or len(document["fit"]) < 3:
            raise UserError(f"{path}: choose takes one setting with a list of values, and three cases in fit at least, "
                            f"not {name} = {values!r}")  # fmt: skip
    return EvidenceLayer(**document, goals=tuple(Goal(**goal) for goal in goals))


def _check(path: Path, table: object, described: type, needed: tuple[str, ...]) -> None:
    """Raise UserError if *table* has a name or a type that is not *described*, or lacks a name that is *needed*."""
    if not isinstance(table, dict):
        raise UserError(f"{path}: goals must be tables, as [[goals]]")
    types = {each.name: str(each.type) for each in fields(described)}
    for name, value in table.items():
        if name not in types:
            raise UserError(f"{path}: {unknown('name', name, types)}")
        if not _fits(types[name], value):
            raise UserError(f"{path}: {name} must be {_WORDS[types[name]]}, not {value!r}")
    for name in needed:
        if name not in table:
            raise UserError(f"{path}: {name} is missing")


_WORDS = {str(str): "text", str(Path): "text", str(bool): "true or false", "tuple[str, ...]": "a list of text",
          str(float | None): "a number", f"tuple[{__name__}.Goal, ...]": "tables, as [[goals]]",
          str(Mapping[str, Any]): "a table"}  # fmt: skip


def _fits(kind: str, value: object) -> bool:
    """Tell if *value* has the type of its field, which is named *kind*."""
    wanted = _WORDS[kind]
    if wanted == "a list of text":
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    types: dict[str, tuple[type, ...]] = {"text": (str,), "true or false": (bool,), "a number": (int, float),
                                          "a table": (dict,), "tables, as [[goals]]": (list,)}  # fmt: skip
    return isinstance(value, types[wanted]) and (wanted == "true or false" or not isinstance(value, bool))
