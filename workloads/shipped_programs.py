"""The programs that come with Spindle: order entry, three languages, and MPE itself, from ``programs.toml``."""

from collections.abc import Mapping
from pathlib import Path

from spindle.workloads.program_files.reader import parse
from spindle.workloads.programs import Program

SHIPPED = Path(__file__).with_name("programs.toml")
DATA_SETS = ("CUSTOMER", "PART", "ORDER", "STOCK", "INVOICE", "CONTROL")
"""Names of the data sets that these programs ask."""
CATALOGUE: Mapping[str, Program] = parse(SHIPPED.read_text("utf-8"), SHIPPED.name, DATA_SETS)
MPE = CATALOGUE["MPE"]
"""The command interpreter, which answers a line that begins with a colon."""
