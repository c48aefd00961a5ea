# A trace of your own on two drives, with and without a cache; and the least cache that keeps a promise.
echo time_ms,op,offset,size > trace.csv
awk 'BEGIN { for (x = 1; n++ < 300; x = x * 16807 % 2147483647)
    print 60 * n "," (n % 5 ? "R" : "W") "," 4096 * int(2e3 * (x / 2147483647) ^ 3) ",4096" }' >> trace.csv
spindle sweep trace.csv --drive hp7933,intels3700 --cache 0,1M --policy lru,arc --workers 1 --out answers.csv
spindle find trace.csv cache --drive hp7933 --where "response_mean <= 20ms" --between 4K:8M --workers 1
