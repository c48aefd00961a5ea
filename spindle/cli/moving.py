"""``spindle moving``: writes a moving picture of one drive that serves the same queue in several orders."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spindle.cli.arguments import of_kind
from spindle.cli.fields import take_fields
from spindle.cli.film import OPENED_BY_BROWSER, write_film
from spindle.cli.named_files import outputs
from spindle.cli.printing import finish
from spindle.output.text import plural
from spindle.questions.field import ask
from spindle.questions.storage import MAX_CYLINDER
from spindle.questions.words import count
from spindle.sim import user_parts
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.error import UserError, quote
from spindle.sim.quantity import quantity

if TYPE_CHECKING:
    from spindle.web.moving.filming import ServedQueue

MAX_LISTED = 20
"""Most cylinders that the line of an order lists."""
MAX_ORDERS, MAX_REQUESTS = 8, 500
"""Most orders, and most requests of the queue."""

@dataclass(frozen=True)
class QueueShown:
    """Options of ``spindle moving``: a queue of requests on a drive, and the orders in which it is served."""

    page: str = ask("", "the page to write", first="?", metavar="FILE.html")
    html: str = ask("", "the same page, named as in run and replay", metavar="FILE.html", excludes=("page",))
    drive: str = ask("", "a known one, or FILE.yaml; default one of 200 cylinders")
    requests: int = ask(20, f"at most {MAX_REQUESTS}", least=1, most=MAX_REQUESTS)
    queue: str = ask("", "cylinders of the requests, as 98,183,37; default places drawn at random", whole=True,
                     metavar="N,...", excludes=("requests", "seed"))
    head: int = ask(0, "cylinder on which the arm is at first", least=0, most=MAX_CYLINDER, metavar="CYLINDER")
    orders: str = ask("fcfs,sstf,look,sptf", " | ".join(SCHEDULERS), whole=True, metavar="NAME,...")
    seed: int = ask(1, "seed of their places", least=0, most=1 << 53)


def main(arguments: Sequence[str]) -> int:
    asked = take_fields("moving", QueueShown, arguments)
    from spindle.sim.disc.mechanism import DiscType
    from spindle.sim.forms import choose
    from spindle.web.moving.filming import TEXTBOOK_DRIVE, drawn_queue, film_queue, queue_at

    drive = choose("drive", asked.drive, STORES) if asked.drive else TEXTBOOK_DRIVE
    if not (asked.page or asked.html):
        raise UserError("moving writes one FILE.html: name it")
    if asked.page and not asked.page.endswith((".html", ".htm")):
        raise UserError(f"{quote(asked.page)} is to be the page, FILE.html, that moving writes; --drive names a drive")
    path = outputs([], {"FILE.html": asked.page or asked.html})["FILE.html"]
    disc = of_kind("--drive", drive, DiscType, f"{drive.name} has no arm that would move")
    names = user_parts.split(asked.orders)
    if not 1 <= len(names) <= MAX_ORDERS or len(set(names)) < len(names):
        raise UserError(f"--orders names 1 to {MAX_ORDERS} orders, each once")
    orders = {name.upper(): choose("scheduler", name, SCHEDULERS) for name in names}
    places = queue_at([count("--queue", each, 0) for each in asked.queue.split(",")], disc) if asked.queue else \
        drawn_queue(disc, asked.requests, asked.seed)  # fmt: skip
    film, served = film_queue(places, disc, orders, asked.head)
    write_film(path, film)
    return finish("\n".join([f"{path}: {OPENED_BY_BROWSER}", *map(_line, served)]))


def _line(served: "ServedQueue") -> str:
    """Return the order in which cylinders were visited, how far the arm moved, and how long it took, as a line."""
    moved = f"{served.order}: {plural(served.cylinders, 'cylinder')}, {quantity(served.seconds, 's')}"
    shown = " ".join(map(str, served.visited[:MAX_LISTED])) + " ..." * (len(served.visited) > MAX_LISTED)
    return f"{moved}: {shown}"
