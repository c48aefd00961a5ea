# The 99th percentile of each device of a trace, of which one is asked for blocks that lie together.
echo time_ms,device,op,offset,size > trace.csv
awk 'BEGIN { for (x = 1; n++ < 600; x = x * 16807 % 2147483647)
    print 30 * n ",disk" n % 3 ",R," 4096 * int(x % (n % 3 ? 6e4 : 100)) ",4096" }' >> trace.csv
spindle replay trace.csv --drive hp7933 --out rows.csv
python -c 'import pandas; print(pandas.read_csv("rows.csv").groupby("device").response_ms.quantile(0.99))'
