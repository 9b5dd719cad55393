"""Rules for how things are to look."""
