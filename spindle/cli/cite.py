"""``spindle cite``: BibTeX of Spindle, and of the papers and sheets behind systems, drives and policies."""

from collections.abc import Sequence

from spindle.citation import cite
from spindle.cli.arguments import ArgumentParser
from spindle.cli.printing import finish

ABOUT = "BibTeX of Spindle, and of the papers and sheets behind what is named."
EXAMPLES = "  spindle cite hp3000\n  spindle cite sata_ncq hp7933 s3-fifo > used.bib"


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("cite", ABOUT, EXAMPLES)
    parser.add_argument("names", metavar="NAME", nargs="*", help="a system, a drive or an eviction policy")
    return finish(cite(*parser.take(arguments).names))
