"""Reads files in a process of its own: modules here import as little of the server as possible."""
