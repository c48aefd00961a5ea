"""``spindle moving``: one drive's queue in several orders, as a moving picture."""

from collections.abc import Sequence

from spindle.cli.arguments import ArgumentParser, outputs
from spindle.cli.film import HTML, OPENS, write_film
from spindle.cli.printing import finish
from spindle.questions.words import count
from spindle.sim import user_parts
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.registry import SCHEDULERS, STORES
from spindle.sim.error import UserError
from spindle.sim.forms import choose
from spindle.web.moving.filming import MAX_REQUESTS, TEXTBOOK, film_queue

ORDERS = "fcfs,sstf,look,sptf"
MAX_ORDERS = 8
ABOUT = """\
One drive alone, the classic case: the same queue of requests, all there at the beginning, served in several orders
side by side, as a page with a moving picture. For machines and traces: spindle run --html, spindle replay --html."""
EXAMPLES = """\
  spindle moving orders.html
  spindle moving orders.html --drive hp7933 --requests 50 --orders fcfs,scan,c-look,sptf --seed 3"""


def main(arguments: Sequence[str]) -> int:
    parser = ArgumentParser("moving", ABOUT, EXAMPLES)
    parser.add_argument("page", metavar="FILE.html", nargs="?", help="the page to write")
    parser.add_argument(f"--{HTML}", metavar="FILE.html", help="the same page, named as in run and replay")
    parser.add_argument("--drive", metavar="NAME", help="a known one, or a sheet.yaml; default one of 200 cylinders")
    parser.add_argument("--requests", metavar="N", default="20", help=f"at most {MAX_REQUESTS}; default 20")
    parser.add_argument("--orders", metavar="NAME,...", default=ORDERS, help=f"{' | '.join(SCHEDULERS)}; default "
                        f"{ORDERS}")  # fmt: skip
    parser.add_argument("--seed", metavar="N", default="1", help="seed of their places; default 1")
    options = parser.take(arguments)
    disc = TEXTBOOK if options.drive is None else choose("drive", options.drive, STORES)
    if (options.page is None) == (options.html is None):
        raise UserError("moving writes one FILE.html: name it, once")
    path = outputs([], {"FILE.html": options.page or options.html})["FILE.html"]
    if not isinstance(disc, DiscType):
        raise UserError(f"--drive: {disc.name} has no arm that would move")
    names = user_parts.split(options.orders)
    if not 1 <= len(names) <= MAX_ORDERS or len(set(names)) < len(names):
        raise UserError(f"--orders names 1 to {MAX_ORDERS} orders, each once")
    orders = {name.upper(): choose("scheduler", name, SCHEDULERS) for name in names}
    requests = count("--requests", options.requests, most=MAX_REQUESTS)
    write_film(path, film_queue(disc, requests, count("--seed", options.seed, 0), orders))
    return finish(f"{path}: {OPENS}")
