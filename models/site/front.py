"""The moving picture on the front page of the site: some seconds of an HP3000."""

from typing import Any

from models.hp3000.run import run
from models.moving.filming import filmed

TERMINALS = 63
BEGIN, SECONDS = 123.0, 5.0
"""Two minutes after all begin to work, at once, so that the cache still grows: seconds in which all drives are busy."""
CAPTION = (
    f"{SECONDS:g} seconds of {TERMINALS} clerks at an HP3000 of 1983, slowed down: six drives, whose arms move and "
    "whose discs turn; the CPU; the lock of the data base; each terminal, by what its user does or waits for; and main "
    "memory, of which the disc cache takes what programs leave."
)
WATCH = f"hp3000?terminals={TERMINALS}&minutes=10&warm_up=0&window={BEGIN:g}s:{SECONDS:g}s"
"""The same on the page to play with."""


def front_film() -> dict[str, Any]:
    title = f"An HP3000 with {TERMINALS} terminals and disc caching"
    return filmed(lambda watch: run(TERMINALS, minutes=10.0, warm_up=0.0, watch=watch), title, BEGIN, SECONDS)
