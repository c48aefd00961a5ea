# How many terminals does an HP3000 with one disc and no disc caching bear, if a response may take a second on the mean?
spindle find hp3000 terminals --where "response_mean <= 1" --no-caching --discs 1 --between 10:80 --minutes 1 \
    --warm-up 1 --seeds 2 --most 2
