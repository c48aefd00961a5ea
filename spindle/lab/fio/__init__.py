"""Fits drives and arrays to fio's results at several depths; half of the results are held out to judge the fit."""
