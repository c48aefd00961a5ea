"""Tests a second set of users' files and questions: each gets the right answer, or an error that helps.

Right answers are those of the manifest beside the files, by programs of ten lines or by the tools themselves.
"""

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.traces.conftest import Said

SHARED = Path(os.environ.get("SPINDLE_SHARED", Path(__file__).parents[2].parent / "shared"))
CASES, HOSTILE = SHARED / "data" / "user_cases_2", SHARED / "data" / "hostile"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason=f"reference data is not at {SHARED}; name its folder in "
                                "SPINDLE_SHARED")  # fmt: skip
BOOK = "--drive t_disc5000.yaml --head 143 --scheduler"
RAID = "--drive t_raiddisc.yaml --drives 4 --chunk 64K --closed 64 --json --raid"
AZURE = "--columns time=2,op=3,key=13,size=21 --separator ;"
SQUID = "--columns time=1,key=7,size=5,op=6 --ops CONNECT=skip"
DXT = "--columns time=7,op=3,offset=5,size=6 --separator space"
THESIOS = "--columns time=start_time,op=op_type,device=filename,offset=file_offset,size=request_io_size_bytes"
DOCKER = "--columns key=http.request.uri,size=http.response.written,op=http.request.method,time=timestamp"
KV = "--model llama-3.1-8b --gpus 1"

ANSWERS = [
    # An arm that is on a cylinder, and requests that are there at once: cylinders, and 0.06 to 0.12 ms a request.
    ("replay t_sstf0.csv --drive t_disc100.yaml --scheduler sstf --head 24", r"420\.\d+\n"),
    (f"replay t_silb0.csv {BOOK} fcfs", r"708[12]\.\d+\n"), (f"replay t_silb0.csv {BOOK} sstf", r"174[56]\.\d+\n"),
    (f"replay t_silb0.csv {BOOK} scan", r"9769\.\d+\n|9770\.\d+\n"),
    (f"replay t_silb0.csv {BOOK} look", r"33(?:19|20)\.\d+\n"),
    (f"replay t_silb0.csv {BOOK} c-scan", r"998[56]\.\d+\n"), (f"replay t_silb0.csv {BOOK} c-look", r"336[34]\.\d+\n"),
    ("replay t_ostep_a.csv --drive t_ostep.yaml --scheduler fcfs", r"all +3 simulated +405\.000 [^\n]* 795\.000\n"),
    ("replay t_ostep_a.csv --drive t_ostep.yaml --scheduler sstf", r"all +3 simulated +165\.000 [^\n]* 375\.000\n"),
    ("curve t_page1.keys --columns key=1 --policy lru,fifo,belady-min --sizes 3", r"3 +10\.00% +15\.00% +35\.00%"),
    ("curve t_belady.keys --columns key=1 --policy fifo --sizes 3,4", r"3 +25\.00%\n +4 +16\.67%"),
    ("replay t_seqfile.csv --drive t_seqfile.yaml", r"19678\.8"),
    ("replay t_gate.csv --drive t_gate.yaml", r" 6\.963 "),
    ("replay t_shear8.csv --drive t_flash5.yaml --raid 0 --drives 4 --chunk 8K --closed 1000 --json",
     r'"makespan": 0\.5516'),
    ("replay t_shear32.csv --drive t_flash5.yaml --raid 0 --drives 4 --chunk 8K --closed 1000 --json",
     r'"makespan": 1\.9884'),
    ("replay t_md1.csv --drive t_const10.yaml", r"all +400 simulated +14\.633"),
    *((f"replay t_raid_{kind}.csv {RAID} {level}", rf'"throughput": {rate}\.') for kind, level, rate in (
        ("w", 0, r"35\d"), ("w", 10, "179"), ("w", 5, "100"), ("w", 1, "100"), ("r", 5, r"38\d"), ("r", 1, r"36\d"))),
    ("replay t_seq4k.csv --closed 16 --json", r'"throughput": 7[45]\d\d'),
    ("replay t_mq_4096.csv --drive t_mqsim17b.yaml --closed 1", r"all +400 simulated +0\.088 "),
    ("replay t_mq_131072.csv --drive t_mqsim17b.yaml --closed 1", r"all +400 simulated +0\.158 "),
    (f"kv kv_cap.jsonl {KV} --hbm 8053063680", r"hbm +8\.1 GB +75\.00%"),
    (f"kv kv_cap.jsonl {KV} --hbm 8053063679", r"hbm +8\.1 GB +0\.00%"),
    (f"kv kv_cap.jsonl {KV} --hbm 3.81GiB", r"hbm +4\.1 GB"),
    ("curve oltp2000.lis --sizes 100,500", r"taken for ARC's[^$]* 7\.65%[^$]* 20\.30%"),
    ("curve oltp2000.lis --columns key=1 --sizes 100,500", r" 7\.65%[^$]* 20\.30%"),
    ("characterise ssdsim200.ascii",
     r"taken for nanoseconds[^$]*200 requests of 1 device in 6\.65846 s[^$]*14\.5% read"),
    ("characterise caftl_test.trace", r"five numbers a line are taken for DiskSim's: ms"),
    ("characterise caftl100.txt", r"five numbers a line are taken for DiskSim's: ms"),
    ("characterise ioda.trace", r"divide by 4096, they may be bytes: --columns time_ms=1,device=2,offset=3,size=4"),
    ("characterise ioda.trace --columns time_ms=1,device=2,offset=3,size=4,op=5 --separator space --ops 0=write,1=read",
     r"4 requests of 1 device in 0\.00425 s[^$]*75\.0% read"),
    ("replay fio2_reads.log", r"closed loop of 1 because it has no times[^$]* 7\.051 "),
    (f"curve docker_registry.jsonl {DOCKER} --bytes --sizes 1000,1518", r"to 5,536 bytes[^$]*0\.00%[^$]*33\.33%"),
    ("curve gcs_like.jsonl --keys path --sizes 5", r"3 references[^$]* 0\.00%"),
    (f"curve azure_blob.log {AZURE} --sizes 5", r"3 references[^$]* 0\.00%"),
    ("curve two_ops.csv --sizes 5", r"1 delete[^$]*2 references[^$]* 0\.00%"),
    ("curve squid.log --sizes 5", r"'CONNECT' \(1\)[^$]*5 references[^$]* 60\.00%"),
    (f"curve squid.log {SQUID} --sizes 5", r"5 references[^$]* 60\.00%"),
    ("characterise nbdkit.log", r"2 requests of 1 device in 0\.000787 s[^$]*50\.0% read"),
    ("characterise nvme_trace.txt",
     r"2 requests of 1 device in 0\.0002 s[^$]*reads, KiB +1 +0\.000 +4 [^$]*writes, KiB +1 +0\.000 +8 "),
    ("curve dxt.txt --sizes 1000", r"656 references[^$]* 0\.00%"),
    (f"curve dxt.txt {DXT} --sizes 1000", r"what they say is not read, as '# DXT"),
    ("curve rdb_block.csv --columns time_us=1,key=2,size=4 --sizes 5", r"4 references[^$]*25\.00%"),
    ("curve rds.csv --sizes 5", r"3 references[^$]*33\.33%"),
    (f"characterise thesios.csv {THESIOS} --skip-bad 1", r"4 requests of 3 devices in 0\.2 s[^$]*75\.0% read"),
    ("curve mimir_train.keys,mimir_test.keys --columns key=1 --warm-up 0.5 --sizes 50,100",
     r"50 +12\.00%[^\n]*\n +100 +100\.00%"),
    ("curve hexlba.csv --sizes 5", r"3 references[^$]*33\.33%"),
    ("characterise simplessd.blkparse", r"1 request of 1 device; 0\.0% read"),
    ("curve comma_first_line.csv --columns time=1,key=2,size=3 --sizes 4", r" 50\.00%"),
]  # fmt: skip
WPA = ["--columns", "time=Init Time (s),op=IO Type,offset=Min Offset,size=Size (B),device=Disk"]
SENTENCES = [
    ("curve nosize.csv --bytes --sizes 1,2,100", r"--bytes needs the sizes of objects, and the trace has none"),
    ("curve nosize.jsonl --bytes --sizes 1,2,100", r"--columns key=NAME,size=NAME names them, in CSV or JSON lines"),
    ("curve docker_registry.jsonl --keys http.request.uri --bytes --sizes 1000", r"--columns key=NAME,size=NAME"),
    ("kv kv_cap.jsonl --model qwen2.5-7b --gpus 1", r"unknown model 'qwen2.5-7b': there are llama"),
    ("kv burstgpt.csv", r"a prompt is a line with its arrival, its lengths and its blocks' hashes"),
    ("kv aiperf.jsonl", r"aiperf.jsonl:2:1: a prompt without an arrival time"),
    ("curve lackey.trace --sizes 5", r"addresses of memory, as valgrind's lackey prints them"),
    ("characterise thesios.csv", r"column 'filename' is not known; --columns says which"),
    ("curve rdb_block.csv --sizes 5", r"--columns says which is which"),
    ("characterise biosnoop_bt.txt", r"bpftrace's biosnoop"), ("characterise iostat.txt", r"as iostat prints them"),
    ("characterise strace.txt", r"system calls"), ("characterise vscsi_hist.csv", r"a histogram"),
    ("curve webcache.tr --sizes 5", r"three numbers: spindle curve --columns key=1"),
    *((f"curve {name}", says) for name, says in (
        ("bomb.arrow", "more than 200 times as long"), ("rle.parquet", "more than 200 times as long"),
        ("claim_1PiB.tar", "it ends within a file"), ("overlap.zip", "they lie over each other"),
        ("sparse.tar", "its holes are not read"))),
]  # fmt: skip


