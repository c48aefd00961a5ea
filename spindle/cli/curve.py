"""Answers ``spindle curve``: hit ratios of a trace by cache size, as text, JSON, a table, a picture or HTML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spindle.cli import plotting
from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import add_fields, read_fields
from spindle.cli.named_files import outputs, plot_file
from spindle.cli.printing import finish
from spindle.cli.trace_file import add_trace, files_read, passed_over, read_with_bar, reading
from spindle.output.progress import BAR_SHAPE, progress_bar
from spindle.output.text import json_text, plural
from spindle.questions.field import ask
from spindle.questions.storage import TIERS_HELP
from spindle.sim.error import UserError
from spindle.sim.quantity import common_unit, quantity
from spindle.traces.curve.question import BOUNDS, CurveQuestion
from spindle.traces.opening import TRACE_FIELDS

if TYPE_CHECKING:
    from spindle.traces.curve.answer import CurvesAnswer, CurveWatch
    from spindle.traces.curve.steps import CacheStep

VERSION = 1
"""Version of the JSON output: raised when a name or a unit in it changes, with a table in CHANGELOG.md."""


@dataclass(frozen=True)
class CurveShown:
    """Options for the output of ``spindle curve``: files to write, and what the text shows besides hit ratios."""

    out: str = ask("", "columns cache_blocks or cache_objects, refs, hits, hit_ratio", metavar="FILE.csv")
    html: str = ask("", "the whole answer as one page without other files", metavar="FILE.html")
    plot: str = ask("", "the curves; - draws them in the terminal", metavar="FILE.png")
    steps: bool = ask(False, "of a short trace a line for each reference, at each size: hit or miss, what was evicted, "
                             "and what lies in each frame")
    cpu: bool = ask(False, "the processor time of a reference under each policy, as it is written in Python, on this "
                           "machine, at the middle one of the sizes")
    json: bool = ask(False, "all rows, as JSON")


def main(arguments: Sequence[str]) -> int:
    options = _parser().take(arguments)
    shown, question = read_fields(CurveShown, options), read_fields(CurveQuestion, options)
    files = outputs(files_read(options), {
        "--out": shown.out, "--plot": plot_file(shown.plot), "--html": shown.html})  # fmt: skip
    from spindle.traces.curve.answer import answer_curve  # and numpy, which no help text needs

    if shown.steps:
        _check_steps(question)
    if shown.cpu and (question.has_objects() or question.sample):
        raise UserError("--cpu measures caches of blocks or objects that are all alike, of a whole trace")
    answer = answer_curve(question, options.trace, watch())
    steps = _steps(question, answer) if shown.steps else {}
    lines = page(options.trace, answer)
    if steps:
        from spindle.traces.curve.steps import step_lines

        lines += [line for title, found in steps.items() for line in step_lines(title, found)]
    cpu = _time_policies(question, answer) if shown.cpu else {}
    if shown.cpu and not cpu:
        raise UserError("--cpu measures policies, and all that are asked for are bounds")
    lines += _cpu_lines(cpu, _middle_size(answer)) if cpu else []
    if any(files.values()):
        _write(answer, [f"{answer.trace.path.name}, {answer.trace.format.name}", *lines[1:]], files)
    if shown.plot:
        lines += plotting.plot_or_save(files["--plot"], lambda: answer.picture(answer.table(), answer.trace.path.name),
                                       partial(_text, answer.rows), "the curves")  # fmt: skip
    if not shown.json:
        return finish("\n".join(lines))
    told = {title: [step._asdict() for step in found] for title, found in steps.items()}
    return finish(json_text(_data(answer) | ({"steps": told} if shown.steps else {}) | ({"cpu": cpu} if cpu else {})))


def _check_steps(question: CurveQuestion) -> None:
    if question.has_objects() or question.sample or question.layers.tiers or not question.sizes:
        raise UserError("--steps shows a cache of blocks or objects that are all alike: give --sizes, as 3,4, without "
                        "--bytes, --ttl, --admit, --sample and --tiers")  # fmt: skip


def _steps(question: CurveQuestion, answer: "CurvesAnswer") -> "dict[str, list[CacheStep]]":
    """Return what each reference did in the cache, as steps, by policy and size."""
    from spindle.traces.curve.steps import cache_steps, named_references, policy_for
    from spindle.traces.curves import policy_of

    names = named_references(question.source.records(answer.trace), int(question.block))
    sizes, policies = (list(dict.fromkeys([*row.values()][column] for row in answer.rows)) for column in (1, 0))
    return {f"{policy}, {plural(size, 'frame')}": [*cache_steps(names, size, policy_for(
        policy, policy_of(policy), names, size))] for policy in policies for size in sizes}  # fmt: skip


def _time_policies(question: CurveQuestion, answer: "CurvesAnswer") -> dict[str, float]:
    """Measure the processor time of a reference in seconds, by policy, at the middle size; bounds are left out."""
    from spindle.traces.blocks import collect_references
    from spindle.traces.curve.replay import MAX_TIMED, time_policy
    from spindle.traces.curves import policy_of

    blocks = collect_references(answer.trace, int(question.block), question.source.limit or None).blocks
    policies, size = list(dict.fromkeys(row["policy"] for row in answer.rows)), _middle_size(answer)
    return {policy: time_policy(policy_of(policy), blocks[:MAX_TIMED].tolist(), size)
            for policy in policies if policy not in BOUNDS}  # fmt: skip


def _middle_size(answer: "CurvesAnswer") -> int:
    sizes = sorted({[*row.values()][1] for row in answer.rows})
    return int(sizes[len(sizes) // 2])


def _cpu_lines(cpu: Mapping[str, float], size: int) -> list[str]:
    """Return a line for each policy: its time for a reference, and that time over the quickest policy's."""
    unit, least = common_unit(cpu.values(), "s"), min(cpu.values(), default=0.0)
    head = f"processor time of a reference at {size:,}"
    return ["", f"{head:<44}{'':>12}{'of the least':>14}",
            *(f"{policy:<44}{quantity(each, 's', 3, shown_in=unit):>12}{each / least:>14.2f}"
              for policy, each in cpu.items())]  # fmt: skip


