# An exercise of the course: predict, run, answer wrong, and answer right.
python - <<END
from spindle.course import exercise
task = exercise("little", "ada")
print(task.predict(3))
row = task.run().iloc[0]
print(task.check(row["terminals"] / row["replies a second"]))
print(task.check(row["terminals"] / row["replies a second"] - row["response, s"]))
END
