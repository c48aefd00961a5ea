"""Makes Script objects of a parsed TEPE script, and checks it.

Numbers must be within bounds, programs and answers known; loops must take time, and every step must be reachable.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import fsum, inf, isclose, isfinite

from lark import Token, Tree

from spindle.sim.error import quote, unknown
from spindle.sim.script import (
    Call,
    Choose,
    Count,
    Counted,
    Deal,
    Expect,
    If,
    Loop,
    Said,
    Script,
    Step,
    Test,
    Think,
    Type,
)
from spindle.sim.streams import Constant, Distribution, Exponential, Normal, Uniform
from spindle.sim.units import MINUTE, MS, SECOND, US
from spindle.workloads.programs import Answer, Program
from spindle.workloads.shipped_programs import MPE
from spindle.workloads.tepe_language.data import Records
from spindle.workloads.tepe_language.source import Source, safe

# The numbers of a terminal script, each within its bounds.

MAX_NUMBER = 1e9
"""Largest time in seconds, rate or count; 1e9 s are 32 years."""

MIN_RATE = 1e-3
"""Least rate a second: with it a word takes hours."""

_UNITS = {"S": SECOND, "MS": MS, "MIN": MINUTE}


def read_number(source: Source, token: Token, what: str, most: float = MAX_NUMBER, scale: float = 1.0) -> float:
    """Read the number *token* times *scale*, from 0 to *most*; *what* names it in a mistake."""
    value = float(token) * scale + 0.0  # so that -0 is 0
    line, column = place(token)
    if not isfinite(value):
        raise source.error(line, column, f"{safe(token, 40)} is not a finite number")
    if value < 0.0:
        raise source.error(line, column, f"{what} cannot be negative, like {safe(token, 40)}")
    if value > most:
        raise source.error(line, column, f"{what} can be {most:,.0f} at most, not {safe(token, 40)}")
    return value


def read_positive(source: Source, token: Token, what: str, most: float = MAX_NUMBER) -> float:
    """Read the number *token*, which must be more than zero."""
    value = read_number(source, token, what, most)
    if value == 0.0:
        raise source.error(*place(token), f"{what} must be more than zero")
    return value


def read_rate(source: Source, token: Token, what: str) -> float:
    """Read the number *token* of characters or bits a second."""
    value = read_positive(source, token, what)
    if value < MIN_RATE:
        raise source.error(*place(token), f"{what} must be at least {MIN_RATE:g}, not {safe(token, 40)}")
    return value


def read_count(source: Source, token: Token, what: str, most: float = MAX_NUMBER) -> int:
    """Read the whole number *token*, at least one."""
    value = read_positive(source, token, what, most)
    if not value.is_integer():
        raise source.error(*place(token), f"{what} must be a whole number, not {safe(token, 40)}")
    return int(value)


def read_time(source: Source, tree: Tree[Token]) -> float:
    """Read the seconds of a ``time``: a number and perhaps its unit."""
    number, *unit = tokens(tree)
    return read_number(source, number, "a time in seconds", scale=_UNITS[unit[0].type] if unit else SECOND)


def read_distribution(source: Source, tree: Tree[Token]) -> Distribution:
    """Read a ``constant``, ``exponential``, ``uniform`` or ``normal`` as a Distribution."""
    times = [read_time(source, child) for child in trees(tree)]
    if tree.data == "constant":
        return Constant(times[0])
    if tree.data == "exponential":
        return Exponential(times[0])
    if tree.data == "normal":
        return Normal(*times)
    low, high = times
    if high < low:
        raise source.error(*place(tree), f"UNIFORM runs backwards, from {low:g} to {high:g} s")
    return Uniform(low, high)


def place(item: Token | Tree[Token]) -> tuple[int, int]:
    """Return the line and the column where *item* begins."""
    where = item.meta if isinstance(item, Tree) else item
    assert where.line is not None
    assert where.column is not None
    return where.line, where.column


def tokens(tree: Tree[Token]) -> list[Token]:
    return [child for child in tree.children if isinstance(child, Token)]


def trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in tree.children if isinstance(child, Tree)]


MAX_DEPTH = 50

FUNCTION_KEYS = tuple(f"F{number}" for number in range(1, 9))
KEY_CHARACTERS = 2
"""What a function key of an HP terminal sends before RETURN: an escape and a letter; as remembered."""

Running = tuple[Program | None, ...]
"""The programs that may be running; None is no program. More than one where branches of a CHOOSE differ."""


@dataclass
class Block:
    """Steps in a row, and the state of a terminal after them.

    *outer_enter* is the first ENTER to the program that was running before the block.
    """

    running: Running
    steps: list[Step] = field(default_factory=list)
    outer_enter: Tree[Token] | None = None
    started: bool = False
    passes_time: bool = False
    endless: bool = False


class Checker:
    """Turns the steps of one SCRIPT into data; *programs* are those that RUN may name.

    *data* are the records that its ENTERs take in turn; in *block_mode* what is typed goes to the machine at the end.
    """

    def __init__(
        self, source: Source, programs: Mapping[str, Program], data: Records | None = None, block_mode: bool = False
    ) -> None:
        self._source = source
        self._programs = programs
        self._data = data
        self._block_mode = block_mode
        self._counters: set[str] = set()
        self._tested: list[Token] = []
        self._simple: Mapping[str, Callable[[Block, Tree[Token]], None]] = {
            "think": self._think, "run": self._run, "enter": self._enter, "mistype": self._mistype,
            "wait": self._wait, "press": self._press, "command": self._command, "count": self._count,
            "clear": self._count,
        }  # fmt: skip
        self._compound = {"loop": self._loop, "choose": self._choose, "if": self._if}

    def script(self, statements: list[Tree[Token]]) -> tuple[Step, ...]:
        """Turn all *statements* of the SCRIPT into steps."""
        steps = tuple(self.block(statements).steps)
        for name in self._tested:
            if name.upper() not in self._counters:
                raise self._source.error(*place(name), f"nothing counts {safe(name, 40)}: COUNT {safe(name, 40)}")
        return steps

    def block(self, statements: list[Tree[Token]], running: Running = (None,), depth: int = 0) -> Block:
        """Turn *statements* into steps, begun while *running*, within *depth* blocks."""
        block = Block(running)
        for statement in statements:
            if block.endless:
                raise self._source.error(*place(statement), "never reached: the LOOP before it goes on for ever")
            if statement.data in self._simple:
                self._simple[statement.data](block, statement)
            elif depth == MAX_DEPTH:
                raise self._source.error(*place(statement), f"blocks are nested more than {MAX_DEPTH} deep")
            else:
                self._compound[statement.data](block, statement, depth + 1)
        return block

    def _think(self, block: Block, statement: Tree[Token]) -> None:
        time = read_distribution(self._source, trees(statement)[0])
        block.steps.append(Think(time))
        block.passes_time |= time.mean >= US

    def _run(self, block: Block, statement: Tree[Token]) -> None:
        (token,) = tokens(statement)
        self._start(block, token, place(token))

    def _start(self, block: Block, name: str, where: tuple[int, int], colon: str = "") -> None:
        program = self._programs.get(name.upper())
        if program is None:
            raise self._source.error(*where, str(unknown("program", name.upper(), self._programs)))
        text = f"RUN {name.upper()}"
        block.steps += Type(len(colon + text)), Call(Answer(program, program.starting), text)
        block.running = (program,)
        block.started = block.passes_time = True

    def _command(self, block: Block, statement: Tree[Token]) -> None:
        """Type a line to the command interpreter; :RUN starts a program, and others leave the one that runs alone."""
        (token,) = tokens(statement)
        line, column = place(token)
        text = token.rstrip()
        word, *operands = text[1:].split() or [""]
        if word.upper() == "RUN":
            if not operands:
                raise self._source.error(line, column + len(text), "RUN is not complete: write :RUN program")
            behind = token.index(operands[0], token.index(word) + len(word))
            self._start(block, operands[0], (line, behind + column), ":")
            return
        mpe = self._programs.get(MPE.name, MPE)
        if word.upper() not in mpe.answers:
            known = {"RUN": None, **mpe.answers}
            raise self._source.error(line, column + 1, str(unknown("MPE command", word.upper(), known)))
        answer = Answer(mpe, mpe.answers[word.upper()])
        block.steps += Type(len(text)), Call(answer, f":{word.upper()}")
        block.passes_time = True

    def _enter(self, block: Block, statement: Tree[Token]) -> None:
        (token,) = tokens(statement)
        program = self._program(block.running, statement)
        text = token[1:-1]
        if self._data is not None and self._data.used_in(text):
            filled = self._data.fill(self._source, place(token), text)
            records = tuple(tuple(self._inquiry(program, token, each)) for each in filled)
            block.steps.append(Deal(self._data.name, records))
        else:
            block.steps += self._inquiry(program, token, text)
        block.passes_time = True
        self._ask(block, statement)

    def _inquiry(self, program: Program, token: Token, text: str) -> list[Step]:
        """Type *text*, whose first word chooses the answer of *program*, and send it."""
        word = (text.split() or [""])[0].upper()
        if not word:
            raise self._source.error(*place(token), f"this ENTER says nothing; {program.name} wants a word to go by")
        if word not in program.answers:
            what, (line, column) = str(unknown(f"{program.name} answer", word, program.answers)), place(token)
            raise self._source.error(line, column + len(token) - len(token[1:].lstrip()), what)
        block = len(text) if self._block_mode else 0
        return [Type(len(text), self._block_mode), Call(Answer(program, program.answers[word]), word, block)]

    def _press(self, block: Block, statement: Tree[Token]) -> None:
        """Press a function key, which the running program answers by its name."""
        (token,) = tokens(statement)
        program, key = self._program(block.running, statement), token.upper()
        if key not in FUNCTION_KEYS:
            raise self._source.error(*place(token), str(unknown("function key", key, dict.fromkeys(FUNCTION_KEYS))))
        if key not in program.answers:
            raise self._source.error(*place(token), str(unknown(f"{program.name} answer", key, program.answers)))
        block.steps += Type(1, local=True), Call(Answer(program, program.answers[key]), key, KEY_CHARACTERS)
        block.passes_time = True
        self._ask(block, statement)

    def _wait(self, block: Block, statement: Tree[Token]) -> None:
        (token,) = tokens(statement)
        block.steps.append(Expect(self._said(block.running, token)))

    def _said(self, running: Running, token: Token) -> Said:
        """Read the text that a reply is looked for, which a program that may be running can say."""
        text, programs = token[1:-1], [program for program in running if program is not None]
        says = [said for program in (*programs, self._programs.get(MPE.name, MPE)) for said in program.texts()]
        if not text or not any(text in each for each in says):
            found = ", ".join(map(quote, dict.fromkeys(says)))
            what = f"{_names(tuple(programs) or (None,))} never says {quote(text)}: replies say {found}"
            raise self._source.error(*place(token), what)
        return Said(text)

    def _count(self, block: Block, statement: Tree[Token]) -> None:
        (token,) = tokens(statement)
        clears = statement.data == "clear"
        (self._tested.append(token) if clears else self._counters.add(token.upper()))
        block.steps.append(Count(token.upper(), clears))

    def _test(self, running: Running, tree: Tree[Token]) -> Test:
        if tree.data == "said":
            return self._said(running, tokens(tree)[0])
        name, number = tokens(tree)
        self._tested.append(name)
        return Counted(name.upper(), read_count(self._source, number, "what a counter REACHES"))

    def _if(self, block: Block, statement: Tree[Token], depth: int) -> None:
        test, *ways = trees(statement)
        bodies = [self.block(trees(way), block.running, depth) for way in ways]
        if not bodies[0].steps:
            raise self._source.error(*place(statement), "this IF has nothing to do")
        if len(bodies) == 1:
            bodies.append(Block(block.running))
        held, otherwise = (tuple(body.steps) for body in bodies)
        block.steps.append(If(self._test(block.running, test), held, otherwise))
        self._join(block, bodies)

    def _mistype(self, block: Block, statement: Tree[Token]) -> None:
        """Type every character and take it back; nothing is sent to the machine."""
        (token,) = tokens(statement)
        if len(token) == len('""'):
            raise self._source.error(*place(token), "this MISTYPE says nothing")
        block.steps.append(Type(2 * (len(token) - len('""')), self._block_mode))

    def _program(self, running: Running, statement: Tree[Token]) -> Program:
        program = running[0]
        if len(running) > 1:
            what = f"after CHOOSE {_names(running)} may be running: RUN one before this ENTER"
            raise self._source.error(*place(statement), what)
        if program is None:
            raise self._source.error(*place(statement), "ENTER before RUN: no program is there to answer")
        return program

    def _ask(self, block: Block, statement: Tree[Token] | None) -> None:
        if not block.started and block.outer_enter is None:
            block.outer_enter = statement

    def _loop(self, block: Block, statement: Tree[Token], depth: int) -> None:
        children = trees(statement)
        ends = [child for child in children if child.data in ("times", "until")]
        times = [child for child in ends if child.data == "times"]
        count = read_count(self._source, tokens(times[0])[0], "the TIMES of a LOOP") if times else None
        body = self.block([child for child in children if child not in ends], block.running, depth)
        if not body.steps:
            raise self._source.error(*place(statement), "this LOOP is empty")
        if not body.passes_time:
            what = "this LOOP can go round without passing any time: it needs a THINK, RUN or ENTER on every way"
            raise self._source.error(*place(statement), what)
        if body.outer_enter is not None and body.running != block.running:
            what = f"{_names(block.running)} answers this ENTER first, {_names(body.running)} in the LOOP's next turn"
            raise self._source.error(*place(body.outer_enter), what)
        until = [self._test(body.running, trees(child)[0]) for child in ends if child.data == "until"]
        block.steps.append(Loop(tuple(body.steps), count, until[0] if until else None))
        block.endless = not ends or body.endless
        block.passes_time = True
        self._follow(block, [body])

    def _choose(self, block: Block, statement: Tree[Token], depth: int) -> None:
        branches = trees(statement)
        if not branches:
            raise self._source.error(*place(statement), "this CHOOSE is empty")
        shares = [read_positive(self._source, tokens(branch)[0], "a share", most=100) for branch in branches]
        if not isclose(fsum(shares), 100.0, rel_tol=1e-9):
            raise self._source.error(*place(statement), f"the shares must sum to 100 PERCENT, not {fsum(shares):g}")
        bodies = [self._branch(branch, block.running, depth) for branch in branches]
        block.steps.append(Choose(tuple(shares), tuple(tuple(body.steps) for body in bodies)))
        self._join(block, bodies)

    def _join(self, block: Block, bodies: list[Block]) -> None:
        """Go on behind one of *bodies*, whichever it was."""
        block.passes_time |= all(body.passes_time for body in bodies)
        block.endless = all(body.endless for body in bodies)
        self._follow(block, bodies)

    def _branch(self, branch: Tree[Token], running: Running, depth: int) -> Block:
        body = self.block(trees(branch), running, depth)
        if not body.steps:
            raise self._source.error(*place(branch), f"nothing to do in {safe(tokens(branch)[0], 40)} PERCENT")
        return body

    def _follow(self, block: Block, bodies: list[Block]) -> None:
        """Merge into *block* the programs that may run after one of *bodies*, and their ENTERs to the one before."""
        for body in bodies:
            if body.outer_enter is not None:
                self._ask(block, body.outer_enter)
        block.started |= all(body.started for body in bodies)
        # An endless branch is never left, so what runs in it does not matter behind the CHOOSE.
        ways = [body.running for body in bodies if not body.endless] or [body.running for body in bodies]
        block.running = _distinct(ways)


def _distinct(ways: list[Running]) -> Running:
    programs: list[Program | None] = []
    for way in ways:
        programs += [program for program in way if program not in programs]
    return tuple(programs)


def _names(running: Running) -> str:
    return " or ".join("no program" if program is None else program.name for program in running)


# From one SCRIPT section of a terminal script to a Script: its settings, each at most once, and its steps.

MAX_TERMINALS = 10_000

_SETTINGS = ("terminals", "baud", "typing", "start", "stop", "data", "block")
_DEFAULT = Script("", ())


def read_sections(source: Source, tree: Tree[Token], programs: Mapping[str, Program]) -> tuple[Script, ...]:
    """Read every section of the file as a Script; their names differ."""
    if not tree.children:
        raise source.error(1, 1, "there is no SCRIPT in this file")
    scripts: dict[str, Script] = {}
    for section in trees(tree):
        script = _section(source, section, programs)
        if script.name in scripts:
            raise source.error(*place(tokens(section)[0]), f"there is already a SCRIPT {safe(script.name, 40)}")
        scripts[script.name] = script
    return tuple(scripts.values())


def _section(source: Source, section: Tree[Token], programs: Mapping[str, Program]) -> Script:
    settings = _settings(source, section)
    (name,) = tokens(section)
    steps = [child for child in trees(section) if child.data not in _SETTINGS and child.data != "bye"]
    start, stagger = _start(source, settings)
    named = [tokens(settings[name])[0] for name in ("data",) if name in settings]
    data = Records.read(source, place(named[0]), named[0]) if named else None
    script = Script(
        name=name.upper(),
        steps=Checker(source, programs, data, "block" in settings).script(steps),
        terminals=_terminals(source, settings),
        baud=_rate(source, settings, "baud", _DEFAULT.baud),
        typing=_rate(source, settings, "typing", _DEFAULT.typing),
        start=start,
        stagger=stagger,
        stop=_stop(source, settings, start),
    )
    if not script.steps:
        raise source.error(*place(section), f"SCRIPT {safe(script.name, 40)} has no step")
    return script


def _settings(source: Source, section: Tree[Token]) -> dict[str, Tree[Token]]:
    settings: dict[str, Tree[Token]] = {}
    for statement in trees(section):
        if statement.data in _SETTINGS:
            if statement.data in settings:
                line = place(settings[statement.data])[0]
                raise source.error(*place(statement), f"{statement.data.upper()} was already said in line {line}")
            settings[statement.data] = statement
    return settings


def _terminals(source: Source, settings: dict[str, Tree[Token]]) -> int:
    if "terminals" not in settings:
        return _DEFAULT.terminals
    return read_count(source, tokens(settings["terminals"])[0], "the number of TERMINALS", MAX_TERMINALS)


def _rate(source: Source, settings: dict[str, Tree[Token]], name: str, default: float) -> float:
    if name not in settings:
        return default
    return read_rate(source, tokens(settings[name])[0], f"the {name.upper()} rate")


def _start(source: Source, settings: dict[str, Tree[Token]]) -> tuple[Distribution, float]:
    if "start" not in settings:
        return _DEFAULT.start, _DEFAULT.stagger
    start, *every = trees(settings["start"])
    return read_distribution(source, start), read_time(source, every[0]) if every else 0.0


def _stop(source: Source, settings: dict[str, Tree[Token]], start: Distribution) -> float:
    if "stop" not in settings:
        return inf
    stop = read_time(source, trees(settings["stop"])[0])
    earliest = start.low if isinstance(start, Uniform) else start.value if isinstance(start, Constant) else 0.0
    if stop <= earliest:
        raise source.error(*place(settings["stop"]), f"this STOP comes before anybody starts, at {earliest:g} s")
    return stop
