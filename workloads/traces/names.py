"""Names that tools give to the fields of a request for bytes of a device, and the columns of CSV that they are."""

TABLE = {
    "time": "time timestamp ts t arrival arrival_time start_time issue_time datetime date",
    "op": "op type rw operation opcode io_type iotype optype op_type direction cmd command rwbs",
    "offset": "offset offset_bytes byte_offset address addr position pos",
    "lba_512": "lba lbn sector lba_512 slba start_sector sector_number start_lba first_sector",
    "size": "size bytes length len size_bytes length_bytes bytes_count nbytes n_bytes io_size",
    "sectors": "sectors nr_sectors nr_sector num_sectors n_sectors nsectors sector_count blocks",
    "device": "device dev disk disc volume vol device_id dev_id disk_id volume_id lun drive tenant",
}  # fmt: skip
"""Columns of CSV, and names of fields that become them."""
COLUMNS = {name: column for column, names in TABLE.items() for name in names.split()}
