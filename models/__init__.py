"""The systems: one folder each, all alike."""

if __name__ != "spindle.models":
    raise ImportError("models is a part of Spindle: import spindle.models")
