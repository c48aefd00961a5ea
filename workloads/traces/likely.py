"""What a file may be that no reader knows, by its beginning: said in its own words, and what to do about it."""

import re

COLUMNS = "spindle curve --columns key=1 takes a column for keys, others as time, size and op, by their numbers"
ONE_NUMBER = "each of its first lines is a number; spindle curve --columns key=1 takes them for keys"
VALIDATION = "this is a validation trace of DiskSim: op, hit or miss, block, blocks, and times measured, without " \
             "arrival times; --columns op=1,lba_512=3,sectors=4 reads it"  # fmt: skip
OWN_FORM = "this looks like blkparse's output in a format of its own (-f): --columns says which of its columns are " \
           "time_s, op, lba_512 and sectors, or run blkparse without -f"  # fmt: skip
KINDS = (
    (rb"\A\s*disksim_\w+\s", "this is a DiskSim parameter file, and no trace"),
    (rb"\A\s*[RWrw]\s+(?:Hit|Miss)\s", VALIDATION),
    (rb"\A\s*[lsLSIM]\s+(?:0x)?[0-9a-fA-F]+[ ,]+\d+\s", "its lines are addresses of memory: " + COLUMNS),
    (rb"\A(?:\d+[ \t]*\r?\n|\*[ \t]*\r?\n)+\d*\Z", ONE_NUMBER),
    (rb"\A(?:\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?\n)+", "each of its first lines is three numbers: " + COLUMNS),
    (rb"\A\s*\d+\.\d{9}[, \t]+.*\b[QGIDCMFSX]\b", OWN_FORM),
    (rb"\A\x7fELF|\AMZ", "this is a program, and no trace"),
    (rb"\ASQLite format 3", "this is a SQLite data base; write the table as CSV"),
    (rb"\A\x89HDF", "this is an HDF5 file; write the table as CSV or Parquet"),
    (rb"\AFEA1", "this is a Feather file of version 1; write it as Parquet"),
    (rb"\APERFILE2", "this is perf's binary record; perf script prints it"),
    (rb"\A\x25PDF", "this is a PDF, and no trace"),
)  # fmt: skip


def likely(head: bytes) -> str:
    """What a file that begins with *head* is, or nothing."""
    start = head[:4096]
    for pattern, said in KINDS:
        if re.search(pattern, start):
            return said
    if b"\0" in start:
        return "this is a binary file of no kind that is known here; --format names one that is"
    return ""
