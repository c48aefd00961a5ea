# A sweep that is killed goes on where it was, and its table is that of one that was not.
spindle sweep max_iv --users 1,2 --minutes 5 --warm-up 0 --seeds 2 --out cut.csv &
until [ -e cut.csv.sweep/points.sqlite ]; do sleep 0.1; done
kill -9 %1; wait
ls cut.csv.sweep
spindle sweep max_iv --users 1,2 --minutes 5 --warm-up 0 --seeds 2 --out cut.csv
spindle sweep max_iv --users 1,2 --minutes 5 --warm-up 0 --seeds 2 --workers 1 --out whole.csv
cmp cut.csv whole.csv && ls
