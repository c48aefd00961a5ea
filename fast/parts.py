"""Which modules are compiled: those in which a read, a transaction and a request spend most of their time.

Left out, although some are as hot, is what would behave in another way:

- `sim/cpu`, `sim/disc/drive`, `sim/cache/block_cache`: parts are held weakly (`sim/parts`), and what is compiled
  cannot be. CPUs and requests compiled so that they can, slow to look up, saved 1 to 9 % more.
- `sim/request`, `sim/eviction/policy`, `sim/cache/stack`: a compiled Protocol cannot be runtime_checkable.
- `sim/disc/layout`: a cached_property is computed anew for each look-up, which makes a drive fifty times as slow.
- what is described (zones, seeks, sheets, distributions, scripts): frozen dataclasses cannot be unpickled, and turn
  the integers in messages into floats. One that stands in a module below is left to Python by the compiler.
- `sim/lock`, `sim/machine`: a Computer asks their generators whether they began.
- `sim/clock`, `sim/room`: they check at run time what is compiled takes for granted, such as SimPy's callbacks, a list
  until the event is over and None thereafter.
- `sim/memory`, `sim/terminal`, `sim/disc/counts`, `sim/disc/buffer/head`, schedulers (`sim/disc/sweeping`), caches of
  `hp3000` and the FHL of `max_iv`: observers replace methods of one object, which what is compiled refuses.
- `sim/eviction/ranking` and all that rank by it: ``entry is entry`` is false of a tuple.
"""

PARTS = (
    "sim.account",
    "sim.file",
    "sim.line",
    "sim.population",
    "sim.cache.arrival",
    "sim.cache.blocks",
    "sim.disc.mechanism",
    "sim.disc.passing",
    "sim.disc.buffer.arm",
    "sim.disc.buffer.delivery",
    "sim.disc.buffer.electronics",
    "sim.disc.buffer.prefetch",
    "sim.disc.buffer.segments",
    "sim.disc.buffer.write_back",
    "sim.disc.channel.channel",
    "sim.disc.channel.speed_matching",
    "sim.eviction.clock",
    "sim.eviction.lru",
    "sim.measure.quantiles",
    "sim.measure.recorder",
    "models.hp3000.caching.domains",
    "models.hp3000.caching.residence",
    "models.hp3000.dispatcher",
    "models.hp3000.files.buffers",
    "models.hp3000.files.record_file",
    "models.hp3000.image.control_block",
    "models.hp3000.image.data_base",
    "models.hp3000.memory.amount",
    "models.hp3000.memory.segments",
    "models.hp3000.software.session_work",
    "models.hp3000.software.software",
    "models.max_iv.cache.sector_cache",
    "models.max_iv.handlers.disc_handler",
    "models.max_iv.handlers.input_output",
    "models.windows_nt.cache.cache_manager",
    "models.windows_nt.cache.cached_file",
    "models.windows_nt.cache.dirty_pages",
    "models.windows_nt.cache.read_ahead",
    "models.windows_nt.cache.views",
    "models.windows_nt.file_access",
    "models.windows_nt.memory.memory_manager",
    "models.windows_nt.memory.page",
    "models.windows_nt.memory.page_lists",
    "models.windows_nt.memory.working_set",
    "models.windows_nt.work.probe_process",
    "models.windows_nt.work.probe_thread",
    "workloads.probe.bell",
    "workloads.probe.walk",
)
