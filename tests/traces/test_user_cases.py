"""Tests files and questions of the kinds that users have: each gets the right answer, or an error that helps."""

import os
import re
import shutil
from pathlib import Path

import pytest

from spindle.lab.drives.timed_requests import fio_log
from tests.traces.conftest import Said

SHARED = Path(os.environ.get("SPINDLE_SHARED", Path(__file__).parents[2].parent / "shared"))
CASES = SHARED / "data" / "user_cases"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason=f"reference data is not at {SHARED}; name its folder in "
                                "SPINDLE_SHARED")  # fmt: skip
BIOSNOOP = "time_s=TIME(s),device=DISK,op=T,lba_512=SECTOR,size=BYTES,measured_ms=LAT(ms)"
SYSTOR = "time=Timestamp,response_s=Response,op=IOType,device=LUN,offset=Offset,size=Size"

ANSWERS = [
    ("curve hot_and_scan.keys --columns key=1 --policy belady --sizes 4", r"4 +48\.75%"),
    ("curve hot_and_scan.keys --columns key=1 --policy belady-min --sizes 4", r"4 +36\.56%"),
    ("curve size_grow.csv --bytes --sizes 100", r"100 B +0\.00% +0\.00%"),
    ("curve size_change.csv --bytes --sizes 25,40", r"25 B +25\.00%[^\n]*\n +40 B +50\.00%"),
    ("curve libcachesim32.csv --columns time_ms=1,op=2,key=3,size=4 --sizes 5", r"1 delete: [^$]*3 ref[^$]* 33\.33%"),
    ("curve libcachesim32.csv --columns time_ms=1,op=2,key=3,size=4 --sizes 5 --ops 2=skip",
     r"3 ref[^$]* 66\.67%"),
    ("curve meta_delete.csv --sizes 10", r"1 delete: [^$]*3 references[^$]* 33\.33%"),
    ("curve twitter_quirks.csv --sizes 5", r"1 delete: [^$]*5 references[^$]* 40\.00%"),
    ("characterise out_of_order.csv", r"1 request stands out of order[^$]*in 15 s"),
    ("replay out_of_order.csv", r"1 request stands out of order[^$]*all +3 simulated +6\.4\d\d[^$]*queue 0\.000 ms"),
    ("characterise msr_unordered.csv", r"1 request stands out of order[^$]*in 1\.00616 s"),
    ("replay late_start.csv", r"busiest drive 59\.8%"),
    ("replay late_start0.csv", r"busiest drive 59\.8%"),
    ("replay blk675.blkparse", r"busiest drive [^0]"),
    ("replay disksim_late.trace", r"busiest drive [^0]"),
    ("replay spc_late.spc", r"busiest drive [^0]"),
    ("replay late.fio", r"busiest drive [^0]"),
    ("characterise cpu.blktrace.0",
     r"2 files are read as one trace, from cpu.blktrace.0 to cpu.blktrace.1[^$]*8 requests"),
    ("curve tencent_1100_volumes.csv --sizes 10", r"1,100 references[^$]* 0\.00%"),
    ("characterise tencent_1100_volumes.csv", r"1100 requests of 1100 devices|1,100 requests of 1,100 devices"),
    ("characterise quoted_all.csv", r"2 requests of 1 device in 0\.1 s"),
    ("curve header_key.csv --columns key=1 --sizes 5", r"taken for a header\n3 references[^$]*33\.33%"),
    ("curve header_key.csv --sizes 5", r"3 references[^$]*33\.33%"),
    ("curve lirs_star.trace --columns key=1 --sizes 5", r"4 references[^$]*25\.00%"),
    ("characterise mqsim_ns.trace", r"mqsim\n[^$]*taken for nanoseconds[^$]*3 requests of 1 device in 0\.000431 s"),
    ("curve five_ints2.csv --sizes 5", r"five whole numbers a line are taken for Tencent's"),
    ("curve key_size0.csv --sizes 5", r"3 references[^$]*33\.33%"),
    ("curve meta_cdn.csv --sizes 5", r"3 references[^$]*33\.33%"),
    (f"characterise systor17.csv --columns {SYSTOR}", r"3 requests of 2 devices in 1\.46\d* s"),
    (f"characterise biosnoop.txt --columns {BIOSNOOP}", r"3 requests of 1 device in 0\.00201 s"),
    (f"characterise biosnoop_flags.txt --columns {BIOSNOOP}", r"2 requests of 1 device[^$]*50\.0% read"),
    ("characterise biosnoop.txt", r"biosnoop\n3 requests of 1 device in 0\.00651 s"),
    ("characterise biosnoop_flags.txt", r"biosnoop\n2 requests of 1 device in 0\.00574 s"),
    ("characterise w_lat.1.log", r"fio-log\n3 requests of 1 device in 0\.016 s[^$]*100\.0% read"),
    ("characterise fio_trim_lat.1.log",
     r"fio-log\nwhat neither reads nor writes is passed over: '2' \(1\)\n59 requests of 1 device in 0\.9374\d* s"),
    ("replay fio_trim_lat.1.log", r"all +59 simulated"),
    ("characterise fio2_usec_lat.1.log", r"fio-log\n60 requests of 1 device in 0\.939 s"),
    ("characterise systor17.csv", r"systor17\n3 requests of 2 devices in 1\.46\d* s"),
    ("characterise w_lat.1.log --columns time_ms=1,op=3,size=4,offset=5", r"3 requests[^$]*100\.0% read"),
    ("curve azure_llm.csv --columns time=TIMESTAMP,key=ContextTokens --sizes 5 --over-time", r"from 0\.052 s"),
    ("characterise pandas_float.csv", r"2 requests of 1 device in 1,000 s"),
    ("curve crlf.jsonl --keys key --sizes 5", r"2 references"),
    ("characterise excel_de.csv", r"2 requests of 1 device in 0\.499 s"),
    ("characterise excel_sep.csv", r"2 requests of 1 device in 0\.499 s"),
    ("characterise utf16.csv", r"2 requests of 1 device in 0\.499 s"),
    ("characterise pandas_index.csv", r"2 requests of 1 device in 0\.499 s"),
    ("curve latin1_keys.csv --sizes 5", r"3 references[^$]*33\.33%"),
    ("characterise lba4k.csv --block 4096", r"1 request of 1 device[^$]*reads, KiB +1 +0\.000 +4"),
    ("characterise etw_diskread.csv", r"xperf\n2 requests of 1 device in 0\.00732 s"),
    ("characterise ftrace.txt", r"ftrace\n1 request of 1 device"),
    ("characterise perf_script.txt", r"ftrace\n2 requests of 1 device in 0\.01 s"),
    ("characterise iosnoop_dtrace.txt", r"iosnoop\n2 requests of 1 device"),
    ("characterise diskmon.log", r"diskmon\n2 requests"),
    ("characterise fiu.blkparse", r"fiu\n3 requests of 1 device in 0\.00046\d* s"),
    ("characterise bp_custom.txt", r"taken for those of blkparse -f '%T.%t, %p, %C, %a, %S, %n, %N'\n1 request of"),
    ("characterise trace.tar.gz", r"3 requests of 1 device in 2 s"),
    ("characterise trace.zip", r"3 requests of 1 device in 2 s"),
    ("characterise trace.parquet", r"2 requests of 1 device in 1 s"),
    ("characterise base.csv", r"3 requests of 1 device in 2 s"),
    ("curve larger.csv --bytes --sizes 100", r"100 B +42\.86%"),
    ("curve u64.csv --sizes 5", r"3 references[^$]*33\.33%"),
    ("characterise gap_days.csv", r"3 requests of 1 device in 864,000 s"),
    ("characterise bp_new.blkparse", r"2 requests"),
    ("characterise bp_md.blkparse", r"2 requests of 2 devices"),
    ("curve hashed.oracleGeneral.bin --sizes 5", r"8 references[^$]*37\.50%"),
    ("replay epoch_time.csv", r"busiest drive [^0]"),
    ("characterise cat_headers.csv", r"6 requests"),
]

