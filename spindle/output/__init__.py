"""Files that Spindle writes and reads: whole or not at all, with their origin."""
