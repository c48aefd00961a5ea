"""Makes many runs: of grids and designs, on all cores or on a cluster, stored and resumed, until precise enough."""
