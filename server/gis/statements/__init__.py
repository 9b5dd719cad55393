"""How a statement of a user or a model runs: within limits, and recorded for its receipt."""
