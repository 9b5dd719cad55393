"""Analyses on a map: sessions, stored results and recipes."""
