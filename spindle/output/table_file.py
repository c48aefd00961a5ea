"""The table of a sweep as a file, CSV or Parquet by its suffix, with Spindle's version and commit in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from spindle.output.files import open_whole
from spindle.output.origin import commit
from spindle.sim.error import UserError
from spindle.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

PARQUET = ".parquet"
SUFFIXES = (".csv", PARQUET, "")


@dataclass(frozen=True)
class TableFile:
    """A file for a frame, with *metadata*, version and commit. The same frame gives the same bytes."""

    path: Path
    metadata: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path.suffix.lower() not in SUFFIXES:
            raise UserError(f"{self.path} must end in .csv or .parquet")

    def save(self, frame: "pd.DataFrame") -> None:
        if self.path.suffix.lower() == PARQUET:
            with open_whole(self.path) as file:
                _write_parquet(frame, self.path, signature(self.metadata), file)
            return
        from spindle.output.tables import write_table

        write_table(with_signature(frame, self.metadata), self.path)


def signature(metadata: Mapping[str, str]) -> dict[str, str]:
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
