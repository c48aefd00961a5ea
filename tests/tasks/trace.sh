# A trace of one's own in CSV: which policy, and how large a cache; and with that cache, what of a modern drive?
echo timestamp,op,offset,size > trace.csv
awk 'BEGIN { while (n++ < 4000) print n / 100 "," (n % 5 ? "R" : "W") "," 4096 * int(8e3 * rand() ^ 3) ",4096" }' >> trace.csv
spindle curve trace.csv --policy lru,arc,belady --sizes 100,400,1600
spindle replay trace.csv --drive hitachi7k1000.c --cache 1600K --policy arc
