# A machine of your own, begun from a template, on another drive and under another policy.
spindle new machine.py
spindle drives
spindle sweep machine.py --drive hp7933,intels3700 --policy lru,s3-fifo --minutes 0.5 \
    --warm-up 0.1 --seeds 2 --workers 1 --out mine.csv
