"""Tests terminals by hand: responses, parallel printing, ends of sessions, and separate random streams."""

from collections.abc import Callable, Iterator
from math import inf

import pytest
import simpy

from spindle.sim.clock import Phase, Wait
from spindle.sim.error import UserError
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
    Think,
    Type,
)
from spindle.sim.streams import Constant, Exponential, Uniform
from spindle.sim.terminal import TIMELESS_ROUNDS, Line, Session, Terminal, Users
from tests.doubles import KeptRows

TENTH = 100.0
"""Baud at which a character takes a tenth of a second."""


class Office:
    """Terminals on a clock, whose programs are functions of a Session."""

    def __init__(self, env: simpy.Environment) -> None:
        self.env = env
        self.rows = KeptRows()
        self.users = Users(env, self.rows)

    def log_on(self, script: Script, seed: object = 1) -> None:
        for index in range(script.terminals):
            line = Line(self.env, script.baud)
            terminal = Terminal(self.env, script, index, seed, line, self.perform, self.users)
            self.env.process(terminal.live())

    def perform(self, program: object, session: Session) -> Iterator[Wait]:
        assert callable(program)
        yield program(session)

    def times(self) -> list[tuple[float, ...]]:
        return [tuple(round(at, 6) for at in row[2:5]) for row in self.rows.rows]


@pytest.fixture
def office(env: simpy.Environment) -> Office:
    return Office(env)


def worker(env: simpy.Environment, before: float, reply: int, after: float = 0.0, more: int = 0) -> Call:
    """A program that works, replies, works on and replies again."""
    def program(session: Session) -> Wait:
        for seconds, characters in ((before, reply), (after, more)):
            begin = env.now
            yield env.timeout(seconds)
            session.account.charge(Phase.CPU, begin, env.now)
            if characters:
                yield from session.reply(characters)

    return Call(program, "work")


def script(*steps: Step, **others: object) -> Script:
    return Script("clerk", steps, **{"baud": TENTH, "typing": 4.0} | others)  # type: ignore[arg-type]


def test_one_transaction_by_hand(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(Think(Constant(2.0)), Type(8), worker(env, 3.0, 5)))
    env.run()
    # thinks to 2, types to 4, RETURN goes until 4.1; 3 s of work; first character at 7.2, four more until 7.6
    (row,) = office.rows.rows
    assert (row.terminal, row.name, office.times()) == ("clerk 1", "work", [(4.1, 7.2, 7.6)])
    phases = {phase: row.phases[phase] for phase in Phase if row.phases[phase]}
    assert phases == pytest.approx({Phase.CPU: 3.0, Phase.LINE: 0.1})
    assert office.users.reading() == pytest.approx({
        "inquiries": 1, "responses": 1, "terminal_seconds": 7.6, "logged_on_seconds": 7.6, "waiting_seconds": 3.1,
        "away_seconds": 4.5,
    })


def test_an_early_reply_ends_the_response_and_the_rest_is_not_in_it(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(worker(env, 1.0, 3, after=10.0, more=4)))
    env.run()
    # RETURN 0.1, work 1.1, first character 1.2, work 11.2, then the 2 + 4 characters left
    assert office.times() == [(0.1, 1.2, 11.8)]
    (row,) = office.rows.rows
    assert sum(row.phases) == pytest.approx(1.1)
    assert row.phases[Phase.CPU] == pytest.approx(1.0)


def test_a_program_that_says_nothing_prompts(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(worker(env, 2.0, 0)))
    env.run()
    assert office.times() == [(0.1, 2.2, 2.2)]


def test_a_reply_of_nothing_is_a_prompt_too(office: Office, env: simpy.Environment) -> None:
    def silent(session: Session) -> Wait:
        yield from session.reply(0)

    office.log_on(script(Call(silent, "silent")))
    env.run()
    assert office.times() == [(0.1, 0.2, 0.2)]


