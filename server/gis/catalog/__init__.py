"""The table registry: what can be read, how it is named and searched."""
