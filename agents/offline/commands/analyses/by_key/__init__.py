"""Analyses of the rows of two tables that belong together by a key."""

from __future__ import annotations

from agents.offline.commands.analyses.by_key import of_rows, without_rows

RULES = (*without_rows.RULES, *of_rows.RULES)
