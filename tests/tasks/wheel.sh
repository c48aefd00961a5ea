# What is installed from a wheel, far from any checkout: a run, a curve, the notebooks.
spindle --version
python -c "import spindle, spindle.models; print(spindle.__file__, spindle.models.__file__, len(spindle.__all__))"
spindle run max_iv --minutes 2min --warm-up 0 --seed 2
printf '%s\n' op,lba,sectors R,0,8 R,8,8 R,0,8 > trace.csv
spindle curve trace.csv --policy lru --sizes 2
spindle notebooks lessons
