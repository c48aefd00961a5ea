"""The domains of one disc that are being posted, and the waits for them."""

from collections.abc import Sequence

import simpy

from models.hp3000.caching.domains import Domain
from models.hp3000.dispatcher import Stopped
from sim.account import Account, Phase
from sim.clock import Gate, Wait
from sim.request import Span


class Posted:
    """Domains, each from the copy of a writer's bytes until these are on the medium. A waiter costs *stopped*."""

    def __init__(self, env: simpy.Environment, name: str, stopped: Stopped) -> None:
        self._env = env
        self._name = name
        self.stopped = stopped
        self._domains: dict[Domain, None] = {}

    def enter(self, domains: Sequence[Domain]) -> None:
        for domain in domains:
            domain.posts += 1
            self._domains[domain] = None

    def leave(self, domains: Sequence[Domain]) -> None:
        """One post of all *domains* is done."""
        for domain in domains:
            domain.posts -= 1
            if not domain.posts:
                del self._domains[domain]
                if domain.gate is not None:
                    gate, domain.gate = domain.gate, None
                    gate.succeed()

    def wait(self, domain: Domain, account: Account) -> Wait:
        """Wait until no post of *domain* is under way."""
        joined = self._env.now
        yield from self._done(domain)
        account.charge(Phase.WRITE_WAIT, joined, self._env.now)

    def flush(self, span: Span) -> Wait:
        """Wait until every post into *span* is on the disc."""
        for domain in [each for each in self._domains if each.first < span.end and span.first < each.end]:
            yield from self._done(domain)

    def _done(self, domain: Domain) -> Wait:
        self.stopped.enter()
        while domain.posts:
            if domain.gate is None:
                domain.gate = Gate(self._env, f"a post to {self._name}")
            yield domain.gate
        self.stopped.leave()
