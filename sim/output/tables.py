"""Tables as CSV: the same numbers give the same bytes, and the first lines say where they come from."""

import csv
from collections.abc import Mapping
from io import StringIO
from itertools import takewhile
from math import isfinite
from pathlib import Path

import pandas as pd

from sim.error import UserError, plain
from sim.output.cells import bare, quoted
from sim.output.files import read_whole, write_whole


def write_table(frame: pd.DataFrame, path: Path, provenance: Mapping[str, object]) -> None:
    """*frame* without its index, under one comment line for each entry of *provenance*.

    Nothing is added to it, above all no date: what was computed twice is to be equal byte for byte.
    """
    text = StringIO()
    for key, value in provenance.items():
        text.write(f"# {_one_line(key)}: {_one_line(value)}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(cell(name) for name in frame.columns)
    # Column by column, because a row of a frame would turn whole numbers into floats.
    columns = [[cell(value) for value in frame[name].tolist()] for name in frame.columns]
    writer.writerows(zip(*columns, strict=True))
    write_whole(path, text.getvalue().encode("utf-8", "backslashreplace"))


def read_table(path: Path) -> pd.DataFrame:
    """What write_table wrote; its provenance is in ``frame.attrs["provenance"]``. Only an empty cell is NaN."""
    lines = read_whole(path).splitlines(keepends=True)
    said = list(takewhile(lambda line: line.startswith("# "), lines))
    try:
        frame = pd.read_csv(StringIO("".join(lines[len(said) :])), keep_default_na=False, na_values=[""])
    except ValueError as error:
        raise UserError(f"{path} is not a table: {_one_line(error)}") from error
    for name in frame.select_dtypes(exclude=["number", "bool"]).columns:
        frame[name] = frame[name].map(bare)
    frame.columns = pd.Index([bare(name) for name in frame.columns])
    frame.attrs["provenance"] = dict(line[2:].rstrip("\n").split(": ", 1) for line in said)
    return frame


def cell(value: object) -> str:
    """One value as text: numbers to six digits, whole ones to all; text that starts like a formula is quoted."""
    if isinstance(value, float):
        return number(value)
    if value is None or value is pd.NA:
        return ""
    if isinstance(value, int):
        return str(value)
    return quoted(str(value))


def number(value: float) -> str:
    """Six digits are more than a simulation knows, and few enough to be equal on machines that round differently."""
    if value != value:
        return ""
    if isfinite(value) and (value.is_integer() or abs(value) >= 1e5) and abs(value) < 1e15:
        return str(round(value))
    return f"{value:.6g}"


def _one_line(value: object) -> str:
    return plain(" ".join(str(value).split()))
