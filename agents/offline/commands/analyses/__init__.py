"""Analyses in words: the phrases of operations, and commands that combine several operations."""
