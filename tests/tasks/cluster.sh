# A sweep on a cluster, of a policy from an installed package; the table is that of this machine.
dask scheduler --port 8786 --no-dashboard > log 2>&1 &
dask worker tcp://localhost:8786 --nthreads 1 --no-nanny --no-dashboard >> log 2>&1 &
spindle sweep sata_ncq --set policy=lru2,lru --set requests=100 --seeds 2 --cluster tcp://localhost:8786 --out far.csv
spindle sweep sata_ncq --set policy=lru2,lru --set requests=100 --seeds 2 --workers 1 --out near.csv
cmp far.csv near.csv && cat near.csv
kill %1 %2
