"""The records of a CSV file, one by one: whatever is wrong with one is a UserError that names file and line."""

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sim.error import UserError
from workloads.request_list.columns import Header
from workloads.request_list.lines import read_lines


class Records:
    """Begins with the header; lines before it that begin with ``# `` say where a table comes from, and are passed."""

    def __init__(self, path: Path, passed: Callable[[int], object] = lambda _: None) -> None:
        self.path = path
        self._reader = csv.reader(read_lines(path, passed), strict=True, skipinitialspace=True)
        for cells in self._cells():
            if not cells[0].startswith("# "):
                self.header = Header(cells)
                return
        raise UserError(f"{path}: the file is empty")

    def __iter__(self) -> Iterator[list[str]]:
        """The cells of the records after the header; there is at least one, and all have as many cells as it."""
        width, some = len(self.header.names), False
        for cells in self._cells():
            if len(cells) != width:
                raise self.wrong(f"has {len(cells)} cells, and the header has {width}")
            some = True
            yield cells
        if not some:
            raise UserError(f"{self.path}: there is nothing below the header")

    def _cells(self) -> Iterator[list[str]]:
        try:
            for cells in self._reader:
                if cells:
                    yield cells
        except csv.Error as error:
            raise self.wrong(f"not CSV: {error}") from error

    def wrong(self, rule: object) -> UserError:
        """The mistake that the record read last breaks *rule*."""
        return UserError(f"{self.path}: line {self._reader.line_num}: {rule}")

    @contextmanager
    def told(self) -> Iterator[None]:
        """A UserError raised inside says where it was found."""
        try:
            yield
        except UserError as error:
            raise self.wrong(error) from None
