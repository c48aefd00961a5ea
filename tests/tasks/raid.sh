# Four drives as RAID 5 or as RAID 10: what does a load that writes half of the time wait?
echo time_ms,op,offset,size > trace.csv
awk 'BEGIN { for (x = 1; n++ < 400; x = x * 16807 % 2147483647)
    print 40 * n "," (n % 2 ? "R" : "W") "," 4096 * (x % 6e4) ",4096" }' >> trace.csv
spindle replay trace.csv --drive hp7933 --drives 4 --raid 5
spindle replay trace.csv --drive hp7933 --drives 4 --raid 10
