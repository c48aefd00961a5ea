"""The packages of Spindle, four of which lie at the top of a checkout and below spindle where it is installed."""

from setuptools import find_packages, setup

INNER = ("sim", "models", "workloads", "notebooks")

setup(
    packages=[
        *find_packages(include=["spindle", "spindle.*"]),
        *(f"spindle.{name}" for name in INNER),
        *(f"spindle.{top}.{name}" for top in INNER for name in find_packages(top)),
    ],
    package_dir={f"spindle.{name}": name for name in INNER},
)
