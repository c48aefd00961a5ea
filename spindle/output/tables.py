"""Writes tables as CSV with six significant digits, or as Parquet, and reads CSV. Equal frames give equal bytes.

Pandas is imported only by callers that have a frame, so that workers of a sweep start without it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from spindle.output.files import open_whole
from spindle.output.origin import commit
from spindle.output.text import quote_cell, quote_formula, unquote
from spindle.sim.error import UserError, plain
from spindle.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

ROWS_AT_A_TIME = 10_000
"""Rows that are converted to text at a time."""


def write_table(frame: "pd.DataFrame", path: Path) -> None:
    """Write *frame* as the CSV *path*, without its index."""
    with open_whole(path) as file:
        for piece in _pieces(frame):
            file.write(piece)


def write_rows(names: Sequence[str], rows: Sequence[Sequence[object]], path: Path) -> None:
    """Write *rows* below the heading *names* as the CSV *path*, without pandas."""
    with open_whole(path) as file:
        file.write(_lines([[name, *column] for name, column in zip(names, zip(*rows, strict=True), strict=True)]))


def table_text(frame: "pd.DataFrame") -> bytes:
    """Return *frame* as CSV without its index. No date is added: equal frames give equal bytes."""
    return b"".join(_pieces(frame))


def _pieces(frame: "pd.DataFrame") -> Iterator[bytes]:
    """Yield the heading, then ROWS rows at a time: text takes many times the memory of numbers."""
    yield _lines([[name] for name in frame.columns])
    for first in range(0, len(frame), ROWS_AT_A_TIME):
        # Column by column, because a row of a frame would turn whole numbers into floats.
        yield _lines([frame[name].iloc[first : first + ROWS_AT_A_TIME].tolist() for name in frame.columns])


def _lines(columns: Sequence[Sequence[object]]) -> bytes:
    cells = [[quote_cell(cell(value)) for value in column] for column in columns]
    # A reader would skip an empty line.
    lines = [(",".join(row) or '""') + "\n" for row in zip(*cells, strict=True)]
    return "".join(lines).encode("utf-8", "backslashreplace")


def table_in(text: str, path: Path) -> "pd.DataFrame":
    """Read the *text* of *path*, which ``write_table`` wrote, as a table. Only an empty cell is NaN."""
    import pandas as pd

    try:
        frame = pd.read_csv(StringIO(text), keep_default_na=False, na_values=[""])
    except ValueError as error:
        raise UserError(f"{path} is not a table: {plain(' '.join(str(error).split()))}") from error
    for name in frame.select_dtypes(exclude=["number", "bool"]).columns:
        frame[name] = frame[name].map(unquote)
    frame.columns = pd.Index([unquote(name) for name in frame.columns])
    return frame


def cell(value: object) -> str:
    """Return *value* as text: fractions to six digits, whole numbers to all, text like a formula with an apostrophe."""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return quote_formula(value)
    import pandas as pd

    return "" if value is None or value is pd.NA else quote_formula(str(value))


def number(value: float) -> str:
    """Return *value* to six digits: more than a simulation's precision, and equal however a machine rounds."""
    if value != value:
        return ""
    if isfinite(value) and (value.is_integer() or abs(value) >= 1e5) and abs(value) < 1e15:
        return str(round(value))
    return f"{value:.6g}"


# The table of a sweep: CSV or Parquet by its suffix, with version and commit in it.

PARQUET = ".parquet"
"""The ending of a Parquet file, a binary format of tables."""
TABLE_SUFFIXES = (".csv", PARQUET, "")
"""Endings of files for a table; without one it is CSV."""


@dataclass(frozen=True)
class TableFile:
    """A file that a table is saved in, with *metadata*, version and commit. The same frame gives the same bytes."""

    path: Path
    metadata: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path.suffix.lower() not in TABLE_SUFFIXES:
            raise UserError(f"{self.path} must end in .csv or .parquet")

    def save(self, frame: "pd.DataFrame") -> None:
        if self.path.suffix.lower() == PARQUET:
            with open_whole(self.path) as file:
                _write_parquet(frame, self.path, signature(self.metadata), file)
            return
        write_table(with_signature(frame, self.metadata), self.path)


def signature(metadata: Mapping[str, str]) -> dict[str, str]:
    """Return *metadata* with Spindle's version and commit."""
    return {**metadata, "spindle": VERSION, "commit": commit()}


def with_signature(frame: "pd.DataFrame", metadata: Mapping[str, str]) -> "pd.DataFrame":
    """Return *frame* with a column for each entry of the signature, so that readers of a CSV get it too."""
    columns = signature(metadata)
    for name in columns:
        if name in frame.columns:
            raise UserError(f"a table has a column {name} of its own; give it another name")
    return frame.assign(**columns)


def _write_parquet(frame: "pd.DataFrame", path: Path, metadata: Mapping[str, str], file: BinaryIO) -> None:
    """Write numbers with every digit, and *metadata*, which pandas reads back as the ``attrs`` of the frame."""
    from pyarrow import ArrowException

    frame = frame.copy(deep=False)
    frame.attrs = dict(metadata.items())
    try:
        # Dictionaries would make zstd's work no smaller, and take 75 MB whatever the number of rows.
        frame.to_parquet(file, engine="pyarrow", index=False, compression="zstd", use_dictionary=False)
    except ArrowException as error:
        why = " ".join(str(error.args[0]).split())
        raise UserError(f"{path}: {why}; a CSV takes numbers and text in one column") from error
