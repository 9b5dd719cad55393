"""The commands: their templates, and the intents that a reading of them means."""
