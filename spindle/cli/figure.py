"""``spindle figure``: draws hit ratios of several traces under several policies, as a figure for a paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import add_fields, read_fields
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish
from spindle.output.text import plural
from spindle.questions.field import ask
from spindle.traces.figure import HIT_LABEL, MISS_LABEL, FigureQuestion, figure_table

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class FigureShown:
    """Options for the output of ``spindle figure``: files of the picture and of its numbers."""

    plot: str = ask("", "the figure; without one there is a table", metavar="FILE.pdf")
    out: str = ask("", "its numbers: a row for each trace, policy and share", metavar="FILE.csv")


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("figure")
    parser.add_argument("traces", metavar="TRACE", nargs="+", help="traces in any format that curve reads")
    add_fields(parser, FigureQuestion)
    add_fields(parser, FigureShown)
    options = parser.take(arguments)
    question, shown = read_fields(FigureQuestion, options), read_fields(FigureShown, options)
    files = outputs([Path(each) for each in options.traces], {"--plot": shown.plot, "--out": shown.out})
    table = figure_table(question, options.traces)
    if (out := files["--out"]) is not None:
        from spindle.output.tables import write_table

        write_table(table, out)
    if (plot := files["--plot"]) is not None:
        _draw(question, table, plot)
    return finish("\n".join([*_lines(question, table), *(f"{path}: written" for path in files.values() if path)]))


def _draw(question: FigureQuestion, table: "DataFrame", path: Path) -> None:
    from spindle.studies.plots.files import save
    from spindle.traces.figure_picture import panels_picture, relative_picture

    if question.against:
        save(relative_picture(table, question.against), path)
    else:
        column, label = ("hit_ratio", HIT_LABEL) if question.show == "hits" else ("miss_ratio", MISS_LABEL)
        save(panels_picture(table, column, label), path)


def _lines(question: FigureQuestion, table: "DataFrame") -> list[str]:
    """Return a line for each policy and share: the mean over traces, with an interval where there are several."""
    from spindle.studies.confidence import confidence

    column = "relative_misses" if question.against else "hit_ratio" if question.show == "hits" else "miss_ratio"
    title = f"misses, those of {question.against} are 1" if question.against else column.replace("_", " ")
    lines = [f"{title}, of {plural(table['trace'].nunique(), 'trace')}", "",
             f"{'policy':<20}{'cache':>10}{'mean':>10}  95 % interval"]
    for policy, share in dict.fromkeys(zip(table["policy"], table["share"], strict=True)):
        values: list[float] = table[(table["policy"] == policy) & (table["share"] == share)][column].tolist()
        mean = confidence(values) if len(values) > 1 else None
        interval = "" if mean is None else f"{mean.low:.4f} to {mean.high:.4f}"
        lines.append(f"{policy:<20}{f'{100.0 * share:.4g} %':>10}{fmean(values):>10.4f}  {interval}".rstrip())
    return lines
