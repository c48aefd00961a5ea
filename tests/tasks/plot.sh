# What a larger cache is worth under two policies: in the terminal, and as a picture for a paper.
spindle sweep sata_ncq --cache 64K,1M --policy lru,fac --requests 100 --seeds 2 --workers 1 --plot -
spindle sweep sata_ncq --cache 64K,1M --policy lru,fac --requests 100 --seeds 1 --workers 1 --columns hit_ratio \
    --plot hits.png
spindle explain hit_ratio
