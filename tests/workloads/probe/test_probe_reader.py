"""Tests reading .SCR, .SCP and .SCT files of Response Probe, and mistakes by file, line and column."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spindle.workloads.probe
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.workloads.probe.bell import Bell
from spindle.workloads.probe.reader import level, read
from spindle.workloads.probe.script import FileAction, Mode, Probe, ProbeFile

SHIPPED = sorted(Path(spindle.workloads.probe.__file__).parent.glob("*.scr"))
SCR = "CREATEFIL code.dat 8\nCREATEFIL access.dat 1024\nPROCESS p.scp 500 code.dat\n"
SCP = "THREAD t.sct\n"
SCT = """\
THINKTIME 20 5 (milliseconds)
CYCLEREADS 100 0 (number)
FILESEEK 128 42 (records)
CPUTIME 1.5 0 (milliseconds)
DATAPAGE 250 80 (pages)
CODEPAGE 1 0 (pages)
FILEACCESS access.dat
"""


def put(folder: Path, scr: str = SCR, scp: str = SCP, sct: str = SCT) -> Path:
    for name, text in (("e.scr", scr), ("p.scp", scp), ("t.sct", sct)):
        (folder / name).write_text(text)
    return folder / "e.scr"


def first_action(probe: Probe) -> FileAction:
    return probe.processes[0].threads[0].actions[0]


def test_a_whole_experiment(tmp_path: Path) -> None:
    probe = read(put(tmp_path))
    (process,) = probe.processes
    (thread,) = process.threads
    access = ProbeFile("access.dat", 1 << 20)
    assert (probe.name, probe.seconds, probe.measured_from) == ("e", 120.0, 60.0)
    assert (process.name, process.data_pages, process.code) == ("PROBEPRC.EXE", 500, ProbeFile("code.dat", 8192))
    assert thread.think == Bell(0.020, 0.005)
    assert thread.reads == Bell(100)
    assert thread.cpu == Bell(0.0015)
    assert (thread.data, thread.code, thread.priority) == (Bell(250, 80, 499), Bell(1, 0, 1), 7)
    assert thread.actions == (FileAction(access, (READ,), 4096, Bell(128, 42, 255), Mode.BUFFERED),)
    assert probe.files == (ProbeFile("code.dat", 8192), access)


@pytest.mark.parametrize("mode", ["UNBUFFERED", "u", "Unbuffered # not cached"])
def test_the_optional_statements(tmp_path: Path, mode: str) -> None:
    more = f"fileattribute SEQUENTIAL\nFILEACCESSMODE {mode}\nRECORDSIZE 512 (bytes)\nFILEACTION RRW\n"
    probe = read(put(tmp_path, sct=SCT + more), seconds=7)
    action = first_action(probe)
    assert (probe.seconds, read(tmp_path / "e.scr", 0.0).seconds) == (7, 0.0)
    assert (action.mode, action.record, action.operations) == (Mode.UNBUFFERED, 512, (READ, READ, WRITE))
    assert action.sequential


def test_repetition_priorities_and_capitals(tmp_path: Path) -> None:
    scr = SCR.replace("PROCESS p.scp 500 code.dat", "REPEAT 3 PROCESS P.SCP 500 CODE.DAT his.exe H\nTRIALTIME 30")
    probe = read(put(tmp_path, scr, "# two\nREPEAT 2 THREAD T.SCT A\nTHREAD t.sct Lowest\n"))
    assert [process.name for process in probe.processes] == ["his.exe"] * 3
    assert [thread.priority for thread in probe.processes[2].threads] == [14, 14, 11]
    assert probe.seconds == 30


@pytest.mark.parametrize(
    ("base", "offset", "found"), [(7, 15, 15), (7, -15, 1), (4, -2, 2), (13, 2, 15), (24, 15, 31), (24, -15, 16),
     (16, -15, 16), (15, 2, 15)],
)
def test_priorities_stay_on_their_side(base: int, offset: int, found: int) -> None:
    assert level(base, offset) == found


SCR_CASES = [
    ("", "e.scr:1:1: there is no PROCESS in this file"),
    ("PROCES p.scp 1 c", "e.scr:1:1: unknown statement 'PROCES': did you mean PROCESS"),
    ("PROCESS", "e.scr:1:8: PROCESS is not complete: the .SCP file is missing"),
    ("PROCESS p.scp", "e.scr:1:14: PROCESS is not complete: the number of data pages is missing"),
    ("PROCESS p.scp 1 c", "e.scr:1:17: no CREATEFIL says how large c is"),
    ("PROCESS p.scp -1 c", "e.scr:1:15: the number of data pages is a number from 0 to 1,048,576, not -1"),
    ("PROCESS p.scp 1.5 c", "e.scr:1:15: the number of data pages is a whole number"),
    ("PROCESS p.scp 1e3 c", "e.scr:1:15: the number of data pages is a number such as 12 or 0.5, not 1e3"),
    ("PROCESS p.scp nan c", "e.scr:1:15: the number of data pages is a number such as 12 or 0.5, not nan"),
    ("PROCESS ../p.scp 1 c", "e.scr:1:9: the .SCP file is a file beside this script"),
    ("PROCESS /etc/passwd 1 c", "e.scr:1:9: the .SCP file is a file beside this script"),
    ("PROCESS ..\\p.scp 1 c", "e.scr:1:9: the .SCP file is a file beside this script"),
    ("PROCESS c:p.scp 1 c", "e.scr:1:9: the .SCP file is a file beside this script"),
    ("PROCESS .. 1 c", "e.scr:1:9: the .SCP file is a file beside this script"),
    (f"PROCESS {'p' * 65} 1 c", "e.scr:1:9: the .SCP file is a file beside this script"),
    ("PROCESS q.scp 1 c", "e.scr:1:9: there is no file q.scp beside this script"),
    ("REPEAT PROCESS p.scp 1 c", "e.scr:1:8: REPEAT is a number such as"),
    ("REPEAT 0 PROCESS p.scp 1 c", "e.scr:1:8: REPEAT is a whole number from 1 to 1,000, not 0"),
    ("REPEAT 2 THREAD p.scp 1 c", "e.scr:1:10: REPEAT stands before PROCESS"),
    ("REPEAT 2", "e.scr:1:9: REPEAT is not complete: PROCESS is missing"),
    (SCR + "CREATEFIL ACCESS.DAT 1", "e.scr:4:11: there is already a file ACCESS.DAT"),
    (SCR + "CREATEFIL access.dat 1", "e.scr:4:11: there is already a file access.dat"),
    ("CREATEFIL a/b 1", "e.scr:1:11: the name of the file is a file beside this script, by letters, digits, _ $ ~ - "
                        "and single dots, at most 64, and not a/b"),
    ("CREATEFIL a..b 1", "e.scr:1:11: the name of the file is a file beside this script"),
    ("CREATEFIL", "e.scr:1:10: CREATEFIL is not complete: the name of the file is missing"),
    ("CREATEFIL x 0", "e.scr:1:13: its kilobytes is a whole number from 1 to 16,777,216, not 0"),
    ("CREATEFIL x 1 1", "e.scr:1:15: surplus 1: CREATEFIL ends before it"),
    ("PROCESS p.scp 1", "e.scr:1:16: PROCESS is not complete: the file of code pages is missing"),
    ("PROCESS p.scp 1048577 c", "e.scr:1:15: the number of data pages is a number from 0 to 1,048,576, not 1048577"),
    (SCR.replace("code.dat\n", "code.dat a/b\n"), "e.scr:3:28: the process is a file beside this script"),
    (SCR.replace("500 code.dat", "500 code.dat a.exe X"), "e.scr:3:34: unknown priority class 'X': there are HIGH"),
    (SCR + "TRIALTIME", "e.scr:4:10: TRIALTIME is not complete: TRIALTIME in seconds is missing"),
    (SCR + "TRIALTIME 1000001", "e.scr:4:11: TRIALTIME in seconds is a number from 0 to 1,000,000, not 1000001"),
    (SCR + "PROCES", "e.scr:4:1: unknown statement 'PROCES': did you mean PROCESS?"),
    (SCR + "THREAD", "e.scr:4:1: unknown statement 'THREAD': did you mean REPEAT?"),
    (SCR + "CREATEFIL x", "e.scr:4:12: CREATEFIL is not complete: its kilobytes is missing"),
    (SCR + "CREATEFIL x 99999999", "e.scr:4:13: its kilobytes is a number from 0 to 16,777,216"),
    (SCR + "TRIALTIME 0", "e.scr:4:11: TRIALTIME must be more than zero"),
    (SCR + "TRIALTIME 5 6", "e.scr:4:13: surplus 6: TRIALTIME ends before it"),
    (SCR + "REPEAT 1000 PROCESS p.scp 1 code.dat", "p.scp:1:1: an experiment has at most 1,000 threads"),
    (SCR.replace("500 code.dat", "500 code.dat a.exe X"), "e.scr:3:34: unknown priority class 'X'"),
    (SCR.replace("500 code.dat", "500 code.dat a.exe N more"), "e.scr:3:36: surplus more"),
    ("PROCESS\x01", "e.scr:1:8: character 0x01 cannot stand in a script"),
]


@pytest.mark.parametrize(("scr", "what"), SCR_CASES)
def test_what_is_wrong_in_the_experiment(tmp_path: Path, scr: str, what: str) -> None:
    with pytest.raises(UserError) as raised:
        read(put(tmp_path, scr, sct=SCT.replace("DATAPAGE 250 80", "DATAPAGE 0 0")))
    assert str(raised.value).startswith(f"{tmp_path}/{what}")


LONG = [
    ("e.scr", SCR + f"TRIALTIME {'x' * 41}", f"TRIALTIME in seconds is a number such as 12 or 0.5, not {'x' * 37}..."),
    ("e.scr", SCR + f"TRIALTIME {'9' * 30}.{'9' * 10}", f"from 0 to 1,000,000, not {'9' * 30}.{'9' * 6}..."),
    ("e.scr", SCR + f"CREATEFIL x {'0' * 29}1.5{'0' * 10}", f"from 1 to 16,777,216, not {'0' * 29}1.5{'0' * 5}..."),
    ("e.scr", SCR + f"CREATEFIL /{'x' * 40} 1", f"at most 64, and not /{'x' * 36}..."),
    ("e.scr", SCR + f"TRIALTIME 1 {'x' * 41}", f"surplus {'x' * 37}...: TRIALTIME ends before it"),
    ("e.scr", f"PROCESS p.scp 1 {'c' * 41}", f"no CREATEFIL says how large {'c' * 37}... is"),
    ("t.sct", SCT.replace("access.dat", "c" * 41), f"no CREATEFIL of the .SCR file says how large {'C' * 37}... is"),
    ("t.sct", SCT + f"FILEACTION {'X' * 41}", f"FILEACTION is a row of at most 1000 R and W, not {'X' * 37}..."),
]


@pytest.mark.parametrize(("name", "text", "what"), LONG)
def test_what_is_long_is_cut_at_forty_characters(tmp_path: Path, name: str, text: str, what: str) -> None:
    put(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(UserError) as raised:
        read(tmp_path / "e.scr")
    assert str(raised.value).split("\n")[0].endswith(what)


SCP_CASES = [
    ("# nothing", "e.scr:3:9: there is no THREAD in"),
    ("PROCESS t.sct", "p.scp:1:1: unknown statement 'PROCESS': there are REPEAT, THREAD"),
    ("THREAD t.sct Zealous", "p.scp:1:14: unknown thread priority 'Zealous'"),
    ("THREAD", "p.scp:1:7: THREAD is not complete: the .SCT file is missing"),
    ("THREAD t.sct Zealous", "p.scp:1:14: unknown thread priority 'Zealous': there are ABOVENORMAL, BELOW"),
    ("REPEAT 2 PROCESS t.sct", "p.scp:1:10: REPEAT stands before THREAD"),
    ("REPEAT", "p.scp:1:7: REPEAT is not complete: REPEAT is missing"),
    ("THREAD t.sct N N", "p.scp:1:16: surplus N: THREAD ends before it"),
    ("\nTHREAD ../t.sct", "p.scp:2:8: the .SCT file is a file beside this script"),
    ("REPEAT 1001 THREAD t.sct", "p.scp:1:8: REPEAT is a number from 0 to 1,000, not 1001"),
]


@pytest.mark.parametrize(("scp", "what"), SCP_CASES)
def test_what_is_wrong_in_a_process(tmp_path: Path, scp: str, what: str) -> None:
    with pytest.raises(UserError) as raised:
        read(put(tmp_path, scp=scp))
    assert str(raised.value).startswith(f"{tmp_path}/{what}")


SCT_CASES = [
    ("CPUTIME 1.5 0 (milliseconds)", "", "7:1: there is no CPUTIME in this file"),
    ("CPUTIME", "CPUTIM", "4:1: unknown statement 'CPUTIM': did you mean CPUTIME"),
    ("CPUTIME 1.5 0", "THINKTIME 1 0", "4:1: THINKTIME was already said in line 1"),
    ("20 5 (milliseconds)", "20", "1:13: THINKTIME is not complete: the deviation of THINKTIME is missing"),
    ("20 5", "20 5 5", "1:16: surplus 5: THINKTIME ends before it"),
    ("20 5", "20 -5", "1:14: the deviation of THINKTIME is a number from 0 to 1,000,000,000, not -5"),
    ("20 5", "20 inf", "1:14: the deviation of THINKTIME is a number such as"),
    ("20 5", "9999999999 5", "1:11: the mean of THINKTIME is a number from 0"),
    ("128 42", "256 42", "3:10: FILESEEK: a mean lies from 0 to 255, not at 256"),
    ("250 80", "500 80", "5:10: DATAPAGE: a mean lies from 0 to 499, not at 500"),
    ("CODEPAGE 1 0", "CODEPAGE 2 0", "6:10: CODEPAGE: a mean lies from 0 to 1, not at 2"),
    ("access.dat", "axes.dat", "7:12: no CREATEFIL of the .SCR file says how large AXES.DAT is"),
    ("access.dat", "access.dat\nFILEATTRIBUTE DIRECT", "8:15: unknown FILEATTRIBUTE 'DIRECT'"),
    ("access.dat", "access.dat\nFILEACCESSMODE X", "8:16: unknown FILEACCESSMODE 'X'"),
    ("access.dat", "access.dat\nRECORDSIZE 0", "8:12: RECORDSIZE is a whole number from 1 to 1,048,576, not 0"),
    ("access.dat", "access.dat\nRECORDSIZE 2097152", "8:12: RECORDSIZE is a number from 0 to 1,048,576"),
    ("access.dat", "access.dat\nRECORDSIZE 100\nFILEACCESSMODE U", "8:12: RECORDSIZE: unbuffered records have whole"),
    ("access.dat", "access.dat\nFILEACTION RWX", "8:12: FILEACTION is a row of at most 1000 R and W, not RWX"),
    ("access.dat", f"access.dat\nFILEACTION {'R' * 1001}", "8:12: FILEACTION is a row"),
    ("20 5", "nan 5", "1:11: the mean of THINKTIME is a number such as 12 or 0.5, not nan"),
    ("access.dat", "a/b", "7:12: the file of FILEACCESS is a file beside this script"),
    ("access.dat", "", "7:11: FILEACCESS is not complete: the file of FILEACCESS is missing"),
    ("access.dat", "access.dat 3", "7:23: surplus 3: FILEACCESS ends before it"),
    ("access.dat", "access.dat\nRECORDSIZE", "8:11: RECORDSIZE is not complete: RECORDSIZE is missing"),
    ("access.dat", "access.dat\nRECORDSIZE 512 512", "8:16: surplus 512: RECORDSIZE ends before it"),
    ("access.dat", "access.dat\nFILEACTION", "8:11: FILEACTION is not complete: a row of R and W is missing"),
    ("access.dat", "access.dat\nFILEACTION R W", "8:14: surplus W: FILEACTION ends before it"),
    ("access.dat", "access.dat\nFILEACCESSMODE", "8:15: FILEACCESSMODE is not complete: FILEACCESSMODE is missing"),
    ("access.dat", "access.dat\nFILEACCESSMODE U U", "8:18: surplus U: FILEACCESSMODE ends before it"),
    ("access.dat", "access.dat\nFILEATTRIBUTE X", "8:15: unknown FILEATTRIBUTE 'X': there are RANDOM, SEQUENTIAL"),
    ("128 42 (records)", "128 (records)", "3:14: the deviation of FILESEEK is a number such as"),
    ("access.dat", "access.dat\nfileattribute s\nFILEATTRIBUTE s", "9:1: FILEATTRIBUTE was already said in line 8"),
    ("access.dat", "access.dat\nMORE", "8:1: unknown statement 'MORE': there are CODEPAGE, CPUTIME, CYCLEREADS"),
    ("FILESEEK 128 42", "FILEATTRIBUTE S\nFILESEEK 128 x", "4:14: the deviation of FILESEEK is a number such as"),
    ("FILEACCESS access.dat", "", "7:1: there is no FILEACCESS in this file"),
    ("access.dat", "code.dat\nFILEATTRIBUTE S\nRECORDSIZE 8193", "9:12: RECORDSIZE is a number from 0 to 8,192"),
]


@pytest.mark.parametrize(("old", "new", "what"), SCT_CASES)
def test_what_is_wrong_in_a_thread(tmp_path: Path, old: str, new: str, what: str) -> None:
    assert old in SCT
    with pytest.raises(UserError) as raised:
        read(put(tmp_path, sct=SCT.replace(old, new)))
    assert str(raised.value).startswith(f"{tmp_path}/t.sct:{what}")


def test_what_is_just_allowed(tmp_path: Path) -> None:
    """A thousand threads; no page of data, whatever DATAPAGE says; a sequence needs no seek within the file."""
    scr = SCR.replace("PROCESS p.scp 500", "REPEAT 500 PROCESS p.scp 0").replace("1024", "16777216")
    sct = SCT.replace("128 42", "1000000000 0") + f"FILEATTRIBUTE S\nFILEACTION {'r' * 999}w\nRECORDSIZE 1\n"
    probe = read(put(tmp_path, scr + "TRIALTIME 1000000\n", "REPEAT 2 THREAD t.sct\n", sct))
    assert sum(len(process.threads) for process in probe.processes) == 1000
    assert (probe.seconds, probe.processes[0].data_pages) == (1e6, 0)
    assert probe.processes[0].threads[0].data is None
    action = first_action(probe)
    assert (action.file.size, action.record, action.seek) == (16 << 30, 1, None)
    assert action.operations == (*[READ] * 999, WRITE)


def test_files_may_stand_anywhere_and_their_last_page_need_not_be_whole(tmp_path: Path) -> None:
    """Nine kilobytes are three pages; -0 is 0."""
    scr = "".join(reversed(SCR.replace("code.dat 8", "code.dat 9").splitlines(keepends=True)))
    (thread,) = read(put(tmp_path, scr, sct=SCT.replace("20 5", "-0 0"))).processes[0].threads
    assert (thread.code, str(thread.think.mean)) == (Bell(1, 0, 2), "0.0")


def test_a_file_of_its_name_may_be_as_small_as_a_record(tmp_path: Path) -> None:
    scr = SCR.replace("1024", "4")
    assert first_action(read(put(tmp_path, scr, sct=SCT.replace("128 42", "0 0")))).seek == Bell(0.0, 0.0, 0.0)
    with pytest.raises(UserError, match=r"t\.sct:7:12: access\.dat is smaller than a record of 4096 bytes"):
        read(put(tmp_path, scr.replace("t 4\n", "t 3\n"), sct=SCT.replace("128 42", "0 0")))


@pytest.mark.parametrize(("word", "priority"), [
    ("Idle 0", 4), ("i", 4), ("NORMAL", 7), ("n", 7), ("High", 13), ("REALTIME", 24), ("r", 24),
])  # fmt: skip
def test_a_class_is_spelt_or_its_first_letter(tmp_path: Path, word: str, priority: int) -> None:
    probe = read(put(tmp_path, SCR.replace("500 code.dat", f"500 code.dat a.exe {word.removesuffix(' 0')}")))
    assert probe.processes[0].threads[0].priority == priority


@pytest.mark.parametrize(("word", "priority"), [
    ("TIMECRITICAL", 15), ("T", 15), ("HIGHEST", 9), ("h", 9), ("ABOVENORMAL", 8), ("N", 7), ("BELOWNORMAL", 6),
    ("b", 6), ("LOWEST", 5), ("IDLE", 1), ("i", 1),
])  # fmt: skip
def test_a_threads_priority_is_so_far_from_its_class(tmp_path: Path, word: str, priority: int) -> None:
    probe = read(put(tmp_path, scp=f"THREAD t.sct {word}\n"))
    assert probe.processes[0].threads[0].priority == priority


def test_a_cycle_must_pass_time(tmp_path: Path) -> None:
    """The book's first sample does nothing at all; a simulated clock would stand still."""
    assert read(put(tmp_path, sct=SCT.replace("20 5", "0 0").replace("100 0", "0 0")))  # it computes
    idle = SCT.replace("20 5", "0 0").replace("1.5 0", "0 0")
    assert read(put(tmp_path, sct=idle.replace("100 0", "0.5 0.5")))
    assert read(put(tmp_path, sct=idle.replace("THINKTIME 0 0", "THINKTIME 0.001 0").replace("100 0", "0 0")))
    with pytest.raises(UserError, match=r"t\.sct:2:12: a cycle passes no time"):
        read(put(tmp_path, sct=idle.replace("100 0", "0.5 0.4")))
    short = idle.replace("TIME 0 0", "TIME 0.0009 0").replace("100 0", "0 0")  # neither takes a microsecond
    with pytest.raises(UserError, match=r"t\.sct:2:12: a cycle passes no time"):
        read(put(tmp_path, sct=short))


