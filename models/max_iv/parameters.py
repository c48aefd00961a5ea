"""Parameters of Max-IV with the disc cache of Jacobson (1982), every number with its source."""

from dataclasses import dataclass

from spindle.sim.parameter import Rule, assumed, check, cited, fitted
from spindle.sim.units import KIB, MS, US

_SHARE = Rule(0.0, 1.0)
_WORK = Rule(0.0, 10.0)
"""Bounds of a CPU time, of one act: none of this software takes ten seconds."""
_SIZE = Rule(256, 1 << 30)


@dataclass(frozen=True)
class MaxIvParameters:
    """Parameters of the machine and its load, in seconds, sectors of 128 words, and words of 2 bytes.

    "Jacobson" is A Max-IV Disc Cache, LBL-15552 (1982).
    """

    # The cache
    hash_entries: int = cited(251, "Jacobson 3.2: a 251 entry hash table", "1", Rule(1, 100_000))
    compare: float = cited(10 * US, "Jacobson 1: the tightest search loop, 10 us a comparison", "s", _WORK)
    copy: float = cited(
        320 * US, "Jacobson 3.1: copying 128 words, measured on a MC-IV/35 with all setup and mapping. Also in the "
        "paper: 218 us (within one address space), 250 (almost incomprehensible), 400 (clever), 900 (the older cache)",
        "s", _WORK)

    # The machine
    memory: int = cited(512 * KIB, "a Modcomp IV had 32 to 512 KB (Wikipedia, Modcomp); a Classic may have had more",
                        "bytes", _SIZE)
    discs: int = cited(2, "Jacobson's figure 1, Tracks in Cache for Disc 2; that the first holds the tools "
                       "and the images of shells, the others the accounts, is assumed", "1", Rule(1, 16))
    request_cpu: float = assumed(1.0 * MS, "CPU time of a REX and of the handler, a request; not published", "s", _WORK)
    errors: float = assumed(0.0, "share of the requests that the disc fails; none on a good day", "1",
                            Rule(0.0, 0.9))
    slice: float = assumed(50 * MS, "users of one priority take turns; not published", "s", Rule(0.1 * MS, 3600.0))
    character: float = assumed(0.1 * MS, "CPU time of the interrupt of each character; not published", "s", _WORK)

    # The disc's layout
    management: float = assumed(0.05, "management space as a share of the disc; 'relatively large' (Jacobson)", "1",
                                Rule(0.001, 0.5))
    names_a_sector: int = assumed(8, "names in a sector of a directory: 16 words each; not published", "1", Rule(1, 64))
    lists: int = assumed(4, "lists of sectors in a directory, by the hash of the name; 'built of linked lists of "
                         "discontinuous sectors' (Jacobson) says no more; chosen with the targets in view",
                         "1", Rule(1, 64))
    accounts: int = assumed(20, "people with files on the disc; not published", "1", Rule(1, 500))
    account_files: int = assumed(150, "files of each account beside those in hand; not published; few "
                                 "of them are read again soon", "1", Rule(1, 5000))
    tools: int = assumed(120, "tools in /tools/bin; about as many as Software Tools has", "1", Rule(1, 1000))
    own_sectors: int = assumed(2, "sectors of a user's :AR and :VA; short, since 4 is the mean of all (Jacobson 1); "
                               "chosen with J04 in view", "sectors", Rule(1, 40))
    static_sectors: float = cited(12.0, "Jacobson 1: mean size of a file, statically", "sectors", Rule(1.0, 40.0))
    local_tools: int = assumed(30, "tools in /tools/local and in each further directory of a search path; not "
                               "published", "1", Rule(1, 1000))
    own_commands: int = assumed(5, "names in a user's own directory of tools; not published", "1", Rule(1, 1000))
    working_files: int = assumed(5, "files that a user has in hand; not published; chosen with J36b in view", "1",
                                 Rule(1, 500))
    working_sectors: float = cited(5.0, "Jacobson 0: mean size of a heavily used file is 4 to 6 sectors", "sectors",
                                   Rule(1.0, 40.0))

    more_directories: int = assumed(0, "directories in everybody's search path beside his own, the local one and that "
                                    "of the tools; not published", "1", Rule(0, 50))

    # What a command does
    toc_bytes: int = cited(40960, "Jacobson 1: TOC files average 40 kbytes, one read", "bytes", _SIZE)
    shell_words: int = cited(65536, "Jacobson 3.3: the 64K image of the shell, out and in for every command", "words",
                             Rule(0, 1 << 29))
    spawn_transfers: int = assumed(4, "transfers that move the image one way: a signed word count of 16 bits allows "
                                   "no more than 32767 words", "1", Rule(1, 512))
    pipe_sectors: float = cited(5.0, "Jacobson 0 and 3.2: 4 to 6 sectors; about 6 writes a file", "sectors",
                                Rule(1.0, 40.0))
    buffers: int = assumed(1, "buffers of a tool that reads a file; with two it would read ahead in quick mode, and no "
                           "tool is said to", "1", Rule(1, 40))
    tool_cpu: float = assumed(0.4, "CPU time of a tool; not published. Small enough for a CPU that is rarely more than "
                              "30 % busy with 6 users (J01), which is a bound and fits nothing", "s", Rule(0.0, 3600.0))
    tool_spread: float = assumed(1.0, "exponent of each tool's multiple of tool_cpu in the list of commands: 0 makes "
                                 "all tools alike; the multiples are guesses", "1", Rule(0.0, 4.0))
    printed: float = assumed(1.0, "characters that commands print, times those in the list of commands; guesses", "1",
                             Rule(0.0, 100.0))
    typed: int = assumed(18, "characters of a command line; not published", "1", Rule(1, 1000))
    pipelines: float = assumed(1.0, "weights of commands of several tools, times those in the list of commands; "
                               "guesses, chosen with J37c in view", "1", Rule(0.0, 100.0, positive=True))
    editing: float = assumed(1.0, "weights of commands that write a file, times those in the list; guesses", "1",
                             Rule(0.0, 100.0, positive=True))
    asking_who: float = assumed(1.0, "weight of who, times that in the list; a guess", "1",
                                Rule(0.0, 100.0, positive=True))
    loops: float = assumed(1.0, "sectors or directories that the habits of the what-ifs loop round, times their own; "
                           "chosen so that 256 sectors hit 30 %", "1", Rule(0.0, 10.0, positive=True))
    think: float = fitted(14.5, "J48: 90,000 operations in 2 hours by one user at work, of the 1 to 3 who are on; mean "
                          "time between commands", "s", Rule(0.0, 1e6))
    inputs: float = fitted(2.6, "J04: 4 to 6 sectors of data an open; multiplies the input files of the commands",
                           "1", Rule(0.0, 10.0))
    cold: float = fitted(0.38, "J37: 70 % of the misses are reads; share of the input files that were not in hand",
                         "1", _SHARE)

    # Asynchronous lines, whose every character interrupts
    lines: int = assumed(0, "lines that never stop sending while users work; the paper fears for their characters and "
                         "does not say how many there are", "1", Rule(0, 1000))
    line_baud: float = cited(9600.0, "Jacobson 1: 9600 baud async lines, which interrupt every character", "baud",
                             Rule(50.0, 1e6))
    line_level: int = assumed(13, "the interrupt level of lines: 13 is the cache's own, on which section 1 fears for "
                              "them; 12, which section 2 gives to data, is more urgent and never locked out", "1",
                              Rule(12, 13))
    line_buffer: int = assumed(1, "characters that a receiver holds; not published", "1", Rule(1, 1000))

    # The shot sequence at NBS, another machine with another load
    shot_tasks: int = assumed(4, "tasks that work on a shot at once, so that one computes while another reads; not "
                              "published", "1", Rule(1, 100))
    shot_cpu: float = fitted(16.77, "J44: 18 s with the cache, all of them computing; CPU time of a shot without I/O",
                             "s", Rule(0.1 * MS, 1e6))
    shot_requests: int = fitted(708, "J44b: 22 s without the cache; disc requests of a shot", "1", Rule(1, 100_000))
    shot_tables: float = assumed(0.62, "share of a shot's requests that read short tables; not published", "1", _SHARE)
    shot_writes: float = assumed(0.10, "share of a shot's requests that write its results; not published", "1", _SHARE)
    shot_space: float = assumed(0.5, "share of the disc behind the management space that the partition has; not "
                                "published", "1", Rule(0.01, 1.0))
    shot_pause: float = assumed(60.0, "time between two shots; not published", "s", Rule(0.0, 86400.0))
    tables: int = assumed(150, "tables in the data base, one sector each; not published", "1", Rule(1, 5000))

    def __post_init__(self) -> None:
        check(self)
