"""Writes the report: a web page with all claims and scores, and one for each system; each is a single file."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from math import log
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from spindle.output.files import write_whole
from spindle.output.tables import number
from spindle.sim.parameter import Described
from spindle.sim.quantity import quantity
from spindle.studies.claims.claims import Role
from spindle.studies.claims.verdicts import ROLES, Tally, Verdict, headline, scoreboard, tally
from spindle.studies.plots.files import BOX, svg
from spindle.studies.report.sensitivity_board import claims_board

BOARD_CAPTION = (
    "Simulated as a multiple of published. Bars are the bounds, dots the simulation with its 95 % interval; an arrow "
    "lies beyond the edge. Inequalities have no size and are not drawn."
)
BOARD_ALT = "Each claim of the paper with its bounds, and what was simulated."

LEAD_WORDS = 40
"""Words of a caption that are shown before the reader opens the rest."""
SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z0-9])")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
PHONE_POINTS, PIXELS_A_POINT = 380.0, 0.93
"""Width in points above which a picture scrolls on a phone, and its least size then, in pixels for each point."""
REM_A_POINT = 0.09
"""Width of a picture on the page in rem (CSS's unit) for each point, if there is room."""


@dataclass(frozen=True)
class Panel:
    """A picture of the report, in *svg*, with a *caption* that begins with the finding; *alt* describes it.

    *name* is that of its table, ``system/study``, and *made* the command that makes it; '' if there is none. *play* is
    the text that opens its run on the page of ``spindle play``; '' if it has none.
    """

    svg: str
    caption: str
    alt: str = ""
    name: str = ""
    made: str = ""
    play: str = ""

    @property
    def anchor(self) -> str:
        return self.name.replace("/", "-")

    @property
    def lead(self) -> str:
        """The first sentences, of at most LEAD_WORDS words in all; at least one sentence."""
        return self._split()[0]

    @property
    def rest(self) -> str:
        return self._split()[1]

    def _split(self) -> tuple[str, str]:
        first, *others = SENTENCE_END.split(self.caption)
        while others and len(f"{first} {others[0]}".split()) <= LEAD_WORDS:
            first = f"{first} {others.pop(0)}"
        return first, " ".join(others)


@dataclass(frozen=True)
class Hero:
    """The top of the first page: a picture, and three *numbers* with their meanings."""

    panel: Panel
    numbers: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class SystemSection:
    """The report's section on one *system*, named as in claims and parameters.

    *sensitivity* shows which verdicts depend on assumptions, if that was computed.
    """

    system: str
    title: str
    paper: str
    question: str
    figures: Sequence[Panel] = ()
    sensitivity: Sequence[Panel] = ()


@dataclass(frozen=True)
class Score:
    """The score of a system: *counts* by role and verdict, and a picture of its claims."""

    counts: Sequence[Mapping[str, object]]
    tally: Tally
    board: Panel


@dataclass(frozen=True)
class _Shown:
    section: SystemSection
    insight: Sequence[str]
    score: Score | None
    parameters: Sequence[Described]
    page: str
    """The name of the file beside the first page."""


def write_report(
    path: Path,
    sections: Sequence[SystemSection],
    claims: pd.DataFrame,
    parameters: Mapping[str, Iterable[Described]],
    provenance: Mapping[str, object],
    hero: Hero | None = None,
    warning: str = "",
) -> None:
    """Write the first page, and a page for each of the *sections* beside it, whose name ends in that of the system.

    The first page begins with *hero*, or with a *warning* of what it does not prove. *claims* is the frame of
    verdicts.score, of all systems together; *parameters* are by system.
    """
    shown = [
        _Shown(section, insight(of), _score(of), tuple(parameters.get(section.system, ())),
               f"{path.stem}_{section.system}.html")
        for section in sorted(sections, key=_year) for of in [claims[claims["system"] == section.system]]
    ]
    script = (Path(__file__).parent / "report.js").read_text("utf-8")
    common: dict[str, Any] = dict(  # noqa: C408 - names of the templates
        front=path.name,
        hero=hero,
        warning=warning,
        claims=_rows(claims),
        choices={name: list(claims[name].astype(str).unique()) for name in ("system", "role", "verdict")},
        script=script,
        script_hash=f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}",
        shown=shown,
        roles=[str(role) for role in ROLES],
        headline=headline(claims),
        provenance={key: _text(value) for key, value in provenance.items()},
        citation=_citation(str(provenance.get("Spindle", ""))),
        verdicts=[str(verdict) for verdict in Verdict],
    )
    write_whole(path, _template("report.html").render(common).encode("utf-8"))
    for each in shown:
        write_whole(path.with_name(each.page), _template("system.html").render(common, each=each).encode("utf-8"))


