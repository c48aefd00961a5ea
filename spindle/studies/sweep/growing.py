"""A frame that is made of blocks of rows, and not held twice: numbers are copied into columns of full length."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spindle.studies.sweep.grid import Row


class GrowingFrame:
    """*count* rows, to be added in blocks; the frame is that which ``pd.concat`` makes of the blocks."""

    def __init__(self, count: int) -> None:
        self._count, self._rows = count, 0
        self._columns: dict[str, GrowingColumn] = {}

    def add(self, rows: Sequence[Row]) -> None:
        block = pd.DataFrame(rows)
        for name in map(str, block):
            if name not in self._columns:
                self._columns[name] = GrowingColumn(self._count)
                self._columns[name].add(pd.DataFrame(index=range(self._rows)))
        for name, column in self._columns.items():
            column.add(block[[name] if name in block else []])
        self._rows += len(block)

    def frame(self) -> pd.DataFrame:
        """It is asked for once: columns that are no plain numbers are joined one by one, and let go."""
        columns = {name: self._columns[name].joined() for name in list(self._columns)}
        return pd.DataFrame(columns, index=pd.RangeIndex(self._rows), copy=False)


class GrowingColumn:
    """A column of at most *count* values: stretches of numbers of one type, and frames of anything else or nothing."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._parts: list[pd.DataFrame] = []
        self._stretch: NDArray[np.generic] | None = None
        self._used = 0
        self._name = ""

    def add(self, part: pd.DataFrame) -> None:
        """The next values, a frame of one column or, where the rows have none, of no column."""
        kind = part.dtypes.iloc[0] if len(part.columns) else None
        if not isinstance(kind, np.dtype) or kind.hasobject:
            self._end()
            self._parts += [part] if len(part) else []
        else:
            if self._stretch is None or self._stretch.dtype != kind:
                self._end()
                self._stretch = np.empty(self._left, dtype=kind)
            self._stretch[self._used : self._used + len(part)] = part.iloc[:, 0].to_numpy()
            self._used += len(part)
            self._name = part.columns[0]
        self._left -= len(part)

    def _end(self) -> None:
        if self._stretch is not None:
            self._parts.append(pd.DataFrame({self._name: self._stretch[: self._used]}, copy=False))
            self._stretch, self._used = None, 0

    def joined(self) -> pd.Series:
        """All of it, which is no longer held here."""
        self._end()
        parts, self._parts = self._parts, []
        whole = pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]
        return whole.iloc[:, 0]
