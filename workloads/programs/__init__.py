"""What the applications do: for every answer a user gives, the work that the machine's software performs."""

from collections.abc import Mapping

from workloads.programs.development import BASIC, COBOL, FORTRAN
from workloads.programs.orders import ORDERS
from workloads.programs.program import Program

CATALOGUE: Mapping[str, Program] = {program.name: program for program in (ORDERS, COBOL, FORTRAN, BASIC)}