def _year(section: SystemSection) -> str:
    """Return the last year that the paper of *section* names, to sort the oldest first; without a year it is last."""
    return max(YEAR.findall(section.paper), default="today")


def insight(claims: pd.DataFrame) -> list[str]:
    """Return three sentences: how many *claims* of one system hold, which is met best, and which is missed most.

    Only one sentence if nothing is decided.
    """
    rows = _rows(claims)
    if not rows:
        return []
    own = [row for row in rows if row["role"] in (str(Role.PREDICTED), str(Role.SHAPE))] or rows
    holds, fails = ([row for row in own if row["verdict"] == str(each)] for each in (Verdict.HOLDS, Verdict.FAILS))
    said = headline(claims) or f"{len(holds)} of {len(rows)} claims hold, of which none is an independent prediction."
    best = min(filter(_is_size, holds), key=_off, default=None)
    worst = max(filter(_is_size, fails), key=_off, default=None)
    if not holds and not fails:
        return [said]
    return [
        said,
        f"Nearest to print: {_claim(best)}" if best else _example("It holds that", holds) or "None holds.",
        f"Farthest from it: {_claim(worst)}" if worst else _example("It does not hold that", fails) or "None fails.",
    ]


def _example(what: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the first of *rows* as text; '' if there is none."""
    return f"{what} {rows[0]['says']}." if rows else ""


def _is_size(row: Mapping[str, Any]) -> bool:
    """Tell if the claim of *row* is a number, and not a yes or no."""
    return bool((row["unit"] != "1" or row["low"] < row["high"]) and row["published"] > 0 and row["simulated"] > 0)


def _off(row: Mapping[str, Any]) -> float:
    """Return the distance of the simulated from the published number, by their ratio."""
    return abs(log(row["simulated"] / row["published"]))


def _claim(row: Mapping[str, Any]) -> str:
    simulated, printed = (quantity(row[name], row["unit"], 4) for name in ("simulated", "published"))
    return f"{row['says']} (simulated {simulated}, printed {printed})."


def _citation(made: str) -> str:
    """Return a BibTeX entry for the version and commit that *made* names."""
    version, _, rest = made.partition(", commit ")
    note = f"Version {version}, commit {rest.partition(',')[0]}" if rest else "Version unknown"
    title = "Spindle: a discrete-event simulator of storage"
    return f"@software{{spindle,\n  title = {{{title}}},\n  note = {{{note}}}\n}}"


@cache
def _template(name: str) -> jinja2.Template:
    here = jinja2.FileSystemLoader(Path(__file__).parent)
    environment = jinja2.Environment(
        loader=here, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["number"] = _text
    environment.filters["short"] = _short
    environment.filters["after"] = _unit_suffix
    environment.filters["named"] = _with_name
    return environment.get_template(name)


def _score(claims: pd.DataFrame) -> Score | None:
    if claims.empty:
        return None
    return Score(_rows(scoreboard(claims)), tally(claims), Panel(svg(claims_board(claims)), BOARD_CAPTION, BOARD_ALT))


def _rows(frame: pd.DataFrame) -> list[Mapping[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def _text(value: object) -> str:
    """Return numbers as in the tables, other values as Python prints them."""
    return number(value) if isinstance(value, float) else str(value)


def _short(value: float) -> str:
    """Return a simulated number with four digits."""
    return number(float(f"{value:.4g}"))


def _unit_suffix(unit: str) -> str:
    """Return *unit* as it follows a number: '' for a share, ``/s`` for a rate."""
    return "" if unit == "1" else unit[1:] if unit.startswith("1/") else f" {unit}"


def _with_name(figure: Panel) -> str:
    """Return the SVG of a picture with its text alternative, in a size that makes all pictures' letters equally large.

    The result is markup; matplotlib has escaped the text in it.
    """
    box = BOX.search(figure.svg)
    assert box is not None
    width = float(box[1].split()[2])
    name = f'<svg role="img" aria-label="{escape(figure.alt or figure.caption)}" width="{width * REM_A_POINT:.1f}rem" '
    picture = figure.svg.replace("<svg ", name, 1)
    if width <= PHONE_POINTS:
        return picture
    least = picture.replace('style="', f'style="min-width: {PIXELS_A_POINT * width:.0f}px; ', 1)
    return f'<div class="box" tabindex="0" role="region" aria-label="Picture, wider than a phone">{least}</div>'
