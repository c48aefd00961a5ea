"""Defines the parameters of the buffer pool, each with its source.

Numbers of pages, scan rings, the background writer and checkpoints are from PostgreSQL's manual and code; CPU times and
bytes of log are assumed.
"""

from dataclasses import dataclass

from spindle.sim.parameter import Rule, assumed, check, cited
from spindle.sim.units import KIB, MINUTE, MS, US

_ROWS = Rule(1, 1000)
"""Rows on a page that are not refused."""
_LAYOUT = "PostgreSQL 15 manual, 73.6 Database Page Layout: 8192 bytes, a head of 24, and four for each row"


@dataclass(frozen=True)
class PoolParameters:
    """Parameters of a run: seconds, bytes, and counts."""

    # Pages
    page: int = cited(8 * KIB, "PostgreSQL 15 manual, 20.15: block_size, unless built otherwise", "bytes",
                      Rule(1024, 64 * KIB))
    account_rows: int = cited(61, f"{_LAYOUT}; a row of pgbench_accounts, tellers or branches takes 128 bytes", "1",
                              _ROWS)
    history_rows: int = cited(157, f"{_LAYOUT}; a row of pgbench_history takes 48 bytes", "1", _ROWS)
    leaf_rows: int = cited(366, f"{_LAYOUT}, a special space of 16 in an index, and 16 bytes an entry; nbtree.h: "
                           "BTREE_DEFAULT_FILLFACTOR, 90 %", "1", Rule(2, 1000))
    inner_rows: int = cited(285, "the same, and nbtree.h: BTREE_NONLEAF_FILLFACTOR, 70 %", "1", Rule(2, 1000))

    # Work of a client's process, PostgreSQL's backend
    statement: float = assumed(50 * US, "of CPU: parsing, planning, executing and answering a statement by a key; "
                               "20,000 a second and core are usual of pgbench -S", "s", Rule(0.0, 1.0))
    scanning: float = assumed(5 * US, "of CPU: a page of a sequential scan, 61 rows", "s", Rule(0.0, 1.0))
    log_bytes: int = assumed(600, "of the log: a TPC-B transaction without full-page images", "bytes",
                             Rule(1, 1 << 20))

    # Rings and writers
    ring: int = cited(256 * KIB, "freelist.c, GetAccessStrategy: BAS_BULKREAD, a sequential scan; BAS_VACUUM has as "
                      "many, BAS_BULKWRITE 16 MB. 0 is no ring", "bytes", Rule(0, 1 << 30))
    writer_delay: float = cited(200 * MS, "PostgreSQL 15 manual, 20.4.5: bgwriter_delay", "s", Rule(10 * MS, 10.0))
    writer_pages: int = cited(100, "the same: bgwriter_lru_maxpages in a round", "1", Rule(0, 1 << 20))
    writer_ahead: float = cited(2.0, "the same: bgwriter_lru_multiplier, of the pages that are allocated in a round",
                                "1", Rule(0.0, 10.0))
    checkpoint: float = cited(5 * MINUTE, "PostgreSQL 15 manual, 20.5.2: checkpoint_timeout; here all dirty pages are "
                              "written at once", "s", Rule(1.0, 86_400.0))

    # Popularity of accounts
    skew: float = assumed(0.0, "0 draws accounts uniformly, as pgbench does unless told; above 1 it is the exponent "
                          "of its random_zipfian", "1", Rule(0.0, 10.0))

    def __post_init__(self) -> None:
        check(self)
