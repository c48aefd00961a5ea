"""``spindle verify``: layers of the machine held to other people's measurements, each with a published error beside."""

from collections.abc import Sequence
from pathlib import Path

from spindle.cli import plotting
from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.printing import finish
from spindle.lab.verify.answer import Verified, errors_table, page, points_frame, verify
from spindle.lab.verify.form import FORM, layer_in, shipped_layers
from spindle.output.progress import progress_bar
from spindle.output.tables import TableFile
from spindle.output.text import json_text
from spindle.sim.error import UserError

ABOUT = f"""\
Predict what others measured, and print the errors by layer: median, mean, worst, shares within 10
and 20 %, beside the error that is published of another simulator. Cases to which numbers were
fitted, cases that were in sight while rules were written, and cases left out stand apart. Without
FOLDER all layers that Spindle knows are tried whose data are there; a FOLDER of your own says in
{FORM} what it has."""

EXAMPLES = """\
  spindle verify
  spindle verify --export points.parquet --plot errors.png
  spindle verify my_server"""


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("verify", ABOUT, EXAMPLES)
    parser.add_argument("folder", metavar="FOLDER", nargs="*", help=f"folders with {FORM}; default all known layers")
    parser.add_argument("--export", metavar="FILE.csv", help="a row for each point, or .parquet; default none")
    plotting.add_plot(parser, "the error of each case")
    parser.add_argument("--json", action="store_true", help="the errors, as JSON")
    options = parser.take(arguments)
    if options.plot is not None and plotting.plot_file(options.plot) is None:
        raise UserError("--plot takes a file here: FILE.png")
    folders = [Path(each) for each in options.folder]
    files = outputs([folder / FORM for folder in folders], {"--export": options.export, "--plot": options.plot})
    table = None if files["--export"] is None else TableFile(files["--export"])
    layers = [layer_in(folder) for folder in folders] or shipped_layers()
    answers = [verify(layer) for layer in progress_bar(layers, desc="layers")]
    if table is not None:
        table.save(points_frame(answers))
    if (path := files["--plot"]) is not None:
        _draw(answers, path)
    return finish(json_text(errors_table(answers)) if options.json else "\n".join(page(answers)))


def _draw(answers: Sequence[Verified], path: Path) -> None:
    # Imported here, because matplotlib takes a second.
    from spindle.lab.verify.picture import picture
    from spindle.studies.plots.files import save

    save(picture(answers), path)
