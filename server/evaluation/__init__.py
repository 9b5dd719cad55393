"""Evaluation: requests in plain words are sent to a model over real data and judged by their effect.

`cases` reads requests and expectations, `run` sends them, `outcome` collects the effect, `judge` compares it
with the expectation, and `report` makes the table. `geoagent eval` combines them."""
