"""Everything on one page."""
