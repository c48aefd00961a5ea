"""For teachers: prints solutions (``python -m spindle.course EXERCISE STUDENT...``), or grades notebooks (``grade``).
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from spindle.course import exercise
from spindle.course.exercise import key_of
from spindle.course.grading import grade_folder
from spindle.sim.error import UserError

USAGE = """\
python -m spindle.course EXERCISE STUDENT...   the answer of each student
python -m spindle.course grade FOLDER          the points of each notebook below FOLDER/STUDENT"""
MISTAKE_STATUS = 2
"""The exit status of a user's mistake."""


def main(arguments: Sequence[str]) -> int:
    """Print solutions or grades as *arguments* ask; return the exit status."""
    try:
        match arguments:
            case ["grade", folder]:
                for each in grade_folder(Path(folder)):
                    print(each.student, each.exercise, each.points, each.words)
            case [name, *students] if students and name != "grade":
                print_keys(name, students)
            case _:
                raise UserError(USAGE)
    except UserError as error:
        print(error, file=sys.stderr)
        return MISTAKE_STATUS
    return 0


def print_keys(name: str, students: Sequence[str]) -> None:
    """Print a line for each student: the exercise, the student, the answer."""
    for student in students:
        answer = key_of(exercise(name, student))
        print(name, student, *(f"{each:.6g}" for each in (answer if isinstance(answer, tuple) else (answer,))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
