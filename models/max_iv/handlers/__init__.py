"""The disc handlers of Max-IV, and the REX through which programs request I/O."""
