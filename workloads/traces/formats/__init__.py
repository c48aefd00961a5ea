"""The formats of traces, a file for each or for a group: the fields of a line or a record, and how one is written."""
