"""Lists the domains (cached bytes of one disc) that are being posted (written back), and waits for their posts."""

from collections.abc import Sequence

import simpy

from spindle.models.hp3000.caching.domains import Domain
from spindle.sim.clock import Account, Gate, Phase, Wait
from spindle.sim.cpu import Stopped
from spindle.sim.request import Span


class Posted:
    """Domains with bytes that a writer has changed and that are not on the medium yet. *stopped* counts who waits."""

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
        """Note that one post of all *domains* is done."""
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
        yield from self._wait_for_posts(domain)
        account.charge(Phase.WRITE_WAIT, joined, self._env.now)

    def flush(self, span: Span) -> Wait:
        """Wait until every post into *span* is on the disc."""
        for domain in [each for each in self._domains if each.first < span.end and span.first < each.end]:
            yield from self._wait_for_posts(domain)

    def _wait_for_posts(self, domain: Domain) -> Wait:
        self.stopped.enter()
        while domain.posts:
            if domain.gate is None:
                domain.gate = Gate(self._env, f"a post to {self._name}")
            yield domain.gate
        self.stopped.leave()
