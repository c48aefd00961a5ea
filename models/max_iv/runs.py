"""What Max-IV's studies run; nothing here draws, so that a change of a picture makes no run stale."""
