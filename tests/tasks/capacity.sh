# How many terminals does an HP3000 without disc caching bear, if a response may take a second on the mean?
spindle find hp3000 terminals --where "response_mean <= 1" --no-caching --between 60:130 --minutes 2 --seeds 4 --most 4
