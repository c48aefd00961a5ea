# A trace of one's own in CSV: which policy, and how large a cache; and with that cache, what of a modern drive?
echo timestamp,op,offset,size > trace.csv
awk 'BEGIN { for (x = 1; n++ < 4000; x = x * 16807 % 2147483647)
    print n / 100 "," (n % 5 ? "R" : "W") "," 4096 * int(8e3 * (x / 2147483647) ^ 3) ",4096" }' >> trace.csv
spindle curve trace.csv --policy lru,arc,belady --sizes 100,400,1600
spindle replay trace.csv --drive hitachi7k1000.c --cache 1600K --policy arc
