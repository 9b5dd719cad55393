"""Conditions on times: dates and periods, rows that last, states at a time, and changes between years."""
