"""What of one disc is in main memory: how many domains, their bytes, and those of them that were not requested."""

import simpy

from models.hp3000.caching.domains import Domain
from models.hp3000.memory.amount import Amount


class Residence:
    """The memory that the domains of one disc take, from the claim of their room on."""

    def __init__(self, env: simpy.Environment) -> None:
        self.domains = Amount(env)
        self.bytes = Amount(env)
        self.overhead = Amount(env)

    def enter(self, domain: Domain) -> None:
        self._change(domain, 1)

    def leave(self, domain: Domain) -> None:
        self._change(domain, -1)

    def _change(self, domain: Domain, by: int) -> None:
        size = domain.end - domain.first
        self.domains.change(by)
        self.bytes.change(by * size)
        self.overhead.change(by * (size - domain.asked))

    def levels(self) -> dict[str, float]:
        amounts = {"domains": self.domains, "bytes": self.bytes, "overhead_bytes": self.overhead}
        return {f"resident_{name}": float(amount.now) for name, amount in amounts.items()}

    def reading(self) -> dict[str, float]:
        amounts = {"domain": self.domains, "byte": self.bytes, "overhead_byte": self.overhead}
        return {f"{name}_seconds": amount.seconds() for name, amount in amounts.items()}
