"""Instruments that observe a run: OPT's log by the minute, the TEPE monitor of response times, SHOWCACHE's table."""
