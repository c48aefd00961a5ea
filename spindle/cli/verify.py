"""``spindle verify``: compares layers of the model, such as a drive, with other people's measurements of real ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spindle.cli.fields import take_fields
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish
from spindle.lab.verify.form import FORM, layer_in, shipped_layers
from spindle.output.progress import progress_bar
from spindle.output.text import json_text
from spindle.questions.field import ask
from spindle.questions.settings import Words

if TYPE_CHECKING:
    from spindle.lab.verify.answer import Verified


@dataclass(frozen=True)
class VerifyQuestion:
    """Options of ``spindle verify``: folders of layers to compare, and the output of their errors."""

    folder: Words = ask((), f"folders with {FORM}; default all known layers", first="*", metavar="FOLDER")
    export: str = ask("", "a row for each point, or .parquet; default none", metavar="FILE.csv")
    plot: str = ask("", "the error of each case; default none", metavar="FILE.png")
    json: bool = ask(False, "the errors, as JSON")


def main(arguments: Sequence[str]) -> int:
    asked = take_fields("verify", VerifyQuestion, arguments, form=FORM)
    folders = [Path(each) for each in asked.folder]
    files = outputs([folder / FORM for folder in folders], {"--export": asked.export, "--plot": asked.plot})
    # Imported here, because a help text needs no models.
    from spindle.lab.verify.answer import errors_table, page, points_frame, verify
    from spindle.output.tables import TableFile

    table = None if files["--export"] is None else TableFile(files["--export"])
    layers = [layer_in(folder) for folder in folders] or shipped_layers()
    answers = [verify(layer) for layer in progress_bar(layers, desc="layers")]
    if table is not None:
        table.save(points_frame(answers))
    if (path := files["--plot"]) is not None:
        _draw(answers, path)
    return finish(json_text(errors_table(answers)) if asked.json else "\n".join(page(answers)))


def _draw(answers: Sequence["Verified"], path: Path) -> None:
    # Imported here, because matplotlib takes a second.
    from spindle.lab.verify.picture import picture
    from spindle.studies.plots.files import save

    save(picture(answers), path)
