"""``spindle find``: searches the largest or smallest value of a setting at which a system meets a condition."""

import json
from collections.abc import Sequence

from spindle.cli import plotting
from spindle.cli.find_question import FindQuestion
from spindle.cli.named_files import outputs, plot_file
from spindle.cli.printing import finish
from spindle.cli.run_options import WRITTEN_FILES, take_runs, values, warn_of_guesses, warn_of_idle
from spindle.questions.settings import Setting
from spindle.sim.error import UserError, unknown
from spindle.studies.settings import settings_of

USER_COUNTS = ("terminals", "users", "clients")
"""Arguments that give the number of users. A system has one of them; a user may write any for it."""


def main(arguments: Sequence[str]) -> int:
    runs = take_runs("find", FindQuestion, arguments, WRITTEN_FILES)
    asked, system = runs.question, runs.system
    known = {name: each for name, each in settings_of(system).items() if isinstance(each, Setting) and each.is_number}
    name = asked.name.replace("-", "_")
    if name not in known and name in USER_COUNTS:
        name = next((each for each in USER_COUNTS if each in known), name)
    if name not in known:
        raise unknown("name of a number", asked.name, known)
    picture = outputs([], {"--plot": plot_file(asked.plot)})["--plot"]
    fixed = values(system, runs.texts)
    if name in fixed:
        raise UserError(f"{name} is searched, and cannot be given as well")
    from spindle.cli.search import answer_find, answer_table  # and pandas, which takes a second

    axes = {each: [value] for each, value in fixed.items()}
    warn_of_guesses(asked.named.system, axes)
    warn_of_idle(system, axes)
    answer = answer_find(asked, system, name, known[name], fixed)
    drawn = plotting.plot_found(answer, known[name], picture) if asked.plot else []
    if asked.json:
        return finish(json.dumps({
            "system": system.name, "name": name, "where": str(answer.condition), "value": answer.value,
            "low": answer.low, "high": answer.high, "largest": answer.largest, "step": answer.step,
            "runs": answer.runs, "curve": answer.curve.to_dict("records")}, indent=2))  # fmt: skip
    return finish("\n".join([answer_table(answer, known[name]), "", answer.text(known[name].unit), *drawn]))
