"""Makes loads that depend on no machine: users' scripts and programs, traces, and synthetic requests."""

if __name__ != "spindle.workloads":
    raise ImportError("workloads is a part of Spindle: import spindle.workloads")
