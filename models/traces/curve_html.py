"""The answer of a curve as one page that may be sent to others: a sentence, a picture, a table, all of it as CSV."""

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

import jinja2
import pandas as pd
from matplotlib.figure import Figure

from sim.output.tables import table_text
from sim.plots.pictures import svg

TELLING = ("at most ", "lru has ", "its knee ", "at ")
"""How the lines of a page begin that answer the question."""
MOST_ROWS = 400


def curve_html(name: str, lines: Sequence[str], table: pd.DataFrame, picture: Figure) -> str:
    """Nothing in it is fetched from anywhere, no script runs, and what stood in a file is text, whatever it is."""
    return _template().render(
        name=name, about=lines[0] if lines else "", page="\n".join(lines),
        sentences=[line for line in lines if line.startswith(TELLING)],
        policies=", ".join(dict.fromkeys(table["policy"])), picture=_base64(svg(picture).encode()),
        csv=_base64(table_text(table)), head=list(table.columns),
        rows=[[_cell(value) for value in row] for row in table.head(MOST_ROWS).itertuples(index=False)],
    )  # fmt: skip


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _base64(content: bytes) -> str:
    return b64encode(content).decode("ascii")


def _template() -> jinja2.Template:
    here = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(
        loader=here, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("curve.html")
