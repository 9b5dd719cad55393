"""Evaluation: requests in plain words, put to a model over real data, and judged by what they left behind.

`cases` reads what is asked and expected, `run` asks it, `outcome` collects what came of it, `judge` compares the two,
and `report` makes the table. `geoagent eval` puts them together; nothing else of the server needs them.
"""
