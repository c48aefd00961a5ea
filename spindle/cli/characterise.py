"""``spindle characterise``: the character of a block trace as a page and a picture, and synthetic requests like it."""

from collections.abc import Sequence
from pathlib import Path

from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.printing import finish
from spindle.cli.trace_file import add_trace, limit_of, open_trace, passed_over, read_with_bar
from spindle.output.text import json_text
from spindle.questions.words import size
from spindle.sim.error import UserError, unknown
from spindle.traces.character_page import numbers, page, table
from spindle.traces.characterise import BLOCK, Characterisation, characterise, synthetic
from spindle.traces.opening import MANY_DEVICES, on_devices
from spindle.traces.writer import WRITERS, write_trace

ABOUT = """\
Say what a block trace is like: sizes, reads and writes, runs, how soon and how often blocks
are used again, times between requests. With --synthetic, write made-up requests with the same
distributions, for other tools and for real hardware; each is drawn independently, so bursts,
and the order in which blocks are used again, are lost."""

EXAMPLES = """\
  spindle characterise trace.csv
  spindle characterise trace.csv --block 512 --plot trace.png --out trace_distributions.csv
  spindle characterise trace.csv --synthetic like.fio --as fio3 --seed 7"""

USUAL_FORMAT = "fio3"


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("characterise", ABOUT, EXAMPLES)
    add_trace(parser)
    parser.add_argument("--block", metavar="BYTES", default=str(BLOCK),
                        help=f"unit of reuse and hot spots; default {BLOCK}")
    parser.add_argument("--json", action="store_true", help="all numbers, as JSON")
    parser.add_argument("--out", metavar="FILE.csv", help="how often each value occurred")
    parser.add_argument("--plot", metavar="FILE.png", help="the distributions in one picture")
    parser.add_argument("--synthetic", metavar="FILE", help="as many made-up requests, with the same distributions")
    parser.add_argument("--as", dest="form", metavar="FORMAT",
                        help=f"format of --synthetic: {' | '.join(WRITERS)}; default {USUAL_FORMAT}")  # fmt: skip
    parser.add_argument("--seed", default="1", help="seed of --synthetic; default 1")
    options = parser.take(arguments)
    form = _form(options.form, options.synthetic)
    files = outputs([Path(options.trace)],
                    {"--out": options.out, "--plot": options.plot, "--synthetic": options.synthetic})
    trace = on_devices(open_trace(options, MANY_DEVICES))
    character = characterise(read_with_bar(trace, limit_of(options), "reading"), size("--block", options.block))
    lines = [] if options.json else [f"{options.trace}, {trace.format.name}", *passed_over(trace), *page(character)]
    if (path := files["--synthetic"]) is not None:
        write_trace(synthetic(character, options.seed), path, form)
        lines += ["", f"{path}: as many made-up requests with the same distributions, {form}, seed {options.seed}"]
    if (path := files["--out"]) is not None:
        _write(character, path)
    if (path := files["--plot"]) is not None:
        _draw(character, Path(options.trace).name, path)
    if options.json:
        head = {"trace": options.trace, "format": trace.format.name, "bad_lines": trace.faults.bad}
        return finish(json_text({**head, **numbers(character)}))
    return finish("\n".join(lines))


def character_lines(name: str) -> list[str]:
    """Return the page on the trace *name*, with default options."""
    parser = ArgumentParser("characterise", ABOUT, EXAMPLES)
    add_trace(parser)
    trace = on_devices(open_trace(parser.take([name]), MANY_DEVICES))
    character = characterise(read_with_bar(trace, 0, "reading"), BLOCK)
    return [f"{name}, {trace.format.name}", *passed_over(trace), *page(character)]


def _form(form: str | None, synthetic: str | None) -> str:
    if form is not None and synthetic is None:
        raise UserError("--as is the format of what --synthetic writes; give a file to write")
    if form is not None and form not in WRITERS:
        raise unknown("format to write a trace in", form, WRITERS)
    return form or USUAL_FORMAT


def _write(character: Characterisation, path: Path) -> None:
    # Imported here, as below, because pandas and matplotlib take a second.
    import pandas as pd

    from spindle.output.tables import write_table

    write_table(pd.DataFrame(table(character), columns=["distribution", "value", "count"]), path)


def _draw(character: Characterisation, title: str, path: Path) -> None:
    from spindle.studies.plots.style import save
    from spindle.traces.pictures import portrait

    save(portrait(character, title), path)