@pytest.fixture
def cases(place: Path) -> None:
    for path in (*CASES.iterdir(), *HOSTILE.iterdir()):
        shutil.copyfile(path, place / path.name)


@pytest.mark.usefixtures("cases")
@pytest.mark.parametrize(("line", "says"), ANSWERS, ids=[line for line, _ in ANSWERS])
def test_the_answer_is_right_or_its_guess_is_said(said: Said, line: str, says: str) -> None:
    page = said(*line.split())
    assert re.search(says, page), page


@pytest.mark.usefixtures("cases")
def test_headings_with_blanks_and_thousands_in_quotes(said: Said) -> None:
    assert "3 requests of 1 device in 0.0198765 s" in said("characterise", "wpa_disk.csv", *WPA)


@pytest.mark.usefixtures("cases")
@pytest.mark.parametrize(("line", "says"), SENTENCES, ids=[line for line, _ in SENTENCES])
def test_the_sentence_helps(refused: Said, line: str, says: str) -> None:
    page = refused(*line.split())
    assert re.search(says, page), page
    assert len(page.splitlines()) == 1


@pytest.mark.usefixtures("cases")
def test_an_export_for_fio_waits_until_milliseconds_after_its_start(said: Said, place: Path) -> None:
    said("convert", "three.csv", "x.fio2", "--to", "fio2")
    waits = [line.split()[2] for line in (place / "x.fio2").read_text().splitlines() if " wait " in line]
    assert waits == ["0", "1000", "1500"]
