"""Asynchronous lines, whose every character interrupts: which of them are lost while the cache works."""
