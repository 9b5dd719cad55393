"""Turns: queued, run, recorded, interrupted and resumed."""
