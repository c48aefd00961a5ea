"""Lists the runs of a span of blocks over the tracks of a layout, one after the other, as an arm passes them."""

from collections.abc import Iterator

from spindle.sim.disc.kernel.arm import TrackRun, run_at
from spindle.sim.disc.layout import Layout


def track_runs(layout: Layout, block: int, blocks: int) -> Iterator[TrackRun]:
    """Yield the runs of *blocks* blocks from *block* on, each passed over on one track."""
    stop = block + blocks
    while block < stop:
        run = run_at(layout.blocks, block, stop)
        yield run
        block = run.stop
