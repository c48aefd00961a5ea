"""Drives held against requests that were timed on them: where models err, which rules carry over, what data tell."""
