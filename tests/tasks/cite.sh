# What to cite for a system and a policy, and for a run in Python.
spindle cite hp3000 arc > used.bib
python -c 'import spindle; print(spindle.cite(spindle.simulate("max_iv", users=1, minutes=2, warm_up=0)))'
