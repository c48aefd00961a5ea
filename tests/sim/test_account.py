"""Tests accounts: seconds by phase, and clipped for processes that share work."""

from spindle.sim.clock import PHASE_COUNT, Account, Ledger, Phase


def spent(account: Account) -> dict[str, float]:
    return {part.name: account.seconds[part] for part in Phase if account.seconds[part]}


def test_charges_add_up_by_part() -> None:
    account = Account("clerk 1")
    account.charge(Phase.CPU, 1.0, 3.0)
    account.charge(Phase.CPU, 4.0, 4.5)
    account.charge(Phase.SEEK, 4.5, 5.0)
    assert spent(account) == {"CPU": 2.5, "SEEK": 0.5}
    assert (account.name, account.total(), account.charges, len(account.seconds)) == ("clerk 1", 3.0, 3, PHASE_COUNT)


def test_a_waiter_shares_what_lies_in_his_wait() -> None:
    pieces = [(Phase.QUEUE, 0.0, 2.0), (Phase.SEEK, 2.0, 3.0), (Phase.ROTATION, 3.0, 5.0), (Phase.TRANSFER, 5.0, 6.0)]
    joined, early, after = Account("joined"), Account("left early"), Account("came after")
    joined.share(pieces, 1.5, 6.0)
    early.share(pieces, 0.0, 4.0)
    after.share(pieces, 6.0, 9.0)
    assert spent(joined) == {"QUEUE": 0.5, "SEEK": 1.0, "ROTATION": 2.0, "TRANSFER": 1.0}
    assert spent(early) == {"QUEUE": 2.0, "SEEK": 1.0, "ROTATION": 1.0}
    assert (spent(after), after.charges) == ({}, 0)


def test_a_ledger_remembers_when() -> None:
    ledger = Ledger("read-ahead")
    ledger.charge(Phase.CACHE, 0.0, 1.0)
    ledger.share([(Phase.SEEK, 0.0, 3.0)], 1.0, 9.0)
    ledger.charge_all([(Phase.LINE, 3.0, 4.0), (Phase.LINE, 5.0, 7.0)])
    assert ledger.pieces == [
        (Phase.CACHE, 0.0, 1.0), (Phase.SEEK, 1.0, 3.0), (Phase.LINE, 3.0, 4.0), (Phase.LINE, 5.0, 7.0)]  # fmt: skip
    assert spent(ledger) == {"CACHE": 1.0, "SEEK": 2.0, "LINE": 3.0}
    assert (ledger.name, ledger.total(), ledger.charges) == ("read-ahead", 6.0, 4)
