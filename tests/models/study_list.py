"""The studies of each system as a file of its folder: ``python -m tests.models.study_list --write`` writes them."""

import json
import sys

from spindle.system import MODELS
from spindle.systems import STUDIES, find_system, system_names

HEAD = "# What each study shows, for `spindle list`; written by python -m tests.models.study_list --write."


def study_list(system: str) -> str:
    """What each study of *system* shows, as TOML."""
    lines = [f"{study.name} = {json.dumps(study.shows, ensure_ascii=False)}" for study in find_system(system).studies]
    return "\n".join([HEAD, *lines, ""])


if __name__ == "__main__" and "--write" in sys.argv:
    for name in system_names():
        (MODELS / name / STUDIES).write_text(study_list(name), "utf-8")
