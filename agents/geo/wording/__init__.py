"""Wording shared by tools and answers: counts, numbers, filters, styles, rows, positions and titles of charts as
text."""
