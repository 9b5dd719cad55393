"""Phrases the answers about results, and suggests what to ask next."""
