"""The HP3000 Series 64 with MPE disc caching (McBride & Boles 1983)."""

from spindle.models.hp3000.load import scripts
from spindle.models.hp3000.run import run

__all__ = ["run", "scripts"]
