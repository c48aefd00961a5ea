"""Tests SHOWCACHE, MPE's table of disc caching, by hand: now, over a window, and as it is printed."""

from collections.abc import Mapping

import pytest
import simpy

from spindle.models.hp3000.caching.control import CacheSettings, Control, WriteMode
from spindle.models.hp3000.caching.costs import CacheCosts
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.instruments.show_cache import ShowCacheTable, show_cache, show_window
from spindle.sim.clock import Account, Wait, pause
from spindle.sim.cpu import FcfsCpu
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.eviction.lru import Lru
from spindle.sim.memory import SharedMemory
from spindle.sim.request import Access, Hint, Op, Span
from spindle.sim.units import KIB, MS

MEMORY = 256 * KIB
FILE = Span(0, 64 * KIB)
SETTINGS = CacheSettings(4 * KIB, 24 * KIB, WriteMode(block=True))
PLANS: Mapping[int, list[tuple[Op, int]]] = {
    1: [(Op.READ, 0), (Op.READ, 1024), (Op.READ, 2048), (Op.READ, 8192), (Op.WRITE, 0), (Op.WRITE, 32 * KIB)],
    3: [(Op.WRITE, 0), (Op.READ, 0)],
}
"""Accesses of 1 KB by LDEV (disc), a second apart. LDEV 1 has two hits in four reads, and one in two writes."""


@pytest.fixture
def caches(env: simpy.Environment) -> dict[int, DiscCache]:
    memory, cpu, control = SharedMemory(env, MEMORY, Lru()), FcfsCpu(env), Control(env, SETTINGS)
    costs = CacheCosts(1 * MS, 1 * MS, 1 * MS, 2)
    made = {
        ldev: DiscCache(env, Drive(env, FixedService(20 * MS, capacity=64 * KIB)), cpu, memory, costs, control)
        for ldev in PLANS
    }

    def work(cache: DiscCache, plan: list[tuple[Op, int]]) -> Wait:
        for op, first in plan:
            access = Access(op, Span(first, 1024), FILE, None, Hint.NONE, False, Account(""))
            yield from cache.read(access) if op is Op.READ else cache.write(access)
            yield pause(env, 1.0)

    for ldev, plan in PLANS.items():
        env.process(work(made[ldev], plan))
    env.run()
    return made


def by_hand(table: ShowCacheTable) -> list[tuple[object, ...]]:
    return [(row.ldev, row.requests, row.read_hit, row.write_hit, row.read_share, row.stops, row.kbytes, row.of_memory,
             row.domains) for row in (*table.rows, table.total)]  # fmt: skip


def test_the_table_now(caches: dict[int, DiscCache]) -> None:
    table = show_cache(caches, SETTINGS, MEMORY)
    assert by_hand(table) == [
        ("1", 6, 2 / 4, 1 / 2, 4 / 6, 4, 9, 9 / 256, 3),  # two misses stop, and two writes that wait for the medium
        ("3", 2, 1, 0, 1 / 2, 1, 1, 1 / 256, 1),
        ("Total", 8, 3 / 5, 1 / 3, 5 / 8, 5, 10, 10 / 256, 4),
    ]
    assert table.eliminated == pytest.approx(1 - (2 + 3) / 8)
    assert table.overhead == 2 * 3 * KIB
    assert (table.random, table.sequential, table.block_on_write) == (16, 96, True)


def test_it_is_printed_as_an_operator_sees_it(caches: dict[int, DiscCache]) -> None:
    assert show_cache(caches, SETTINGS, MEMORY).text() == """\
  DISC     CACHE   READ  WRITE   READ  PROCESS       K-    % OF    CACHE
  LDEV  REQUESTS   HIT%   HIT%      %    STOPS    BYTES  MEMORY  DOMAINS
     1         6     50     50     67        4        9       4        3
     3         2    100      0     50        1        1       0        1
 Total         8     60     33     62        5       10       4        4

   38% OF USER I/OS ELIMINATED
  DATA OVERHEAD IS 6K BYTES
  SEQUENTIAL FETCH QUANTUM IS 96 SECTORS
  RANDOM FETCH QUANTUM IS 16 SECTORS
  BLOCK ON WRITE = YES"""


def test_a_frame_has_the_same_rows(caches: dict[int, DiscCache]) -> None:
    frame = show_cache(caches, SETTINGS, MEMORY).frame()
    assert list(frame.index) == ["1", "3", "Total"]
    assert frame.loc["Total", "requests"] == 8
    assert frame["stops"].tolist() == [4, 1, 5]


def test_a_window_has_what_was_counted_in_it_and_mean_sizes(
    env: simpy.Environment, caches: dict[int, DiscCache]
) -> None:
    end = env.now
    before = {f"cache{ldev}.{name}": value for ldev, each in caches.items() for name, value in each.reading().items()}
    env.run(until=end + 10.0)
    after = {f"cache{ldev}.{name}": value for ldev, each in caches.items() for name, value in each.reading().items()}
    window = {name: after[name] - before[name] for name in after} | {"data_base.hits": 7.0}
    table = show_window(window, 10.0, SETTINGS, MEMORY)
    assert [row.kbytes for row in table.rows] == pytest.approx([9, 1])
    assert [row.domains for row in table.rows] == pytest.approx([3, 1])
    assert table.total.requests == 0
    assert table.total.text().split()[2:5] == ["-", "-", "-"]  # no share of nothing


def test_without_a_cached_ldev_there_is_still_a_table() -> None:
    lines = show_cache({}, CacheSettings(), MEMORY).text().splitlines()
    assert lines[-1] == "  BLOCK ON WRITE = NO"
    assert lines[2].split() == ["Total", "0", "-", "-", "-", "0", "0", "0", "0"]
