"""Reads traces of prompts to a language model: arrival, lengths in tokens, and the hashes of the prompt's blocks.

Mooncake's JSON lines (Qin et al., FAST 2025) have ``timestamp`` in milliseconds, ``input_length``, ``output_length``
and ``hash_ids``, of 512 tokens each. Alibaba's (Bailian) have the same fields with seconds and 16 tokens; exporters of
vLLM's and LMCache's logs also have ``block_hashes`` and ``block_size``.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

from spindle.output.text import plural
from spindle.sim.error import UserError, check_known, quote, unknown
from spindle.sim.units import MS
from spindle.workloads.prompts import Prompt, PromptTrace
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.formats import HASHES
from spindle.workloads.traces.formats.jsonl import FRACTION, are_counted_ms, flat, json_object, unit_of
from spindle.workloads.traces.record import TraceLimits
from spindle.workloads.traces.source import members
from spindle.workloads.traces.text import MARK, each_line

TIME = {"timestamp": MS, "timestamp_ms": MS, "arrival_ms": MS, "timestamp_s": 1.0, "arrival_time": 1.0}
"""Fields with the arrival of a prompt, and their units in seconds."""
INPUT = ("input_length", "input_tokens", "prompt_tokens")
OUTPUT = ("output_length", "output_tokens", "completion_tokens")
"""Fields with the tokens of a prompt (INPUT) and of its answer."""
BLOCK_SIZE_KEY = "block_size"
"""Field with the tokens of a block."""
USUAL_TOKENS = 512
"""Tokens of a block where neither the caller nor the file gives them."""
NO_JSON = f"this is no JSON: a prompt is a line with its arrival, its lengths and its blocks' hashes ({HASHES[0]})"
FIELDS = (*TIME, *INPUT, *OUTPUT, *HASHES, BLOCK_SIZE_KEY)
"""Fields that may have another name in a file."""
NO_COLUMNS: Mapping[str, str] = {}
MAX_TOKENS = 1 << 24
MAX_BLOCKS = 1 << 17
"""Most tokens of a prompt or an answer, and most blocks of a prompt."""
MAX_PROMPTS = 10_000_000
MAX_HASH = 256
"""Most characters of a hash that is text."""
MAX_LINE = 1 << 22
"""Most bytes of a line."""


def read_prompts(
    path: Path, block_tokens: int | None = None, second: float | None = None, limit: int | None = None,
    columns: Mapping[str, str] = NO_COLUMNS,
) -> PromptTrace:  # fmt: skip
    """Read the first *limit* prompts of the file at *path*; UserError with the line of one without time or length.

    Blocks have *block_tokens* tokens, or the number in the first line (``block_size``), or 512. *second* is the unit of
    times in seconds, where it is not that of the field. *columns* has the names in the file of fields.
    """
    reader = _Reader(block_tokens, second, columns)
    prompts: list[Prompt] = []
    for number, line in enumerate(_lines(path), 1):
        if limit is not None and len(prompts) >= limit:
            break
        try:
            if isinstance(line, Wrong):
                raise line
            text = line.removeprefix(MARK) if number == 1 else line
            if not text or text.isspace():
                continue
            prompts.append(reader.prompt(text))
        except Wrong as wrong:
            raise UserError(f"{path}:{number}:{wrong.column}: {wrong}") from None
        if len(prompts) > MAX_PROMPTS:
            raise UserError(f"{path}: a trace has at most {MAX_PROMPTS} prompts; --limit takes fewer")
    if not prompts:
        raise UserError(f"{path}: there is no prompt in it")
    early = sum(after.time < before.time for before, after in pairwise(prompts))
    order = f"{plural(early, 'prompt')} out of order, before the one above: sorted by time" if early else ""
    return PromptTrace(path.name, tuple(_from_zero(prompts)), reader.block_tokens or USUAL_TOKENS,
                       "\n".join(filter(None, [reader.note, order])))  # fmt: skip


def _lines(path: Path) -> Iterator[str | Wrong]:
    for _, pieces in members(path, TraceLimits()):
        yield from each_line(pieces, MAX_LINE)


def _from_zero(prompts: Iterable[Prompt]) -> list[Prompt]:
    """Sort prompts by arrival, as several servers may have logged them, and count times from the first."""
    ordered = sorted(prompts, key=lambda each: each.time)
    first = ordered[0].time
    return [each._replace(time=each.time - first) for each in ordered]


class _Reader:
    """Takes the lines of one file; hashes become numbers, in the order of their coming."""

    def __init__(self, block_tokens: int | None, second: float | None, columns: Mapping[str, str]) -> None:
        self._columns = columns
        check_known("field of prompts", FIELDS, *columns)
        self.block_tokens = block_tokens
        self._second = second
        self._counts_ms = False
        self.note = ""
        self._numbers: dict[int | str, int] = {}

    def prompt(self, line: str) -> Prompt:
        if not self._numbers and not line.lstrip().startswith(("{", "[")):
            raise Wrong(NO_JSON)
        entry = self._rename(json_object(line))
        name, time = _field(entry, TIME, "arrival time")
        tokens = _tokens(entry, INPUT, 1)
        answer = _tokens(entry, OUTPUT, 0)
        hashes = _field(entry, HASHES, "list of block hashes")[1]
        if not isinstance(hashes, list) or len(hashes) > MAX_BLOCKS:
            raise Wrong(f"the block hashes must be a list of at most {MAX_BLOCKS}, not {quote(str(hashes))}")
        self._check(entry, tokens, len(hashes))
        now = _number(name, time)
        if self._second is None and name == "timestamp":
            self._second, self.note = unit_of(name, MS, time, "chat_id" in entry)
            self._counts_ms = are_counted_ms(self._second, now)
        elif self._counts_ms and now % 1:
            raise Wrong(FRACTION.format(name, now, "--time-unit"))
        return Prompt(now * (self._second or TIME[name]), tokens, answer, tuple(map(self._hash, hashes)))

    def _rename(self, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return *entry* with the fields that are called otherwise in the file, within others by points."""
        if not self._columns:
            return entry
        told = flat(entry)
        for name in self._columns.values():
            if name not in told:
                raise Wrong(str(unknown("field", name, told)))
        return {**told, **{field: told[name] for field, name in self._columns.items()}}

    def _check(self, entry: Mapping[str, Any], tokens: int, blocks: int) -> None:
        """Raise Wrong unless there is a hash for each whole block of a prompt, and perhaps one for the rest."""
        if self.block_tokens is None:
            self.block_tokens = _tokens(entry, (BLOCK_SIZE_KEY,), 1) if BLOCK_SIZE_KEY in entry else USUAL_TOKENS
        size = self.block_tokens
        if not tokens // size <= blocks <= -(-tokens // size):
            raise Wrong(f"{blocks} hashes for {tokens} tokens are not blocks of {size}; --block-tokens says how many "
                        "tokens a block has")

    def _hash(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int | str) or not 0 < len(str(value)) <= MAX_HASH:
            raise Wrong(f"a block hash must be a whole number or at most {MAX_HASH} characters, not "
                        f"{quote(str(value))}")
        return self._numbers.setdefault(value, len(self._numbers))


def _field(entry: Mapping[str, Any], names: Iterable[str], what: str) -> tuple[str, Any]:
    for name in names:
        if name in entry:
            return name, entry[name]
    first, *_ = names
    raise Wrong(f"a prompt without {'an' if what[0] in 'aeiou' else 'a'} {what}: it needs {' or '.join(names)}, or "
                f"--columns {first}=NAME")


def _tokens(entry: Mapping[str, Any], names: tuple[str, ...], least: int) -> int:
    name, value = _field(entry, names, names[0].replace("_", " "))
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_TOKENS:
        raise Wrong(f"{name} must be a whole number from {least} to {MAX_TOKENS}, not {quote(str(value))}")
    return value


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e25 or not isfinite(value):
        raise Wrong(f"{name} must be a number, not {quote(str(value))}")
    return float(value)
