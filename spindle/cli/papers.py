"""The commands on papers; the work is imported after the help, for it takes a second."""

from collections.abc import Sequence

from spindle.cli.arguments import ArgumentParser
from spindle.cli.fields import take_fields
from spindle.cli.paper_questions import (
    ClaimsQuestion,
    EnsembleQuestion,
    ExperimentQuestion,
    ReportQuestion,
    SensitivityQuestion,
)
from spindle.questions.field import option_of
from spindle.sim.error import UserError


def experiment(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        "experiment", "Run studies of a system, and write CSV and PNG; all of them where none is named.",
        "  spindle experiment hp3000 hit_ratio_vs_fetch --quick\n"
        "  spindle experiment max_iv hit_ratio_vs_sectors response_vs_users")  # fmt: skip
    _check_options(arguments)
    asked = take_fields(parser, ExperimentQuestion, arguments)
    from spindle.cli.experiment import run_studies

    return run_studies(asked)


def _check_options(arguments: Sequence[str]) -> None:
    """UserError for an option of runs: those of a study are as it describes them."""
    from spindle.systems import find_system, system_names

    systems = [word for word in arguments if word in system_names()]
    if not systems or len(arguments) == 1:
        return
    from spindle.studies.settings import settings_of

    known = {option_of(name) for name in (*settings_of(find_system(systems[0])), "set")}
    for option in (word.partition("=")[0] for word in arguments):
        if option in known:
            raise UserError(f"{option} is an option of run, sweep and find; a study has its own runs")


def claims(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        "claims", "Compare the simulation with the numbers that the papers print.",
        "  spindle claims hp3000 --quick\n  spindle claims\n  spindle claims --export claims.parquet")  # fmt: skip
    asked = take_fields(parser, ClaimsQuestion, arguments)
    from spindle.cli.claims import judge_claims

    return judge_claims(asked)


def sensitivity(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        "sensitivity", "Judge every claim of a system again with each of its assumed parameters halved\n"
                       "and doubled, one at a time: which verdicts flip.",
        "  spindle sensitivity hp3000 --quick\n  spindle sensitivity max_iv\n"
        "  spindle sensitivity windows_nt --global --studies random_update --points 32")  # fmt: skip
    asked = take_fields(parser, SensitivityQuestion, arguments)
    from spindle.cli.sensitivity import change_parameters

    return change_parameters(asked)


def ensemble(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        "ensemble", "Fit many machines to what was measured without caching, keep those that meet it, and\n"
                    "show each claim about caching as the band of all of them.",
        "  spindle ensemble hp3000 --full\n  spindle ensemble hp3000 --members 10")  # fmt: skip
    asked = take_fields(parser, EnsembleQuestion, arguments)
    from spindle.cli.ensemble import fit_members

    return fit_members(asked)


def report(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        "report", "Run all studies, judge all claims, and show both in results/report.html, a page a system beside it.",
        "  spindle report --quick\n  spindle report --full --results elsewhere")  # fmt: skip
    asked = take_fields(parser, ReportQuestion, arguments)
    from spindle.cli.report import make_report

    return make_report(asked)
