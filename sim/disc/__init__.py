"""Simulates drives: layouts, seek curves, arms, buffers, schedulers, channels, flash and RAID; reads drive files."""
