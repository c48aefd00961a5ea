# How many terminals does an HP3000 with one disc and no disc caching bear, if a response may take half a second?
spindle find hp3000 terminals --where "response_mean <= 500ms" --no-caching --discs 1 --between 20:60 --minutes 1 \
    --warm-up 1 --seeds 2 --most 2 --workers 1
