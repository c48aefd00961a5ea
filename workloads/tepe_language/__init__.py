"""Reads and checks TEPE's terminal scripts, and locates each mistake; TEPE was HP's emulator of terminals."""
