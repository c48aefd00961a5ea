# What a miss fetches against how much memory there is, for a script and a transaction of one's own, by command line.
cat > till.toml <<END
[TILL]
code_segments = 4
segment = "12 KiB"
stack = "16 KiB"
answers.SALE = [{ compute = "20 ms" }, { call = "DBGET mode 7", on = "PART", times = 3 }, { reply = 400 }]
END
printf '%s\n' "SCRIPT TILLS" "TERMINALS 12" "RUN TILL" LOOP "THINK EXPONENTIAL 5" 'ENTER "SALE ######"' END > till.tepe
spindle sweep hp3000 --script till.tepe --program till.toml --fetch-random 1K,16K --memory 2MB,8MB --minutes 2 \
    --warm-up 1 --seeds 2 --workers 1 --out sizes.csv