def test_every_transaction_has_an_account_of_its_own(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(Loop((worker(env, 1.0, 1, after=2.0),), 2)))
    env.run()
    assert office.times() == [(0.1, 1.2, 3.2), (3.3, 4.4, 6.4)]
    assert [sum(row.phases) for row in office.rows.rows] == pytest.approx([1.1, 1.1])


def test_start_and_stagger(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(worker(env, 1.0, 1), terminals=3, start=Constant(10.0), stagger=2.5))
    env.run()
    assert [(row.terminal, began) for row, (began, *_) in zip(office.rows.rows, office.times(), strict=True)] == [
        ("clerk 1", 10.1), ("clerk 2", 12.6), ("clerk 3", 15.1),
    ]


def test_nothing_is_begun_after_the_stop(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(Loop((Think(Constant(1.0)), worker(env, 2.0, 1))), stop=6.0))
    env.run()
    # calls begin at 1.1 and 4.3; thinking began at 3.2, and ends with the second; the loop ends at 6.4
    assert office.times() == [(1.1, 3.2, 3.2), (4.3, 6.4, 6.4)]
    assert (office.users.logged_on.now, office.users.away.now, office.users.waiting.now) == (0, 0, 0)


def test_who_would_start_after_the_stop_does_nothing(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(worker(env, 1.0, 1), start=Constant(5.0), stop=5.0))
    env.run()
    assert (office.rows.rows, office.users.logged_on.now, office.users.reading()["inquiries"]) == ([], 0, 0)


def test_loops_and_choices_are_lived_in_order(office: Office, env: simpy.Environment) -> None:
    def call(name: str) -> Call:
        return Call(worker(env, 0.0, 1).program, name)

    choice = Choose((1.0,), ((call("c"), call("d")),))
    office.log_on(script(Loop((call("a"), Loop((call("b"),), 2), choice), 2), call("e"), Loop((call("f"),), 0)))
    env.run()
    assert "".join(row.name for row in office.rows.rows) == "abbcdabbcde"


@pytest.mark.parametrize("steps", [(), (Type(0),), (Think(Constant(0.0)),), (Loop((), 3),)])
def test_a_loop_without_time_is_a_mistake(office: Office, env: simpy.Environment, steps: tuple[Step, ...]) -> None:
    office.log_on(script(Think(Constant(3.0)), Loop(steps)))
    with pytest.raises(UserError, match="script clerk: a loop takes no time, so it would go round for ever"):
        env.run(100)
    assert env.now == 3.0


def test_rounds_without_time_are_counted_in_a_row(office: Office, env: simpy.Environment) -> None:
    """A choice that takes no time nearly always is no loop without time."""
    rounds = TIMELESS_ROUNDS - 1
    office.log_on(script(Loop((Loop((Type(0),), rounds), Think(Constant(1.0))), 3)))
    env.run()
    assert env.now == 3.0
    office.log_on(script(Loop((Type(0),), rounds + 1)))
    with pytest.raises(UserError, match="a loop takes no time"):
        env.run()


def test_a_round_that_takes_time_makes_the_count_begin_anew(office: Office, env: simpy.Environment) -> None:
    """A loop of as many rounds as are too many, of which one takes a second, and another after it none."""
    turn = If(Counted("N", 2), (Type(0),), (Think(Constant(1.0)),))
    office.log_on(script(Loop((Count("N"), turn), TIMELESS_ROUNDS)))
    env.run()
    assert env.now == 1.0


def scheduled(seed: object, terminals: int, extra: int = 0) -> dict[str, list[float]]:
    """When each terminal began its inquiries."""
    env = simpy.Environment()
    office = Office(env)
    think = Think(Exponential(5.0))
    steps = (Loop((think, Choose((1.0, 1.0), ((Type(4),), (Type(40),))), worker(env, 0.5, 1)), 5),)
    office.log_on(Script("clerk", steps, terminals, TENTH, start=Uniform(0.0, 10.0)), seed)
    for number in range(extra):
        office.log_on(Script(f"other {number}", steps, 1, TENTH), seed)
    env.run()
    began: dict[str, list[float]] = {}
    for row in sorted(office.rows.rows, key=lambda row: row.began):
        began.setdefault(row.terminal, []).append(row.began)
    return began