def watch() -> "CurveWatch":
    """Make the progress bars that a terminal shows while curves are computed."""
    from spindle.traces.curve.answer import CurveWatch

    return CurveWatch(reading, lambda total: progress_bar(desc="replaying", total=total, bar_format=BAR_SHAPE),
                      read_with_bar)  # fmt: skip


def page(name: str | Path, answer: "CurvesAnswer") -> list[str]:
    """Return *answer* as lines of 80 columns; *name* is the trace's name as the user gave it."""
    return [f"{name}, {answer.trace.format.name}", *passed_over(answer.trace), *answer.lines]


def _data(answer: "CurvesAnswer") -> dict[str, Any]:
    trace, faults = answer.trace, answer.trace.faults
    return {"version": VERSION, "trace": str(trace.path), "format": trace.format.name, "bad_lines": faults.bad,
            "notes": faults.sentences, "rows": answer.rows, **answer.more}  # fmt: skip


def _text(rows: Sequence[Mapping[str, Any]], width: int) -> str:
    """Draw the curves of *rows* as text, for a terminal of *width* columns."""
    from spindle.studies.plots.terminal import TextLine, drawn_lines

    room = list(rows[0])[1]
    lines = []
    for policy, own in groupby(rows, key=itemgetter("policy")):
        points = [(row[room], row["hit_ratio"]) for row in own]
        lines.append(TextLine(policy, points, max(1, len(points) // 12)))
    sizes = [row[room] for row in rows]
    ends = f"{min(sizes):,}", f"{max(sizes):,}"
    named = f"{room.removeprefix('cache_')} in the cache"
    return "\n".join(["hit ratio", *drawn_lines(lines, width, ends, named, "1", "policy")])


def _parser() -> ArgumentParser:
    parser = ArgumentParser("curve")
    add_trace(parser)
    add_fields(parser, CurveQuestion, TRACE_FIELDS, {"tiers": TIERS_HELP})
    add_fields(parser, CurveShown)
    return parser


def _write(answer: "CurvesAnswer", lines: Sequence[str], files: Mapping[str, Path | None]) -> None:
    from spindle.output.files import write_whole
    from spindle.output.tables import write_rows

    if (path := files["--out"]) is not None:
        several = len({row["policy"] for row in answer.rows}) > 1
        names = [name for name in answer.rows[0] if several or name != "policy"]
        write_rows(names, [[row[name] for name in names] for row in answer.rows], path)
    if (path := files["--html"]) is not None:
        from spindle.traces.pictures import curve_html

        table, title = answer.table(), answer.trace.path.name
        write_whole(path, curve_html(title, lines, table, answer.picture(table, title)).encode("utf-8", "replace"))
