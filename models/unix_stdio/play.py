"""Buffered I/O on Unix for the page of ``spindle play``: the settings, their values, and a tour."""

from collections.abc import Mapping
from typing import Any

from spindle.models.unix_stdio.page_cache.reading import FileReadAhead, OracleReadAhead
from spindle.models.unix_stdio.parameters import MACHINES, UnixParameters
from spindle.models.unix_stdio.run import ADVICE, FLAGS, UnixOptions, run
from spindle.playable import Offered, Playable
from spindle.sim.disc.registry import STORES
from spindle.workloads.stdio import programs

# The parts of the lecture's machine that may be exchanged, by name.

PREFETCHERS = {"linux": FileReadAhead, "oracle": OracleReadAhead}
PARTS: Mapping[str, Mapping[str, Any]] = {"machine": MACHINES, "drive": STORES, "prefetcher": PREFETCHERS}


BLOCKS = ("1", "4", "16", "64", "256", "512", "1KiB", "4KiB", "16KiB", "64KiB", "256KiB", "1MiB")

PLAYABLE = Playable(
    run=run,
    parameters=UnixParameters(),
    parts=PARTS,
    choose=UnixOptions,
    offered={
        "program": Offered("the program of the lecture", words={name: name for name in programs()}),
        "block": Offered("bytes of each call", BLOCKS),
        "size": Offered("bytes of the file", ("64KiB", "256KiB", "1MiB", "5MiB", "10MiB", "50MiB", "100MiB")),
        "stride": Offered("bytes from one call to the next; 0 is from front to back", ("0", *BLOCKS)),
        "seconds": Offered("when it is interrupted, at the latest", ("1s", "5s", "20s", "60s", "200s", "1000s")),
        "warm": Offered("whether what it reads is in the page cache"),
        "flags": Offered("flags of open", words={name: name for name in FLAGS}),
        "advice": Offered("what it tells the kernel of its order", words={name: name for name in ADVICE}),
    },
    begin={"program": "w03", "seconds": "20s"},
    vary=("block", ("1", "16", "256", "4KiB", "64KiB")),
    curves=("rate", "elapsed"),
    window="0s:1s",
    tour={
        "Why does a program write 26 bytes a second or 400 million?": ("program", "w01,w02,w03,w05", {}),
        "How large a block is worth a system call?": ("block", "1,16,256,4KiB,64KiB", {"program": "w04"}),
        "What does a stride do to read-ahead?": ("stride", "0,1KiB,4KiB,64KiB", {"program": "r01", "block": "512"}),
        "What does the page cache gain a reader?": ("warm", "false,true", {"program": "r01", "block": "512"}),
        "What does a machine of today make of the same program?": ("machine", "lecture,virtual-2026", {}),
    },
)