SENTENCES = [
    ("characterise disksim_validate.trace", r"this is a validation trace of DiskSim"),
    ("curve adapt_size.trace --sizes 5", r"three numbers: spindle curve --columns key=1"),
    ("curve address.trace --sizes 5", r"addresses of memory: spindle curve --columns"),
    ("curve lirs_star.trace --sizes 5", r"each of its first lines is a number; spindle curve --columns key=1"),
    ("replay base.csv --drive mine.diskspecs", r"this is a DiskSim file, and no drive sheet"),
    ("replay base.csv --drive mine.parv", r"this is a DiskSim file, and no drive sheet"),
    ("characterise mine.parv", r"this is a DiskSim parameter file, and no trace"),
    ("characterise zero_size.csv", r"zero_size.csv:3:7: a request has from 1 to"),
    ("characterise huge_req.csv", r"huge_req.csv:2:7: a request has from 1 to 1073741824 bytes"),
    ("characterise trim_ops.csv", r"trim_ops.csv:3:7: op must be R or W, not 'T'"),
]


@pytest.fixture
def cases(place: Path) -> None:
    for path in CASES.iterdir():
        shutil.copyfile(path, place / path.name)


@pytest.mark.usefixtures("cases")
@pytest.mark.parametrize(("line", "says"), ANSWERS, ids=[line for line, _ in ANSWERS])
def test_the_answer_is_right(said: Said, line: str, says: str) -> None:
    page = said(*line.split())
    assert re.search(says, page), page


