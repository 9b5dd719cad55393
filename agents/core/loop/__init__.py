"""The loop between a model and its tools: agents, turns, calls, history and limits."""
