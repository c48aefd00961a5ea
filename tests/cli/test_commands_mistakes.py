"""Mistakes on the command line: one line on stderr that names what, the value and the rule; status 2; no traceback."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.models.hp3000.parameters import MpeParameters

Refused = Callable[..., str]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Refused:
    """Runs a command that must be refused; what it said on its one line."""

    def run(*arguments: str) -> str:
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("spindle: ")
        assert err.endswith("\n")
        assert err.count("\n") == 1
        assert len(err) < 1000
        return err.removeprefix("spindle: ").rstrip("\n")

    return run


def case(said: str, *arguments: str) -> object:
    return pytest.param(arguments, said, id=" ".join(arguments)[:80])


# A cheap run, so that what ought to be refused and is not costs no minutes.
RESIDENT = MpeParameters().resident
RUN = ("run", "hp3000", "--minutes=1", "--warm-up=0")
SWEEP = ("sweep", "hp3000", "--set", "minutes=0.5", "--set", "warm_up=0", "--seeds=1", "--workers=1")

NAMES = [
    case("unknown command 'rum': did you mean run?", "rum"),
    case("unknown command 'paramters': did you mean parameters or characterise?", "paramters"),
    case("unknown command '': there are", ""),
    case("unknown option before a command '--seed': did you mean --help?", "--seed", "3", "run", "hp3000"),
    case("unknown option before a command '--hlp': did you mean --help or -h?", "--hlp"),
    case("unknown system 'hp300': did you mean hp3000?", "run", "hp300"),
    case("unknown system 'HP3000': did you mean hp3000?", "run", "HP3000"),
    case("unknown system '': there are buffer_pool, curve, hp3000, kv_cache", "run", ""),
    case("unknown system 'vax': there are buffer_pool, curve, hp3000, kv_cache", "sweep", "vax"),
    case("unknown system 'hp300': did you mean hp3000?", "experiment", "hp300"),
    case("unknown system 'maxiv': did you mean max_iv or machine?", "claims", "maxiv"),
    case("unknown system '': there are buffer_pool, curve, hp3000, kv_cache", "claims", ""),
    case("unknown system 'max-iv': did you mean max_iv?", "parameters", "max-iv"),
    case("unknown option '--terminal': did you mean", "run", "hp3000", "--terminal", "5"),
    case("did you mean --terminals", "run", "hp3000", "--terminal", "5"),
    case("unknown option '--terminal': did you mean", "run", "hp3000", "--terminal=5"),
    case("did you mean --no-caching", "run", "hp3000", "--no-cache"),
    case("unknown option '-t'", "run", "hp3000", "-t"),
    case("unknown option '--script'", "run", "max_iv", "--script", "x.tepe"),
    case("unknown option '--wrkers': did you mean", "sweep", "hp3000", "--wrkers", "2"),
    case("unknown option '--fast': there are", "list", "--fast"),
    case("unknown option '--jason': did you mean --json?", "parameters", "hp3000", "--jason"),
    case("unknown option '--ful': did you mean --full", "report", "--ful"),
    case("unknown option '--result': did you mean --results", "report", "--result=here"),
    case("--network-latency must be a number from 0 to 1000000, not -0.001", "load", "--network-latency", "-1ms"),
    case("a moving picture begins at 0 to 1e+06 s, not -1.0", *RUN, "--html=x.html", "--window", "-1:2"),
    case("precision is a share of the mean, between 0 and 1, not nan", *RUN, "--precision", "nan"),
    case("--precision and --seed exclude each other", *RUN, "--precision", "0.1", "--seed", "2"),
    case("--precision and --timeline exclude each other", *RUN, "--precision", "0.1", "--timeline", "x.json"),
    case("warm_up must be a number, such as 20, 90s or 2h, not 'aut'", "run", "hp3000", "--warm-up", "aut"),
    case("unknown name to set 'memry': did you mean memory or cache_memory?", *RUN, "--set", "memry=5"),
    case("unknown option '--memry': did you mean --memory", *RUN, "--memry", "5"),
    case("terminals is given twice, by --terminals and by --set", *RUN, "--terminals=5", "--set", "terminals=5"),
    case("terminals has one value here, not '5,6': spindle sweep hp3000 takes several", *RUN, "--terminals=5,6"),
    case("caching has one value here, not 'on,off': spindle sweep", *RUN, "--caching=on,off"),
    case("--iops has one value here, not '5,6': spindle sweep load takes several", "load", "--iops", "5,6"),
    case("--iops must be a number, not '5,x'", "load", "--iops", "5,x"),
    case("--drive has one value here, not 'hp7933,hp7925': spindle sweep TRACE takes several",
         "replay", "t.csv", "--drive", "hp7933,hp7925"),
    case("unknown option '--duration': did you mean --requests?", "load", "--duration", "5s"),
    case("unknown option '--reads': did you mean --writes?", "load", "--reads=40%"),
    case("unknown option '--rate': did you mean --iops?", "load", "--rate=5"),
    case("unknown option '--rate': did you mean --speed?", "replay", "t.csv", "--rate=5"),
    case("queue: there is no cylinder 200; a drive of 200 cylinders has 0 to 199", "moving", "m.html", "--queue=200"),
    case("--queue and --seed exclude each other", "moving", "m.html", "--queue=98,183", "--seed=5"),
    case("--where is given twice, and a search has one condition", "find", "load", "iops", "--where", "p95 <= 1",
         "--where=mean <= 1"),
    case("unknown name to set 'terminls': did you mean", "sweep", "hp3000", "--set", "terminls=5"),
    case("unknown name to set 'seed': did you mean series?", "sweep", "hp3000", "--set", "seed=5"),
    case("unknown study 'hit_ratio_vs_ftech': did you mean hit_ratio_vs_fetch",
         "experiment", "hp3000", "hit_ratio_vs_ftech"),
    case("unknown study '': there are", "experiment", "max_iv", ""),
    case("machine has no studies", "experiment", "machine"),
    case("machine has no paper, and so no claims", "claims", "machine"),
    case("unknown drive 'hp7934': did you mean", *RUN, "--drive", "hp7934"),
    case("drive 'SSD' names a kind of drives, and must name one: solid-state", *RUN, "--drive", "SSD"),
    case("unknown option '--users': did you mean --terminals?", *RUN, "--users", "5"),
    case("unknown name to set 'ram': did you mean memory?", *RUN, "--set", "ram=5"),
    case("unknown option '--queue-depth': did you mean --depth?", "replay", "trace.csv", "--queue-depth", "4"),
    case("the axis 4-1 is no range of 1 to", "sweep", "hp3000", "--terminals", "4-1"),
    case("--drive must have a value, not ''", *RUN, "--drive", ""),
    case("unknown scheduler 'zigzag': there are c-look, c-scan, fcfs, kyber, look, mq-deadline, reads-first, scan, "
         "sptf, sstf", *RUN, "--scheduler", "zigzag"),
    case("unknown policy 'lruu': did you mean lru or slru or mglru?", *RUN, "--policy", "lruu"),
    case("unknown cpu 'fast': did you mean fcfs?", *RUN, "--cpu", "fast"),
    case("unknown write 'never': there are behind, block-on-write, serial", *RUN, "--write", "never"),
    case("unknown alignment 'lots': there are centred, from-request, in-multiples", *RUN, "--alignment", "lots"),
    case("unknown drive 'q1': there are", "sweep", "hp3000", "--set", "drive=hp7933,q1"),
    case("unknown scheduler '': there are", "sweep", "max_iv", "--set", "scheduler=look,"),
    case("unknown tepe command 'chek': did you mean check?", "tepe", "chek", "x.tepe"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "said"), NAMES)
def test_what_does_not_exist_is_answered_with_the_nearest_names(
    refused: Refused, arguments: tuple[str, ...], said: str
) -> None:
    assert said in refused(*arguments)


VALUES = [
    case("terminals must be a whole number, not 'five'", *RUN, "--terminals", "five"),
    case("--terminals must have a value, not ''", *RUN, "--terminals", ""),
    case("terminals must be a whole number, not '1e3'", *RUN, "--terminals", "1e3"),
    case("terminals must be a whole number, not 'nan'", *RUN, "--terminals", "nan"),
    case("terminals must be between 1 and 10000, not 0", *RUN, "--terminals", "0"),
    case("terminals must be between 1 and 10000, not -1", *RUN, "--terminals", "-1"),
    case("terminals must be between 1 and 10000, not 10001", *RUN, "--terminals", "10001"),
    case(f"not {10**30}", *RUN, "--terminals", str(10**30)),
    case("terminals must be a whole number, not '999", *RUN, "--terminals", "9" * 5000),
    case("clerks must be between 0 and 10000, not 10001", *RUN, "--clerks", "10001"),
    case("clerks must be between 0 and 10000, not -5", *RUN, "--clerks", "-5"),
    case("minutes must be positive and at most 1e+06, not 0.0", "run", "hp3000", "--minutes", "0"),
    case("minutes must be positive and at most 1e+06, not -1.0", "run", "hp3000", "--minutes", "-1"),
    case("minutes must be positive and at most 1e+06, not nan", "run", "hp3000", "--minutes", "nan"),
    case("minutes must be positive and at most 1e+06, not inf", "run", "hp3000", "--minutes", "inf"),
    case("minutes must be positive and at most 1e+06, not inf", "run", "hp3000", "--minutes", "1e400"),
    case("minutes must be positive and at most 1e+06, not -inf", "run", "hp3000", "--minutes=-inf"),
    case("minutes must be positive and at most 1e+06, not 1e+30", "run", "hp3000", "--minutes", "1e30"),
    case("--minutes must have a value, not ''", "run", "hp3000", "--minutes", ""),
    case("warm_up must be at least 0 and at most 1e+06 minutes, not nan", "run", "hp3000", "--warm-up", "nan"),
    case("warm_up must be at least 0 and at most 1e+06 minutes, not -1.0", "run", "hp3000", "--warm-up", "-1"),
    case("warm_up must be at least 0 and at most 1e+06 minutes, not inf", "run", "hp3000", "--warm-up", "1e400"),
    case("memory must be positive and at most", *RUN, "--set", "memory=0"),
    case("memory must be a whole number from 0 to", *RUN, "--set", "memory=-8388608"),
    case("memory must be positive and at most 68719476736, not 999", *RUN, "--set", f"memory={999 * 10**9}"),
    case("memory must leave at least 64 KiB beside the 1280 KiB of MPE itself, not 1280 KiB",
         *RUN, "--set", f"memory={RESIDENT}"),
    case("of MPE itself, not 8 B", *RUN, "--set", "memory=8"),
    case("memory must be at most 1125899906842624 bytes, not 1e400", *RUN, "--set", "memory=1e400"),
    case("memory must be bytes, such as 4096, 64K, 1MiB or 6MB, not 'nan'", *RUN, "--set", "memory=nan"),
    case("memory must be bytes, such as 4096, 64K, 1MiB or 6MB, not '8388608.5'", *RUN, "--set", "memory=8388608.5"),
    case("mips must be a finite number, not nan", *RUN, "--set", "mips=nan"),
    case("mips must be a finite number, not inf", *RUN, "--set", "mips=1e400"),
    case("mips must be at least 0.001 and at most 10000, not -1.0", *RUN, "--set", "mips=-1"),
    case("mips must be at least 0.001 and at most 10000, not 0.0", *RUN, "--set", "mips=0"),
    case("discs must be at least 1 and at most 64, not 0", *RUN, "--set", "discs=0"),
    case("hot_share must be at least 0 and at most 1, not 1.5", *RUN, "--set", "hot_share=1.5"),
    case("initiate must be at least 0 and at most 10, not -0.001", *RUN, "--set", "initiate=-0.001"),
    case("hit_cpu must be at least read_call + miss_search, 0.002 s, not 0.0001 s",
         *RUN, "--set", "hit_cpu=0.0001"),
    case("bytes, to fit into set_bytes and memory, not 2097153",
         *RUN, "--set", "block=2097153"),
    case("block must be at most ", *RUN, "--set", "memory=3300000", "--set", "block=154273"),
    case("users must be ", "run", "max_iv", "--users", "0"),
    case("--load and --trace exclude each other; leave out one of them",
         "run", "sata_ncq", "--trace", __file__, "--set", "load=pcfat32"),
    case("--load and --trace exclude each other",
         "sweep", "sata_ncq", "--set", f"trace={__file__}", "--set", "load=pcfat32,smalldiskmon"),
    case("sectors must be ", "run", "max_iv", "--sectors", "-1"),
    case(f"not {10**30}", "run", "max_iv", "--sectors", str(10**30)),
    case("minutes must be positive and at most 1e+06, not 0.0", "run", "max_iv", "--minutes", "0"),
    case("minutes must be positive and at most 1e+06, not -1.0", "run", "max_iv", "--minutes", "-1"),
    case("minutes must be positive and at most 1e+06, not nan", "run", "max_iv", "--minutes", "nan"),
    case("minutes must be positive and at most 1e+06, not 1e+30", "run", "max_iv", "--minutes", "1e30"),
    case("warm_up must be at least 0 and at most 1e+06 minutes, not -1.0",
         "run", "max_iv", "--minutes", "2", "--warm-up", "-1"),
    case("nobody was answered within the measured time, from minute 0.25 to 0.251: run for more minutes, or with less",
         "run", "hp3000", "--minutes", "0.001", "--warm-up", "0.25", "--terminals", "1"),
    case("no room for file", *RUN, "--drive", "ibm2314", "--set", "discs=1"),
    case("virtual memory: no room for stack of CLERKS",
         *RUN, "--drive", "hp7920", "--terminals=10000", "--clerks=10000"),
    case("--seeds must be at least 1, not 0", *SWEEP, "--seeds", "0"),
    case("--seeds must be at least 1, not -3", *SWEEP, "--seeds", "-3"),
    case("--seeds must be a whole number, not 'x'", *SWEEP, "--seeds", "x"),
    case("a sweep of 1000001 runs is more than 1000000", *SWEEP, "--seeds", "1000001"),
    case("runs is more than 1000000; give fewer values", *SWEEP, "--seeds", "1000",
         "--set", f"terminals={','.join(['5'] * 40)}", "--set", f"discs={','.join(['6'] * 40)}"),
    case("--terminals is given twice; give its values with commas between",
         *SWEEP, "--terminals", "5", "--terminals=9"),
    case("--workers must be a whole number from 1 to 1024, not 0", *SWEEP, "--workers", "0"),
    case("--workers must be a whole number from 1 to 1024, not 1025", *SWEEP, "--workers", "1025"),
    case("--workers must be a whole number from 1 to 1024, not -1", "experiment", "hp3000", "--workers", "-1"),
    case("--workers must be a whole number, not '1e9'", "claims", "--workers", "1e9"),
    case("--workers must be a whole number from 1 to 1024, not 0", "report", "--workers", "0"),
    case("--full and --quick exclude each other; choose one", "report", "--quick", "--full"),
    case("--full and --quick exclude each other; choose one", "experiment", "max_iv", "--full", "--quick"),
    case("--full and --quick exclude each other; choose one", "claims", "--quick", "--full"),
    case("caching must be true or false, not 'maybe'", *SWEEP, "--set", "caching=true,maybe"),
    case("terminals must be between 1 and 10000, not 0 (at minutes=0.5, warm_up=0.0, terminals=0, seed=1)",
         *SWEEP, "--set", "terminals=0"),
    case("between 1 and 10000, not 0 (at minutes=0.5, warm_up=0.0, drive=hp7933, cpu=fcfs, terminals=0, ",
         *SWEEP, "--set", "drive=hp7933", "--set", "cpu=fcfs", "--set", "terminals=0"),
    case("minutes must be positive and at most 1e+06, not nan (at ",
         "sweep", "hp3000", "--workers", "1", "--set", "minutes=nan"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "said"), VALUES)
def test_values_that_cannot_be_are_named_with_their_rule(
    refused: Refused, arguments: tuple[str, ...], said: str
) -> None:
    assert said in refused(*arguments)


WORDS = [
    case("run: the following arguments are required: system", "run"),
    case("run: first comes the system, then options such as --json", "run", "--json", "hp3000"),
    case("sweep: the following arguments are required: system", "sweep"),
    case("experiment: the following arguments are required: system (", "experiment"),
    case("parameters: the following arguments are required: system", "parameters"),
    case("tepe: the following arguments are required: check | language | programs", "tepe"),
    case("tepe check needs a script: spindle tepe check FILE", "tepe", "check"),
    case("run: one word too many: 'again'", *RUN, "again"),
    case("caching must be true or false, not 'perhaps'", *RUN, "--caching", "perhaps"),
    case("claims: one word too many: 'max_iv'", "claims", "hp3000", "max_iv"),
    case("parameters: one word too many: 'max_iv'", "parameters", "hp3000", "max_iv"),
    case("sweep: one word too many: 'terminals=5'", "sweep", "hp3000", "terminals=5"),
    case("unknown system 'all': there are buffer_pool, curve, hp3000, kv_cache", "list", "all"),
    case("report: one word too many: 'now'", "report", "now"),
    case("run: argument --terminals: expected one argument", "run", "hp3000", "--terminals"),
    case("run: argument --seed: expected one argument", "run", "hp3000", "--seed"),
    case("run: argument --drive: expected one argument", "run", "hp3000", "--drive", "--json"),
    case("run: argument --script: expected one argument", "run", "hp3000", "--script"),
    case("run: argument --set: expected one argument", "run", "hp3000", "--set"),
    case("--json must be true or false, not '3'", "run", "hp3000", "--json=3"),
    case("sweep: argument --out: expected one argument", "sweep", "hp3000", "--out"),
    case("experiment: argument --results: expected one argument", "experiment", "hp3000", "--results"),
    case("--set takes NAME=VALUE, not 'memory'", *RUN, "--set", "memory"),
    case("--set takes NAME=VALUE, not 'memory='", *RUN, "--set", "memory="),
    case("--set takes NAME=VALUE, not '=5'", *RUN, "--set", "=5"),
    case("--set takes NAME=VALUE, not ''", *RUN, "--set", ""),
    case("--set memory is given twice", *RUN, "--set", "memory=8388608", "--set", "memory=8388608"),
    case("--set takes NAME=VALUE, not 'terminals'", *SWEEP, "--set", "terminals"),
    case("--set takes NAME=VALUE, not 'terminals='", *SWEEP, "--set", "terminals="),
    case("terminals must be a whole number, not ''", *SWEEP, "--set", "terminals=5,"),
    case("terminals must be a whole number, not ''", *SWEEP, "--set", "terminals=,"),
    case("caching must be true or false, not ''", *SWEEP, "--set", "caching=true,,false"),
    case("--set minutes is given twice; list all its values in one", *SWEEP, "--set", "minutes=1"),
    case("--set drive is given twice", *SWEEP, "--set", "drive=hp7933", "--set", "drive=hp7925"),
    case("--out must have a value, not ''", *SWEEP, "--out", ""),
    case(r"--out must name a file, not 'a\nb.csv'", *SWEEP, "--out", "a\nb.csv"),
    case("--store must have a value, not ''", *SWEEP, "--store", ""),
    case("terminals has the value 5 twice, and the same runs would count as several seeds",
         *SWEEP, "--set", "terminals=5,6,5"),
    case("memory has the value 4194304 twice", *SWEEP, "--set", "memory=4MiB,4096KiB"),
    case("seed has the value 3 twice", "sweep", "hp3000", "--seed", "3,3"),
    case("--store must have a value, not ''",
         "find", "max_iv", "users", "--where", "disc_busy <= 0.3", "--store", ""),
    case("DIR must name a folder, not ''", "notebooks", ""),
    case("cannot read mine.py: No such file or directory", "run", "mine.py"),
    case("policy 'mine.py' is a file, and must be given as FILE.py:NAME", *RUN, "--policy", "mine.py"),
    case("drive 'mine.py' is a file, and must be given as FILE.yaml or FILE.py:NAME", *RUN, "--drive", "mine.py"),
]


@pytest.mark.parametrize(("arguments", "said"), WORDS)
def test_missing_and_surplus_words_are_named(refused: Refused, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(*arguments)


@pytest.fixture
def in_the_way(tmp_path: Path) -> Path:
    """A file where a folder is wanted."""
    file = tmp_path / "file"
    file.write_text("in the way")
    return file


def test_places_where_nothing_can_be_written_are_found_before_anything_is_computed(
    refused: Refused, in_the_way: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compute(*_: object, **__: object) -> None:
        raise AssertionError("computed first")

    monkeypatch.setattr(import_module("spindle.studies.sweep.sweep"), "answer", compute)
    monkeypatch.setattr("spindle.cli.judged.score", compute)
    for command in (["experiment", "hp3000"], ["claims"], ["claims", "max_iv"], ["report", "--quick"]):
        said = refused(*command, "--results", str(in_the_way))
        assert said.startswith("--results: cannot make the folder ")
    assert refused(*SWEEP, "--out", str(in_the_way / "x.csv")) == (
        f"--out: cannot make the folder {in_the_way}: it is a file"
    )
    assert refused(*SWEEP, "--out", str(in_the_way / "a" / "x.csv")) == (
        f"--out: cannot make the folder {in_the_way / 'a'}: {in_the_way} is a file"
    )
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path, what in ((loop, "it"), (loop / "below", str(loop))):
        assert refused(*SWEEP, "--store", str(path)) == (
            f"--store: cannot make the folder {path}: {what} is a link to nowhere"
        )
    assert refused(*SWEEP, "--out", str(tmp_path)) == f"--out must name a file, not {str(tmp_path)!r}"
    monkeypatch.setattr("os.access", lambda *_: False)
    assert refused(*SWEEP, "--out", str(tmp_path / "x.csv")) == (
        f"--out: nothing can be written into the folder {tmp_path}"
    )


# Scripts ------------------------------------------------------------------------------------------

SCRIPTS = {
    "unknown verb": (b"SCRIPT A\nRUN ORDERS\nTHUNK 5\nBYE\n", ":3:1: unknown verb 'THUNK'", "THUNK 5", 0),
    "missing operand": (b"SCRIPT A\nRUN ORDERS\n  THINK\nBYE\n", ":3:8: ", "  THINK", 7),
    "negative time": (b"SCRIPT A\nRUN ORDERS\nTHINK -5\nBYE\n", ":3:7: ", "THINK -5", 6),
    "infinite time": (b"SCRIPT A\nRUN ORDERS\nTHINK 1e999\nBYE\n", ":3:7: ", "THINK 1e999", 6),
    "loop without end": (b"SCRIPT A\nRUN ORDERS\nLOOP\nTHINK 5\nBYE\n", ":3:1: LOOP has no END", "LOOP", 0),
    "unknown program": (b"SCRIPT A\nRUN PACMAN\n", ":2:5: unknown program 'PACMAN'", "RUN PACMAN", 4),
    "zero terminals": (b"SCRIPT A\nTERMINALS 0\nRUN ORDERS\n", ":2:11: ", "TERMINALS 0", 10),
    "too many terminals": (b"SCRIPT A\nTERMINALS 10001\nRUN ORDERS\n", ":2:11: ", "TERMINALS 10001", 10),
    "empty": (b"", ":1:1: there is no SCRIPT in this file", "", 0),
    "binary": (b"SCRIPT A\n\x7fELF\x00\x80", ":2:6: not a text file", "?ELF", 5),
    "timeless loop": (b'SCRIPT A\nRUN ORDERS\nLOOP\nTHINK 0\nEND\n', ":3:1: ", "LOOP", 0),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_check_and_run_say_the_same_of_a_script_and_point_at_it(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, said, line, column = SCRIPTS[name]
    path = tmp_path / "bad.tepe"
    path.write_bytes(content)
    assert main(["tepe", "check", str(path)]) == 2
    out, checked = capsys.readouterr()
    assert main([*RUN, "--script", str(path)]) == 2
    assert capsys.readouterr() == (out, checked) == ("", checked)
    what, shown, caret = checked.removesuffix("\n").split("\n")
    assert what.startswith(f"{path}{said}")
    assert shown.startswith(line)
    assert caret == " " * column + "^"


@pytest.mark.parametrize("name", ["missing.tepe", "", "a folder", "huge.tepe"])
def test_check_and_run_say_the_same_of_a_file_that_is_no_script(name: str, refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "huge.tepe").write_bytes(b"* ten million bytes, and one\n" + b" " * 10_000_000)
    path = str(tmp_path / name) if name else ""
    assert refused("tepe", "check", path) == refused(*RUN, "--script", path)


def test_a_script_whose_files_do_not_fit_the_discs_is_refused_in_one_line(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "many.tepe"
    path.write_text('SCRIPT MANY\nTERMINALS 2000\nRUN COBOL\nLOOP\nTHINK 5\nENTER "EDIT"\nEND\n')
    said = refused(*RUN, "--script", str(path), "--discs", "1", "--drive", "hp7920")
    assert said.startswith("discs: no room for file ")
    assert said.endswith("use more discs")


def test_the_terminals_of_a_script_are_its_own(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "few.tepe"
    path.write_text('SCRIPT FEW\nTERMINALS 3\nRUN ORDERS\nLOOP\nTHINK 5\nENTER "FIND"\nEND\n')
    script = (*RUN, "--script", str(path))
    assert "between 1 and 10,000, not be 0" in refused(*script, "--terminals=0")
    assert "between 1 and 10,000, not be 10001" in refused(*script, "--terminals", "10001")
    assert "--clerks counts Spindle's own people" in refused(*script, "--clerks", "5")


def test_the_second_of_two_scripts_may_be_the_wrong_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = tmp_path / "right.tepe", tmp_path / "wrong.tepe"
    right.write_text("SCRIPT A\nRUN ORDERS\n")
    wrong.write_text("SCRIPT A\nRUN\n")
    assert main([*RUN, "--script", str(right), "--script", str(wrong)]) == 2
    assert capsys.readouterr().err.startswith(f"{wrong}:2:4: ")
