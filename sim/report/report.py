"""Everything on one page that needs nothing else: no request, no script; read on a screen, a phone, or paper."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import jinja2
import pandas as pd

from sim.claims.tally import ROLES, Tally, headline, tally
from sim.claims.verdicts import Verdict, scoreboard
from sim.output.files import write_whole
from sim.output.tables import number
from sim.parameter import Described
from sim.plots.pictures import BOX, svg
from sim.report.claims_board import claims_board

BOARD = (
    "Simulated as a multiple of published. Bars are the bounds, dots the simulation with its 95 % interval; an arrow "
    "lies beyond the edge. Inequalities have no size and are not drawn."
)

REM_A_POINT = 0.09
"""How large a picture stands on the page, where there is room for it."""


@dataclass(frozen=True)
class Panel:
    """A picture, as pictures.svg made it, and a sentence that says what it shows."""

    svg: str
    caption: str


@dataclass(frozen=True)
class SystemSection:
    """What the report says about one *system*, which is the name that claims and parameters go by.

    *sensitivity* shows which verdicts hang on what was assumed, where somebody has tried.
    """

    system: str
    title: str
    paper: str
    question: str
    figures: Sequence[Panel] = ()
    sensitivity: Sequence[Panel] = ()


@dataclass(frozen=True)
class Score:
    """How one system stands: the *counts* by role and verdict, the claims themselves, and their picture."""

    counts: Sequence[Mapping[str, object]]
    claims: Sequence[Mapping[str, object]]
    tally: Tally
    board: Panel


@dataclass(frozen=True)
class _Shown:
    section: SystemSection
    score: Score | None
    parameters: Sequence[Described]


def write_report(
    path: Path,
    sections: Sequence[SystemSection],
    claims: pd.DataFrame,
    parameters: Mapping[str, Iterable[Described]],
    provenance: Mapping[str, object],
) -> None:
    """Write the page. *claims* is what verdicts.score gave, for all systems together; *parameters* are by system."""
    shown = [
        _Shown(section, _score(claims[claims["system"] == section.system]), tuple(parameters.get(section.system, ())))
        for section in sections
    ]
    page = _template().render(
        shown=shown,
        roles=[str(role) for role in ROLES],
        headline=headline(claims),
        provenance={key: _text(value) for key, value in provenance.items()},
        verdicts=[str(verdict) for verdict in Verdict],
    )
    write_whole(path, page.encode("utf-8"))


def _template() -> jinja2.Template:
    here = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(
        loader=here, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["number"] = _text
    environment.filters["short"] = _short
    environment.filters["named"] = _named
    return environment.get_template("report.html")


def _score(claims: pd.DataFrame) -> Score | None:
    if claims.empty:
        return None
    return Score(_rows(scoreboard(claims)), _rows(claims), tally(claims), Panel(svg(claims_board(claims)), BOARD))


def _rows(frame: pd.DataFrame) -> list[Mapping[str, object]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def _text(value: object) -> str:
    """Numbers as in the tables, everything else as it prints itself."""
    return number(value) if isinstance(value, float) else str(value)


def _short(value: float) -> str:
    """A simulated number, of which nobody reads the fifth digit."""
    return number(float(f"{value:.4g}"))


def _named(figure: Panel) -> str:
    """The picture under a name for those who do not see it, letters as large as in every other where there is room.

    It is markup; matplotlib has escaped the letters in it.
    """
    box = BOX.search(figure.svg)
    assert box is not None
    width = float(box[1].split()[2]) * REM_A_POINT
    name = f'<svg role="img" aria-label="{escape(figure.caption)}" width="{width:.1f}rem" '
    return figure.svg.replace("<svg ", name, 1)
