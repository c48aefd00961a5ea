# In a folder that has a models/, a sim.py and a workloads.py of its own, Spindle is Spindle still.
mkdir models && touch models/__init__.py sim.py workloads.py
spindle run max_iv --minutes 1 --warm-up 0
python -c 'import models, sim, spindle.models.max_iv as ours; print(models.__file__, sim.__file__, ours.__file__)'
