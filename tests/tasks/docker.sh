# Spindle in a container, on a file of a folder of your own.
docker build --quiet --tag spindle "$CHECKOUT"
printf '%s\n' op,lba,sectors R,0,8 R,8,8 R,0,8 > trace.csv
docker run --rm --volume "$PWD:/work" spindle curve trace.csv --policy lru --sizes 2
