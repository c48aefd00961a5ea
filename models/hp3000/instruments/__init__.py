"""Instruments: OPT's log by the minute, the TEPE monitor of response times, and the table of SHOWCACHE."""
