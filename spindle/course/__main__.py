"""The answer of an exercise for each student, for graders: ``python -m spindle.course EXERCISE STUDENT...``."""

import sys
from collections.abc import Sequence

from spindle.course import exercise
from spindle.course.exercise import key_of


def main(arguments: Sequence[str]) -> None:
    """Print a line for each student: the exercise, the student, the answer."""
    name, *students = arguments
    for student in students:
        answer = key_of(exercise(name, student))
        print(name, student, *(f"{each:.6g}" for each in (answer if isinstance(answer, tuple) else (answer,))))


if __name__ == "__main__":
    main(sys.argv[1:])
