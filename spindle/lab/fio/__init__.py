"""Drives and arrays from what fio said of them at several depths: a sheet from half of the points, judged on the rest."""
