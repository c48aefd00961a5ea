"""A Serial ATA drive with native command queuing and a block cache, under Kim's FAC and its rivals."""

from spindle.models.sata_ncq.run import run

__all__ = ["run"]
