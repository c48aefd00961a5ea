"""How much the commands about papers compute: their common options, and the numbers that these stand for."""

from spindle.cli.arguments import ArgumentParser, add_worker_options

QUICK_MEMBERS, USUAL_MEMBERS, FULL_MEMBERS = 4, 40, 200
"""Members of an ensemble that are tried, beside the default machine."""
JOINT_PARAMETERS = 4
"""Parameters drawn together where none are named."""
FEW_POINTS, USUAL_POINTS, ALL_POINTS = 16, 64, 256
"""Rows of the design, each run for two drawings of all parameters and once for each."""


def effort_options(parser: ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="short windows, one seed: a look, not a verdict")
    parser.add_argument("--full", action="store_true", help="compute everything anew, with more replications")
    add_worker_options(parser, "its workers need Spindle, and with ensemble must see --results")
    parser.add_argument("--results", metavar="DIR", help="default results, or results/quick with --quick")
