"""The version of Spindle, for its tables, its pages and its packaging."""

VERSION = "0.2.0"
