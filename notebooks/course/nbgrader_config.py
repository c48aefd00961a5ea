"""Settings of nbgrader for the course: what stands in an answer's cell when notebooks are given out."""

# nbgrader's own stub would raise an error, and take away the word that the locked cell asks for.
c = get_config()  # noqa: F821
c.ClearSolutions.code_stub = {"python": "answer = 0  # your answer in place of this one\ntask.check(answer)"}