def test_a_link_leads_nowhere_else(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    path = put(inside)
    (inside / "t.sct").rename(outside / "t.sct")
    (inside / "t.sct").symlink_to(outside / "t.sct")
    with pytest.raises(UserError, match=r"t\.sct is a link that leads out"):
        read(path)
    (inside / "t.sct").unlink()
    (inside / "T.SCT").write_text(SCT)  # as the names on a disc of Windows NT
    (tmp_path / "link").symlink_to(inside)
    assert read(tmp_path / "link" / "e.scr").processes


def test_what_is_no_small_text_file_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, scr="#" * 5000 + "\n" + "# more\n" * 12_000)
    with pytest.raises(UserError, match="at most 65,536 bytes"):
        read(path)
    most = SCP + ("#" * 8191 + " \n") * 7 + "#" * (8192 - len(SCP) + 1)  # ends of lines do not count
    assert read(put(tmp_path, scp=most))
    with pytest.raises(UserError, match="at most 65,536 bytes"):
        read(put(tmp_path, scp=most + "#"))
    put(tmp_path)
    for other, what in ((tmp_path, "is a directory"), (tmp_path / "none.scr", "No such file")):
        with pytest.raises(UserError, match=what):
            read(other)
    os.mkfifo(tmp_path / "pipe.scr")
    with pytest.raises(UserError, match="not a regular file"):
        read(tmp_path / "pipe.scr")
    (tmp_path / "t.sct").unlink()
    os.mkfifo(tmp_path / "t.sct")
    with pytest.raises(UserError, match=r"there is no file t\.sct"):
        read(put_scr(tmp_path))


