"""Draws claims: simulated beside published numbers, ensembles, Sobol' indices, and verdicts that assumptions flip."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from spindle.output.tables import number
from spindle.studies.claims.claims import Claim, Role
from spindle.studies.claims.ensemble import DEFAULT_MEMBER, MemberTrial
from spindle.studies.claims.ensemble_bands import FAILS, bands, in_condition, met_by
from spindle.studies.claims.verdicts import Verdict
from spindle.studies.plots.axes import drawing
from spindle.studies.plots.files import Picture
from spindle.studies.plots.legends import LETTER, legend_below
from spindle.studies.plots.style import BLUE, FAINT, GREEN, GRID, INK, ORANGE, SMALLEST_FONT, VERMILION, WIDTH, styled

# The picture of claims: the simulated number as a multiple of the published one, with the bounds.

VERDICT_MARKS = {Verdict.HOLDS: ("o", BLUE), Verdict.FAILS: ("X", VERMILION), Verdict.UNDECIDED: ("D", ORANGE),
         Verdict.NOT_SCORED: ("s", FAINT)}  # fmt: skip
MIN_SHOWN, MAX_SHOWN = 0.0, 2.0
"""Limits of the axis, as multiples of the published number; values beyond are marked at the edge."""


def claims_board(frame: pd.DataFrame) -> Axes:
    """Draw a row for each claim of *frame* that has a published number other than 0 and a simulated one.

    All numbers are multiples of the published one: the bar is the range that the bounds allow, the dot the simulated
    number, with its 95 % interval. An inequality is left out, for it has no number.
    """
    inequality = frame["low"].eq(frame["high"]) & frame["published"].eq(1.0)
    shown = frame[frame["published"].ne(0) & frame["simulated"].notna() & ~inequality]
    with drawing(WIDTH, 1.35 + 0.21 * max(1, len(shown))) as ax:
        ax.axvline(1.0, color=FAINT, linewidth=1.0, zorder=1)
        for place, row in enumerate(shown.to_dict("records")):
            _row(ax, place, row)
        ax.set_yticks(range(len(shown)), [str(name) for name in shown["id"]])
        ax.set_ylim(max(1, len(shown)) - 0.4, -0.6)
        ax.set_xlim(MIN_SHOWN, MAX_SHOWN)
        ax.grid(visible=False, axis="y")
        ax.set_xlabel("simulated / published")
        _verdict_legend(ax, [verdict for verdict in Verdict if str(verdict) in set(shown["verdict"])])
    return ax


def _row(ax: Axes, place: int, row: Mapping[Any, Any]) -> None:
    unit = row["published"]
    low, high = sorted((row["low"] / unit, row["high"] / unit))
    ax.barh(place, high - low, 0.62, low, color="#D9E2E8", zorder=2)
    value = row["simulated"] / unit
    mark, colour = VERDICT_MARKS[Verdict(row["verdict"])]
    ends = sorted((row["ci_low"] / unit, row["ci_high"] / unit))
    ax.plot(ends, [place, place], color=colour, linewidth=1.6, zorder=3)
    if MIN_SHOWN <= value <= MAX_SHOWN:
        ax.plot([value], [place], mark, color=colour, markersize=5.5, zorder=4, clip_on=False)
        return
    edge, inwards, align = (MAX_SHOWN, -8, "right") if value > MAX_SHOWN else (MIN_SHOWN, 8, "left")
    ax.plot([edge], [place], ">" if value > MAX_SHOWN else "<", color=colour, zorder=4, clip_on=False)
    ax.annotate(f"{value:.3g}", (edge, place), (inwards, 0), textcoords="offset points", ha=align, va="center",
                color=colour, fontsize=SMALLEST_FONT)  # fmt: skip


def _verdict_legend(ax: Axes, verdicts: list[Verdict]) -> None:
    for verdict in verdicts:
        mark, colour = VERDICT_MARKS[verdict]
        ax.plot([], [], mark, color=colour, label=str(verdict))
    if verdicts:
        ax.figure.legend(loc="outside upper left", ncols=4, handletextpad=0.3, columnspacing=1.4)


# The picture of an ensemble: a strip for each claim, with the members, their band, and the published number.

ROLE_COLOURS = {str(Role.PREDICTED): GREEN, str(Role.CONSISTENT): BLUE, FAILS: VERMILION, "": FAINT}
STRIP_INCHES = 0.42
HALF_BAND = 0.3
"""Half the height of a band, as a share of a strip."""
DOT_SHIFT = 0.19
"""Largest shift of a dot from the middle of its strip, by which equal ones are told apart."""


def ensemble_strips(bench: MemberTrial, members: pd.DataFrame) -> Axes:
    """Draw *members*, a frame of trials; ``ensemble.CAPTION`` explains the picture."""
    banded = bands(bench, members)
    kept = members[members["kept"].astype(bool)]
    with drawing(WIDTH, 0.9 + STRIP_INCHES * len(banded)) as ax:
        for place, band in enumerate(banded.to_dict("records")):
            _strip(ax, place, band, in_condition(bench, bench.claims[band["id"]], kept))
        ax.set_yticks(range(len(banded)), [_name(band) for band in banded.to_dict("records")], fontsize=SMALLEST_FONT)
        ax.tick_params("y", pad=20)  # room for a number with a sign
        ax.set_ylim(len(banded) - 0.4, -0.6)
        ax.set_xlim(-0.13, 1.13)
        ax.set_xticks([])
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        ax.set_title("Claims on machines that are as likely as the default one")
        _band_legend(ax, banded)
    return ax


def ensemble_pairs(bench: MemberTrial, members: pd.DataFrame) -> Figure | None:
    """Draw a panel for each set of two claims that are asked together, with the machines and the allowed range.

    None if no set has two claims.
    """
    pairs = [[[bench.claims[each] for each in alternatives] for alternatives in claims]
             for claims in bench.ensemble.joint if len(claims) == 2]  # fmt: skip
    if not pairs:
        return None
    kept, usual = members[members["kept"].astype(bool)], members[members["member"].eq(DEFAULT_MEMBER)]
    with styled():
        figure = Picture(figsize=(WIDTH, 2.6))
        for ax, (across, up) in zip(figure.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
            for rows, style in ((kept, DOT), (usual, DIAMOND)):
                both = pd.concat([in_condition(bench, each[0], rows) for each in (across, up)], axis=1).dropna()
                ax.plot(both.iloc[:, 0], both.iloc[:, 1], linestyle="", **style)
            _allow(ax, across, up)
            met = met_by(bench, [[each.id for each in alternatives] for alternatives in (across, up)], kept)
            share = f"{met.sum()} of {len(met)} meet both"
            ax.set_title(share, loc="right", fontsize=SMALLEST_FONT, fontweight="normal")
        figure.suptitle("What machines meet together", x=0.01, ha="left", fontweight="bold")
    return figure


PAIRS_CAPTION = (
    "Each dot is a machine of the ensemble, the diamond the default one. Green is what a claim allows, darker where "
    "both are met."
)
DOT: Mapping[str, Any] = {"marker": ".", "color": BLUE, "markersize": 5}
DIAMOND: Mapping[str, Any] = {"marker": "D", "color": INK, "markersize": 5, "markerfacecolor": "white", "zorder": 4}


def _allow(ax: Axes, across: Sequence[Claim], up: Sequence[Claim]) -> None:
    """Shade the range that the claims allow, *across* and *up*, without widening the axes, and name both axes."""
    limits = ax.get_xlim(), ax.get_ylim()
    for span, claims in ((ax.axvspan, across), (ax.axhspan, up)):
        span(min(each.low for each in claims), max(each.high for each in claims), color=GREEN, alpha=0.16, linewidth=0)
    ax.set(xlim=limits[0], ylim=limits[1])
    ax.set_xlabel(_axis(across), fontsize=SMALLEST_FONT)
    ax.set_ylabel(_axis(up), fontsize=SMALLEST_FONT)


def _axis(claims: Sequence[Claim]) -> str:
    """Return the name of an axis: the claims, and their measure."""
    return f"{' or '.join(each.id for each in claims)}\n{claims[0].measure.replace('_', ' ')}"


def _strip(ax: Axes, place: int, band: dict[Any, Any], kept: "pd.Series[Any]") -> None:
    """Draw one claim, with its values shifted and scaled to a range of 0 to 1."""
    ends = [value for value in (band["band_low"], band["band_high"], band["published"], band["default"])
            if value == value]  # fmt: skip
    if band["low"] == band["high"]:
        ends += [0.0, 1.0]  # the only values of an inequality
    least, most = min(ends), max(ends)
    room = (most - least) or 1.0

    def share_of(value: float) -> float:
        return float(min(1.0, max(0.0, (value - least) / room)))

    low, high = share_of(band["low"]), share_of(band["high"])
    colour = ROLE_COLOURS[band["role"]]
    bounds = Rectangle((low, place - HALF_BAND), high - low, 2 * HALF_BAND, facecolor=GREEN, alpha=0.16, linewidth=0)
    ax.add_patch(bounds)
    if len(kept):
        start, end = share_of(band["band_low"]), share_of(band["band_high"])
        ax.add_patch(Rectangle((start, place - DOT_SHIFT), end - start, 2 * DOT_SHIFT, facecolor=colour, alpha=0.2,
                               linewidth=0))  # fmt: skip
        wobbles = [place + DOT_SHIFT * (2 * (0.618 * nth % 1.0) - 1) for nth in range(len(kept))]
        ax.plot([share_of(value) for value in kept], wobbles, ".", color=colour, markersize=3.5)
    if band["default"] == band["default"]:
        ax.plot([share_of(band["default"])], [place], "D", color=INK, markersize=4.5, markerfacecolor="white", zorder=4)
    published = share_of(band["published"])
    ax.plot([published] * 2, [place - HALF_BAND, place + HALF_BAND], color=INK, linewidth=1.6, zorder=3)
    for x, value, side in ((-0.02, least, "right"), (1.02, most, "left")):
        end = 0.0 if abs(value) < room / 1000 else float(f"{value:.2g}")
        ax.annotate(number(end), (x, place), fontsize=SMALLEST_FONT, color=FAINT, ha=side, va="center")


def _name(band: dict[Any, Any]) -> str:
    unit = "" if band["unit"] == "1" else f", {band['unit']}"
    members = f", {band['members']} members" if band["members"] < band["kept"] else ""
    return f"{band['id']} {band['measure'].replace('_', ' ')}{unit}\npaper: {number(band['published'])}{members}"


def _band_legend(ax: Axes, banded: pd.DataFrame) -> None:
    for role, colour in ROLE_COLOURS.items():
        if role and banded["role"].eq(role).any():
            ax.plot([], [], ".", color=colour, label=role, markersize=8)
    ax.plot([], [], "D", color=INK, markerfacecolor="white", label="default machine")
    ax.figure.legend(loc="outside upper left", ncols=4, handletextpad=0.3, columnspacing=1.2)


# The picture of Sobol' indices: for each claim a line for each parameter, with its first-order and total index.

GLOBAL_CAPTION = (
    "How much of the swing of each claim's number is due to each parameter, while all of these are drawn together "
    "between half and double: by itself (filled) and in all that it has a part in (open), with 95 % intervals. Red: "
    "the two part by more than their intervals and chance, whose share is the grey bar; it acts together with another."
)
SHARE_ROW, SHARE_GAP = 0.18, 0.6
"""Inches of a row; the space between two claims, as a share of a row."""
INDEX_OFFSET = 0.14
"""Shift of the two indices of a row from its middle, so that neither hides the other's interval."""


