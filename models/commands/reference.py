"""``spindle reference``: pages that say what each public name is for, and where every parameter comes from."""

from collections.abc import Sequence

from models.commands.arguments import ArgumentParser, folder, systems
from models.commands.printing import finish
from models.reference.pages import write_reference

EXAMPLES = "  spindle reference results/reference"


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("reference", "The public names and all parameters, as pages for a browser.", EXAMPLES)
    parser.add_argument("folder", metavar="DIR", help="made where it is not there; pages in it are written anew")
    place = folder("DIR", parser.take(arguments).folder)
    first, *others = write_reference(place, systems(None))
    return finish(f"{first}: open it in a browser ({len(others)} pages beside it)")
