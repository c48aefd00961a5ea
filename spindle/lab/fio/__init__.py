"""Drives and arrays from what fio said of them at several depths; half of them are held out and judge the sheet."""