def test_a_terminals_randomness_is_its_own() -> None:
    alone, crowd = scheduled(1, 2), scheduled(1, 4, extra=2)
    assert {name: crowd[name] for name in alone} == alone
    assert alone["clerk 1"] != alone["clerk 2"]
    assert scheduled(2, 2)["clerk 1"] != alone["clerk 1"]
    assert scheduled(1, 2) == alone


def test_what_a_program_draws_does_not_change_when_its_user_thinks(env: simpy.Environment) -> None:
    def draws(count: int) -> Callable[[Session], Wait]:
        def program(session: Session) -> Wait:
            assert [session.random.random() for _ in range(count)]
            yield from session.reply(1)

        return program

    def began(count: int) -> list[tuple[float, ...]]:
        env = simpy.Environment()
        office = Office(env)
        office.log_on(script(Loop((Think(Exponential(5.0)), Call(draws(count), "draw")), 5)))
        env.run()
        return office.times()

    assert began(1) == began(7)


def test_an_open_inquiry_is_seen_at_the_desk(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(Think(Constant(1.0)), worker(env, 10.0, 1)))
    (terminal,) = office.users.terminals
    assert (terminal.call, terminal.began) == (None, inf)
    env.run(3)
    assert (terminal.call, round(terminal.began, 6)) == ("work", 1.1)
    assert office.users.reading() == pytest.approx({
        "inquiries": 1, "responses": 0, "terminal_seconds": 3, "logged_on_seconds": 3, "waiting_seconds": 1.9,
        "away_seconds": 1.1,
    })
    env.run()
    assert terminal.call is None


def test_a_session_tells_who_it_is(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(worker(env, 0.0, 1), terminals=2))
    assert [terminal.session.name for terminal in office.users.terminals] == ["clerk 1", "clerk 2"]
    before = [terminal.session.account for terminal in office.users.terminals]
    env.run()
    after = [terminal.session.account for terminal in office.users.terminals]
    assert [account.name for account in before] == [account.name for account in after] == ["clerk 1", "clerk 2"]


def teller(*texts: str) -> Call:
    """A program that says the next of *texts* at each inquiry, in one character."""
    left = list(texts)

    def program(session: Session) -> Wait:
        session.said.append(left.pop(0))
        yield from session.reply(1)

    return Call(program, "tell")


def at(office: Office, env: simpy.Environment) -> list[float]:
    """The instants at which inquiries began, after a run to the end."""
    env.run()
    return [round(row.began, 6) for row in office.rows.rows]


def test_a_reply_decides_which_steps_follow(office: Office, env: simpy.Environment) -> None:
    """At 100 baud RETURN and the reply take 0.1 s each; OUT is followed by 5 s, what is not OUT by 1 s."""
    tell = teller("OUT OF STOCK", "HERE", "")
    office.log_on(script(Loop((tell, If(Said("OUT"), (Think(Constant(5.0)),), (Think(Constant(1.0)),))), 3)))
    assert at(office, env) == [0.1, 5.3, 6.5]


def test_a_reply_is_of_the_last_inquiry_alone(office: Office, env: simpy.Environment) -> None:
    tell = teller("OUT", "HERE", "END")
    office.log_on(script(tell, tell, If(Said("OUT"), (Think(Constant(5.0)),)), tell))
    assert at(office, env) == [0.1, 0.3, 0.5]


def test_a_loop_goes_round_until_a_reply_says_so(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(Loop((teller("MORE", "MORE", "THE END", "never"),), until=Said("END")), Think(Constant(1.0))))
    assert at(office, env) == [0.1, 0.3, 0.5]


def test_a_loop_counts(office: Office, env: simpy.Environment) -> None:
    """Two rounds, the counter goes back, and two more."""
    rounds = Loop((teller(*"abcdef"), Count("N")), until=Counted("N", 2))
    office.log_on(script(rounds, Count("N", clear=True), Think(Constant(1.0)), rounds))
    assert at(office, env) == [0.1, 0.3, 1.5, 1.7]


