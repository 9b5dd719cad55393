"""Plans: from an intent to the tool calls of its next step."""
