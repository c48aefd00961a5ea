"""Drives: layouts, seek curves, arms, buffers, schedulers, channels, flash, RAID, and the sheets that describe them."""
