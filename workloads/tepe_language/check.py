"""From the steps of a terminal script to Step objects: known programs, loops that pass time, nothing out of reach."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import fsum, isclose

from lark import Token, Tree

from sim.error import unknown
from sim.script import Call, Choose, Loop, Step, Think, Type
from sim.units import US
from workloads.programs.program import Answer, Program
from workloads.tepe_language.numbers import place, read_count, read_distribution, read_positive, tokens, trees
from workloads.tepe_language.source import Source, safe

MAX_DEPTH = 50

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
    """Turns the steps of one file into data; *programs* are those that RUN may name."""

    def __init__(self, source: Source, programs: Mapping[str, Program]) -> None:
        self._source = source
        self._programs = programs

    def block(self, statements: list[Tree[Token]], running: Running = (None,), depth: int = 0) -> Block:
        """The *statements* as steps, begun while *running*, within *depth* blocks."""
        block = Block(running)
        for statement in statements:
            if block.endless:
                raise self._source.error(*place(statement), "never reached: the LOOP before it goes on for ever")
            if statement.data == "think":
                self._think(block, statement)
            elif statement.data == "run":
                self._run(block, statement)
            elif statement.data == "enter":
                self._enter(block, statement)
            elif statement.data == "mistype":
                self._mistype(block, statement)
            else:
                if depth == MAX_DEPTH:
                    raise self._source.error(*place(statement), f"blocks are nested more than {MAX_DEPTH} deep")
                compound = self._loop if statement.data == "loop" else self._choose
                compound(block, statement, depth + 1)
        return block

    def _think(self, block: Block, statement: Tree[Token]) -> None:
        time = read_distribution(self._source, trees(statement)[0])
        block.steps.append(Think(time))
        block.passes_time |= time.mean >= US

    def _run(self, block: Block, statement: Tree[Token]) -> None:
        (token,) = tokens(statement)
        program = self._programs.get(token.upper())
        if program is None:
            raise self._source.error(*place(token), str(unknown("program", token.upper(), self._programs)))
        text = f"RUN {token.upper()}"
        block.steps += Type(len(text)), Call(Answer(program, program.starting), text)
        block.running = (program,)
        block.started = block.passes_time = True

    def _enter(self, block: Block, statement: Tree[Token]) -> None:
        (token,) = tokens(statement)
        program = self._program(block.running, statement)
        text = token[1:-1]
        word = (text.split() or [""])[0].upper()
        if not word:
            raise self._source.error(*place(token), f"this ENTER says nothing; {program.name} wants a word to go by")
        if word not in program.answers:
            what = str(unknown(f"{program.name} answer", word, program.answers))
            raise self._source.error(place(token)[0], place(token)[1] + 1 + _indent(text), what)
        block.steps += Type(len(text)), Call(Answer(program, program.answers[word]), word)
        block.passes_time = True
        self._ask(block, statement)

    def _mistype(self, block: Block, statement: Tree[Token]) -> None:
        """Every character is typed and taken back; nothing is sent to the machine."""
        (token,) = tokens(statement)
        if len(token) == len('""'):
            raise self._source.error(*place(token), "this MISTYPE says nothing")
        block.steps.append(Type(2 * (len(token) - len('""'))))

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
        times = [child for child in trees(statement) if child.data == "times"]
        count = read_count(self._source, tokens(times[0])[0], "the TIMES of a LOOP") if times else None
        body = self.block([child for child in trees(statement) if child.data != "times"], block.running, depth)
        if not body.steps:
            raise self._source.error(*place(statement), "this LOOP is empty")
        if not body.passes_time:
            what = "this LOOP can go round without passing any time: it needs a THINK, RUN or ENTER on every way"
            raise self._source.error(*place(statement), what)
        if body.outer_enter is not None and body.running != block.running:
            what = f"{_names(block.running)} answers this ENTER first, {_names(body.running)} in the LOOP's next turn"
            raise self._source.error(*place(body.outer_enter), what)
        block.steps.append(Loop(tuple(body.steps), count))
        block.endless = count is None or body.endless
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
        block.passes_time |= all(body.passes_time for body in bodies)
        block.endless = all(body.endless for body in bodies)
        self._follow(block, bodies)

    def _branch(self, branch: Tree[Token], running: Running, depth: int) -> Block:
        body = self.block(trees(branch), running, depth)
        if not body.steps:
            raise self._source.error(*place(branch), f"nothing to do in {safe(tokens(branch)[0], 40)} PERCENT")
        return body

    def _follow(self, block: Block, bodies: list[Block]) -> None:
        """Merge into *block* which programs may run after one of *bodies*, and their ENTERs to the one before."""
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


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
