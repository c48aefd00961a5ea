"""What a sheet in DiskSim's words says of a drive that the model does otherwise: it is named, not read over."""

from collections.abc import Collection, Mapping

from sim.disc.sheet_file.plain_yaml import Value
from sim.disc.sheet_file.section import SheetSection

MODELLED: Mapping[str, Mapping[str, Collection[Value]]] = {
    "cache": {
        "combine_sequential_writes": (True,), "write_hit_stops_prefetch": (True,),
        "partial_hit_transfers_at_once": (True,), "zero_latency_write": (False,),
        "watermarks_relative_to": ("request",),
    },
    "raw_disksim_spec": {
        "Time scale for overheads": (1,), "Preseeking level": (0,), "Allow write prebuffering": (0,),
        "Allow sneaky full read hits": (0,), "Allow sneaky partial read hits": (0,),
        "Allow sneaky intermediate read hits": (0,), "Disconnect write if seek": (0,), "Read directly to buffer": (1,),
        "Read-ahead over requested": (0, 1),
    },
}  # fmt: skip
"""By section and key, the values that the model has. What differs only while several requests are in the drive, such
as who holds a bus, or by less than a sector's time, such as where in a sector a prefetch stops, is not here."""


def not_modelled(sheet: SheetSection) -> str:
    """A sentence with each such key and its value; empty where there is none."""
    strange = [
        f"{key}: {str(value).lower()}"
        for part, words in MODELLED.items() if part in sheet
        for key, value in sheet.section(part).values.items() if key in words and value not in (*words[key], None)
    ]  # fmt: skip
    return f"Not modelled: {', '.join(strange)}." if strange else ""