def global_board(frame: pd.DataFrame) -> Axes:
    """Draw the result of global_sensitivity, as GLOBAL_CAPTION explains; numbers that nothing changes are left out."""
    claims = [rows for _, rows in frame[frame["spread"] > 0.0].groupby("id", sort=False)]
    names: dict[float, str] = {}
    with drawing(WIDTH, 1.1 + SHARE_ROW * sum(len(rows) + SHARE_GAP for rows in claims)) as ax:
        top = 0.0
        for rows in claims:
            chance = float(rows["chance"].iloc[0])
            ax.add_patch(Rectangle((0.0, top - 0.5), chance, len(rows), facecolor=GRID, linewidth=0))
            ax.annotate(str(rows["id"].iloc[0]), (1.0, top), (4, 0), xycoords=("axes fraction", "data"),
                        fontsize=SMALLEST_FONT,
                        textcoords="offset points", va="center", annotation_clip=False)  # fmt: skip
            for place, row in enumerate(rows.to_dict("records")):
                _indices(ax, top + place, row)
                names[top + place] = str(row["parameter"])
            top += len(rows) + SHARE_GAP
        ax.set_yticks(list(names), list(names.values()), fontsize=SMALLEST_FONT)
        ax.set_ylim(max(top, 1.0) - 0.5, -0.7)
        ax.set_xlim(-0.02, 1.02)
        ax.set_xlabel("share of the variance")
        ax.grid(visible=False, axis="y")
        _share_legend(ax)
    return ax


