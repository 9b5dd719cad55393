"""Analyses in words: the phrases of operations, and commands that take several of them."""
