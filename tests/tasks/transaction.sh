# Twelve tills with a transaction of their own, which nobody shipped: a script, a program, and where a sale's time goes.
cat > till.toml <<END
[TILL]
code_segments = 4
segment = "12 KiB"
stack = "16 KiB"
answers.SALE = [{ compute = "20 ms" }, { call = "DBGET mode 7", on = "PART", times = 3 }, { reply = 400 }]
END
printf '%s\n' "SCRIPT TILLS" "TERMINALS 12" "RUN TILL" LOOP "THINK EXPONENTIAL 5" 'ENTER "SALE ######"' END > till.tepe
spindle tepe check till.tepe --program till.toml
spindle run hp3000 --script till.tepe --program till.toml --minutes 3 --warm-up 1
