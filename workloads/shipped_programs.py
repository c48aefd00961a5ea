"""Reads the programs that come with Spindle from ``programs.toml``: order entry, three languages, and MPE's commands.

MPE is the operating system of the HP 3000.
"""

from collections.abc import Mapping
from pathlib import Path

from spindle.workloads.program_files.reader import parse
from spindle.workloads.programs import Program

SHIPPED = Path(__file__).with_name("programs.toml")
DATA_SETS = ("CUSTOMER", "PART", "ORDER", "STOCK", "INVOICE", "CONTROL")
"""Names of the data sets (files of the data base) that these programs call."""
CATALOGUE: Mapping[str, Program] = parse(SHIPPED.read_text("utf-8"), SHIPPED.name, DATA_SETS)
"""The programs by name."""
MPE = CATALOGUE["MPE"]
"""The command interpreter of MPE, which answers a line that begins with a colon."""
