"""``spindle moving``: one drive's queue in several orders, as a moving picture."""

from collections.abc import Sequence
from dataclasses import dataclass

from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.fields import take_fields
from spindle.cli.film import OPENS, write_film
from spindle.cli.printing import finish
from spindle.questions.field import ask
from spindle.sim import user_parts
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.error import UserError

MAX_ORDERS, MAX_REQUESTS = 8, 500
ABOUT = """\
One drive alone, the classic case: the same queue of requests, all there at the beginning, served in several orders
side by side, as a page with a moving picture. For machines and traces: spindle run --html, spindle replay --html."""
EXAMPLES = """\
  spindle moving orders.html
  spindle moving orders.html --drive hp7933 --requests 50 --orders fcfs,scan,c-look,sptf --seed 3"""


@dataclass(frozen=True)
class QueueShown:
    """A queue of *requests* at random places of *drive*, served in each of *orders*."""

    page: str = ask("", "the page to write", first="?", metavar="FILE.html")
    html: str = ask("", "the same page, named as in run and replay", metavar="FILE.html", excludes=("page",))
    drive: str = ask("", "a known one, or a sheet.yaml; default one of 200 cylinders")
    requests: int = ask(20, f"at most {MAX_REQUESTS}", least=1, most=MAX_REQUESTS)
    orders: str = ask("fcfs,sstf,look,sptf", " | ".join(SCHEDULERS), whole=True, metavar="NAME,...")
    seed: int = ask(1, "seed of their places", least=0, most=1 << 53)


def main(arguments: Sequence[str]) -> int:
    asked = take_fields(ArgumentParser("moving", ABOUT, EXAMPLES), QueueShown, arguments)
    from spindle.sim.disc.mechanism import DiscType
    from spindle.sim.forms import choose
    from spindle.web.moving.filming import TEXTBOOK, film_queue

    disc = choose("drive", asked.drive, STORES) if asked.drive else TEXTBOOK
    if not (asked.page or asked.html):
        raise UserError("moving writes one FILE.html: name it")
    path = outputs([], {"FILE.html": asked.page or asked.html})["FILE.html"]
    if not isinstance(disc, DiscType):
        raise UserError(f"--drive: {disc.name} has no arm that would move")
    names = user_parts.split(asked.orders)
    if not 1 <= len(names) <= MAX_ORDERS or len(set(names)) < len(names):
        raise UserError(f"--orders names 1 to {MAX_ORDERS} orders, each once")
    orders = {name.upper(): choose("scheduler", name, SCHEDULERS) for name in names}
    write_film(path, film_queue(disc, asked.requests, asked.seed, orders))
    return finish(f"{path}: {OPENS}")
