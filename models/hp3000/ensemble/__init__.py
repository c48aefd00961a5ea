"""Machines that all meet the uncached row of McBride & Boles (1983), and what caching does to each of them."""
