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
    "sim/account.py",
    "sim/file.py",
    "sim/line.py",
    "sim/population.py",
    "sim/cache/arrival.py",
    "sim/cache/blocks.py",
    "sim/disc/mechanism.py",
    "sim/disc/passing.py",
    "sim/disc/buffer/arm.py",
    "sim/disc/buffer/delivery.py",
    "sim/disc/buffer/electronics.py",
    "sim/disc/buffer/prefetch.py",
    "sim/disc/buffer/segments.py",
    "sim/disc/buffer/write_back.py",
    "sim/disc/channel/channel.py",
    "sim/disc/channel/speed_matching.py",
    "sim/eviction/clock.py",
    "sim/eviction/lru.py",
    "sim/measure/quantiles.py",
    "sim/measure/recorder.py",
    "models/hp3000/caching/domains.py",
    "models/hp3000/caching/residence.py",
    "models/hp3000/dispatcher.py",
    "models/hp3000/files/buffers.py",
    "models/hp3000/files/record_file.py",
    "models/hp3000/image/control_block.py",
    "models/hp3000/image/data_base.py",
    "models/hp3000/memory/amount.py",
    "models/hp3000/memory/segments.py",
    "models/hp3000/software/session_work.py",
    "models/hp3000/software/software.py",
    "models/max_iv/cache/sector_cache.py",
    "models/max_iv/handlers/disc_handler.py",
    "models/max_iv/handlers/input_output.py",
    "models/windows_nt/cache/cache_manager.py",
    "models/windows_nt/cache/cached_file.py",
    "models/windows_nt/cache/dirty_pages.py",
    "models/windows_nt/cache/read_ahead.py",
    "models/windows_nt/cache/views.py",
    "models/windows_nt/file_access.py",
    "models/windows_nt/memory/memory_manager.py",
    "models/windows_nt/memory/page.py",
    "models/windows_nt/memory/page_lists.py",
    "models/windows_nt/memory/working_set.py",
    "models/windows_nt/work/probe_process.py",
    "models/windows_nt/work/probe_thread.py",
    "workloads/probe/bell.py",
    "workloads/probe/walk.py",
)
