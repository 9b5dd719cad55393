"""Rules for styles."""
