"""The disc handlers of Max-IV, and the REX through which programs ask them for I/O."""
