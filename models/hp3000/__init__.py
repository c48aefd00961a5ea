"""The HP3000 Series 64 with MPE disc caching (McBride & Boles 1983)."""

from models.hp3000.run import run
from models.hp3000.scripts import scripts

__all__ = ["run", "scripts"]