def test_who_waits_for_what_is_not_said_ends_the_run(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(teller("HERE"), Expect(Said("HER")), teller("OUT"), Expect(Said("HERE"))))
    with pytest.raises(UserError, match="clerk 1 waits for 'HERE', but the program said 'OUT'"):
        env.run()


def test_records_are_dealt_to_the_terminals_in_turn(office: Office, env: simpy.Environment) -> None:
    """Two terminals and three records of 1, 2 and 3 s: the first gets 1, 3, 2; the second 2, 1, 3."""
    deal = Deal("pack", tuple((Think(Constant(seconds)),) for seconds in (1.0, 2.0, 3.0)))
    office.log_on(script(Loop((deal, teller(*"abcdef")), 3), terminals=2))
    assert at(office, env) == [1.1, 2.1, 3.3, 4.3, 6.5, 6.5]


def test_a_form_goes_down_the_line_when_it_is_sent(office: Office, env: simpy.Environment) -> None:
    """Ten characters are typed in 2 s at five a second; they and RETURN are 1.1 s at 100 baud."""
    tell = teller("")
    office.log_on(script(Type(10, local=True), Call(tell.program, "tell", block=10), typing=5.0))
    assert at(office, env) == [3.1]
    assert office.users.terminals[0]._line.characters == 10 + 1 + 1


def test_all_characters_of_a_session_go_over_its_line(office: Office, env: simpy.Environment) -> None:
    """Two fields are typed, a key sends a block of 3, and RETURN and a reply of one follow each."""
    tell = teller("", "")
    office.log_on(script(Type(8), Type(2), tell, Call(tell.program, "tell", block=3)))
    env.run()
    assert office.users.terminals[0]._line.characters == 8 + 2 + (1 + 1) + (3 + 1 + 1)


def test_the_rest_of_a_reply_is_printed_once(office: Office, env: simpy.Environment) -> None:
    office.log_on(script(worker(env, 1.0, 5), worker(env, 1.0, 1)))
    env.run()
    assert office.times() == [(0.1, 1.2, 1.6), (1.7, 2.8, 2.8)]


def test_a_counter_decides_which_steps_follow(office: Office, env: simpy.Environment) -> None:
    tell = teller("", "", "")
    late = If(Counted("N", 2), (Think(Constant(5.0)),), (Think(Constant(1.0)),))
    office.log_on(script(Loop((tell, Count("N"), late), 3)))
    assert at(office, env) == [0.1, 1.3, 6.5]


def test_each_pack_of_records_is_dealt_alone(office: Office, env: simpy.Environment) -> None:
    """Each round deals the next record of two packs: 1 and 10 s, then 2 and 20 s."""
    one, ten = (Deal(f"pack {factor}", tuple((Think(Constant(seconds * factor)),) for seconds in (1.0, 2.0)))
                for factor in (1, 10))  # fmt: skip
    office.log_on(script(Loop((one, ten, teller("", "")), 2)))
    assert at(office, env) == [11.1, 33.3]


@pytest.mark.parametrize(("said", "told"), [((), "nothing"), (("OUT", "END"), "'OUT' and 'END'")])
def test_all_that_was_said_is_told(
    office: Office, env: simpy.Environment, said: tuple[str, ...], told: str
) -> None:
    def program(session: Session) -> Wait:
        session.said.extend(said)
        yield from session.reply(1)

    office.log_on(script(Call(program, "tell"), Expect(Said("HERE"))))
    with pytest.raises(UserError, match=f"^clerk 1 waits for 'HERE', but the program said {told}$"):
        env.run()


def test_what_a_program_draws_is_of_its_terminal_and_seed() -> None:
    def drawn(seed: int) -> list[float]:
        office = Office(simpy.Environment())
        office.log_on(script(Think(Constant(1.0)), terminals=2), seed)
        return [terminal.session.random.random() for terminal in office.users.terminals]

    assert len({*drawn(1), *drawn(2)}) == 4
    assert drawn(1) == drawn(1)