def _indices(ax: Axes, place: float, row: dict[Any, Any]) -> None:
    colour = VERMILION if row["together"] else BLUE
    for name, filling, y in (("first", colour, place - INDEX_OFFSET), ("total", "white", place + INDEX_OFFSET)):
        low, value, high = (min(1.0, max(0.0, row[each])) for each in (f"{name}_low", name, f"{name}_high"))
        ax.plot([low, high], [y, y], color=colour, linewidth=1.0)
        ax.plot([value], [y], "o", color=colour, markerfacecolor=filling, markersize=3.6, zorder=4, clip_on=False)


def _share_legend(ax: Axes) -> None:
    for filling, words in ((BLUE, "by itself"), ("white", "in all")):
        ax.plot([], [], "o", color=BLUE, markerfacecolor=filling, label=words)
    ax.plot([], [], "s", color=VERMILION, label="together with another")
    ax.plot([], [], "s", color=FAINT, markerfacecolor=GRID, label="chance")
    ax.figure.legend(loc="outside upper left", ncols=4, handletextpad=0.3, columnspacing=1.2)


# The picture of verdicts that flip: a tile for each, in the row of the assumed parameter that is halved or doubled.

CAPTION = (
    "A tile for each claim whose verdict flips if one assumed number is halved (\u00bd) or doubled (2), in the colour "
    "of its verdict then. Numbers that flip none are left out; what is then undecided is in the table."
)
TILE_ROW, TILE_EDGE = 0.25, 0.14
"""Inches of a row, and of a tile beside its text."""
SIGNS = {0.5: "\u00bd", 2.0: "2"}


