"""Options of the commands about papers: ``spindle experiment``, ``claims``, ``sensitivity``, ``ensemble``, ``report``.

What answers them is imported after their options are read, for it takes pandas and matplotlib.
"""

from collections.abc import Sequence

from spindle.cli.arguments import ArgumentParser
from spindle.cli.efforts import (
    ALL_POINTS,
    FEW_POINTS,
    FULL_MEMBERS,
    JOINT_PARAMETERS,
    QUICK_MEMBERS,
    USUAL_MEMBERS,
    USUAL_POINTS,
    effort_options,
)
from spindle.systems import system_names


def experiment(arguments: Sequence[str]) -> int:
    examples = ("  spindle experiment hp3000 hit_ratio_vs_fetch --quick\n"
                "  spindle experiment max_iv hit_ratio_vs_sectors response_vs_users")  # fmt: skip
    parser = ArgumentParser(
        "experiment", "Run studies of a system, and write CSV and PNG; all of them where none is named.", examples
    )
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("name", nargs="*", default=[], help="studies; default all")
    effort_options(parser)
    _check_options(arguments)
    options = parser.take(arguments)
    from spindle.cli.results import run_studies

    return run_studies(options)


def _check_options(arguments: Sequence[str]) -> None:
    """UserError for an option of runs: those of a study are as it describes them."""
    from spindle.sim.error import UserError
    from spindle.studies.settings import settings_of
    from spindle.systems import find_system

    systems = [word for word in arguments if word in system_names()]
    known = settings_of(find_system(systems[0])) if systems else {}
    for word in arguments:
        option = word.partition("=")[0]
        if option.startswith("--") and option[2:].replace("-", "_") in {*known, "set"}:
            raise UserError(f"{option} is an option of run, sweep and find; a study has its own runs")


def claims(arguments: Sequence[str]) -> int:
    examples = "  spindle claims hp3000 --quick\n  spindle claims\n  spindle claims --export claims.parquet"
    parser = ArgumentParser("claims", "Compare the simulation with the numbers that the papers print.", examples)
    parser.add_argument("system", nargs="?", help="default all; the claims of one are kept only with --results")
    effort_options(parser)
    parser.add_argument("--export", metavar="FILE.parquet", help="with commands and versions, or .csv; default none")
    options = parser.take(arguments)
    from spindle.cli.results import judge_claims

    return judge_claims(options)


def sensitivity(arguments: Sequence[str]) -> int:
    examples = ("  spindle sensitivity hp3000 --quick\n  spindle sensitivity max_iv\n"
                "  spindle sensitivity windows_nt --global --studies random_update --points 32")  # fmt: skip
    parser = ArgumentParser(
        "sensitivity", "Judge every claim of a system again with each of its assumed parameters halved\n"
                       "and doubled, one at a time: which verdicts flip.", examples)  # fmt: skip
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("--global", dest="together", action="store_true",
                        help="draw the parameters together, between half and double: Sobol indices")  # fmt: skip
    parser.add_argument("--studies", metavar="NAME,...", help="with --global; default the one with most effects")
    most = f"with --global; default the {JOINT_PARAMETERS} that matter most there, one at a time"
    parser.add_argument("--parameters", metavar="NAME,...", help=most)
    points = f"with --global, a power of 2; default {USUAL_POINTS}; --quick {FEW_POINTS}, --full {ALL_POINTS}"
    parser.add_argument("--points", metavar="N", help=points)
    effort_options(parser)
    options = parser.take(arguments)
    from spindle.cli.sensitivity import run_variants

    return run_variants(options)


def ensemble(arguments: Sequence[str]) -> int:
    examples = "  spindle ensemble hp3000 --full\n  spindle ensemble hp3000 --members 10"
    parser = ArgumentParser(
        "ensemble", "Fit many machines to what was measured without caching, keep those that meet it, and\n"
                    "show each claim about caching as the band of all of them.", examples)  # fmt: skip
    parser.add_argument("system", help="see: spindle list")
    parser.add_argument("--members", metavar="N",
                        help=f"default {USUAL_MEMBERS}; --quick {QUICK_MEMBERS}, --full {FULL_MEMBERS}")  # fmt: skip
    effort_options(parser)
    options = parser.take(arguments)
    from spindle.cli.ensemble import run_members

    return run_members(options)


def report(arguments: Sequence[str]) -> int:
    examples = "  spindle report --quick\n  spindle report --full --results elsewhere"
    about = "Run all studies, judge all claims, and show both in results/report.html, a page a system beside it."
    parser = ArgumentParser("report", about, examples)
    effort_options(parser)
    options = parser.take(arguments)
    from spindle.cli.report import make_report

    return make_report(options)