def put_scr(folder: Path) -> Path:
    (folder / "e.scr").write_text(SCR)
    return folder / "e.scr"


def taken(path: Path) -> str | None:
    """What is wrong in *path*; None where nothing is."""
    try:
        read(path)
    except UserError as error:
        return str(error)
    return None


@settings(max_examples=60)
@given(st.lists(st.sampled_from([*SCT.split(), "\n", "\n", "RRW", "-1", "1e9", "x" * 300, "é", "#"]), max_size=60))
def test_whatever_is_written_is_taken_or_refused(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    outcome = taken(put(folder, sct=SCT + " ".join(words)))
    assert outcome is None or outcome.startswith(f"{folder}/t.sct:")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_chapters_workloads_can_be_read(path: Path) -> None:
    probe = read(path)
    assert all(action.file.size >= 100 * 1024 for each in probe.processes for action in each.threads[0].actions)


def test_the_chapters_workloads() -> None:
    probes = {path.stem: read(path) for path in SHIPPED}
    assert len(probes) == 12
    large, update = first_action(probes["large_read"]), first_action(probes["sequential_update"])
    assert (large.file.size, large.record, large.seek) == (10 << 20, 8192, Bell(640, 85, 1279))
    assert (update.file.size, update.record, update.operations, update.seek) == (10 << 20, 512, (READ, WRITE), None)
    assert len(probes["disc_512_by_5"].processes) == 5
    assert {first_action(probes[name]).file.size for name in ("sequential_read", "random_read_write")} == {1 << 20}
    sides = [process.threads[0].actions[0] for process in probes["side_by_side"].processes]
    assert [action.mode for action in sides] == [Mode.BUFFERED, Mode.MAPPED]
    assert sides[0].file != sides[1].file
