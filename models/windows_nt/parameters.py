"""Parameters of Windows NT 3.1 on the 386SX laptop of Blake's chapter 6: every number with its source."""

from dataclasses import dataclass, fields

from spindle.sim.parameter import Rule, assumed, check, cited, fitted
from spindle.sim.units import KIB, MIB, MS, US

_WORK = Rule(0.0, 10.0)
"""Bounds of a CPU time, of one act: none of this system's takes ten seconds."""
_PER_BYTE = Rule(0.0, 1 * MS)
_COPYING = Rule(0.0, 1 * MS, positive=True)
_BYTES = Rule(0, 1 << 30)
_PERIOD = Rule(10 * MS, 3600.0)
"""Bounds of periods: with a hundred looks a second or more a run would do nothing else."""
_PAGES = Rule(0, 1_000_000)
_SHARE = Rule(0.0, 1.0)


@dataclass(frozen=True)
class NtParameters:
    """Parameters in seconds, bytes, pages of 4 KB.

    "Blake" is Optimizing Windows NT, chapter 6, "Basic Cache Experiments" first.
    """

    # The processor: a 386SX at 25 MHz
    copy: float = assumed(0.085 * US, "the system's copying between cache and buffer: four bytes take two reads and "
                          "two writes on a 16-bit bus, of at least two clocks each, and refresh", "s/byte", _COPYING)
    load: float = fitted(0.113 * US, "T62-SR: 0.75 ms to read a mapped record; to read a byte", "s/byte", _COPYING)
    store: float = fitted(0.0869 * US, "T62-SW: 0.64 ms to write a mapped record; to write a byte", "s/byte", _COPYING)
    place: float = fitted(0.267 * MS, "T62-RW: 1.31 ms to read and rewrite a mapped record; to find its place",
                          "s", _WORK)
    choose: float = fitted(0.170 * MS, "S3-08: 1.51 ms for a random read from the cache; to draw a record", "s", _WORK)
    seek_call: float = assumed(0.25 * MS, "a system call that only sets a position; Probe makes one before each read "
                               "and each write (Blake, Sequential Reading and Writing)", "s", _WORK)
    read_call: float = fitted(0.687 * MS, "S3-04: 1.32 ms for a sequential read from the cache", "s", _WORK)
    write_call: float = fitted(0.955 * MS, "S3-06: 1.70 ms for a sequential write to the cache", "s", _WORK)
    fast_reads: int = cited(1, "Blake: fast reads bypass the file system and take the data from the cache; with 0 "
                            "every read is a request to it", "1", Rule(0, 1))
    request_call: float = assumed(0.6 * MS, "to make a request of a read and pass it through the file system, which a "
                                  "fast read saves: half of what a request to the disc costs (paging_call); not "
                                  "published", "s", _WORK)
    disc_call: float = fitted(2.27 * MS, "S3-03: 6.58 ms for a sequential read that is not cached; what a program's "
                              "own request to the disc costs the CPU beside moving the bytes", "s", _WORK)
    paging_call: float = assumed(1.25 * MS, "CPU time of the memory manager's own request to the disc, with no "
                                 "caller's buffer to lock and no caller to notify; chosen with S3-10 in view",
                                 "s", _WORK)
    moving: float = assumed(0.4 * US, "programmed I/O: a 16-bit word in 0.8 us over the AT bus", "s/byte", _PER_BYTE)
    soft_fault: float = assumed(0.25 * MS, "some hundred instructions: to make valid a page that is in memory, be it "
                                "found there or just read", "s", _WORK)
    clean_page: float = assumed(0.25 * MS, "to gather a dirty page for writing; as a soft fault, with N-S4 in view",
                                "s", _WORK)
    zero_page: float = assumed(0.34 * MS, "as long as to store 4096 bytes", "s", _WORK)
    trim_page: float = assumed(0.05 * MS, "to take one page from a working set", "s", _WORK)
    lazy_scan: float = assumed(0.5 * MS, "for the lazy writer to look at what is dirty", "s", _WORK)
    map_view: float = assumed(0.2 * MS, "to map a view of a file that was not mapped", "s", _WORK)
    quantum: float = assumed(20 * MS, "a thread's turn among its equals; also the longest burst of hits that is "
                             "simulated in one piece", "s", Rule(0.1 * MS, 3600.0))

    # Memory
    memory: int = cited(12 * MIB, "Blake: 12 MB RAM", "bytes", Rule(4 * MIB, 1 << 30))
    nonpaged: int = fitted(2176 * KIB, "S3-19: 2.75 MB available at the end; kernel, drivers and non-paged pool",
                           "bytes", _BYTES)
    trim_below: int = cited(4 * MIB, "Blake: working sets are trimmed when Available Bytes drops below 4 MB", "bytes",
                            _BYTES)
    trim_goal: int = assumed(1 * MIB, "trimming stops when this much more is available; not published", "bytes",
                             _BYTES)
    trim_period: float = assumed(1.0, "the working set manager looks once a second; not published", "s", _PERIOD)
    trim_share: float = assumed(0.25, "share of a working set's pages above its minimum that a pass takes; not "
                                "published", "1", _SHARE)
    trim_least: float = assumed(1 / 32, "the least share that a pass takes, however soon pages come back; chosen "
                                "with N-R3 in view, where Blake counts 30 soft faults a second", "1", _SHARE)
    inactive_after: float = assumed(5.0, "a working set that was not used for this time is inactive", "s",
                                    Rule(0.0, 1e6))
    zero_batch: int = assumed(8, "free pages that are worth zeroing; of later versions", "pages", Rule(1, 1024))
    zero_period: float = assumed(1.0, "seconds between looks at the free list", "s", _PERIOD)
    local_pages: int = assumed(256, "with fewer pages available a working set that takes a page gives one up: local "
                               "replacement (Blake, chapter 5, names no number)", "pages", _PAGES)
    modified_most: int = assumed(300, "pages on the modified list that are written however much memory there is",
                                 "pages", _PAGES)
    cluster: int = cited(16, "Blake: 15.5 pages a write of the memory manager, 64 KB", "pages", Rule(1, 1024))

    # The cache
    read_ahead: int = assumed(64 * KIB, "granularity that a file system sets; 4 KB if it sets none", "bytes",
                              Rule(4096, 1 << 30))
    views: int = assumed(256, "views of 256 KB: 64 MB of address space", "1", Rule(1, 100_000))
    kept_views: int = assumed(4, "views that a sequential reader keeps behind him, 1 MB: sequential reads of a file of "
                              "1 MB show no soft faults in table 6.1", "1", Rule(1, 100_000))
    throttle: int = assumed(384, "dirty pages at which writers wait: an eighth of a small memory",
                            "pages", Rule(1, 1_000_000))
    flush: int = cited(16, "Blake: the lazy writer aims at 64 KB", "pages", Rule(1, 1024))
    lazy_period: float = assumed(1.0, "seconds from one look of the lazy writer to the next; Blake's figures show one "
                                 "a second", "s", _PERIOD)
    lazy_first: float = assumed(3.0, "seconds from the first dirty page to the first look; of later versions", "s",
                                Rule(0.0, 3600.0))
    lazy_part: int = assumed(8, "an eighth of the dirty pages a look; of later versions", "1", Rule(1, 1_000_000))

    # The trials
    trial: float = fitted(95.0, "N-R3c: 8.0 page reads a second on the average, while the cache fills; the book does "
                          "not print how long the trials of figures 6.3 to 6.21 were", "s", _PERIOD)
    spread: float = assumed(1.0, "scales the deviations of random records, of which the book prints none: its idiom is "
                            "three of them each way", "1", Rule(0.0, 2.0))
    lead: float = assumed(5.0, "from the start of the machine to that of the trial", "s", _PERIOD)
    probe_starts: float = assumed(0.4, "share of the lead after which Probe is started", "1", _SHARE)
    script_bytes: int = assumed(2 * KIB, "each of Probe's three files of script", "bytes", Rule(1, 1 << 20))
    script_piece: int = assumed(128, "bytes of a script that the C library's scanner reads at a time; chosen with "
                                "S3-23 in view", "bytes", Rule(1, 1 << 20))

    # Others at work
    csrss_pages: int = assumed(660, "the screen's process before it is trimmed", "pages", _PAGES)
    csrss_least: int = cited(512, "Blake: held at about 2 MB", "pages", _PAGES)
    monitor_pages: int = assumed(260, "Performance Monitor with its charts before it is trimmed", "pages", _PAGES)
    monitor_active: int = assumed(160, "pages that Performance Monitor needs to go on logging", "pages", _PAGES)
    inactive_pages: int = assumed(360, "Program Manager, services and Probe's master process, which sleep", "pages",
                                  _PAGES)
    inactive_least: int = assumed(10, "pages that a sleeping process keeps", "pages", _PAGES)
    system_pages: int = assumed(80, "file system data and pageable system code in the cache's working set", "pages",
                                _PAGES)
    touch_period: float = assumed(1.0, "seconds after which the screen's process and the system touch what they use",
                                  "s", _PERIOD)
    system_files: int = assumed(32 * MIB, "on the disc before other files: the system's own, which are not read here",
                                "bytes", _BYTES)
    page_file: int = assumed(24 * MIB, "the page file, behind them: twice the memory", "bytes", _BYTES)
    log_file: int = assumed(4 * MIB, "the log of Performance Monitor, which then begins anew", "bytes",
                            Rule(4096, 1 << 30))
    own_dirty: float = assumed(0.5, "share of a process's pages that are private and dirty, the rest code; chosen with "
                               "N-S7 in view, where a first trim writes 48 pages", "1", _SHARE)
    log_interval: float = assumed(1.0, "seconds between the records of Performance Monitor's log", "s", _PERIOD)
    log_record: int = assumed(2048, "bytes of a record", "bytes", Rule(1, 64 * KIB))
    served_file: int = assumed(1 * MIB, "the file that a client of the server reads over and over; not published",
                               "bytes", Rule(4096, 1 << 30))
    served_block: int = assumed(64 * KIB, "bytes that the server hands over by MDL at a time; Blake: large blocks",
                                "bytes", Rule(4096, 1 << 20))
    served_period: float = assumed(0.5, "seconds between two blocks of the server; not published", "s", _PERIOD)
    log_cpu: float = assumed(20 * MS, "to collect a record", "s", _WORK)

    def __post_init__(self) -> None:
        check(self)


CPU_TIMES = tuple(each.name for each in fields(NtParameters) if each.metadata["rule"] in (_WORK, _COPYING))
"""Names of the parameters that a quicker processor makes shorter."""
