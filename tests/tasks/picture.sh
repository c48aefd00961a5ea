# A picture from Python in five lines, and one of a single run.
python - <<END
from spindle import save, simulate, sweep
frame = sweep("max_iv", users=[1, 3], sectors=[128, 512], minutes="1min", warm_up=0, seeds=2, workers=1, progress=False)
save(frame.plot("response_mean"), "users.png")
save(simulate("max_iv", users="4", minutes="2min", warm_up=0).plot(), "responses.png")
END
