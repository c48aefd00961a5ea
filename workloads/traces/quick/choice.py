"""Which quick reader a file may have, by its format and its head."""

from workloads.traces.binary import BinaryFormat
from workloads.traces.faults import Format
from workloads.traces.formats.jsonl import JsonLines
from workloads.traces.formats.lcs import LcsRecords
from workloads.traces.formats.oracle_general import OracleRecords
from workloads.traces.limits import TraceLimits
from workloads.traces.quick.batch import NotSimpleError, QuickReader
from workloads.traces.quick.key_lines import QuickKeyLines
from workloads.traces.quick.lines import QuickLines
from workloads.traces.quick.plan import quick_plan
from workloads.traces.quick.records import ORACLE, QuickRecords, lcs_records
from workloads.traces.text import MARK, TextFormat


def quick_reader(format: Format, head: bytes, limits: TraceLimits) -> QuickReader:
    """A reader of a file of *format* that begins with *head*; NotSimpleError where there is none."""
    if isinstance(format, BinaryFormat):
        decoder = format.decoder()
        if isinstance(decoder, OracleRecords):
            return QuickRecords(ORACLE, 0, decoder.objects, limits)
        if isinstance(decoder, LcsRecords):
            return lcs_records(head, limits)
        raise NotSimpleError
    lines = [line.strip("\r") for line in head.decode("utf-8", "replace").removeprefix(MARK).split("\n")]
    parser = format.parser() if isinstance(format, TextFormat) else None
    if isinstance(parser, JsonLines):
        return QuickKeyLines(parser.field, lines[0], limits)
    plan = quick_plan(format, lines)
    if plan is None or plan.skip >= len(lines):
        raise NotSimpleError
    return QuickLines(plan, lines[plan.skip].split(plan.mark), limits)
