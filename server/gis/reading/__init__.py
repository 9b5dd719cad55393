"""Reads files in a separate process: modules here import as little of the server as possible."""
