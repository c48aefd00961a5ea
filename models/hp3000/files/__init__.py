"""Files: where they lie on the discs, how their records are blocked and buffered, and KSAM's trees of keys."""
