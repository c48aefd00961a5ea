"""Text as a cell of a table: nothing that a spreadsheet computes, and nothing that ends the cell before its time."""

import re

from spindle.sim.error import plain

FORMULA = re.compile(r"'*[=+\-@#\t\r]")
"""Text that a spreadsheet would compute instead of showing, or a reader skip, however often it is quoted already."""
QUOTED = re.compile(r"'+[=+\-@#\t\r]")
SPECIAL = re.compile(r'[",\n\r]')


def quoted(text: str) -> str:
    """*text*, behind an apostrophe if it begins like a formula."""
    return f"'{text}" if FORMULA.match(text) else text


def bare(value: object) -> object:
    """What ``quoted`` was given."""
    return value[1:] if isinstance(value, str) and QUOTED.match(value) else value


def csv_cell(text: str) -> str:
    """*text*, which need not come back as it was, as it stands between two commas of a line."""
    return enclosed(quoted(plain(text)))


def enclosed(cell: str) -> str:
    """*cell* so that it is one for every reader: Python's writer, before 3.13, leaves carriage returns bare."""
    return '"' + cell.replace('"', '""') + '"' if SPECIAL.search(cell) else cell
