"""Reads language models and accelerators from TOML files: the named ones in hardware.toml, and users' own."""

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from spindle.sim.error import UserError, check_regular_file, quote, unknown
from spindle.sim.inputs import read_whole

HARDWARE_FILE = Path(__file__).with_suffix(".toml")
"""The file of named models and accelerators."""
SUFFIX = ".toml"
MAX_NUMBER = 1e18
"""Largest number in a file."""
MAX_HARDWARE_FILE_BYTES = 1 << 20
"""Largest file, in bytes."""


@dataclass(frozen=True)
class LanguageModel:
    """A dense transformer with grouped queries; *source* says where its numbers are published.

    *number_bytes* are the bytes of a number in its weights and in its cache: 2 in bfloat16.
    """

    name: str
    parameters: float
    layers: int
    width: int
    kv_heads: int
    head: int
    source: str
    number_bytes: float = 2

    @property
    def token_bytes(self) -> int:
        """Bytes of keys and values of one token, in all layers."""
        return int(2 * self.layers * self.kv_heads * self.head * self.number_bytes)

    @property
    def weights(self) -> float:
        return self.number_bytes * self.parameters

    def flops(self, tokens: int, before: int) -> float:
        """Return the operations to prefill *tokens* tokens after *before* others.

        They are two for each parameter and token, and the attention of each token to all before it.
        """
        attended = tokens * before + tokens * tokens / 2
        return 2.0 * self.parameters * tokens + 4.0 * self.layers * self.width * attended


@dataclass(frozen=True)
class Accelerator:
    """*memory* bytes, and *flops* operations a second in the model's numbers, without sparsity."""

    name: str
    memory: float
    flops: float
    source: str


Part = TypeVar("Part", LanguageModel, Accelerator)
KINDS_OF_TABLE: Mapping[type, str] = {LanguageModel: "model", Accelerator: "accelerator"}


def language_model(word: str) -> LanguageModel:
    """Return the model of that name, or the one that a file ``*.toml`` has; UserError where there is none."""
    return _part(LanguageModel, word, LANGUAGE_MODELS)


def accelerator(word: str) -> Accelerator:
    """Return the accelerator of that name, or the one that a file ``*.toml`` has; UserError where there is none."""
    return _part(Accelerator, word, ACCELERATORS)


def _part(kind: type[Part], word: str, named: Mapping[str, Part]) -> Part:
    what = KINDS_OF_TABLE[kind]
    if not word.lower().endswith(SUFFIX):
        if word not in named:
            raise UserError(f"{unknown(what, word, named)}; a file of your own ends in {SUFFIX}")
        return named[word]
    found = _read(kind, Path(word))
    if len(found) != 1:
        raise UserError(f"{word}: it has {len(found)} tables [{what}.NAME], and one is wanted")
    return next(iter(found.values()))


def _read(kind: type[Part], path: Path) -> dict[str, Part]:
    check_regular_file(path)
    if path.stat().st_size > MAX_HARDWARE_FILE_BYTES:
        raise UserError(f"{path} has more than the {MAX_HARDWARE_FILE_BYTES:,} bytes that are read")
    try:
        document = tomllib.loads(read_whole(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{path}: no TOML: {error}") from None
    tables = document.get(KINDS_OF_TABLE[kind], {})
    if not isinstance(tables, dict):
        raise UserError(f"{path}: [{KINDS_OF_TABLE[kind]}] must be tables by name")
    return {name: _part_of_table(kind, name, table, path) for name, table in tables.items()}


def _part_of_table(kind: type[Part], name: str, table: object, path: Path) -> Part:
    where = f"{path}: [{KINDS_OF_TABLE[kind]}.{name}]"
    known = {field.name: field for field in fields(kind) if field.name != "name"}
    if not isinstance(table, dict):
        raise UserError(f"{where} must be a table with {', '.join(known)}")
    for key in table:
        if key not in known:
            raise UserError(f"{where}: {unknown('key', key, known)}")
    missing = [key for key, field in known.items() if key not in table and field.default is MISSING]
    if missing:
        raise UserError(f"{where} needs {', '.join(missing)}")
    return kind(name=name, **{key: _value(where, key, value, known[key].type) for key, value in table.items()})


def _value(where: str, key: str, value: Any, wanted: object) -> Any:
    """Return *value* where it is text, a whole number or a number, as *wanted*; UserError otherwise."""
    if wanted is str:
        if not isinstance(value, str):
            raise UserError(f"{where}: {key} must be text, not {quote(str(value))}")
        return value
    whole = wanted is int
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)) or not 0 < value < MAX_NUMBER:
        raise UserError(f"{where}: {key} must be a {'whole number' if whole else 'number'} above 0, not "
                        f"{quote(str(value))}")  # fmt: skip
    return value


LANGUAGE_MODELS: Mapping[str, LanguageModel] = _read(LanguageModel, HARDWARE_FILE)
ACCELERATORS: Mapping[str, Accelerator] = _read(Accelerator, HARDWARE_FILE)
