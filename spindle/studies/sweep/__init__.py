"""Many runs: grids and designs, on all cores or on a cluster, stored, resumed, until they are precise enough."""
