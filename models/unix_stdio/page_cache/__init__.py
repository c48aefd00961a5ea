"""The page cache of Linux: folios read ahead, and dirty ones written back."""
