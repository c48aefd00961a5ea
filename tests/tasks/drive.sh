# A drive of one's own in a sheet: how near is it to what was timed; what is twice the speed worth to a trace?
spindle drive --template > mine.yaml
sed 's/^rpm: 3600/rpm: 7200/' mine.yaml > fast.yaml
spindle check fast.yaml
printf '%s\n' op,lba,sectors,gap_before_ms,measured_ms R,0,8,0,20.1 R,100000,8,5,22.4 W,400000,8,5,31.0 > timed.csv
spindle drive mine.yaml timed.csv
awk 'BEGIN { print "offset,size"; while (n++ < 400) print (x = (x + 1) * 16807 % 2147483647) % 6e4 * 4096 ",4096" }' \
    > trace.csv
spindle replay trace.csv --drive mine.yaml
spindle replay trace.csv --drive fast.yaml