def sensitivity_board(frame: pd.DataFrame) -> Axes:
    """Draw the result of sensitivity, as CAPTION explains it; the parameter with most flips is the uppermost."""
    flips = frame[frame["flips"]]
    groups = [group.to_dict("records") for _, group in flips.groupby(["parameter", "factor"], sort=False)]
    named = [(f"{tiles[0]['parameter']} \u00d7 {SIGNS[tiles[0]['factor']]}", tiles)
             for tiles in sorted(groups, key=len, reverse=True)]  # fmt: skip
    in_row = _tiles_in_row([name for name, _ in named], flips["id"].tolist())
    rows = [(name, tiles[first : first + in_row]) for name, tiles in named for first in range(0, len(tiles), in_row)]
    with drawing(WIDTH, 0.9 + TILE_ROW * len(rows)) as ax:
        for place, (_, tiles) in enumerate(rows):
            for column, tile in enumerate(tiles):
                _tile(ax, column, place, tile)
        starts = {name: place for place, (name, _) in reversed(list(enumerate(rows)))}
        ax.set_yticks(list(starts.values()), list(starts), fontsize=SMALLEST_FONT)
        ax.set(xlim=(0, in_row), ylim=(max(1, len(rows)) - 0.5, -0.5), xticks=[], title=_flip_title(frame, flips))
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        _flip_legend(ax, flips)
    return ax


def _tiles_in_row(names: list[str], claims: list[str]) -> int:
    """Return how many tiles of *claims* fit into a row, beside the *names* of the rows."""
    width = TILE_EDGE + LETTER * max(map(len, claims), default=1)
    return max(1, int((WIDTH - 0.3 - LETTER * max(map(len, names), default=0)) / width))


def _tile(ax: Axes, column: int, place: int, cell: dict[Any, Any]) -> None:
    colour = VERDICT_MARKS[Verdict(cell["verdict"])][1]
    ax.add_patch(Rectangle((column + 0.03, place - 0.44), 0.94, 0.88, facecolor=colour, linewidth=0))
    ax.text(column + 0.5, place, cell["id"], color="white", fontsize=SMALLEST_FONT, ha="center", va="center")


def _flip_title(frame: pd.DataFrame, flips: pd.DataFrame) -> str:
    if flips.empty:
        return f"None of {frame['parameter'].nunique()} assumed numbers flips a verdict"
    return (f"{flips['parameter'].nunique()} of {frame['parameter'].nunique()} assumed numbers flip "
            f"{flips['id'].nunique()} of {frame['id'].nunique()} verdicts")  # fmt: skip


def _flip_legend(ax: Axes, flips: pd.DataFrame) -> None:
    for verdict in (Verdict.HOLDS, Verdict.FAILS):
        if flips["verdict"].eq(str(verdict)).any():
            ax.bar([0], [0], color=VERDICT_MARKS[verdict][1], label=f"{verdict} then")
    legend_below(ax)