@pytest.mark.usefixtures("cases")
@pytest.mark.parametrize(("line", "says"), SENTENCES, ids=[line for line, _ in SENTENCES])
def test_the_sentence_helps(refused: Said, line: str, says: str) -> None:
    page = refused(*line.split())
    assert re.search(says, page), page
    assert len(page.splitlines()) == 1


@pytest.mark.usefixtures("cases")
@pytest.mark.parametrize(("name", "options", "times"), [
    ("qwen.jsonl", [], ["0.000000000", "60.600000000", "3600.000000000"]),
    ("jsonl_us_ttl.jsonl", ["--keys", "key"], ["0.000000000", "60.000000000"]),
    ("out_of_order.csv", [], ["5.000000000", "10.000000000", "20.000000000"]),
])  # fmt: skip
def test_times_are_in_order_and_in_seconds(
    said: Said, place: Path, name: str, options: list[str], times: list[str]
) -> None:
    said("convert", name, "out.csv", "--to", "csv", *options)
    lines = (place / "out.csv").read_text().splitlines()[1:]
    assert list(dict.fromkeys(line.split(",")[0] for line in lines)) == times


@pytest.mark.parametrize(("name", "requests", "note"), [
    ("fio_trim_lat.1.log", 59, "1 trim passed over"), ("fio2_usec_lat.1.log", 60, "taken for microseconds"),
])  # fmt: skip
def test_a_log_of_fio_is_fitted_to_in_its_unit_and_without_trims(name: str, requests: int, note: str) -> None:
    asked = fio_log(CASES / name, 512, 1 << 40)
    assert len(asked) == requests
    assert note in asked.notes[0]
    assert 0.015 < asked.measured.mean() < 0.016


@pytest.mark.usefixtures("cases")
def test_what_is_valid_for_half_a_minute_misses_after_a_minute(said: Said) -> None:
    page = said("curve", "jsonl_us_ttl.jsonl", "--keys=key", "--ttl=honour", "--sizes=5")
    assert re.search(r"5 +0\.00%", page)
