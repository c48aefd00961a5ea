"""The formats of block traces, one file each: what a line or a record of it holds, and how one is written."""
